//! A JSON object of no known type that says one thing of one piece of work: `{"task_id": "GH-1", "status": "completed"}`.
//!
//! It counts when it names the work by its id, states one status, and nothing in it is open, false, failed or doubted.
//! Whether the status is one that is awaited is the readers' matter. Known types are `parse`'s.

use serde_json::{Map, Value};

use super::claim::About;
use super::embedded;
use super::mood::{is_doubtful, is_later};
use super::progress::is_open;
use super::sentence::{Sentence, sentences};
use super::text;
use super::turns::{Turn, turn, turn_of};

const IDS: [&str; 9] =
    ["task_id", "task", "ack", "id", "issue", "fix_request", "request", "request_id", "message_id"];
const STATUSES: [&str; 5] = ["status", "state", "decision", "result", "outcome"];
/// What a type of one's own may be called. Anything else may be a plan, an example, a question.
const KINDS: [&str; 13] = [
    "complet", "done", "finish", "resum", "paus", "stop", "fix", "report", "status", "confirm", "decision",
    "update", "ack",
];
const SAID_BY_TYPE: [&str; 10] = [
    "completed",
    "complete",
    "done",
    "finished",
    "stopped",
    "paused",
    "resumed",
    "fixed",
    "cannot-fix",
    "fix-ack",
];
/// How keys of what is left or failed begin.
const LEFT: [&str; 12] = [
    "remain",
    "todo",
    "open",
    "missing",
    "block",
    "pending",
    "except",
    "fail",
    "error",
    "skip",
    "left",
    "limitation",
];
/// Keys of how much is done.
const SHARES: [&str; 5] = ["progress", "percent", "percentage", "completion", "complete"];
/// Keys of how much was looked at.
const RUN: [&str; 5] = ["tests_run", "run", "ran", "executed", "tests"];
/// More than these are not looked at.
const MOST_VALUES: usize = 200;

/// The one status that an object states of this work.
#[derive(Debug)]
pub(super) struct Stated {
    /// Folded.
    pub(super) status: String,
    pub(super) object: Map<String, Value>,
    /// Nothing in it speaks against the status.
    pub(super) plain: bool,
}

/// What a text of one object states of this work.
pub(super) fn stated(body: &str, about: &About<'_>) -> Option<Stated> {
    let object = embedded::object(body)?;
    let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::trim);
    let id = |key: &str| match object.get(key)? {
        Value::String(id) => Some(id.trim().to_owned()),
        Value::Number(id) => Some(id.to_string()),
        _ => None,
    };
    let mut ids = IDS.iter().filter_map(|key| id(key)).peekable();
    ids.peek()?;
    let own = ids.all(|id| about.is_own(&id));
    let mut statuses = STATUSES.iter().filter_map(|key| text(key));
    let kind = text("type").unwrap_or("report").to_lowercase().replace('_', "-");
    // `{"type": "paused", "task": "GH-1"}` states it by its type.
    let said = SAID_BY_TYPE.contains(&kind.as_str()).then_some(kind.as_str());
    let status = match statuses.next() {
        Some(status) => Some(status).filter(|_| statuses.next().is_none())?,
        None => said?,
    };
    let known = KINDS.iter().any(|part| kind.contains(part))
        && !["plan", "request"].iter().any(|part| kind.contains(part));
    let plain = is_unturned(&object) && object.keys().all(|key| is_known(key));
    let status = text::fold(status);
    (own && known).then_some(Stated { status, object, plain })
}

/// Whether nothing in an object takes from the decision that it makes. A reason may deny (`nobody is free`), and not
/// doubt or make a condition.
pub(crate) fn is_decided(object: &Map<String, Value>) -> bool {
    let reason = |key: &str| matches!(key, "reason" | "note" | "notes" | "comment" | "rationale" | "message");
    let firm = |text: &str| {
        let turns = [Turn::TakenBack, Turn::Doubt, Turn::Later];
        sentences(text).iter().all(|one| {
            !one.asks
                && !is_doubtful(one)
                && turn_of(one, &turns).is_none()
                && !one.has(&["not execute", "do not", "still"])
        })
    };
    let mut seen = 0;
    let states =
        ["status", "state"].iter().any(|key| object.contains_key(*key)) && object.contains_key("decision");
    let twice = match (object.get("decision"), object.get("option")) {
        (Some(one), Some(other)) => one != other,
        _ => false,
    };
    !states
        && !twice
        && object.iter().all(|(key, value)| {
            let known =
                is_known(key) || key == "rationale" || matches!(key.as_str(), "escalation" | "escalation_id");
            known
                && if reason(key) {
                    value.as_str().is_some_and(firm)
                } else {
                    is_plain(key, value, &mut seen)
                }
        })
}

/// Keys that may stand beside a status and take nothing from it. Any other may.
fn is_known(key: &str) -> bool {
    const KNOWN: &str = "type agent from to pr pull_request pr_url url link commit commits sha head branch tests test \
        test_results summary message text description files files_changed files_modified changes changed details notes note \
        comment reason evidence criteria acceptance_criteria time timestamp duration date at time_spent progress percent \
        percentage completion complete todo remaining open missing blockers errors failures failed skipped limitations \
        left pending exceptions fixes fix failures_fixed errors_fixed verified configurable merged reviewed docs documentation option decision agent \
        assignee by";
    let key = key.to_lowercase();
    let listed = |known: &str| KNOWN.split_whitespace().any(|one| one == known);
    listed(&key) || IDS.contains(&key.as_str()) || STATUSES.contains(&key.as_str())
}

