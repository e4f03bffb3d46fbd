//! What happens to the file when others change it too, and when the process dies at any step.

use std::cell::Cell;
use std::fs;

use super::*;

const BEFORE: &str = "active_assignments:\n- {agent: a, task_uuid: t}   # ours\n";
const AFTER: &str = "active_assignments:\n- {agent: b, task_uuid: t}   # ours\n";

fn plan(text: &str) -> Result<(Vec<Change>, ()), Wrong> {
    use crate::yaml::{Step, Value};
    crate::yaml::parse(text)?;
    let path = vec![Step::Key("active_assignments".to_owned()), Step::Item(0), Step::Key("agent".to_owned())];
    Ok((vec![Change::Set { path, value: Value::text("b") }], ()))
}

#[test]
fn ho_20_a_file_that_changed_meanwhile_is_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("state.yaml");
    fs::write(&path, BEFORE).unwrap();
    let reads = Cell::new(0);
    let edited = edit(&Disk::default(), &path, Time::ZERO, |text| {
        // Somebody else writes while we think, twice.
        if reads.replace(reads.get() + 1) < 2 {
            fs::write(&path, format!("{BEFORE}note: {}\n", reads.get())).unwrap();
        }
        plan(text)
    });
    let backup = edited.unwrap().backup.unwrap();
    assert_eq!(reads.get(), 3);
    assert_eq!(fs::read_to_string(&path).unwrap(), format!("{AFTER}note: 2\n"), "both changes are there");
    assert_eq!(
        fs::read_to_string(backup).unwrap(),
        format!("{BEFORE}note: 2\n"),
        "the backup is of the newest"
    );
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2, "and it is the only one");

    fs::write(&path, BEFORE).unwrap();
    let busy = edit(&Disk::default(), &path, Time::ZERO, |text| {
        fs::write(&path, format!("{BEFORE}note: {}\n", reads.replace(reads.get() + 1))).unwrap();
        plan(text)
    });
    assert!(matches!(busy, Err(StateFileError::Busy { .. })), "{busy:?}");
}

#[test]
fn ho_20_a_process_that_dies_leaves_the_old_file_or_the_new_one() {
    for steps in 0.. {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("state.yaml");
        fs::write(&path, BEFORE).unwrap();
        let disk = Disk::stopping_after(steps);
        let done = edit(&disk, &path, Time::ZERO, plan);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text == BEFORE || text == AFTER, "after {steps} steps: {text}");
        assert!(done.is_err() || text == AFTER);
        if text == AFTER {
            let backup = fs::read_to_string(directory.path().join("state.yaml.bak.0")).unwrap();
            assert_eq!(backup, BEFORE, "there is a backup before there is a change");
        }
        edit(&Disk::default(), &path, Time::ZERO, plan).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), AFTER, "repeated after {steps} steps");
        if !disk.has_stopped() {
            assert!(steps > 5, "only {steps} places to die");
            break;
        }
    }
}
