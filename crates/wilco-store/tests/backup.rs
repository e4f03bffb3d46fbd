//! Copies of a data directory: consistent, verified, private, and never half of anything.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::full_disk::SmallDisk;
use tempfile::TempDir;
use wilco_store::conformance::Author;
use wilco_store::{
    BackupError, ExchangeFilter, InboxStatus, LEAP, OpenError, Reader, Sqlite, Store, backup, restore, verify,
};

pub(crate) fn filled(directory: &Path, events: i64) -> (Sqlite, Author) {
    let mut store = Sqlite::open(directory).unwrap();
    let mut author = Author::default();
    author.exchange(1, "assigned", true, Some(5));
    author.key("task:1", 1, true);
    author.remember("alice", "task:1", 5, "answer");
    for at in 1..=events {
        author.deliver("alice", InboxStatus::Unread);
        store.commit(&author.take(at)).unwrap();
    }
    (store, author)
}

pub(crate) fn names(directory: &Path) -> Vec<String> {
    let found = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = found.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn cli_9_a_copy_of_a_running_store_is_consistent_and_goes_on_elsewhere() {
    let place = TempDir::new().unwrap();
    let (data, file) = (place.path().join("data"), place.path().join("copy"));
    let (mut store, mut author) = filled(&data, 50);
    let ended = AtomicBool::new(false);
    let (head, _) = std::thread::scope(|scope| {
        let copying = scope.spawn(|| {
            let head = backup(&data, &file, false).unwrap();
            ended.store(true, Ordering::SeqCst);
            head
        });
        let mut at = 51;
        while !ended.load(Ordering::SeqCst) {
            author.deliver("alice", InboxStatus::Unread);
            store.commit(&author.take(at)).unwrap();
            at += 1;
        }
        copying.join().unwrap()
    });
    assert!((50..=author.position).contains(&head.position), "{head:?}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);

    let elsewhere = place.path().join("elsewhere");
    let restored = restore(&file, &elsewhere, false).unwrap();
    assert_eq!(
        (restored.head.position, restored.head.hash, restored.aside),
        (head.position, head.hash, None)
    );
    let mut found = Sqlite::open(&elsewhere).unwrap();
    let now = verify(&found, None).unwrap();
    assert_eq!(now.position, head.position + LEAP);
    let mut author = Author::at(now.position, now.hash);
    author.deliver("alice", InboxStatus::Unread);
    found.commit(&author.take(10_000)).unwrap();
}

#[test]
fn cli_9_a_copy_holds_everything_of_a_stopped_store() {
    let place = TempDir::new().unwrap();
    let (data, file) = (place.path().join("data"), place.path().join("copy"));
    let (store, _) = filled(&data, 20);
    let all = ExchangeFilter { limit: 100, ..ExchangeFilter::default() };
    let told = |store: &Sqlite| {
        let exchanges = store.exchanges(&all).unwrap();
        let record = (store.journal(0, 20).unwrap(), store.messages_after(0, 100).unwrap());
        let unread = store.inbox_status(&"alice".into(), 7).unwrap();
        format!("{record:?} {exchanges:?} {unread:?} {:?}", store.find("task:1", 10).unwrap())
    };
    let before = told(&store);
    drop(store);
    backup(&data, &file, false).unwrap();
    restore(&file, &place.path().join("new"), false).unwrap();
    let found = Sqlite::open(&place.path().join("new")).unwrap();
    assert_eq!(told(&found), before);
}

#[test]
fn cli_9_what_is_there_stays_unless_it_is_to_be_replaced() {
    let place = TempDir::new().unwrap();
    let (data, file) = (place.path().join("data"), place.path().join("copy"));
    let (store, _) = filled(&data, 3);
    backup(&data, &file, false).unwrap();
    assert!(matches!(backup(&data, &file, false), Err(BackupError::Exists { .. })));
    backup(&data, &file, true).unwrap();
    assert!(matches!(restore(&file, &data, false), Err(BackupError::Occupied { .. })));
    let in_use = restore(&file, &data, true);
    assert!(matches!(in_use, Err(BackupError::Open(OpenError::InUse { .. }))), "{in_use:?}");
    drop(store);
    fs::write(data.join("tokens.json"), "[]").unwrap();
    let restored = restore(&file, &data, true).unwrap();
    let aside = restored.aside.unwrap();
    assert_eq!(aside.file_name().unwrap(), "data.before-restore");
    assert_eq!(Sqlite::open(&aside).unwrap().head().unwrap().position, 3);
    assert_eq!(Sqlite::open(&data).unwrap().head().unwrap().position, 3 + LEAP);
    assert!(data.join("tokens.json").is_file(), "who may call stays as it is");
    assert_eq!(names(place.path()), ["copy", "data", "data.before-restore"], "nothing is left over");
}

#[test]
fn cli_9_a_damaged_copy_is_refused_and_changes_nothing() {
    let place = TempDir::new().unwrap();
    let (data, file) = (place.path().join("data"), place.path().join("copy"));
    filled(&data, 60);
    backup(&data, &file, false).unwrap();
    let whole = fs::read(&file).unwrap();
    let (mut refused, new) = (0, place.path().join("new"));
    for at in (0..whole.len()).step_by(whole.len() / 60) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x10;
        fs::write(&file, &bytes).unwrap();
        match restore(&file, &new, false) {
            Err(_) => {
                refused += 1;
                assert!(!new.exists(), "byte {at}");
            }
            // Free space, or a derived table; the record is whole.
            Ok(restored) => {
                assert_eq!(restored.head.position, 60, "byte {at}");
                fs::remove_dir_all(&new).unwrap();
            }
        }
    }
    assert!(refused > 10, "{refused}");
    for bytes in [
        &whole[..whole.len() / 2],
        b"not a database, but a text that is long enough to look like something",
        b"",
    ] {
        fs::write(&file, bytes).unwrap();
        assert!(restore(&file, &new, false).is_err(), "{} bytes", bytes.len());
        assert!(!new.exists());
    }
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2, "nothing is left over");
}

