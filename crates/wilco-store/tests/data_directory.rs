//! The data directory of a SQLite store: private, locked, kept over restarts, refused when it must be.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use rusqlite::Connection;
use tempfile::TempDir;
use wilco_store::conformance::{Author, StoreQuestions, answers};
use wilco_store::{Head, InboxStatus, OpenError, Reader, Sqlite, SqliteReader, Store, StoreError, verify};

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o777
}

/// A store with something in it, and its author.
fn filled(directory: &Path) -> (Sqlite, Author) {
    let mut store = Sqlite::open(directory).unwrap();
    let mut author = Author::default();
    author.deliver("alice", InboxStatus::Unread);
    author.exchange(1, "assigned", true, Some(5));
    author.key("task:1", 1, true);
    author.remember("alice", "task:1", 5, "answer");
    store.commit(&author.take(1)).unwrap();
    (store, author)
}

#[test]
fn g1_what_was_committed_is_there_after_reopening() {
    let directory = TempDir::new().unwrap();
    let (store, mut author) = filled(directory.path());
    let before = answers(&store, &StoreQuestions::default()).unwrap();
    drop(store);
    let mut store = Sqlite::open(directory.path()).unwrap();
    assert_eq!(answers(&store, &StoreQuestions::default()).unwrap(), before);
    author.event(None, "goes on");
    store.commit(&author.take(2)).unwrap();
    assert_eq!(store.head().unwrap(), Head { position: 2, hash: author.hash, at: store.head().unwrap().at });
}

/// What lies on the disk at any moment is enough: a copy of the files, as a killed server leaves them.
#[test]
fn g1_a_killed_server_loses_nothing() {
    let (directory, left) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let (store, _) = filled(directory.path());
    for name in ["wilco.db", "wilco.db-wal"] {
        fs::copy(directory.path().join(name), left.path().join(name)).unwrap();
    }
    let found = Sqlite::open(left.path()).unwrap();
    let questions = StoreQuestions::default();
    assert_eq!(answers(&found, &questions).unwrap(), answers(&store, &questions).unwrap());
}

#[test]
fn readers_see_commits_that_returned() {
    let directory = TempDir::new().unwrap();
    let (mut store, mut author) = filled(directory.path());
    let reader = store.reader().unwrap();
    for at in 2..50 {
        author.deliver("alice", InboxStatus::Unread);
        store.commit(&author.take(at)).unwrap();
        assert_eq!(reader.head().unwrap(), store.head().unwrap());
        assert_eq!(reader.unread(&"alice".into(), 100).unwrap(), at as usize);
    }
    std::thread::spawn(move || reader.head().unwrap()).join().unwrap();
}

#[test]
fn the_log_stays_short() {
    let directory = TempDir::new().unwrap();
    let (mut store, mut author) = filled(directory.path());
    let log = directory.path().join("wilco.db-wal");
    let write = |store: &mut Sqlite, author: &mut Author| {
        for at in 2..150 {
            author.message(&format!("m{}", author.position + 1), None, &"long ".repeat(50_000));
            store.commit(&author.take(at)).unwrap();
        }
        fs::metadata(&log).unwrap().len()
    };
    assert!(write(&mut store, &mut author) < 18_000_000, "one block of the index");
    assert!(write(&mut store, &mut author) < 18_000_000);
    assert_eq!(verify(&store, None).unwrap(), store.head().unwrap());
}

#[test]
fn sec_5_files_are_private() {
    let parent = TempDir::new().unwrap();
    let directory = parent.path().join("some/where");
    let (store, _) = filled(&directory);
    assert_eq!(mode(&directory), 0o700);
    let mut names: Vec<_> =
        fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["wilco.db", "wilco.db-shm", "wilco.db-wal", "wilco.lock", "wilco.mark"]);
    for name in names {
        assert_eq!(mode(&directory.join(&name)), 0o600, "{name:?}");
    }
    drop(store);
    // One that was made for it is made private; one that holds something else is its owner's business.
    for (name, found, expected) in [("made", None, 0o700), ("shared", Some("notes.txt"), 0o755)] {
        let given = parent.path().join(name);
        fs::create_dir(&given).unwrap();
        fs::set_permissions(&given, fs::Permissions::from_mode(0o755)).unwrap();
        found.map_or(Ok(()), |found| fs::write(given.join(found), "")).unwrap();
        drop(Sqlite::open(&given).unwrap());
        assert_eq!(mode(&given), expected, "{name}");
    }
    // Somebody was too generous: it is taken back.
    fs::set_permissions(directory.join("wilco.db"), fs::Permissions::from_mode(0o666)).unwrap();
    drop(Sqlite::open(&directory).unwrap());
    assert_eq!(mode(&directory.join("wilco.db")), 0o600);
}

