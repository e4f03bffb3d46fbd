//! What models call the fields of an answer that they write as JSON into a text: `{"type": "ack", "task": "GH-1"}`,
//! `{"operation": "op-7", "answer": "ok"}`.
//!
//! Read, and never taught. Nothing is guessed: the object names what it answers and says one of these things.

use serde_json::{Map, Value, json};

use crate::message::MessageType;
use crate::read::ack::exact_status;
use crate::read::status_object::is_decided;
use wilco_protocol::delegation::AckStatus;

/// What the type of such an object stands for in a delegation, and what in a handoff: the status that goes with it.
const ACKS: [(&[&str], Option<&str>, Option<&str>); 5] = [
    (
        &[
            "ack",
            "acknowledgement",
            "acknowledgment",
            "task-ack",
            "task-acknowledgement",
            "handoff-response",
            "handoff-acknowledgement",
            "handoff-acknowledgment",
        ],
        None,
        None,
    ),
    (
        &["clarification", "needs-clarification", "clarification-needed", "question", "questions"],
        Some("needs-clarification"),
        Some("needs_clarification"),
    ),
    (&["reject", "rejected", "rejection", "decline", "declined"], Some("rejected"), Some("rejected")),
    (&["queued"], Some("queued"), None),
    (&["environment", "environment-issue"], None, Some("environment_issue")),
];
const REVIEWS: [&str; 4] = ["review", "judgement", "judgment", "verdict"];
const DECISIONS: [&str; 3] = ["decision", "decide", "escalation-decision"];
const OPERATION: [&str; 6] = [
    "operation-response",
    "operation-answer",
    "operation-ack",
    "operation-acknowledgment",
    "operation-acknowledgement",
    "readiness",
];
/// What an operation is answered with.
const ANSWERS: [&str; 6] = ["ok", "okay", "ready", "wait", "cancel", "abort"];

/// The object with the names of the catalogue; as it is when it is none of these.
pub(super) fn by_usual_names(said: Map<String, Value>) -> Map<String, Value> {
    let text = |key: &str| said.get(key).and_then(Value::as_str).unwrap_or_default();
    let kind = text("type").trim().to_lowercase().replace('_', "-");
    let is = |names: &[&str]| names.contains(&kind.as_str());
    let ack = ACKS.iter().find(|(names, ..)| is(names));
    let untyped = !said.contains_key("type");
    let named = match () {
        () if ack.is_some() && (said.contains_key("answers") || said.contains_key("answer")) => {
            clarification(&said)
        }
        () => match ack {
            Some((_, _, handed)) if said.contains_key("handoff") || said.contains_key("handoff_id") => {
                handoff_ack(&said, *handed)
            }
            Some((names, status, _)) if status.is_some() || names.contains(&"ack") => {
                task_ack(&said, *status)
            }
            _ if untyped && acknowledges(&said) => task_ack(&said, None),
            _ if is(&REVIEWS) || (untyped && said.contains_key("verdict")) => verdict(&said),
            _ if is(&DECISIONS) || (untyped && said.contains_key("escalation")) => decision(&said),
            _ if is(&OPERATION) || untyped => operation_answer(&said, untyped),
            _ => None,
        },
    };
    named.unwrap_or(said)
}

/// An ACK that says so by its fields alone: a status of one, and what was understood or asked.
fn acknowledges(said: &Map<String, Value>) -> bool {
    let status = first(said, &["status"]).is_some_and(|status| exact_status(status).is_some());
    status && ["understanding", "questions", "reason"].iter().any(|key| said.contains_key(*key))
}

/// The first of these keys that holds a text.
fn first<'a>(said: &'a Map<String, Value>, keys: &[&str]) -> Option<&'a str> {
    keys.iter().find_map(|key| said.get(*key)?.as_str()).map(str::trim).filter(|text| !text.is_empty())
}

/// Whether an object has no fields but these, so that nothing beside them takes from what it says.
fn holds_only(said: &Map<String, Value>, known: &str) -> bool {
    said.keys().all(|key| key == "type" || known.split_whitespace().any(|one| one == key))
}

