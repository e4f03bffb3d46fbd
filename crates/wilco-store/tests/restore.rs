//! A copy takes the place of a data directory, whatever lies there and whenever it is interrupted.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use wilco_store::{BackupError, LEAP, OpenError, Reader, Sqlite, backup, restore, verify_counting};

use crate::backup::{filled, names};
use crate::full_disk::SmallDisk;

/// A place with a copy of three events in it.
fn copied() -> (TempDir, PathBuf) {
    let place = TempDir::new().unwrap();
    let (data, file) = (place.path().join("source"), place.path().join("copy"));
    filled(&data, 3);
    backup(&data, &file, false).unwrap();
    fs::remove_dir_all(data).unwrap();
    (place, file)
}

/// How many events the copy brought.
fn events(data: &Path) -> usize {
    let rows = Sqlite::open(data).unwrap().journal(0, 1000).unwrap();
    rows.iter().filter(|row| row.position < LEAP).count()
}

#[test]
fn cli_9_an_empty_directory_is_filled_and_stays_the_same_one() {
    let (place, file) = copied();
    let data = place.path().join("data");
    fs::create_dir_all(data.join("lost+found")).unwrap();
    fs::write(data.join("tokens.json"), "[]").unwrap();
    let before = fs::metadata(&data).unwrap().ino();
    assert_eq!(restore(&file, &data, false).unwrap().aside, None);
    assert_eq!(fs::metadata(&data).unwrap().ino(), before);
    assert_eq!(names(place.path()), ["copy", "data"], "nothing is left beside");
    assert_eq!(names(&data), ["lost+found", "tokens.json", "wilco.db", "wilco.lock"]);
    assert_eq!(events(&data), 3);
}

#[test]
fn cli_9_a_restore_that_was_interrupted_is_not_served_and_run_again() {
    let (place, file) = copied();
    let data = place.path().join("data");
    fs::create_dir_all(data.join("restoring")).unwrap();
    fs::write(data.join("restoring/wilco.db"), "half").unwrap();
    fs::write(data.join("wilco.lock"), "").unwrap();
    let refused = Sqlite::open(&data).unwrap_err();
    assert!(matches!(refused, OpenError::RestoreInterrupted { .. }), "{refused:?}");
    assert!(!data.join("wilco.db").exists());
    restore(&file, &data, false).unwrap();
    assert_eq!(names(&data), ["wilco.db", "wilco.lock"]);
    assert_eq!(events(&data), 3);
}

#[test]
fn cli_9_data_that_a_restore_moved_aside_is_not_replaced_by_an_empty_store() {
    let (place, file) = copied();
    let data = place.path().join("data");
    restore(&file, &data, false).unwrap();
    for left in ["data.before-restore", "data.before-restore-2", "data.restoring"] {
        let left = place.path().join(left);
        fs::rename(&data, &left).unwrap();
        for is_there in [false, true] {
            if is_there {
                fs::create_dir(&data).unwrap();
            }
            let refused = Sqlite::open(&data).unwrap_err();
            assert!(matches!(&refused, OpenError::RestoreLeft { left: named, .. } if *named == left));
            assert_eq!(data.exists(), is_there, "nothing is made");
            let mv = format!("mv {} {}.", left.display(), data.display());
            let rmdir = format!("rmdir {} && {mv}", data.display());
            let again = format!("wilco restore FILE --data {}.", data.display());
            let said = refused.to_string();
            match (left.ends_with("data.restoring"), is_there) {
                (true, _) => assert!(said.contains(&again), "{said}"),
                (false, true) => assert!(said.contains(&rmdir), "{said}"),
                (false, false) => assert!(said.contains(&mv) && !said.contains("rmdir"), "{said}"),
            }
        }
        // As the text says.
        fs::remove_dir(&data).unwrap();
        fs::rename(&left, &data).unwrap();
        assert_eq!(events(&data), 3);
    }
    // What only begins alike is somebody else's.
    fs::rename(&data, place.path().join("data.before-restore-by-hand")).unwrap();
    assert_eq!(events(&data), 0);
}

#[test]
fn cli_9_data_behind_a_link_is_moved_aside_where_it_lies() {
    let (place, file) = copied();
    let disk = place.path().join("disk");
    fs::create_dir(&disk).unwrap();
    restore(&file, &disk.join("data"), false).unwrap();
    symlink(disk.join("data"), place.path().join("link")).unwrap();
    restore(&file, &place.path().join("link"), true).unwrap();
    assert_eq!(names(&disk), ["data", "data.before-restore"]);
    assert_eq!(events(&place.path().join("link")), 3);
}

