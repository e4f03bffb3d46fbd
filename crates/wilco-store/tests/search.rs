//! The index and the messages agree: whatever was taken in, the answer is the same as without it.

use proptest::collection::vec;
use proptest::prelude::*;
use tempfile::TempDir;
use wilco_protocol::Name;
use wilco_store::conformance::{Author, walk};
use wilco_store::{Memory, SearchFilter, SearchIndex, Sqlite, SqliteReader, Store, words};

const NAMES: [&str; 4] = ["ann", "bob", "bob-2", "Ann"];
const KINDS: [&str; 3] = ["", "ack", "task-assignment"];

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ab]{1,2}( [ab]{1,3}){0,3}", "[aßé登 \"*:()-]{0,6}", any::<String>()]
}

#[derive(Debug, Clone)]
struct Letter {
    from: usize,
    to: usize,
    kind: usize,
    exchange: Option<u64>,
    subject: String,
    said: String,
}

fn letter() -> impl Strategy<Value = Letter> {
    (0..4usize, 0..4usize, 0..3usize, proptest::option::of(1..3u64), text(), text()).prop_map(
        |(from, to, kind, exchange, subject, said)| Letter { from, to, kind, exchange, subject, said },
    )
}

fn filter() -> impl Strategy<Value = SearchFilter> {
    let name = || {
        proptest::option::weighted(0.2, 0..4usize).prop_map(|name| name.map(|name| Name::new(NAMES[name])))
    };
    let kind = proptest::option::weighted(0.2, 0..3usize);
    (text(), name(), name(), name(), kind, proptest::option::weighted(0.2, 1..3u64), 1..4usize).prop_map(
        |(text, from, to, agent, kind, exchange, limit)| SearchFilter {
            words: words(&text),
            from,
            to,
            agent,
            kind: kind.map(|kind| wilco_store::kind_word(KINDS[kind])),
            exchange,
            before: None,
            limit,
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(32) })]

    #[test]
    fn api_2_search_with_and_without_index_agree(
        batches in vec((vec(letter(), 1..12), any::<bool>()), 1..5),
        filters in vec(filter(), 8),
    ) {
        let directory = TempDir::new().unwrap();
        let mut sqlite = Sqlite::open(directory.path()).unwrap();
        let mut index = SearchIndex::open(directory.path(), &sqlite).unwrap();
        let (mut memory, mut author) = (Memory::new(), Author::default());
        let reader = sqlite.reader().unwrap();
        for (at, (letters, follows)) in (1..).zip(&batches) {
            for one in letters {
                let content = serde_json::json!({"type": KINDS[one.kind], "message": one.said}).to_string();
                author.letter(NAMES[one.from], NAMES[one.to], one.exchange, &one.subject, &content);
            }
            let batch = author.take(at);
            memory.commit(&batch).unwrap();
            sqlite.commit(&batch).unwrap();
            if *follows {
                while index.follow(&reader).unwrap() {}
            }
        }
        for filter in &filters {
            prop_assert_eq!(walk(&reader, filter).unwrap(), walk(&memory, filter).unwrap(), "{:?}", filter);
        }
    }
}

fn store_with(directory: &TempDir, texts: &[&str]) -> Sqlite {
    let mut store = Sqlite::open(directory.path()).unwrap();
    let mut author = Author::default();
    for text in texts {
        author.letter("ann", "bob", None, text, "{}");
    }
    store.commit(&author.take(1)).unwrap();
    store
}

fn found(reader: &SqliteReader, text: &str) -> Vec<u64> {
    walk(reader, &SearchFilter { words: words(text), limit: 10, ..SearchFilter::default() }).unwrap()
}

#[test]
fn api_2_an_index_of_another_history_is_made_anew() {
    let (first, second) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = store_with(&first, &["alpha", "beta", "gamma"]);
    let mut index = SearchIndex::open(first.path(), &store).unwrap();
    while index.follow(&store).unwrap() {}
    drop(index);
    let other = store_with(&second, &["delta", "alpha"]);
    for file in std::fs::read_dir(first.path()).unwrap() {
        let file = file.unwrap();
        if file.file_name().to_str().unwrap().starts_with("search.db") {
            std::fs::copy(file.path(), second.path().join(file.file_name())).unwrap();
        }
    }
    let mut index = SearchIndex::open(second.path(), &other).unwrap();
    assert!(!index.follow(&other).unwrap());
    let reader = other.reader().unwrap();
    assert_eq!(
        (found(&reader, "delta"), found(&reader, "alpha"), found(&reader, "gamma")),
        (vec![1], vec![2], vec![])
    );
}

#[test]
fn api_2_a_damaged_index_never_changes_the_answer() {
    let directory = TempDir::new().unwrap();
    let store = store_with(&directory, &["alpha", "beta"]);
    std::fs::write(directory.path().join("search.db"), b"this is no database at all, only a text").unwrap();
    let reader = store.reader().unwrap();
    assert_eq!(found(&reader, "alpha"), [1], "without an index everything is looked through");
    drop(reader);
    let mut index = SearchIndex::open(directory.path(), &store).unwrap();
    while index.follow(&store).unwrap() {}
    assert_eq!(found(&store.reader().unwrap(), "beta"), [2]);
}

#[test]
fn sec_5_the_index_is_private_too() {
    use std::os::unix::fs::PermissionsExt;
    let directory = TempDir::new().unwrap();
    let store = store_with(&directory, &["alpha"]);
    let mut index = SearchIndex::open(directory.path(), &store).unwrap();
    index.follow(&store).unwrap();
    for name in ["search.db", "search.db-wal", "search.db-shm"] {
        let mode = std::fs::metadata(directory.path().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}
