//! What a crash left behind may be damaged before somebody looks at it: it is found, named, and not served.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use wilco_store::conformance::Author;
use wilco_store::{InboxStatus, OpenError, Reader, Salvaged, Sqlite, Store, StoreError, rescue, verify};

const COMMITS: u64 = 40;

/// A server was killed here: the log holds every commit, and the mark says how many there were.
fn killed() -> TempDir {
    let (live, left) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let mut store = Sqlite::open(live.path()).unwrap();
    let mut author = Author::default();
    for at in 1..=COMMITS {
        author.deliver("alice", InboxStatus::Unread);
        store.commit(&author.take(at as i64)).unwrap();
    }
    for name in ["wilco.db", "wilco.db-wal", "wilco.mark"] {
        fs::copy(live.path().join(name), left.path().join(name)).unwrap();
    }
    left
}

/// The same after a polite end: all of it is in the database.
fn stopped() -> TempDir {
    let directory = killed();
    let mut store = Sqlite::open(directory.path()).unwrap();
    store.commit(&Author::default().take(99)).unwrap();
    drop(store);
    assert!(!directory.path().join("wilco.db-wal").exists());
    directory
}

fn copy_of(directory: &Path) -> TempDir {
    let copy = TempDir::new().unwrap();
    for file in fs::read_dir(directory).unwrap().map(|file| file.unwrap()) {
        fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
    }
    copy
}

fn flip(path: &Path, at: usize) {
    let mut bytes = fs::read(path).unwrap();
    bytes[at] ^= 0x10;
    fs::write(path, bytes).unwrap();
}

/// What is whole, and the positions of what was handed over.
fn rescued(directory: &Path) -> (Salvaged, Vec<u64>) {
    let mut positions = Vec::new();
    let rescued = rescue(directory, &mut |row, _| {
        positions.push(row.position);
        Ok(())
    });
    (rescued.unwrap(), positions)
}

/// Every position is exported or lost, and none both.
fn all_told(found: &Salvaged, exported: &[u64]) {
    let lost = found.lost.iter().cloned().flatten();
    let mut all: Vec<u64> = exported.iter().copied().chain(lost).collect();
    all.sort_unstable();
    assert_eq!(all, (1..=COMMITS).collect::<Vec<_>>(), "{found:?}");
    assert_eq!(found.events, exported.len() as u64);
}

#[test]
fn g8_a_flipped_byte_in_the_log_of_a_killed_server_is_noticed() {
    let left = killed();
    let log = left.path().join("wilco.db-wal");
    let length = fs::metadata(&log).unwrap().len() as usize;
    let (mut noticed, step) = (0, length / 97);
    for at in (0..length).step_by(step) {
        let copy = copy_of(left.path());
        let log = copy.path().join("wilco.db-wal");
        flip(&log, at);
        let before = fs::read(&log).unwrap();
        match Sqlite::open(copy.path()) {
            Ok(store) => {
                assert_eq!(store.head().unwrap().position, COMMITS, "byte {at}: a shorter journal was served")
            }
            Err(OpenError::Store(StoreError::Damaged { position, reason })) => {
                assert!((1..=COMMITS).contains(&position), "{position}: {reason}");
                assert!(reason.contains(&format!("position {COMMITS} had been committed")), "{reason}");
                assert_eq!(fs::read(&log).unwrap(), before, "the evidence is kept");
                let (rescued, events) = rescued(copy.path());
                assert_eq!(events, (1..position).collect::<Vec<_>>());
                all_told(&rescued, &events);
                noticed += 1;
            }
            // The very tables may be in the part that is gone.
            Err(OpenError::Store(_)) => noticed += 1,
            Err(other) => panic!("byte {at}: {other}"),
        }
    }
    assert!(noticed > 80, "only {noticed} of 97 flips were noticed");
}

#[test]
fn g8_a_log_that_was_cut_off_or_lost_is_noticed() {
    let left = killed();
    for share in [0, 3, 7] {
        let copy = copy_of(left.path());
        let log = copy.path().join("wilco.db-wal");
        let bytes = fs::read(&log).unwrap();
        fs::write(&log, &bytes[..bytes.len() * share / 8]).unwrap();
        match Sqlite::open(copy.path()) {
            Ok(store) => panic!("{share}/8: {:?} was served", store.head().unwrap()),
            Err(error) => assert!(matches!(error, OpenError::Store(_)), "{share}/8: {error}"),
        }
    }
}

