//! Entries, rotation and the report, also when the process dies at any step.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;
use wilco_protocol::handoff::{
    AuditAck, AuditConfirmation, AuditDocument, AuditFailed, AuditGithub, AuditNotification, Party, Progress,
};

use super::*;

fn at(minute: u32) -> Time {
    format!("2026-01-31T{:02}:{:02}:00.000Z", 12 + minute / 60, minute % 60).parse().unwrap()
}

fn entry(number: u32) -> AuditEntry {
    AuditEntry {
        timestamp: at(number),
        event: "agent_replacement".to_owned(),
        orchestrator: "orchestrator-master".to_owned(),
        ecos_notification: AuditNotification {
            received_at: at(number),
            notification_id: "ecos-notif-uuid".to_owned(),
            urgency: "immediate".to_owned(),
        },
        failed_agent: AuditFailed {
            id: "implementer-1".to_owned(),
            session: "helper-agent-generic".to_owned(),
            reason: "context_loss: \"forgot\"\n- timestamp: x".to_owned(),
            tasks_assigned: vec!["task-uuid-12345".to_owned()],
            last_known_progress: Some(Progress::Percent(60)),
        },
        replacement_agent: Party {
            id: format!("implementer-{number}"),
            session: "helper-agent-2".to_owned(),
            github: Some("octocat".to_owned()),
        },
        handoff: AuditDocument {
            id: format!("handoff-{number}"),
            url: Some("https://github.com/owner/repo/issues/42#issuecomment-123456".to_owned()),
            generated_at: Some(at(number)),
            size_bytes: Some(15234),
        },
        github: AuditGithub {
            issues_updated: vec!["#42".to_owned()],
            labels_changed: vec!["assigned:implementer-1 -> assigned:implementer-2".to_owned()],
            comments_added: vec!["#42 issuecomment-123456".to_owned()],
        },
        ack: AuditAck {
            received_at: Some(at(number)),
            status: Some("ready_to_proceed".to_owned()),
            understanding_verified: true,
        },
        ecos_confirmation: AuditConfirmation { sent_at: at(number), status: "success".to_owned() },
        total_duration: "11 minutes".to_owned(),
        outcome: ["success", "failed", "partial"][number as usize % 3].to_owned(),
    }
}

fn place() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("logs/replacement_audit.yaml");
    (directory, path)
}

fn names(path: &std::path::Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn ho_30_an_entry_has_every_section_and_name_of_the_source() {
    let expected = r##"- timestamp: "2026-01-31T12:03:00Z"
  event: "agent_replacement"
  orchestrator: "orchestrator-master"
  ecos_notification:
    received_at: "2026-01-31T12:03:00Z"
    notification_id: "ecos-notif-uuid"
    urgency: "immediate"
  failed_agent:
    id: "implementer-1"
    session: "helper-agent-generic"
    reason: "context_loss: \"forgot\"\n- timestamp: x"
    tasks_assigned: ["task-uuid-12345"]
    last_known_progress: 60
  replacement_agent:
    id: "implementer-3"
    session: "helper-agent-2"
  handoff:
    id: "handoff-3"
    url: "https://github.com/owner/repo/issues/42#issuecomment-123456"
    generated_at: "2026-01-31T12:03:00Z"
    size_bytes: 15234
  github:
    issues_updated: ["#42"]
    labels_changed: ["assigned:implementer-1 -> assigned:implementer-2"]
    comments_added: ["#42 issuecomment-123456"]
  ack:
    received_at: "2026-01-31T12:03:00Z"
    status: "ready_to_proceed"
    understanding_verified: true
  ecos_confirmation:
    sent_at: "2026-01-31T12:03:00Z"
    status: "success"
  total_duration: "11 minutes"
  outcome: "success"
"##;
    assert_eq!(entry::text(&entry(3)), expected);
    let (_directory, path) = place();
    append(&path, 1 << 20, &entry(3), at(3)).unwrap();
    append(&path, 1 << 20, &entry(3), at(4)).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), expected, "a repeated order adds nothing");
    use std::os::unix::fs::PermissionsExt;
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn ho_30_ho_31_rotated_files_are_compressed_never_overwritten_and_counted() {
    let (_directory, path) = place();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path.with_file_name("replacement_audit.yaml.20260131-123000.gz"), "of somebody else").unwrap();
    for number in 0..12 {
        // Two entries are above the size.
        append(&path, entry::text(&entry(0)).len() as u64 + 10, &entry(number), at(30)).unwrap();
    }
    assert_eq!(
        names(&path),
        [
            "replacement_audit.yaml",
            "replacement_audit.yaml.20260131-123000-2.gz",
            "replacement_audit.yaml.20260131-123000-3.gz",
            "replacement_audit.yaml.20260131-123000-4.gz",
            "replacement_audit.yaml.20260131-123000-5.gz",
            "replacement_audit.yaml.20260131-123000-6.gz",
            "replacement_audit.yaml.20260131-123000.gz",
        ]
    );
    let report = replacements(&path, |_| true).unwrap();
    assert_eq!((report.total, report.successful, report.failed, report.partial), (12, 4, 4, 4));
    let newest: Vec<_> = report.recent.iter().map(|row| row.replacement_agent.as_str()).collect();
    assert_eq!(newest.len(), 10);
    assert_eq!((newest[0], newest[9]), ("implementer-11", "implementer-2"));
    assert_eq!(report.recent[0].timestamp, "2026-01-31T12:11:00Z");
    assert_eq!(report.unreadable.len(), 1, "{:?}", report.unreadable);
    assert_eq!(report.unreadable[0].file, "replacement_audit.yaml.20260131-123000.gz");
    let own = replacements(&path, |row| row.replacement_agent == "implementer-7").unwrap();
    assert_eq!((own.total, own.recent.len()), (1, 1));
}

