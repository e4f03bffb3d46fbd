//! Every store passes the same suite.

use std::cell::RefCell;

use tempfile::TempDir;
use wilco_store::conformance::{self, Author, StoreQuestions, answers};
use wilco_store::{InboxStatus, Memory, Reader, Sqlite, Store};

#[test]
fn memory_conforms() {
    conformance::check(Memory::new).unwrap();
}

#[test]
fn sqlite_conforms() {
    let directories = RefCell::new(Vec::new());
    conformance::check(|| {
        let directory = TempDir::new().unwrap();
        let store = Sqlite::open(directory.path()).unwrap();
        directories.borrow_mut().push(directory);
        store
    })
    .unwrap();
}

/// PG-3: the same suite on a real PostgreSQL, a schema for each property.
#[test]
fn pg_3_postgres_conforms() {
    conformance::check(|| crate::postgres::writer(&crate::postgres::target())).unwrap();
}

#[test]
fn a_snapshot_of_memory_stays_as_it_was() {
    let (mut store, mut author) = (Memory::new(), Author::default());
    author.deliver("alice", InboxStatus::Unread);
    store.commit(&author.take(1)).unwrap();
    let snapshot = store.clone();
    let before = answers(&snapshot, &StoreQuestions::default()).unwrap();
    author.deliver("alice", InboxStatus::Unread);
    author.mark("alice", 1, InboxStatus::Read);
    store.commit(&author.take(2)).unwrap();
    assert_eq!(answers(&snapshot, &StoreQuestions::default()).unwrap(), before);
    assert_eq!(store.head().unwrap().position, 2);
}
