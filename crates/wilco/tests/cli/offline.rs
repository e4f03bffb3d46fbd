//! What works on a data directory without a server.

use std::path::Path;

use wilco_protocol::Time;

use super::program::{ran, wilco};
use super::working;

#[test]
fn g8_a_data_directory_is_verified_and_rebuilt() {
    let (_data, path) = working().stop();
    let path = path.to_str().expect("a path");
    let shown = ran(wilco().args(["audit", "verify", "--data", path])).ok();
    assert!(shown.starts_with("The journal is whole: "), "{shown}");
    let events = ran(wilco().args(["audit", "verify", "--json", "--data", path])).json()["events"].clone();
    assert_eq!(ran(wilco().args(["rebuild", "--json", "--data", path])).json()["events"], events);
    ran(wilco().args(["audit", "verify", "--data", path])).ok();
}

/// Makes the derived row of an exchange another than the journal says; the time of the newest commit.
fn turn_a_state_round(path: &Path) -> Time {
    use wilco_store::{Batch, ExchangeFilter, Reader, Sqlite, Store};

    let mut store = Sqlite::open_for_rebuild(path).expect("a store");
    let filter = ExchangeFilter { limit: 1, ..ExchangeFilter::default() };
    let mut row = store.exchanges(&filter).expect("rows").remove(0);
    row.state = "queued".to_owned();
    let at = store.head().expect("a head").at.expect("a time");
    store.commit(&Batch { at, exchanges: vec![row], ..Batch::default() }).expect("a commit");
    at
}

/// The hashes of the journal say nothing of what is derived from it.
#[test]
fn g8_a_derived_row_that_is_not_as_the_journal_has_it_is_found_and_mended() {
    use wilco_protocol::Name;
    use wilco_store::{Batch, InboxFilter, InboxMark, InboxStatus, Reader, Sqlite, Store, Walk};

    let (_data, path) = working().stop();
    let verify = |deep: &[&str]| ran(wilco().args(["audit", "verify", "--data"]).arg(&path).args(deep));
    verify(&["--deep"]).ok();
    let at = turn_a_state_round(&path);
    verify(&[]).ok();
    let shown = verify(&["--deep"]);
    assert_eq!(shown.code, 1, "{shown:?}");
    let shown = shown.out;
    assert!(
        shown.contains("is not as the journal has it; make the tables anew with: wilco rebuild"),
        "{shown}"
    );
    ran(wilco().args(["rebuild", "--data"]).arg(&path)).ok();
    verify(&["--deep"]).ok();

    let mut store = Sqlite::open_for_rebuild(&path).expect("a store");
    let everything = InboxFilter {
        agent: Name::new("bob"),
        statuses: vec![InboxStatus::Unread],
        walk: Walk::Behind(0),
        limit: 1,
    };
    let (_, message) = store.inbox(&everything).expect("an inbox").remove(0);
    let mark = InboxMark { agent: Name::new("bob"), position: message.position, status: InboxStatus::Read };
    store.commit(&Batch { at, marks: vec![mark], ..Batch::default() }).expect("a commit");
    drop(store);
    let shown = verify(&["--deep"]);
    assert!(shown.out.contains("is not as the journal has it in the inbox of bob"), "{shown:?}");
    // Nor is it served.
    let error = ran(wilco().args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(&path)).fails(1);
    assert!(error.contains("wilco rebuild --data"), "{error}");
    ran(wilco().args(["rebuild", "--data"]).arg(&path)).ok();
    verify(&["--deep"]).ok();
    let error = ran(wilco().args(["audit", "verify", "--deep"])).fails(2);
    assert!(error.contains("--data"), "{error}");
}

/// What is made anew from a damaged journal would be as wrong, and look right.
#[test]
fn g8_a_damaged_journal_is_not_rebuilt_from() {
    use wilco_store::{Batch, JournalRow, Reader, Sqlite, Store};

    let (_data, path) = working().stop();
    let mut store = Sqlite::open_for_rebuild(&path).expect("a store");
    let head = store.head().expect("a head");
    let forged = JournalRow {
        position: head.position + 1,
        exchange: None,
        seq: None,
        bytes: b"{}".to_vec(),
        hash: [0; 32],
    };
    let at = head.at.expect("a time");
    store.commit(&Batch { at, journal: vec![forged], ..Batch::default() }).expect("a commit");
    drop(store);
    let error = ran(wilco().args(["rebuild", "--data"]).arg(&path)).fails(1);
    assert!(error.contains(&format!("position {}", head.position + 1)), "{error}");
}

#[test]
fn cli_9_a_restored_copy_is_as_its_journal_says() {
    let (_data, path) = working().stop();
    let place = tempfile::tempdir().expect("a directory");
    let (copy, new) = (place.path().join("copy.db"), place.path().join("new"));
    turn_a_state_round(&path);
    ran(wilco().arg("backup").arg(&copy).arg("--data").arg(&path)).ok();
    let said = ran(wilco().arg("restore").arg(&copy).arg("--data").arg(&new)).ok();
    assert!(said.contains("were made anew"), "{said}");
    ran(wilco().args(["audit", "verify", "--deep", "--data"]).arg(&new)).ok();
}

#[test]
fn cli_5_a_missing_data_directory_is_named_and_not_made() {
    let place = tempfile::tempdir().expect("a directory");
    let missing = place.path().join("missing");
    let path = missing.to_str().expect("a path");
    for verb in [&["audit", "verify"][..], &["rebuild"]] {
        let error = ran(wilco().args(verb).args(["--data", path])).fails(1);
        assert!(error.contains("there is no data directory"), "{error}");
    }
    assert!(!missing.exists());
}

#[test]
fn sec_5_a_data_directory_in_use_is_left_alone() {
    let server = working();
    let path = server.data.path().to_str().expect("a path");
    let error = ran(wilco().args(["rebuild", "--data", path])).fails(1);
    assert!(error.contains("in use"), "{error}");
}