#[test]
fn cli_9_nothing_to_copy_is_an_error() {
    let place = TempDir::new().unwrap();
    let file = place.path().join("copy");
    assert!(matches!(backup(&place.path().join("none"), &file, false), Err(BackupError::Nothing { .. })));
    assert!(!file.exists());
    assert!(matches!(restore(&file, &place.path().join("data"), false), Err(BackupError::File { .. })));
}

#[test]
fn cli_9_a_copy_never_goes_into_the_data_directory() {
    let place = TempDir::new().unwrap();
    let data = place.path().join("data");
    let (mut store, mut author) = filled(&data, 10);
    fs::create_dir(data.join("handoffs")).unwrap();
    symlink(&data, place.path().join("link")).unwrap();
    symlink(data.join("wilco.db"), place.path().join("link.db")).unwrap();
    let before = names(&data);
    for target in [
        "data/wilco.db",
        "data/copy.db",
        "data/handoffs/copy.db",
        "data/../data/wilco.db-wal",
        "data/handoffs/../wilco.lock",
        "link/wilco.db",
        "link.db",
        "link",
        "data",
    ] {
        for directory in ["data", "link"] {
            let refused = backup(&place.path().join(directory), &place.path().join(target), true);
            assert!(matches!(refused, Err(BackupError::Inside { .. })), "{target}: {refused:?}");
        }
    }
    assert_eq!(names(&data), before, "nothing is left over");
    // A path that begins where the process stands.
    let up = "../".repeat(std::env::current_dir().unwrap().components().count());
    let relative = Path::new(&up).join(data.strip_prefix("/").unwrap()).join("wilco.db");
    assert!(matches!(backup(&data, &relative, true), Err(BackupError::Inside { .. })));
    author.deliver("alice", InboxStatus::Unread);
    store.commit(&author.take(11)).unwrap();
    drop(store);
    assert_eq!(verify(&Sqlite::open(&data).unwrap(), None).unwrap().position, 11);
    // Beside it is another place, also under a name that begins alike.
    backup(&data, &place.path().join("data.db"), false).unwrap();
}

#[test]
fn cli_9_what_is_wrong_is_told_of_what_was_named() {
    let place = TempDir::new().unwrap();
    let (data, file, new) = (place.path().join("data"), place.path().join("copy"), place.path().join("new"));
    filled(&data, 3);
    backup(&data, &file, false).unwrap();
    // The version of the tables stands there in the head of every database of SQLite.
    let mut bytes = fs::read(&file).unwrap();
    bytes[60..64].copy_from_slice(&99_u32.to_be_bytes());
    fs::write(&file, &bytes).unwrap();
    let newer = restore(&file, &new, false).unwrap_err();
    assert!(matches!(&newer, BackupError::Newer { path, found: 99, .. } if *path == file), "{newer:?}");
    assert!(!newer.to_string().contains("restoring"), "{newer}");
    let folder = backup(&data, place.path(), true).unwrap_err();
    assert!(matches!(&folder, BackupError::File { path, .. } if path == place.path()), "{folder:?}");
    assert_eq!(names(place.path()), ["copy", "data"], "nothing is left over");
}

#[test]
fn cli_9_a_full_disk_is_named_as_the_place_that_is_full() {
    // Not everybody may mount.
    let Some(disk) = SmallDisk::new(c"size=64k") else { return };
    let place = TempDir::new().unwrap();
    let (data, file) = (place.path().join("data"), place.path().join("copy"));
    filled(&data, 200);
    backup(&data, &file, false).unwrap();
    let (small, new) = (disk.path().join("copy"), disk.path().join("new"));
    let full = backup(&data, &small, false).unwrap_err();
    assert!(matches!(&full, BackupError::File { path, .. } if *path == small), "{full:?}");
    let full = restore(&file, &new, false).unwrap_err();
    assert!(matches!(&full, BackupError::Place { path, .. } if *path == new), "{full:?}");
    assert!(names(disk.path()).is_empty(), "nothing is left over");
}
