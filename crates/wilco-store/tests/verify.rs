//! Damage is found and named: bytes are flipped behind the store's back.

use std::fs;
use std::path::Path;

use rusqlite::Connection;
use tempfile::TempDir;
use wilco_store::conformance::Author;
use wilco_store::{InboxStatus, Memory, Reader, Sqlite, Store, StoreError, genesis, verify};

const EVENTS: u64 = 600;

fn fill(store: &mut impl Store) -> Author {
    let mut author = Author::default();
    for number in 1..=EVENTS {
        if number % 3 == 0 {
            let seq = number / 3;
            author.event(
                Some((7, seq)),
                &format!(r#"{{"exchange":"del-7","seq":{seq},"type":"moved","data":{{}}}}"#),
            );
        } else {
            author.deliver("alice", InboxStatus::Unread);
        }
    }
    store.commit(&author.take(1)).unwrap();
    author
}

/// Damages a filled store with these statements and verifies it.
fn damaged_by(statements: &str) -> StoreError {
    let directory = TempDir::new().unwrap();
    fill(&mut Sqlite::open(directory.path()).unwrap());
    raw(directory.path()).execute_batch(statements).unwrap();
    // The walk itself is tested here, not what is noticed before it.
    fs::remove_file(directory.path().join("wilco.mark")).unwrap();
    let store = Sqlite::open(directory.path()).unwrap();
    verify(&store, None).expect_err(statements)
}

fn raw(directory: &Path) -> Connection {
    Connection::open(directory.join("wilco.db")).unwrap()
}

#[test]
fn g3_a_sound_journal_verifies_up_to_its_head() {
    let mut store = Memory::new();
    assert_eq!(verify(&store, None).unwrap(), store.head().unwrap(), "also an empty one");
    let author = fill(&mut store);
    assert_eq!(verify(&store, None).unwrap(), store.head().unwrap());
    assert_eq!(verify(&store, Some((EVENTS, author.hash))).unwrap(), store.head().unwrap());
    let middle = store.journal(299, 1).unwrap().remove(0);
    assert_eq!(verify(&store, Some((300, middle.hash))).unwrap(), store.head().unwrap());
}

#[test]
fn g8_flipped_bytes_are_named() {
    for (statements, expected, word) in [
        (
            "UPDATE journal SET bytes = CAST(replace(bytes, 'moved', 'mover') AS BLOB) WHERE position = 300",
            300,
            "hash",
        ),
        ("UPDATE journal SET hash = zeroblob(32) WHERE position = 1", 1, "hash"),
        ("UPDATE journal SET hash = zeroblob(31) WHERE position = 5", 5, ""),
        ("UPDATE journal SET bytes = 'text' WHERE position = 6", 6, ""),
        ("UPDATE journal SET hash = zeroblob(32) WHERE position = 600", 600, "hash"),
        ("UPDATE journal SET exchange = 8 WHERE position = 300", 300, "place"),
        ("UPDATE journal SET seq = 1000 WHERE position = 300", 300, "place"),
        ("DELETE FROM journal WHERE position = 257", 257, "missing"),
        ("DELETE FROM journal WHERE position BETWEEN 2 AND 599", 2, "missing"),
        ("UPDATE message SET body = CAST('{\"to\":\"alicf\"}' AS BLOB) WHERE position = 512", 512, "message"),
        ("UPDATE message SET id = 'm513x' WHERE position = 512", 512, "id"),
        ("DELETE FROM message WHERE position = 2", 2, "missing"),
    ] {
        match damaged_by(statements) {
            StoreError::Damaged { position, reason } => {
                assert_eq!(position, expected, "{statements}");
                assert!(reason.contains(word), "{statements}: {reason}");
            }
            other => panic!("{statements}: {other:?}"),
        }
    }
}

#[test]
fn g8_the_first_damage_is_named() {
    let statements = "UPDATE message SET body = x'00' WHERE position IN (400, 200);
                      UPDATE journal SET hash = zeroblob(32) WHERE position = 300";
    let found = damaged_by(statements);
    assert!(matches!(found, StoreError::Damaged { position: 200, .. }), "{found:?}");
}

#[test]
fn g8_a_journal_cut_off_is_found_from_a_known_position() {
    let directory = TempDir::new().unwrap();
    let author = fill(&mut Sqlite::open(directory.path()).unwrap());
    raw(directory.path()).execute_batch("DELETE FROM journal WHERE position > 590").unwrap();
    let refused = Sqlite::open(directory.path()).unwrap_err().to_string();
    assert!(refused.contains("591"), "the mark beside it says so: {refused}");
    fs::remove_file(directory.path().join("wilco.mark")).unwrap();
    let store = Sqlite::open(directory.path()).unwrap();
    let found = verify(&store, None).unwrap_err();
    assert!(matches!(found, StoreError::Damaged { position: 591.., .. }), "its messages are left: {found:?}");
    raw(directory.path()).execute_batch("DELETE FROM message WHERE position > 590").unwrap();
    assert_eq!(verify(&store, None).unwrap().position, 590, "alone it looks whole");
    let found = verify(&store, Some((EVENTS, author.hash))).unwrap_err();
    assert!(matches!(found, StoreError::Damaged { position: EVENTS, .. }), "{found:?}");
    let found = verify(&store, Some((590, genesis()))).unwrap_err();
    assert!(matches!(found, StoreError::Damaged { position: 590, .. }), "{found:?}");
}

/// Damage below SQLite's feet, anywhere in the file: found, or harmless, never taken for the truth.
#[test]
fn g8_flipped_bytes_in_the_file_are_never_served() {
    let directory = TempDir::new().unwrap();
    let author = fill(&mut Sqlite::open(directory.path()).unwrap());
    let database = directory.path().join("wilco.db");
    let sound = std::fs::read(&database).unwrap();
    for at in (100..sound.len()).step_by(sound.len() / 60) {
        let mut flipped = sound.clone();
        flipped[at] ^= 0x10;
        std::fs::write(&database, &flipped).unwrap();
        let Ok(store) = Sqlite::open(directory.path()) else { continue };
        if let Ok(head) = verify(&store, None) {
            assert_eq!((head.position, head.hash), (EVENTS, author.hash), "flipped at {at}");
        }
    }
}
