//! What a specialist finds, written as JSON of no known type: `{"issue": 42, "result": "PASS"}`.

use serde_json::{Map, Value};
use wilco_protocol::validation::Finding;

use super::claim::About;
use super::failures::{Failure, MAX_FAILURES, item};
use super::result::{CheckResult, word};
use super::status_object;

/// Whether every id that an object names is this check's.
pub(super) fn is_of_this(object: &Map<String, Value>, about: &About<'_>) -> bool {
    const IDS: [&str; 8] =
        ["issue", "issue_id", "issue_number", "task_id", "request", "request_id", "message_id", "id"];
    let own = |value: &Value| match value {
        Value::String(id) => about.is_own(id.trim()),
        Value::Number(id) => about.is_own(&id.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => true,
    };
    IDS.iter().filter_map(|key| object.get(*key)).all(own)
}

/// A result written as JSON of no known type.
pub(super) fn in_object(object: &Map<String, Value>) -> Option<CheckResult> {
    let status =
        ["result", "status", "outcome", "verdict"].iter().find_map(|key| object.get(*key)?.as_str())?;
    let finding = word(status.trim())?;
    let entries = object.get("failures").and_then(Value::as_array);
    let text = |entry: &Value, keys: &[&str]| {
        keys.iter().find_map(|key| entry.get(*key)?.as_str()).map(str::to_owned)
    };
    let one = |entry: &Value| match entry {
        Value::String(text) => item(text),
        entry => {
            let location = text(entry, &["location", "test", "file", "name"]).unwrap_or_default();
            let suggestion = text(entry, &["suggestion"]);
            text(entry, &["error", "message", "reason", "detail"]).map(|error| Failure {
                location,
                error,
                suggestion,
            })
        }
    };
    let failures: Vec<_> = entries.into_iter().flatten().filter_map(one).take(MAX_FAILURES).collect();
    let fits = match finding {
        Finding::Pass => {
            failures.is_empty() && entries.is_none_or(Vec::is_empty) && status_object::is_unturned(object)
        }
        Finding::Fail => !failures.is_empty(),
        Finding::Error => true,
    };
    let error = text(&Value::Object(object.clone()), &["error", "reason", "message"]);
    fits.then_some(CheckResult { finding, failures, error: error.filter(|_| finding == Finding::Error) })
}
