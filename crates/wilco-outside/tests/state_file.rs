//! The state file: golden files for the shapes it may have, and what happens around a change.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use wilco_outside::{Changed, StateFileError, replace, verify};
use wilco_protocol::Time;
use wilco_protocol::handoff::{Party, Repetition, Replacement, TaskUpdate, Updated};

fn shapes() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/state_files")
}

fn at(text: &str) -> Time {
    text.parse().unwrap()
}

fn now() -> Time {
    at("2026-01-31T14:36:00.000Z")
}

fn order() -> Replacement {
    let party =
        |id: &str, session: &str| Party { id: id.to_owned(), session: session.to_owned(), github: None };
    Replacement {
        failed: party("implementer-1", "helper-agent-generic"),
        replacement: party("implementer-2", "helper-agent-2"),
        reason: "context_loss".to_owned(),
        at: at("2026-01-31T14:30:00.000Z"),
        handoff_id: "handoff-uuid-123".to_owned(),
        handoff_url: "https://github.com/owner/repo/issues/42#issuecomment-123456".to_owned(),
        tasks: ["task-uuid-12345", "task-uuid-67890", "t-3"].map(str::to_owned).into(),
        replacement_status: None,
        note: "Inherited from implementer-1".to_owned(),
    }
}

fn update(task: &str, updated: Updated, issue: Option<u64>, progress: Option<u32>) -> TaskUpdate {
    TaskUpdate { task: task.to_owned(), updated, issue, progress }
}

struct File {
    directory: TempDir,
    path: PathBuf,
}

impl File {
    fn with(text: &str) -> File {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("state.yaml");
        fs::write(&path, text).unwrap();
        File { directory, path }
    }

    fn text(&self) -> String {
        fs::read_to_string(&self.path).unwrap()
    }

    /// The files beside it.
    fn others(&self) -> Vec<String> {
        let names = fs::read_dir(self.directory.path()).unwrap();
        let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| name != "state.yaml").collect();
        names.sort();
        names
    }

    fn replace(&self, order: &Replacement) -> Result<Changed<Vec<TaskUpdate>>, StateFileError> {
        replace(&self.path, order, now())
    }
}

/// Every comment of a text.
fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.split_once("# ").map(|(_, comment)| comment)).collect()
}

/// The lines of `before` that are not in `after`.
fn lost<'a>(before: &'a str, after: &str) -> Vec<&'a str> {
    let kept: Vec<_> = after.split_inclusive('\n').collect();
    before.split_inclusive('\n').filter(|line| !kept.contains(line)).collect()
}

#[test]
fn ho_20_only_the_named_fields_change_whatever_shape_the_file_has() {
    let bless = std::env::var_os("WILCO_BLESS").is_some();
    let mut seen = 0;
    for entry in fs::read_dir(shapes()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "yaml") {
            continue;
        }
        let before = fs::read_to_string(&path).unwrap();
        let file = File::with(&before);
        let shape = path.file_name().unwrap().to_string_lossy().into_owned();
        file.replace(&order()).unwrap_or_else(|error| panic!("{shape}: {error}"));
        let after = file.text();
        let golden = path.with_extension("after");
        if bless {
            fs::write(&golden, &after).unwrap();
        }
        assert_eq!(after, fs::read_to_string(&golden).unwrap_or_default(), "{shape}");
        assert_eq!(comments(&before), comments(&after), "{shape}: every comment, in order");
        let named = ["agent", "session", "status", "progress", "registered_agents", "attempts", "notes"];
        let info = ["replac", "handoff_", "last_attempt", "verified_at", "in_progress", "in progress"];
        for line in lost(&before, &after) {
            let ours = named.iter().chain(&info).any(|field| line.contains(field));
            assert!(ours || !line.ends_with('\n'), "{shape}: {line:?} is gone");
        }
        file.replace(&order()).unwrap_or_else(|error| panic!("{shape}, again: {error}"));
        assert_eq!(file.text(), after, "{shape}: a second time changes nothing");
        assert_eq!(file.others(), ["state.yaml.bak.1769870160"], "{shape}: one backup");
        seen += 1;
    }
    assert!(seen >= 14, "{seen} shapes");
}

/// The registry may know nothing of the agent that failed; its session is the one in the file.
#[test]
fn ho_20_the_replaced_session_is_the_one_that_the_file_has() {
    let file = File::with(&fs::read_to_string(shapes().join("source.yaml")).unwrap());
    let mut order = order();
    order.failed.session = order.failed.id.clone();
    file.replace(&order).unwrap();
    let text = file.text();
    assert!(text.contains("      replaced_session: \"helper-agent-generic\""), "{text}");
}

