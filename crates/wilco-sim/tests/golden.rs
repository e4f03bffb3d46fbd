//! Data of every released version opens, folds and shows what it did then.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use wilco_engine::{differs, rebuild};
use wilco_protocol::journal::Entry;
use wilco_sim::golden::{Golden, all_tags, lost, read, record, tag};
use wilco_store::{Reader, Sqlite};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

/// Every release's, oldest first as their names sort.
fn releases() -> Vec<(String, Vec<Golden>)> {
    let entries = std::fs::read_dir(folder()).expect("golden journals");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("a folder").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let read = |name: String| {
        let golden = read(&folder().join(&name)).expect("a golden journal");
        assert!(!golden.is_empty(), "{name} has no history");
        (name, golden)
    };
    names.into_iter().map(read).collect()
}

/// A data directory of a version before opens without `rebuild`, and a rebuild makes the same of it.
#[test]
fn golden_journals_open_fold_and_show_what_they_did() {
    for (release, histories) in releases() {
        for golden in histories {
            let name = format!("{release}/{}", golden.name);
            let directory = tempfile::tempdir().expect("a directory");
            golden.unpack(directory.path()).expect("a database");
            let mut store = Sqlite::open(directory.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
            let opened = record(&store).unwrap_or_else(|error| panic!("{name}: {error:#}"));
            assert_eq!(lost(&golden.record, &opened), None, "{name} as it was stored");
            assert_eq!(differs(&store).expect("a comparison"), None, "{name} as the journal folds");
            rebuild(&mut store).expect("a rebuild");
            let folded = record(&store).expect("a record");
            assert_eq!(lost(&golden.record, &folded), None, "{name} as it is folded again");
        }
    }
}

/// What a journal may hold, a golden one holds: whoever adds an event adds it to the script or finds a seed for it.
#[test]
fn every_event_that_exists_is_in_a_golden_journal() {
    let mut held = BTreeSet::new();
    for golden in releases().into_iter().flat_map(|(_, histories)| histories) {
        let directory = tempfile::tempdir().expect("a directory");
        golden.unpack(directory.path()).expect("a database");
        let store = Sqlite::open(directory.path()).expect("a store");
        for row in store.journal(0, usize::MAX).expect("a journal") {
            let entry = Entry::from_bytes(&row.bytes).expect("an event");
            held.insert(tag(&entry, &row.bytes).expect("a type"));
        }
    }
    assert_eq!(held, all_tags(), "left: in golden journals, right: in the types");
}

/// States and kinds of keys stand in the tables of exchanges under these names; a new one is written down first.
#[test]
fn states_and_keys_of_golden_journals_are_those_that_are_written_down() {
    let (mut states, mut keys) = (BTreeSet::new(), BTreeSet::new());
    for golden in releases().into_iter().flat_map(|(_, histories)| histories) {
        for exchange in golden.record["exchanges"].as_object().expect("exchanges").values() {
            let texts = |field: &str| -> Vec<String> {
                let texts = exchange[field].as_array().expect("a list").iter();
                texts.map(|text| text.as_str().expect("a text").to_owned()).collect()
            };
            let protocol = exchange["body"]["protocol"].as_str().expect("a protocol");
            for step in texts("course") {
                let (_, state) = step.rsplit_once(": ").expect("an event and a state");
                states.insert(format!("state {protocol} {state}"));
            }
            for key in texts("keys") {
                let (kind, value) = key.split_once(':').expect("a kind and a value");
                let constant = matches!(value, "ever" | "open");
                keys.insert(if constant { format!("key {key}") } else { format!("key {kind}:") });
            }
        }
    }
    let names = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wilco-protocol/stored-names.txt");
    let written = std::fs::read_to_string(names).expect("stored-names.txt");
    let written: BTreeSet<&str> =
        written.lines().filter(|line| line.starts_with("state ") || line.starts_with("key ")).collect();
    let found: BTreeSet<&str> = states.iter().chain(&keys).map(String::as_str).collect();
    let missing: Vec<_> = found.difference(&written).collect();
    assert!(missing.is_empty(), "write them down: {missing:?}");
}