/// Of this type, about the task that it names, with the rest as it was said.
fn of_task(said: &Map<String, Value>, kind: MessageType) -> Option<Map<String, Value>> {
    const KNOWN: &str = "task_id task ack status understanding understanding_summary questions question reason revision eta \
        estimate estimated_checkpoints plan note notes from to agent timestamp answers answer verdict missing correction title";
    let named = ["task_id", "task", "ack"].iter().filter_map(|key| said.get(*key)?.as_str());
    let several = named.collect::<std::collections::BTreeSet<_>>().len() > 1;
    if several || !holds_only(said, KNOWN) {
        return None;
    }
    let task = first(said, &["task_id", "task", "ack"])?;
    let mut named = said.clone();
    named.remove("task");
    named.remove("ack");
    named.insert("task_id".to_owned(), json!(task));
    named.insert("type".to_owned(), json!(kind));
    Some(named)
}

fn task_ack(said: &Map<String, Value>, status: Option<&str>) -> Option<Map<String, Value>> {
    let mut named = of_task(said, MessageType::TaskAcknowledgment)?;
    let taken =
        status.is_none() && first(said, &["status"]).and_then(exact_status) != Some(AckStatus::Rejected);
    if taken && said.contains_key("reason") {
        return None;
    }
    if let Some(status) = status {
        named.insert("status".to_owned(), json!(status));
    }
    if let Some(question) = named.remove("question").filter(|_| !named.contains_key("questions")) {
        named.insert("questions".to_owned(), json!([question]));
    }
    // An understanding in parts is one text.
    if let Some(Value::Object(parts)) = named.get("understanding") {
        let parts: Vec<_> = parts.values().filter_map(Value::as_str).collect();
        named.insert("understanding".to_owned(), json!(parts.join(". ")));
    }
    Some(named)
}

fn clarification(said: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut named = of_task(said, MessageType::TaskClarification)?;
    if let Some(answer) = named.remove("answer").filter(|_| !named.contains_key("answers")) {
        named.insert("answers".to_owned(), json!([answer]));
    }
    Some(named)
}

fn handoff_ack(said: &Map<String, Value>, status: Option<&str>) -> Option<Map<String, Value>> {
    const KNOWN: &str =
        "handoff_id handoff status understanding starting_from questions question reason missing from agent";
    let both = said.contains_key("handoff_id") && said.contains_key("handoff");
    if both || !holds_only(said, KNOWN) {
        return None;
    }
    let mut named = said.clone();
    let handoff = first(said, &["handoff_id", "handoff"])?;
    named.insert("handoff_id".to_owned(), json!(handoff));
    named.insert("type".to_owned(), json!(MessageType::HandoffAck));
    if let Some(status) = status {
        named.insert("status".to_owned(), json!(status));
    }
    Some(named)
}

fn verdict(said: &Map<String, Value>) -> Option<Map<String, Value>> {
    let mut named = of_task(said, MessageType::Verdict)?;
    let verdict = first(said, &["verdict"])?.to_lowercase().replace('_', "-");
    let verdict = if verdict == "wrong" { "wrong-summary" } else { &verdict };
    let objects = ["missing", "correction", "questions", "reason"].iter().any(|key| said.contains_key(*key));
    if verdict == "correct" && objects {
        return None;
    }
    named.insert("verdict".to_owned(), json!(verdict));
    Some(named)
}

fn decision(said: &Map<String, Value>) -> Option<Map<String, Value>> {
    if !is_decided(said) {
        return None;
    }
    let mut named = said.clone();
    let mut take = |key: &str, keys: &[&str]| {
        let found = first(said, keys).map(str::to_owned);
        found.map(|text| _ = named.insert(key.to_owned(), json!(text)))
    };
    take("escalation", &["escalation", "escalation_id"])?;
    take("option", &["option", "decision"])?;
    take("time", &["time", "duration"]);
    take("agent", &["agent", "assignee"]);
    named.insert("type".to_owned(), json!(MessageType::Decision));
    Some(named)
}