#[test]
fn ho_20_every_field_of_the_source_is_there() {
    let file = File::with(&fs::read_to_string(shapes().join("source.yaml")).unwrap());
    let changed = file.replace(&order()).unwrap();
    assert_eq!(changed.found[0], update("task-uuid-12345", Updated::Moved, Some(42), Some(60)));
    assert_eq!(changed.found[1], update("task-uuid-67890", Updated::Absent, None, None));
    let text = file.text();
    for line in [
        "  - agent: \"implementer-2\"          # who works on it",
        "    session: \"helper-agent-2\"",
        "    task_uuid: \"task-uuid-12345\"    # never changes",
        "    status: \"pending_verification\"",
        "    replacement_info:",
        "      replaced_agent: \"implementer-1\"",
        "      replaced_session: \"helper-agent-generic\"",
        "      replacement_reason: \"context_loss\"",
        "      replacement_timestamp: \"2026-01-31T14:30:00Z\"",
        "      handoff_id: \"handoff-uuid-123\"",
        "      handoff_url: \"https://github.com/owner/repo/issues/42#issuecomment-123456\"",
        "      status: \"awaiting_repetition\"",
        "      attempts: 0",
        "      last_attempt: null",
        "      verified_at: null",
        "      percentage: 60",
        "      at_replacement: true",
        "      notes: \"Inherited from implementer-1\"",
        "    status: \"inactive\"",
        "    inactive_reason: \"replaced\"",
        "    replaced_at: \"2026-01-31T14:30:00Z\"",
        "    replaced_by: \"implementer-2\"",
        "    registered: \"2026-01-31T14:30:00Z\"",
        "    assigned_from: \"implementer-1\"",
    ] {
        assert!(text.lines().any(|known| known == line), "{line} is not in\n{text}");
    }
}

#[test]
fn ho_22_a_task_of_somebody_else_is_not_moved_and_named() {
    let file = File::with(&fs::read_to_string(shapes().join("several-tasks.yaml")).unwrap());
    let found = file.replace(&order()).unwrap().found;
    let foreign = update("task-uuid-67890", Updated::Foreign { agent: "tester-1".to_owned() }, None, None);
    assert_eq!(found[1], foreign);
    assert_eq!(found[2], update("t-3", Updated::Moved, None, Some(35)));
    assert!(file.text().contains("status: \"partial\""));

    let file = File::with("active_assignments: [{agent: tester-1, task_uuid: task-uuid-67890}]\n");
    let mut only = order();
    only.tasks.remove(0);
    only.tasks.truncate(1);
    let changed = file.replace(&only).unwrap();
    assert_eq!((changed.backup, changed.found), (None, vec![foreign]));
    assert_eq!(file.text(), "active_assignments: [{agent: tester-1, task_uuid: task-uuid-67890}]\n");
}

#[test]
fn ho_20_the_backup_is_the_file_as_it_was_and_mode_and_owner_stay() {
    let file = File::with("active_assignments:\n- {agent: implementer-1, task_uuid: task-uuid-12345}\n");
    fs::set_permissions(&file.path, fs::Permissions::from_mode(0o664)).unwrap();
    let before = file.text();
    fs::write(file.directory.path().join("state.yaml.bak.1769870160"), "of somebody else").unwrap();
    let backup = file.replace(&order()).unwrap().backup.unwrap();
    assert_eq!(backup.file_name().unwrap(), "state.yaml.bak.1769870160-2");
    assert_eq!(fs::read_to_string(&backup).unwrap(), before);
    for path in [&backup, &file.path] {
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o664, "{}", path.display());
    }
    let taken = fs::read_to_string(file.directory.path().join("state.yaml.bak.1769870160")).unwrap();
    assert_eq!(taken, "of somebody else");
}

