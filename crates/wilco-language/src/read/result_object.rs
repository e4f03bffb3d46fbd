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
    // The phase that was checked is the one that is asked for.
    let title = about.title.to_lowercase();
    let phase = |value: &Value| match value {
        Value::String(name) => title.contains(&name.trim().to_lowercase()) || own(value),
        value => own(value),
    };
    let phases = ["phase", "suite", "check", "feature", "stage"];
    IDS.iter().filter_map(|key| object.get(*key)).all(own)
        && phases.iter().filter_map(|key| object.get(*key)).all(phase)
}

/// A result written as JSON of no known type.
pub(super) fn in_object(object: &Map<String, Value>) -> Option<CheckResult> {
    let status =
        ["result", "status", "outcome", "verdict"].iter().find_map(|key| object.get(*key)?.as_str())?;
    // `success` is how programs say that a request went through.
    let finding = word(status.trim()).filter(|_| !status.trim().to_lowercase().starts_with("succ"))?;
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
            failures.is_empty()
                && entries.is_none_or(Vec::is_empty)
                && status_object::is_unturned(object)
                && is_whole_pass(object)
        }
        Finding::Fail => !failures.is_empty(),
        Finding::Error => true,
    };
    let error = text(&Value::Object(object.clone()), &["error", "reason", "message"]);
    fits.then_some(CheckResult { finding, failures, error: error.filter(|_| finding == Finding::Error) })
}

/// Whether nothing beside a PASS says that it is none: another word for the result, a part of the tests, an exit code.
fn is_whole_pass(object: &Map<String, Value>) -> bool {
    const KNOWN: &str = "type result status outcome verdict issue issue_id issue_number task_id request request_id message_id \
        id failures tests passed failed errors skipped total duration time timestamp summary message notes note command \
        exit_code coverage from agent details tests_run tests_passed tests_failed warnings phase suite check feature stage \
        commit";
    let words =
        ["result", "status", "outcome", "verdict"].iter().filter_map(|key| object.get(*key)?.as_str());
    let agree = words.into_iter().all(|said| word(said.trim()) == Some(Finding::Pass));
    let number = |object: &Map<String, Value>, key: &str| object.get(key).and_then(Value::as_u64);
    let counts = |object: &Map<String, Value>| match (number(object, "passed"), number(object, "total")) {
        (Some(passed), Some(total)) => passed + number(object, "skipped").unwrap_or(0) >= total,
        _ => true,
    };
    let within = object.get("tests").and_then(Value::as_object).is_none_or(counts);
    let exits = number(object, "exit_code").is_none_or(|code| code == 0);
    let known = object.keys().all(|key| KNOWN.split_whitespace().any(|one| one == key));
    agree && known && within && counts(object) && exits
}