#[test]
fn g8_a_mark_that_is_old_damaged_or_missing_stands_in_nobodys_way() {
    let left = killed();
    let newest = fs::read(left.path().join("wilco.mark")).unwrap();
    let old = TempDir::new().unwrap();
    let mut store = Sqlite::open(old.path()).unwrap();
    let mut author = Author::default();
    author.deliver("alice", InboxStatus::Unread);
    store.commit(&author.take(1)).unwrap();
    let older = fs::read(old.path().join("wilco.mark")).unwrap();
    let mut damaged = newest.clone();
    damaged[3] ^= 1;
    for mark in [Some(older), Some(damaged), Some(Vec::new()), None] {
        let copy = copy_of(left.path());
        let path = copy.path().join("wilco.mark");
        match mark {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let store = Sqlite::open(copy.path()).unwrap();
        assert_eq!(store.head().unwrap().position, COMMITS);
        assert_eq!(fs::read(&path).unwrap(), newest, "it is made anew");
    }
}

#[test]
fn g8_another_history_under_the_mark_is_noticed() {
    let left = killed();
    let other = TempDir::new().unwrap();
    let mut store = Sqlite::open(other.path()).unwrap();
    let mut author = Author::default();
    for at in 1..=COMMITS + 5 {
        author.event(None, "another");
        store.commit(&author.take(at as i64)).unwrap();
    }
    drop(store);
    fs::copy(left.path().join("wilco.mark"), other.path().join("wilco.mark")).unwrap();
    let refused = Sqlite::open(other.path()).unwrap_err();
    assert!(matches!(refused, OpenError::Store(StoreError::Damaged { position: COMMITS, .. })), "{refused}");
}

#[test]
fn g8_flipped_bytes_in_a_database_are_found_and_what_is_whole_is_exported() {
    let left = stopped();
    let length = fs::metadata(left.path().join("wilco.db")).unwrap().len() as usize;
    let (mut in_journal, mut elsewhere, mut behind) = (0, 0, 0);
    for at in (0..length).step_by(length / 211) {
        let copy = copy_of(left.path());
        flip(&copy.path().join("wilco.db"), at);
        let (found, exported) = rescued(copy.path());
        all_told(&found, &exported);
        match found.damage {
            Some(StoreError::Damaged { position: 0, .. }) => elsewhere += 1,
            Some(StoreError::Damaged { position, .. }) => {
                // A server would not serve it.
                let served = Sqlite::open(copy.path())
                    .map_err(drop)
                    .and_then(|store| verify(&store, None).map_err(drop));
                assert!(served.is_err(), "byte {at}");
                in_journal += 1;
                behind += u32::from(exported.last().is_some_and(|last| *last > position));
            }
            Some(other) => panic!("byte {at}: {other}"),
            // Free space, or a derived table whose row is still a row.
            None => assert_eq!(found.newest.position, COMMITS),
        }
    }
    assert!(in_journal > 20 && elsewhere > 0, "{in_journal} in the journal, {elsewhere} elsewhere");
    assert!(behind > 10, "only {behind} times something behind the damage was saved");
}

/// The event of a message is whole when its message is not.
#[test]
fn g8_a_damaged_message_costs_only_itself() {
    let left = stopped();
    let file = left.path().join("wilco.db");
    let mut bytes = fs::read(&file).unwrap();
    let body = br#"{"to":"alice"}"#;
    let message = bytes.windows(body.len()).position(|window| window == body).unwrap();
    bytes[message + 8] ^= 1;
    fs::write(&file, bytes).unwrap();
    let (found, exported) = rescued(left.path());
    assert_eq!(exported, (1..=COMMITS).collect::<Vec<_>>());
    let only = found.without_message.iter().cloned().flatten().collect::<Vec<_>>();
    assert_eq!((only.len(), found.lost.len()), (1, 0), "{found:?}");
    assert!(found.damage.unwrap().to_string().contains("the message does not match its hash"));
}

/// SQLite by itself would delete the log.
#[test]
fn g8_a_log_without_its_database_is_kept_and_read() {
    let left = killed();
    for missing in [false, true] {
        let copy = copy_of(left.path());
        let (database, log) = (copy.path().join("wilco.db"), copy.path().join("wilco.db-wal"));
        match missing {
            true => fs::remove_file(&database).unwrap(),
            false => fs::write(&database, "").unwrap(),
        }
        let before = fs::read(&log).unwrap();
        let refused = Sqlite::open(copy.path()).unwrap_err();
        assert!(refused.to_string().contains("its log is there"), "{refused}");
        assert_eq!(database.exists(), !missing, "nothing is made");
        let (found, exported) = rescued(copy.path());
        assert_eq!(exported, (1..=COMMITS).collect::<Vec<_>>(), "{found:?}");
        assert_eq!(fs::read(&log).unwrap(), before, "the evidence is kept");
    }
}

/// What is refused after the start looked at it is left as it was.
#[test]
fn g8_a_store_that_was_only_looked_at_leaves_its_log() {
    let left = killed();
    let log = left.path().join("wilco.db-wal");
    let before = fs::read(&log).unwrap();
    let store = Sqlite::open(left.path()).unwrap();
    assert_eq!(verify(&store, None).unwrap().position, COMMITS);
    drop(store);
    assert_eq!(fs::read(&log).unwrap(), before);
}

#[test]
fn g8_a_database_that_was_cut_off_is_found() {
    let left = stopped();
    let bytes = fs::read(left.path().join("wilco.db")).unwrap();
    for share in 1..8 {
        let copy = copy_of(left.path());
        fs::write(copy.path().join("wilco.db"), &bytes[..bytes.len() * share / 8]).unwrap();
        let (found, events) = rescued(copy.path());
        assert!(found.damage.is_some(), "{share}/8 was taken for whole");
        all_told(&found, &events);
    }
}

#[test]
fn g8_a_whole_directory_is_exported_and_left_as_it_was() {
    let left = killed();
    let (found, events) = rescued(left.path());
    assert!(found.damage.is_none());
    all_told(&found, &events);
    let store = Sqlite::open(left.path()).unwrap();
    assert_eq!(verify(&store, None).unwrap().position, COMMITS);
    let refused = rescue(left.path(), &mut |_, _| Ok(())).unwrap_err();
    assert!(matches!(refused, OpenError::InUse { .. }), "{refused}");
}