fn operation_answer(said: &Map<String, Value>, untyped: bool) -> Option<Map<String, Value>> {
    let answer = first(said, &["answer", "response", "reply", "status"])?.to_lowercase();
    let operation =
        first(said, &["operation_id", "operation", "op", "id"]).filter(|id| id.starts_with("op-"));
    // Beside a ready only what takes nothing from it, beside a wait or a cancel any reason.
    const READY: &str = "operation_id operation op id answer response reply status from agent ready unsaved_work uncommitted \
        last_commit commit";
    const OTHER: &str = "operation_id operation op id answer response reply status from agent reason message seconds minutes \
        until retry_after retry_after_seconds eta_s eta ready";
    let ready = matches!(answer.as_str(), "ok" | "okay" | "ready");
    let against = said.get("ready") == Some(&json!(false)) || said.get("unsaved_work") == Some(&json!(true));
    let unsaved = said.get("uncommitted").is_some_and(|count| *count != json!(0) && *count != json!(false));
    let answers =
        ["answer", "response", "reply", "status"].iter().filter(|key| said.contains_key(**key)).count();
    let whole = holds_only(said, if ready { READY } else { OTHER }) && !(ready && (against || unsaved));
    if answers > 1 || !whole || !ANSWERS.contains(&answer.as_str()) {
        return None;
    }
    // An id that is no operation's, and none that is one's: said of something else.
    let other = first(said, &["operation_id", "operation", "op", "id"]).is_some() && operation.is_none();
    if untyped && other {
        return None;
    }
    let mut named = Map::from_iter([("type".to_owned(), json!(MessageType::Acknowledgment))]);
    named.insert("message".to_owned(), json!(answer));
    if let Some(operation) = operation {
        named.insert("operation_id".to_owned(), json!(operation));
    }
    Some(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(said: Value) -> Value {
        Value::Object(by_usual_names(said.as_object().cloned().unwrap_or_default()))
    }

    #[test]
    fn talk_3_what_models_call_it_is_read_by_its_usual_name() {
        let table = [
            (
                json!({"type": "ack", "task": "GH-1", "status": "received", "understanding": "u"}),
                json!({"type": "task-acknowledgment", "task_id": "GH-1", "status": "received", "understanding": "u"}),
            ),
            (
                json!({"type": "clarification", "task_id": "GH-1", "question": "Which?"}),
                json!({"type": "task-acknowledgment", "task_id": "GH-1", "status": "needs-clarification", "questions": ["Which?"]}),
            ),
            (
                json!({"verdict": "PARTIAL", "task_id": "GH-1", "missing": ["a test"]}),
                json!({"type": "verdict", "task_id": "GH-1", "verdict": "partial", "missing": ["a test"]}),
            ),
            (
                json!({"type": "clarification", "task_id": "GH-1", "answers": ["Yes"]}),
                json!({"type": "task-clarification", "task_id": "GH-1", "answers": ["Yes"]}),
            ),
            (
                json!({"type": "environment", "handoff": "HO-7", "missing": ["go"]}),
                json!({"type": "handoff_ack", "handoff": "HO-7", "handoff_id": "HO-7", "status": "environment_issue",
                    "missing": ["go"]}),
            ),
            (
                json!({"type": "decision", "escalation_id": "del-7-e1", "decision": "extend", "duration": "30m"}),
                json!({"type": "decision", "escalation_id": "del-7-e1", "decision": "extend", "duration": "30m",
                    "escalation": "del-7-e1", "option": "extend", "time": "30m"}),
            ),
            (
                json!({"ack": "GH-1", "status": "RECEIVED", "understanding": "u"}),
                json!({"type": "task-acknowledgment", "task_id": "GH-1", "status": "RECEIVED", "understanding": "u"}),
            ),
            (
                json!({"operation": "op-7", "answer": "OK"}),
                json!({"type": "acknowledgment", "operation_id": "op-7", "message": "ok"}),
            ),
            (
                json!({"type": "operation_response", "response": "wait", "seconds": 300}),
                json!({"type": "acknowledgment", "message": "wait"}),
            ),
            (
                json!({"type": "review", "task": "GH-1", "verdict": "wrong", "correction": "c"}),
                json!({"type": "verdict", "task_id": "GH-1", "verdict": "wrong-summary", "correction": "c"}),
            ),
        ];
        for (said, meant) in table {
            assert_eq!(called(said.clone()), meant, "{said}");
        }
        for other in [
            json!({"type": "ack", "status": "received"}),
            json!({"type": "review", "task": "GH-1"}),
            json!({"answer": "ok", "id": "GH-1"}),
            json!({"operation": "op-7", "answer": "ok", "ready": false}),
            json!({"type": "ack", "task": "GH-1", "status": "received", "accepted": false}),
            json!({"verdict": "correct", "task_id": "GH-1", "missing": ["a test"]}),
            json!({"operation": "op-7", "answer": "as soon as I can"}),
            json!({"type": "decision", "decision": "retry"}),
            json!({"type": "plan", "task": "GH-1", "status": "received"}),
        ] {
            assert_eq!(called(other.clone()), other);
        }
    }
}