/// The process dies after every number of steps, and the order is carried out again, as the courier does.
#[test]
fn ho_30_nothing_is_lost_or_counted_twice_whenever_the_process_dies() {
    let above = entry::text(&entry(0)).len() as u64 + 10;
    let mut cuts = 0;
    for steps in 0.. {
        let (_directory, path) = place();
        for number in 0..2 {
            append(&path, above, &entry(number), at(10)).unwrap();
        }
        let disk = Disk::stopping_after(steps);
        let done = append_on(&disk, &path, above, &entry(2), at(20));
        let total = replacements(&path, |_| true).unwrap().total;
        assert!((2..=3).contains(&total), "{total} entries after {steps} steps");
        assert!(done.is_err() || total == 3, "what was reported is there, after {steps} steps");
        // Dying once more, in what finishes the first.
        for again in 0..=steps {
            let _ = append_on(&Disk::stopping_after(again), &path, above, &entry(2), at(30));
            let total = replacements(&path, |_| true).unwrap().total;
            assert!((2..=3).contains(&total), "{total} entries after {steps} and {again} steps");
        }
        append(&path, above, &entry(2), at(40)).unwrap();
        let report = replacements(&path, |_| true).unwrap();
        assert_eq!(report.total, 3, "after {steps} steps");
        assert!(report.unreadable.is_empty());
        append(&path, above, &entry(3), at(50)).unwrap();
        assert_eq!(replacements(&path, |_| true).unwrap().total, 4, "after {steps} steps and another entry");
        let left: Vec<_> = names(&path).into_iter().filter(|name| name.ends_with("wilco-new")).collect();
        assert!(left.is_empty(), "{left:?} after {steps} steps");
        cuts += 1;
        if !disk.has_stopped() {
            assert!(done.is_ok());
            break;
        }
    }
    assert!(cuts > 12, "only {cuts} places to die");
}

#[test]
fn ho_31_a_spoiled_entry_is_named_and_the_others_count() {
    let (_directory, path) = place();
    append(&path, 1 << 20, &entry(1), at(1)).unwrap();
    let good = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("# by hand\n{good}- timestamp: [1\n{}", entry::text(&entry(2)))).unwrap();
    let report = replacements(&path, |_| true).unwrap();
    assert_eq!(report.total, 2);
    assert_eq!(report.unreadable.len(), 1);
    assert!(report.unreadable[0].problem.starts_with("line 3"), "{:?}", report.unreadable);
    assert_eq!(replacements(&path.with_file_name("none.yaml"), |_| true).unwrap(), Replacements::default());
}

#[test]
fn ho_30_an_audit_file_that_cannot_be_written_is_an_error() {
    let (directory, _) = place();
    fs::write(directory.path().join("file"), "").unwrap();
    assert!(append(&directory.path().join("file/audit.yaml"), 100, &entry(1), at(1)).is_err());
    let link = directory.path().join("link.yaml");
    std::os::unix::fs::symlink(directory.path().join("file"), &link).unwrap();
    assert!(append(&link, 100, &entry(1), at(1)).unwrap_err().to_string().contains("symbolic link"));
}
