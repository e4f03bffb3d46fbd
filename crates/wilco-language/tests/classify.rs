//! Plain messages, and whether each delegates a task.

use wilco_language::read::classify::{Task, classify};
use wilco_protocol::delegation::Sign;
use wilco_testkit::table::entries;

#[test]
fn del_2_messages_are_classified_as_the_table_says() {
    let entries = entries(include_str!("tables/classify.txt"));
    let mut wrong = Vec::new();
    for entry in &entries {
        let read = classify(entry.get("subject"), entry.one("body"));
        let read = read.map_or("conversation".to_owned(), |task| shown(&task));
        if read != entry.one("reads") {
            wrong.push(format!("=== {}\nread:\n{read}\nexpected:\n{}", entry.name, entry.one("reads")));
        }
    }
    println!("{} messages, {} wrong", entries.len(), wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn shown(task: &Task) -> String {
    let sign = match task.sign {
        Sign::TaskHeading => "task-heading",
        Sign::AcceptanceCriteria => "acceptance-criteria",
        Sign::GitWorkflow => "git-workflow",
        Sign::VerificationCommands => "verification-commands",
        Sign::RequiredOutputFormat => "required-output-format",
        Sign::Checklist => "checklist",
        Sign::Placeholders => "placeholders",
    };
    let mut lines = vec![sign.to_owned()];
    lines.extend(task.task_id.as_ref().map(|id| format!("  id: {id}")));
    lines.extend(task.title.as_ref().map(|title| format!("  title: {title}")));
    lines.extend(task.criteria.iter().map(|item| format!("  criterion: {item}")));
    lines.join("\n")
}

#[test]
fn del_3_a_task_without_heading_takes_its_title_from_the_subject() {
    let task = classify(Some(" Add login "), "- [ ] form\n- [x] design\n- [ ] tests").unwrap();
    assert_eq!(task.title.as_deref(), Some("Add login"));
    assert_eq!(task.task_id, None);
    assert_eq!(task.criteria, ["form", "tests"]);
    assert_eq!(classify(Some("  "), "- [ ] form").unwrap().title, None);
}