#[test]
fn sec_5_symlinks_are_not_followed() {
    for name in ["wilco.db", "wilco.db-wal", "wilco.db-shm", "wilco.lock"] {
        let (directory, elsewhere) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let target = elsewhere.path().join("target");
        symlink(&target, directory.path().join(name)).unwrap();
        for exists in [false, true] {
            if exists {
                fs::write(&target, "not yours").unwrap();
            }
            let refused = Sqlite::open(directory.path()).unwrap_err();
            assert!(matches!(refused, OpenError::Unusable { .. }), "{name}: {refused:?}");
            assert_eq!(target.exists(), exists, "{name}: made through a symlink");
        }
        assert_eq!(fs::read_to_string(&target).unwrap(), "not yours");
    }
}

#[test]
fn a_directory_may_itself_be_a_symlink() {
    let parent = TempDir::new().unwrap();
    fs::create_dir(parent.path().join("real")).unwrap();
    symlink(parent.path().join("real"), parent.path().join("link")).unwrap();
    let (store, _) = filled(&parent.path().join("link"));
    let reader = SqliteReader::open(&parent.path().join("link")).unwrap();
    assert_eq!(reader.head().unwrap(), store.head().unwrap());
    assert!(parent.path().join("real/wilco.db").exists());
}

#[test]
fn sec_5_one_server_per_directory() {
    let directory = TempDir::new().unwrap();
    let (store, _) = filled(directory.path());
    let refused = Sqlite::open(directory.path()).unwrap_err();
    assert!(matches!(refused, OpenError::InUse { .. }), "{refused:?}");
    assert!(refused.to_string().contains("--data"), "it says what to do: {refused}");
    assert_eq!(store.head().unwrap().position, 1, "the first one works on");
    drop(store);
    Sqlite::open(directory.path()).unwrap();
}

#[test]
fn an_unusable_directory_is_named() {
    let parent = TempDir::new().unwrap();
    let file = parent.path().join("file");
    fs::write(&file, "").unwrap();
    for path in [file.clone(), file.join("below")] {
        let refused = Sqlite::open(&path).unwrap_err();
        assert!(matches!(refused, OpenError::Unusable { .. }), "{refused:?}");
        assert!(refused.to_string().contains(path.to_str().unwrap()), "{refused}");
    }
}

#[test]
fn a_newer_database_is_left_alone() {
    let directory = TempDir::new().unwrap();
    drop(filled(directory.path()));
    let database = directory.path().join("wilco.db");
    Connection::open(&database).unwrap().pragma_update(None, "user_version", 1000).unwrap();
    let before = fs::read(&database).unwrap();
    let refused = Sqlite::open(directory.path()).unwrap_err();
    assert!(matches!(refused, OpenError::Newer { found: 1000, .. }), "{refused:?}");
    assert_eq!(fs::read(&database).unwrap(), before);
}

#[test]
fn g8_what_is_no_database_is_not_served() {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("wilco.db"), "x".repeat(5000)).unwrap();
    let refused = Sqlite::open(directory.path()).unwrap_err();
    assert!(matches!(refused, OpenError::Store(StoreError::Damaged { .. })), "{refused:?}");
}

#[test]
fn g8_an_interrupted_rebuild_is_found() {
    let directory = TempDir::new().unwrap();
    let (mut store, _) = filled(directory.path());
    store.begin_rebuild().unwrap();
    drop(store);
    let refused = Sqlite::open(directory.path()).unwrap_err();
    assert!(matches!(refused, OpenError::RebuildInterrupted { .. }), "{refused:?}");
    let mut store = Sqlite::open_for_rebuild(directory.path()).unwrap();
    store.begin_rebuild().unwrap();
    store.finish_rebuild().unwrap();
    drop(store);
    Sqlite::open(directory.path()).unwrap();
}

#[test]
fn sec_16_a_directory_that_everybody_may_write_into_is_refused() {
    let place = TempDir::new().unwrap();
    for (mode, files, fine) in
        [(0o777, 0, false), (0o757, 1, false), (0o1777, 1, false), (0o775, 1, true), (0o755, 1, true)]
    {
        let directory = place.path().join(format!("{mode:o}"));
        fs::create_dir(&directory).unwrap();
        if files > 0 {
            fs::write(directory.join("notes.txt"), "mine").unwrap();
        }
        fs::set_permissions(&directory, fs::Permissions::from_mode(mode)).unwrap();
        match Sqlite::open(&directory) {
            Ok(_) => assert!(fine, "{mode:o}"),
            Err(refused) => {
                let said = refused.to_string();
                assert!(
                    !fine && said.contains("everybody may write") && said.contains("chmod o-w"),
                    "{said}"
                );
                assert!(!directory.join("wilco.db").exists(), "nothing is made");
            }
        }
    }
}
