//! A copy takes the place of a data directory, whatever lies there and whenever it is interrupted.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use wilco_store::{BackupError, OpenError, Reader, Sqlite, backup, restore};

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

fn events(data: &Path) -> u64 {
    Sqlite::open(data).unwrap().head().unwrap().position
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
