//! Replies as models and people write them, each in its situation, and how the readers read them.

use serde_json::Value;
use wilco_language::read::ack::{AckReading, acks};
use wilco_language::read::answering::{Reply, reply};
use wilco_language::read::claim::About;
use wilco_language::read::completion::{WorkReport, report};
use wilco_language::read::courtesy::is_courtesy;
use wilco_language::read::decision::decision;
use wilco_language::read::embedded::object;
use wilco_language::read::fix::{FixReply, fix};
use wilco_language::read::handoff_ack::handoff_acks;
use wilco_language::read::judgement::judgement;
use wilco_language::read::readiness::readiness;
use wilco_language::read::result::found;
use wilco_language::read::stopping::{Compliance, StopOrder, compliance};
use wilco_language::read::validation::{Answer, reading};
use wilco_language::read::verdict::{VerdictReading, verdicts};
use wilco_protocol::delegation::AckStatus;
use wilco_protocol::handoff;
use wilco_protocol::validation::Finding;

const TASK: About<'static> = About { ids: &["GH-210"], title: "Add rate limiting to the login endpoint" };

fn read(situation: &str, body: &str) -> String {
    match situation {
        "task-new" => new(body),
        "working" => working(body),
        "stop-asked" => stopping(body, StopOrder::Stop, "stopped"),
        "pause-asked" => stopping(body, StopOrder::Pause, "paused"),
        "resume-asked" => stopping(body, StopOrder::Resume, "resumed"),
        "review" => review(body),
        "question" => match reply(body) {
            Reply::Answers => "answers".to_owned(),
            Reply::Courtesy => "courtesy".to_owned(),
            Reply::Unread => "told".to_owned(),
        },
        "escalated" => escalated(body),
        "operation" => match readiness(body, None).word() {
            "information" => "info".to_owned(),
            word => word.to_owned(),
        },
        "check" => check(body),
        "fix" => fixing(body),
        "handoff" => handed(body),
        other => panic!("{other}"),
    }
}

fn ack(body: &str) -> Option<&'static str> {
    let typed = object(body)
        .filter(|object| object.get("type").and_then(Value::as_str) == Some("task-acknowledgment"));
    if let Some(object) = typed {
        let status = object.get("status").and_then(Value::as_str).unwrap_or("");
        return wilco_language::read::ack::exact_status(status).map(worded);
    }
    let of_this = |reading: &AckReading| reading.task_id().eq_ignore_ascii_case("GH-210");
    match acks(body).into_iter().find(of_this)? {
        AckReading::Ack(ack) => Some(worded(ack.status)),
        AckReading::Contradiction { .. } => Some("told"),
    }
}

fn worded(status: AckStatus) -> &'static str {
    match status {
        AckStatus::Received | AckStatus::Confirmed => "received",
        AckStatus::NeedsClarification => "clarification",
        AckStatus::Rejected => "rejected",
        AckStatus::Queued => "queued",
    }
}

fn new(body: &str) -> String {
    let quiet = if is_courtesy(body) { "courtesy" } else { "told" };
    ack(body).unwrap_or(quiet).to_owned()
}

fn working(body: &str) -> String {
    if let Some(word) = ack(body) {
        return word.to_owned();
    }
    let typed = object(body).and_then(|object| object.get("type").and_then(Value::as_str).map(str::to_owned));
    if typed.as_deref() == Some("task-complete") {
        return "completed".to_owned();
    }
    match report(body, &TASK) {
        WorkReport::Completed { .. } => "completed",
        WorkReport::Checkpoint { .. } => "checkpoint",
        WorkReport::Progress => "progress",
        WorkReport::Doubtful | WorkReport::Unread => "told",
        WorkReport::Courtesy => "courtesy",
    }
    .to_owned()
}

fn stopping(body: &str, asked: StopOrder, yes: &str) -> String {
    match compliance(body, asked, &TASK) {
        Compliance::Confirmed { .. } => yes.to_owned(),
        Compliance::Courtesy => "courtesy".to_owned(),
        Compliance::Unread => "told".to_owned(),
    }
}

fn review(body: &str) -> String {
    let said = verdicts(body);
    let of_this = said.iter().find(|said| said.task_id().eq_ignore_ascii_case("GH-210"));
    match of_this {
        Some(VerdictReading::Verdict(said)) => said.verdict.word().to_owned(),
        Some(VerdictReading::Contradiction { .. }) => "told".to_owned(),
        None if !said.is_empty() => "told".to_owned(),
        None => judgement(body).map_or("told", |said| said.verdict.word()).to_owned(),
    }
}

fn escalated(body: &str) -> String {
    let Some(read) = decision(body, &["retry", "reassign", "extend", "abort"], &TASK) else {
        return "told".to_owned();
    };
    match (read.option.as_str(), read.agent, read.time) {
        ("reassign", Some(agent), _) => format!("reassign:{agent}"),
        ("extend", _, Some(time)) => format!("extend:{time}"),
        (option, _, _) => option.to_owned(),
    }
}