/// What an object that names no work says under one of these keys: `{"decision": "retry"}`.
pub(super) fn unnamed(body: &str, keys: &[&str]) -> Option<(String, Map<String, Value>)> {
    let object = embedded::object(body)?;
    let named = object.contains_key("type") || IDS.iter().any(|key| object.contains_key(*key));
    let said = keys.iter().find_map(|key| object.get(*key)?.as_str()).map(text::fold)?;
    (!named && is_decided(&object)).then_some((said, object))
}

/// Whether an object says how far this work is: `{"type": "progress", "task": "GH-1", "percent": 40}`.
pub(super) fn is_progress(body: &str, about: &About<'_>) -> bool {
    let Some(object) = embedded::object(body) else { return false };
    let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::trim);
    let own = IDS.iter().find_map(|key| text(key)).is_some_and(|id| about.is_own(id));
    own && text("type").is_some_and(|kind| kind.to_lowercase().contains("progress"))
}

/// Whether an object that says that its work is complete means all of it: `"status": "partial"` beside it does not.
pub(crate) fn is_whole(object: &Map<String, Value>) -> bool {
    let done = |status: &str| {
        matches!(text::fold(status).as_str(), "completed" | "complete" | "done" | "finished" | "success")
    };
    is_unturned(object)
        && object.keys().all(|key| is_known(key))
        && object.get("status").and_then(Value::as_str).is_none_or(done)
}

/// Whether nothing in an object turns what it states: nothing is open, false, failed or doubted.
pub(super) fn is_unturned(object: &Map<String, Value>) -> bool {
    let mut seen = 0;
    object.iter().all(|(key, value)| is_plain(key, value, &mut seen))
}

/// Whether nothing in it speaks against what it states.
fn is_plain(key: &str, value: &Value, seen: &mut usize) -> bool {
    *seen += 1;
    let key = key.to_lowercase();
    let mended = matches!(key.as_str(), "fixed" | "resolved" | "errors_fixed" | "failures_fixed");
    let left = !mended && LEFT.iter().any(|part| key.split('_').any(|word| word.starts_with(part)));
    let share = SHARES.contains(&key.as_str());
    let run = RUN.contains(&key.as_str());
    *seen <= MOST_VALUES
        && match value {
            Value::Null => true,
            Value::Bool(yes) => *yes != left,
            Value::Number(number) => {
                let number = number.as_f64().unwrap_or(0.0);
                let whole = !share || number == 1.0 || number >= 100.0;
                (!left || number == 0.0) && whole && !(run && number == 0.0)
            }
            Value::String(said) => {
                let none = matches!(said.trim().to_lowercase().as_str(), "" | "none" | "0" | "no");
                let against = |text: &str| {
                    let turns = |one: &Sentence| is_open(one) || is_doubtful(one) || is_later(one);
                    sentences(text).iter().any(|one| turns(one) || turn(one).is_some())
                };
                if left { none } else { !against(said) }
            }
            Value::Array(items) => {
                (!left || items.is_empty()) && items.iter().all(|item| is_plain("", item, seen))
            }
            Value::Object(fields) => fields.iter().all(|(key, value)| is_plain(key, value, seen)),
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn talk_3_an_object_of_no_known_type_says_one_thing_of_its_own_work() {
        let about = About { ids: &["GH-210"], title: "" };
        let plain = |body: &str| stated(body, &about).filter(|stated| stated.plain);
        let status = |body: &str| plain(body).map(|stated| stated.status);
        let read = [
            (
                r#"{"task_id": "GH-210", "status": "completed", "tests": {"passed": 56, "failed": 0}}"#,
                "completed",
            ),
            ("Here you go:\n```json\n{\"task\": \"gh-210\", \"state\": \"DONE\"}\n```", "done"),
            (
                r#"{"type":"resume-confirmation","task_id":"GH-210","status":"resumed","head":"3f0be12"}"#,
                "resumed",
            ),
            (r#"{"decision":"retry","task_id":"GH-210","comment":"network was down"}"#, "retry"),
        ];
        for (body, expected) in read {
            assert_eq!(status(body).as_deref(), Some(expected), "{body}");
        }
        let unread = [
            r#"{"status": "completed"}"#,
            r#"{"task_id": "GH-211", "status": "completed"}"#,
            r#"{"task_id": "GH-210", "id": "GH-211", "status": "completed"}"#,
            r#"{"task_id": "GH-210", "status": "completed", "state": "working"}"#,
            r#"{"task_id": "GH-210", "status": "completed", "todo": ["docs"]}"#,
            r#"{"task_id": "GH-210", "status": "completed", "criteria": {"test": false}}"#,
            r#"{"task_id": "GH-210", "status": "completed", "tests": {"failed": 2}}"#,
            r#"{"task_id": "GH-210", "status": "completed", "note": "except the docs"}"#,
            r#"{"task_id": "GH-210", "status": "completed", "tests": "failing"}"#,
            r#"{"task_id": "GH-210", "status": "complete", "progress": 60}"#,
            r#"{"task_id": "GH-210", "status": "completed", "note": "the test is not written yet"}"#,
            r#"{"task_id": "GH-210", "status": "completed", "when": "tomorrow"}"#,
            r#"{"type": "example", "task_id": "GH-210", "status": "completed"}"#,
            "For example:\n{\"task_id\": \"GH-210\", \"status\": \"completed\"}",
            "> {\"task_id\": \"GH-210\", \"status\": \"completed\"}",
        ];
        for body in unread {
            assert_eq!(status(body), None, "{body}");
        }
    }
}
