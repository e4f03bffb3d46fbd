//! One message of a validation in a line, for its log.

use crate::message::MessageType;
use serde_json::{Map, Value};
use wilco_protocol::validation::Finding;

use super::short;
use crate::read::validation::{Answer, reading};
use crate::render::counted;

/// Characters of a summary.
const LONGEST: usize = 120;

/// What a message of this type says, on one line that says nothing to Markdown or HTML.
pub fn summary(content: &Map<String, Value>, kind: &str) -> String {
    short(&line(content, kind), LONGEST)
}

/// The type of an answer that was written in words; `again`: to a re-validation.
pub fn worded(text: &str, again: bool) -> Option<MessageType> {
    match reading(text)?.answer {
        Answer::Result { .. } if again => Some(MessageType::RevalidationResult),
        Answer::Result { .. } => Some(MessageType::ValidationResult),
        Answer::Acknowledged => Some(MessageType::FixAcknowledgment),
        Answer::Fixed { .. } | Answer::CannotFix { .. } => Some(MessageType::FixCompletion),
        Answer::Unreadable { .. } => None,
    }
}

fn line(content: &Map<String, Value>, kind: &str) -> String {
    let text = |key: &str| content.get(key).and_then(Value::as_str).unwrap_or_default();
    let number = |key: &str| content.get(key).and_then(Value::as_u64).unwrap_or_default();
    let list = |key: &str| content.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let failures = || counted(list("failures").len(), "failure");
    let round =
        || format!("{}, iteration {} of {}", text("phase"), number("iteration"), number("max_iterations"));
    match MessageType::named(kind) {
        Some(MessageType::ValidationStart) => {
            format!("validate {}: {}", issue(content), counted(list("phases").len(), "phase"))
        }
        Some(MessageType::ValidationRequest) => format!("check {}", round()),
        Some(MessageType::RevalidationTrigger) => format!("check again {}", round()),
        Some(MessageType::FailureReport) => format!("{}: {}", round(), failures()),
        Some(MessageType::FixRequest) => format!("fix {}: {}", round(), failures()),
        Some(MessageType::ValidationResult | MessageType::RevalidationResult)
            if !text("status").is_empty() =>
        {
            found(&text("status").to_uppercase(), list("failures").len(), text("error"))
        }
        Some(MessageType::FixCompletion) if !text("reason").is_empty() => {
            format!("cannot fix: {}", text("reason"))
        }
        Some(MessageType::FixCompletion) if !list("fixes").is_empty() => {
            list("fixes").iter().filter_map(Value::as_str).collect::<Vec<_>>().join("; ")
        }
        Some(MessageType::SuccessNotification) => {
            format!("{} passed after {}", text("phase"), counted(number("iterations") as usize, "iteration"))
        }
        Some(MessageType::TimeoutReminder) => {
            format!("no answer to the {} of {} in {}", text("operation"), text("phase"), text("elapsed"))
        }
        Some(MessageType::ErrorNotification) => {
            let over = content.get("recovered").and_then(Value::as_bool) == Some(true);
            format!("{}{}", if over { "recovered: " } else { "" }, text("error"))
        }
        Some(MessageType::Escalation) => format!("{} needs a decision: {}", text("phase"), text("reason")),
        Some(MessageType::Decision) => format!("decision: {}", text("option")),
        Some(MessageType::StatusChange) => format!("{} to {}", text("previous_status"), text("new_status")),
        _ => in_words(text("message")).unwrap_or_else(|| kind.to_owned()),
    }
}

/// An answer written in words; any other words are their own summary.
fn in_words(text: &str) -> Option<String> {
    let said = match reading(text).map(|reading| reading.answer) {
        Some(Answer::Result { finding, failures, error, .. }) => {
            let status = match finding {
                Finding::Pass => "PASS",
                Finding::Fail => "FAIL",
                Finding::Error => "ERROR",
            };
            found(status, failures.len(), error.as_deref().unwrap_or_default())
        }
        Some(Answer::Fixed { fixes, .. }) => fixes.join("; "),
        Some(Answer::CannotFix { reason }) => format!("cannot fix: {reason}"),
        Some(Answer::Acknowledged | Answer::Unreadable { .. }) | None => text.to_owned(),
    };
    Some(said).filter(|said| !said.trim().is_empty())
}

fn found(status: &str, failures: usize, error: &str) -> String {
    match (failures, error.trim()) {
        (0, "") => status.to_owned(),
        (0, error) => format!("{status}: {error}"),
        (many, _) => format!("{status}, {}", counted(many, "failure")),
    }
}

fn issue(content: &Map<String, Value>) -> String {
    let given = content.get("issue");
    given.map(|issue| issue.as_str().map_or_else(|| issue.to_string(), str::to_owned)).unwrap_or_default()
}