#[test]
fn cli_9_a_mount_point_is_filled_when_it_is_empty_and_else_left_alone() {
    // Not everybody may mount; what needs no rights is shown above.
    let Some(disk) = SmallDisk::new(c"size=8m") else { return };
    let (_place, file) = copied();
    restore(&file, disk.path(), false).unwrap();
    assert_eq!(events(disk.path()), 3);
    let before = names(disk.path());
    let refused = restore(&file, disk.path(), true).unwrap_err();
    assert!(matches!(refused, BackupError::MountPoint { .. }), "{refused:?}");
    assert_eq!(names(disk.path()), before);
    let name = disk.path().file_name().unwrap().to_str().unwrap();
    let beside = names(disk.path().parent().unwrap());
    assert_eq!(beside.iter().filter(|found| found.starts_with(name)).count(), 1, "nothing is left beside");
}

#[test]
fn sec_17_positions_leap_over_all_that_was_ever_given_out() {
    let (place, file) = copied();
    let data = place.path().join("data");
    let first = restore(&file, &data, false).unwrap();
    assert_eq!((first.head.position, first.events, first.first), (3, 3, LEAP + 3));
    // What takes the place of newer data begins above that.
    let second = restore(&file, &data, true).unwrap();
    assert_eq!((second.events, second.first), (3, 2 * LEAP + 3));
    let store = Sqlite::open(&data).unwrap();
    let (head, events) = verify_counting(&store, None).unwrap();
    assert_eq!((head.position, events), (2 * LEAP + 3, 4));
    let bytes = store.journal(3, 10).unwrap().pop().unwrap().bytes;
    let said = String::from_utf8(bytes).unwrap();
    let data_of = format!("\"data\":{{\"follows\":3,\"replaced\":{}}}", LEAP + 3);
    assert!(said.contains("\"type\":\"server-restored\"") && said.contains(&data_of), "{said}");
    drop(store);
    // A copy of a restored store is one like any other.
    let again = place.path().join("again");
    assert_eq!(backup(&data, &again, false).unwrap().1, 4);
    assert_eq!(restore(&again, &place.path().join("third"), false).unwrap().first, 3 * LEAP + 3);
}

/// A gap that no event speaks of is damage.
#[test]
fn sec_17_g3_no_other_gap_is_taken() {
    let (place, file) = copied();
    let data = place.path().join("data");
    restore(&file, &data, false).unwrap();
    let database = rusqlite::Connection::open(data.join("wilco.db")).unwrap();
    database.execute("DELETE FROM journal WHERE position = 3", ()).unwrap();
    drop(database);
    let store = Sqlite::open(&data).unwrap();
    assert!(verify_counting(&store, None).unwrap_err().to_string().contains("position 3"));
}

#[test]
fn sec_17_no_trigger_view_or_table_comes_along() {
    let (place, file) = copied();
    let database = rusqlite::Connection::open(&file).unwrap();
    database
        .execute_batch(
            "CREATE TRIGGER evil AFTER INSERT ON journal BEGIN DELETE FROM message; END;
             CREATE TRIGGER worse AFTER INSERT ON meta BEGIN DELETE FROM message; END;
             CREATE VIEW seen AS SELECT * FROM message;
             CREATE TABLE stowaway (x); INSERT INTO stowaway VALUES (1);",
        )
        .unwrap();
    drop(database);
    let data = place.path().join("data");
    restore(&file, &data, false).unwrap();
    let database = rusqlite::Connection::open(data.join("wilco.db")).unwrap();
    let count = |sql: &str| database.query_one(sql, (), |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("SELECT count(*) FROM sqlite_schema WHERE type IN ('trigger', 'view')"), 0);
    assert_eq!(count("SELECT count(*) FROM sqlite_schema WHERE name = 'stowaway'"), 0);
    assert_eq!(count("SELECT count(*) FROM message"), 3);
    // A view in the place of a table is none.
    let database = rusqlite::Connection::open(&file).unwrap();
    database
        .execute_batch("ALTER TABLE message RENAME TO m; CREATE VIEW message AS SELECT * FROM m;")
        .unwrap();
    drop(database);
    let refused = restore(&file, &place.path().join("other"), false).unwrap_err();
    assert!(matches!(refused, BackupError::Foreign { .. }), "{refused:?}");
}

#[test]
fn sec_17_only_plain_files_of_a_sane_size_are_taken() {
    let (place, file) = copied();
    let (fifo, sparse, long) =
        (place.path().join("fifo"), place.path().join("sparse"), place.path().join("long"));
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    fs::File::create(&sparse).unwrap().set_len(1 << 40).unwrap();
    // One that begins as a database does.
    fs::copy(&file, &long).unwrap();
    fs::OpenOptions::new().write(true).open(&long).unwrap().set_len(1 << 40).unwrap();
    let data = place.path().join("data");
    for wrong in [Path::new("/dev/zero"), place.path(), &fifo, &sparse, &long] {
        let began = std::time::Instant::now();
        let refused = restore(wrong, &data, false).unwrap_err();
        assert!(matches!(refused, BackupError::Foreign { .. }), "{}: {refused:?}", wrong.display());
        assert!(began.elapsed().as_secs() < 5, "{}", wrong.display());
        assert!(!data.exists());
    }
}
