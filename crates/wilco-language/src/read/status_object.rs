//! A JSON object of no known type that says one thing of one piece of work: `{"task_id": "GH-1", "status": "completed"}`.
//!
//! It counts when it names the work by its id, states one status, and nothing in it is open, false, failed or doubted.
//! Whether the status is one that is awaited is the readers' matter. Known types are `parse`'s.

use serde_json::{Map, Value};

use super::claim::About;
use super::embedded;
use super::mood::{is_doubtful, is_later};
use super::progress::is_open;
use super::sentence::sentences;
use super::text;

const IDS: [&str; 8] =
    ["task_id", "task", "id", "issue", "fix_request", "request", "request_id", "message_id"];
const STATUSES: [&str; 5] = ["status", "state", "decision", "result", "outcome"];
/// What a type of one's own may be called. Anything else may be a plan, an example, a question.
const KINDS: [&str; 12] = [
    "complet", "done", "finish", "resum", "paus", "stop", "fix", "report", "status", "confirm", "decision",
    "update",
];
/// Keys of what is left.
const LEFT: [&str; 12] = [
    "remaining",
    "todo",
    "todos",
    "open",
    "missing",
    "blocked",
    "blockers",
    "pending",
    "except",
    "failed",
    "failures",
    "errors",
];
/// More than these are not looked at.
const MOST_VALUES: usize = 200;

/// The one status that a text of one object states of this work, folded; and the object.
pub(super) fn stated(body: &str, about: &About<'_>) -> Option<(String, Map<String, Value>)> {
    let object = embedded::object(body)?;
    let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::trim);
    let mut ids = IDS.iter().filter_map(|key| text(key)).peekable();
    ids.peek()?;
    let own = ids.all(|id| about.is_own(id));
    let mut statuses = STATUSES.iter().filter_map(|key| text(key));
    let status = statuses.next().filter(|_| statuses.next().is_none())?;
    let kind = text("type").unwrap_or("report").to_lowercase();
    let known = KINDS.iter().any(|part| kind.contains(part));
    let mut seen = 0;
    let plain = object.iter().all(|(key, value)| is_plain(key, value, &mut seen));
    let status = text::fold(status);
    (own && known && plain).then_some((status, object))
}

/// Whether nothing in it speaks against what it states.
fn is_plain(key: &str, value: &Value, seen: &mut usize) -> bool {
    *seen += 1;
    let left = LEFT.contains(&key.to_lowercase().as_str());
    *seen <= MOST_VALUES
        && match value {
            Value::Null => true,
            Value::Bool(yes) => *yes != left,
            Value::Number(number) => !left || number.as_f64() == Some(0.0),
            Value::String(said) => {
                let none = matches!(said.trim().to_lowercase().as_str(), "" | "none" | "0" | "no");
                let against = |text: &str| {
                    sentences(text).iter().any(|one| is_open(one) || is_doubtful(one) || is_later(one))
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
        let status = |body: &str| stated(body, &about).map(|(status, _)| status);
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
