//! G9: a full disk refuses what it cannot store, and only that.

use std::ffi::CStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use tempfile::TempDir;
use wilco_store::conformance::Author;
use wilco_store::{InboxRow, InboxStatus, Reader, Sqlite, Store, StoreError, verify};

fn message(author: &mut Author) {
    let id = format!("m{}", author.position + 1);
    let position = author.message(&id, None, &"long ".repeat(2000));
    author.batch.inbox.push(InboxRow { agent: "alice".into(), position, status: InboxStatus::Unread });
}

/// Commits until there is no room, then checks that all that was acknowledged is there and no more.
fn fill(store: &mut Sqlite) -> Author {
    let mut author = Author::default();
    for at in 1..5000 {
        let (before, head) = (author.clone(), store.head().unwrap());
        message(&mut author);
        match store.commit(&author.take(at)) {
            Ok(()) => assert_eq!(store.head().unwrap().position, author.position),
            Err(StoreError::Full(_)) => {
                assert_eq!(store.head().unwrap(), head, "nothing of a refused batch is stored");
                assert_eq!(store.unread(&"alice".into(), usize::MAX).unwrap() as u64, head.position);
                assert!(head.position > 10, "there was room for something");
                return before;
            }
            Err(other) => panic!("expected a full disk, got {other:?}"),
        }
    }
    panic!("it never got full");
}

fn goes_on(store: &mut Sqlite, mut author: Author) {
    for at in 6000..6010 {
        message(&mut author);
        store.commit(&author.take(at)).unwrap();
    }
    assert_eq!(store.head().unwrap().position, author.position);
}

#[test]
fn g9_a_full_database_refuses_and_goes_on_with_room() {
    let directory = TempDir::new().unwrap();
    let mut store = Sqlite::open(directory.path()).unwrap();
    store.limit_pages(Some(200)).unwrap();
    let author = fill(&mut store);
    let mut again = author.clone();
    message(&mut again);
    assert!(matches!(store.commit(&again.take(1)), Err(StoreError::Full(_))), "still full");
    store.limit_pages(None).unwrap();
    goes_on(&mut store, author);
}

/// A small file system of its own, where that is permitted.
pub(crate) struct SmallDisk(TempDir);

impl SmallDisk {
    pub(crate) fn new(size: &CStr) -> Option<SmallDisk> {
        let directory = TempDir::new().unwrap();
        let mounted = mount("none", directory.path(), "tmpfs", MountFlags::empty(), size);
        mounted.ok()?;
        // Such a disk is everybody's when it is mounted.
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o700)).unwrap();
        Some(SmallDisk(directory))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = unmount(self.path(), UnmountFlags::DETACH);
    }
}

/// Full before the log has once gone into the database file, and after it has many times.
#[test]
fn g9_full_disk_refuses_and_goes_on_with_room() {
    for size in [c"size=3m", c"size=24m"] {
        // Not everybody may mount; the test above fills a database instead.
        if let Some(disk) = SmallDisk::new(size) {
            full_disk(&disk);
        }
    }
}

fn full_disk(disk: &SmallDisk) {
    let ballast = disk.path().join("ballast");
    let space = rustix::fs::statvfs(disk.path()).unwrap();
    let room = space.f_bavail * space.f_frsize;
    fs::write(&ballast, vec![0; room as usize / 2]).unwrap();
    let mut store = Sqlite::open(&disk.path().join("data")).unwrap();
    let reader = store.reader().unwrap();
    let author = fill(&mut store);
    assert_eq!(verify(&reader, None).unwrap().position, author.position, "reads go on");

    fs::remove_file(&ballast).unwrap();
    goes_on(&mut store, author);

    // And what a restart finds is what was acknowledged.
    let head = store.head().unwrap();
    drop((store, reader));
    let store = Sqlite::open(&disk.path().join("data")).unwrap();
    assert_eq!(verify(&store, None).unwrap(), head);
    assert_eq!(store.unread(&"alice".into(), usize::MAX).unwrap() as u64, head.position);
}