#[test]
fn ho_20_a_malformed_file_is_named_with_its_line_and_not_touched() {
    for (text, line, word) in [
        ("a: 1\nb: [1\nc: 2\n", 3, ""),
        ("a: 1\n  b: 2\n", 2, ""),
        ("active_assignments:\n\t- agent: x\n", 2, ""),
        ("a: \"x\nb: 1\n", 2, ""),
        ("a: 1\na: 2\n", 2, "twice"),
        ("a: *nobody\n", 1, ""),
        ("- a\n- b\n", 1, "expected a mapping"),
        ("x: 1\nactive_assignments: 7\n", 2, "expected a list"),
        ("x: 1\n\nreplacement_history: {a: 1}\n", 3, "expected a list"),
        ("a: 1\n---\nb: 2\n", 3, "one document"),
        (
            "active_assignments:\n- agent: implementer-1\n  task_uuid: task-uuid-12345\n  replacement_info: no\n",
            4,
            "expected a mapping",
        ),
        (
            "active_assignments:\n- &one\n  agent: implementer-1\n  task_uuid: task-uuid-12345\nother: *one\n",
            3,
            "anchor",
        ),
        (
            "old: &one\n  agent: implementer-1\n  task_uuid: task-uuid-12345\nactive_assignments:\n- *one\n",
            5,
            "alias",
        ),
    ] {
        let file = File::with(text);
        let error = file.replace(&order()).unwrap_err();
        let StateFileError::Malformed { line: got, problem, .. } = &error else {
            panic!("{text:?}: {error}")
        };
        assert_eq!(*got, line, "{text:?}: {error}");
        assert!(problem.contains(word) && !problem.is_empty(), "{text:?}: {error}");
        assert!(error.to_string().contains(&format!("state.yaml was not changed: line {line}: ")), "{error}");
        assert_eq!(file.text(), text);
        assert!(file.others().is_empty(), "{:?}", file.others());
    }
    let file = File::with("");
    fs::write(&file.path, b"a: 1\nb: \xff\n").unwrap();
    let error = file.replace(&order()).unwrap_err().to_string();
    assert!(error.contains("line 2: expected UTF-8"), "{error}");
}

#[test]
fn sec_5_a_state_file_behind_a_symlink_or_missing_is_an_error() {
    let file = File::with("a: 1\n");
    let link = file.directory.path().join("link.yaml");
    std::os::unix::fs::symlink(&file.path, &link).unwrap();
    let error = replace(&link, &order(), now()).unwrap_err().to_string();
    assert!(error.contains("symbolic link"), "{error}");
    assert_eq!(file.text(), "a: 1\n");
    let error = replace(&file.directory.path().join("none.yaml"), &order(), now()).unwrap_err();
    assert!(matches!(error, StateFileError::Unreadable { .. }), "{error}");
}

#[test]
fn ho_14_an_override_is_written_down() {
    let file = File::with("active_assignments:\n- {agent: implementer-1, task_uuid: task-uuid-12345}\n");
    let order = Replacement { replacement_status: Some("acknowledged_with_delay".to_owned()), ..order() };
    file.replace(&order).unwrap();
    assert!(file.text().contains("replacement_status: \"acknowledged_with_delay\""), "{}", file.text());
}

#[test]
fn ho_23_repetitions_are_counted_and_the_verified_one_is_noted() {
    let file = File::with(&fs::read_to_string(shapes().join("source.yaml")).unwrap());
    file.replace(&order()).unwrap();
    let first = Repetition {
        task: "task-uuid-12345".to_owned(),
        attempts: 1,
        at: at("2026-01-31T14:40:00.000Z"),
        verified: false,
    };
    assert!(verify(&file.path, &first, now()).unwrap().found);
    let text = file.text();
    assert!(text.contains(
        "      attempts: 1\n      last_attempt: \"2026-01-31T14:40:00Z\"\n      verified_at: null\n"
    ));
    assert!(
        text.contains("status: \"pending_verification\"") && text.contains("status: \"awaiting_repetition\"")
    );
    let second = Repetition { attempts: 2, at: at("2026-01-31T14:45:00.000Z"), verified: true, ..first };
    assert!(verify(&file.path, &second, now()).unwrap().backup.is_some());
    let text = file.text();
    assert!(
        text.contains("    status: \"verified\"\n") && text.contains("      status: \"verified\"\n"),
        "{text}"
    );
    assert!(
        text.contains("      attempts: 2\n")
            && text.contains("      verified_at: \"2026-01-31T14:45:00Z\"\n")
    );
    assert!(verify(&file.path, &second, now()).unwrap().backup.is_none(), "nothing is left to change");

    let unknown = Repetition { task: "nobody's".to_owned(), ..second };
    assert!(!verify(&file.path, &unknown, now()).unwrap().found);
    assert_eq!(file.text(), text);
}