fn check(body: &str) -> String {
    let about = About { ids: &["VALREQ-42-tester-9-1", "42"], title: "unit" };
    let (finding, failures) = match reading(body).map(|read| read.answer) {
        Some(Answer::Result { finding, failures, .. }) => (finding, failures.len()),
        Some(Answer::Unreadable { problem })
            if problem != wilco_language::read::validation::Problem::NoStatus =>
        {
            return "told".to_owned();
        }
        _ => match found(body, &about) {
            Some(found) => (found.finding, found.failures.len()),
            None => return "told".to_owned(),
        },
    };
    match finding {
        Finding::Pass => "pass".to_owned(),
        Finding::Fail => format!("fail:{failures}"),
        Finding::Error => "error".to_owned(),
    }
}

fn fixing(body: &str) -> String {
    let about = About { ids: &["FIXREQ-42-1"], title: "" };
    match reading(body).map(|read| read.answer) {
        Some(Answer::Acknowledged) => "fix-ack",
        Some(Answer::Fixed { .. }) => "fixed",
        Some(Answer::CannotFix { .. }) => "cannot-fix",
        _ => match fix(body, &about) {
            FixReply::Acknowledged => "fix-ack",
            FixReply::Fixed(_) => "fixed",
            FixReply::CannotFix(_) => "cannot-fix",
            FixReply::Courtesy => "courtesy",
            FixReply::Unread => "told",
        },
    }
    .to_owned()
}

fn handed(body: &str) -> String {
    let acks = handoff_acks(body);
    let of_this = acks.iter().find(|ack| ack.handoff_id.eq_ignore_ascii_case("HO-7"));
    match of_this.and_then(|ack| ack.status) {
        Some(handoff::AckStatus::ReadyToProceed) => "ready",
        Some(handoff::AckStatus::NeedsClarification) => "clarification",
        Some(handoff::AckStatus::EnvironmentIssue) => "environment",
        Some(handoff::AckStatus::Rejected) => "rejected",
        None => "malformed",
    }
    .to_owned()
}

/// The rows of a table that are not read as it says, and how many there are.
fn misread(table: &str) -> (Vec<String>, usize) {
    let rows: Vec<Value> =
        table.lines().map(|line| serde_json::from_str(line).expect("a row of the table")).collect();
    let misread = rows.iter().filter_map(|row| {
        let text = |key: &str| row[key].as_str().unwrap_or_default();
        let (situation, means) = (text("situation"), text("means"));
        let got = read(situation, text("reply"));
        // What is to be told is told, whatever the protocol calls it (OP-3, HO-12).
        let told = means == "told" && matches!(got.as_str(), "info" | "malformed");
        let wrong = got != means && !told;
        wrong.then(|| format!("{situation} {means} read as {got}:\n{}", text("reply")))
    });
    (misread.collect(), rows.len())
}

#[test]
fn talk_11_replies_are_read_as_the_table_says() {
    let (wrong, rows) = misread(include_str!("tables/replies.jsonl"));
    assert!(wrong.len() <= 1, "{} of {rows}\n{}", wrong.len(), wrong.join("\n---\n"));
}

/// A table that was written without the rules. What is known to be read otherwise does not grow.
#[test]
fn talk_13_replies_of_the_second_table_are_read_no_worse() {
    // Courtesy where the readers do not ask for it, fields that an ACK of a handoff lacks, which `interpret` sees,
    // and progress on a fix, for which there is no such thing.
    const KNOWN: usize = 12;
    let (wrong, rows) = misread(include_str!("tables/replies_2.jsonl"));
    assert!(wrong.len() <= KNOWN, "{} of {rows}\n{}", wrong.len(), wrong.join("\n---\n"));
}

/// What was said by somebody who tried to mislead the reader, with ordinary replies beside it.
#[test]
fn talk_11_replies_of_a_review_are_read_as_the_table_says() {
    // Completions beside which more is said than anybody can know to be harmless: asked about.
    const KNOWN: usize = 4;
    let (wrong, rows) = misread(include_str!("tables/replies_review.jsonl"));
    assert!(wrong.len() <= KNOWN, "{} of {rows}\n{}", wrong.len(), wrong.join("\n---\n"));
}

/// Tables that the simulator says through the engine: here for a quick look at what changed.
#[test]
fn talk_13_replies_of_the_later_tables_are_read_no_worse() {
    let tables = [
        ("replies_3", include_str!("tables/replies_3.jsonl"), 14),
        ("replies_4", include_str!("tables/replies_4.jsonl"), 30),
        ("replies_6", include_str!("tables/replies_6.jsonl"), 0),
    ];
    for (name, table, known) in tables {
        let (wrong, rows) = misread(table);
        assert!(wrong.len() <= known, "{name}: {} of {rows}\n{}", wrong.len(), wrong.join("\n---\n"));
    }
}
