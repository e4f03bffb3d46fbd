//! What models call the fields of an ACK or a verdict that they write as JSON into a text: `{"type": "ack", "task": "GH-1"}`.
//!
//! Read, and never taught. Nothing is guessed: the object names its task and says one of these things.

use serde_json::{Map, Value, json};

use crate::message::MessageType;

/// What the type of such an object stands for: a type of the catalogue, and the status that goes with it.
const CALLED: [(&[&str], MessageType, Option<&str>); 5] = [
    (
        &["ack", "acknowledgement", "acknowledgment", "task-ack", "task-acknowledgement"],
        MessageType::TaskAcknowledgment,
        None,
    ),
    (
        &["clarification", "needs-clarification", "clarification-needed", "question", "questions"],
        MessageType::TaskAcknowledgment,
        Some("needs-clarification"),
    ),
    (
        &["reject", "rejected", "rejection", "decline", "declined"],
        MessageType::TaskAcknowledgment,
        Some("rejected"),
    ),
    (&["queued"], MessageType::TaskAcknowledgment, Some("queued")),
    (&["review", "judgement", "judgment"], MessageType::Verdict, None),
];

/// The object with the names of the catalogue; as it is when it is none of these.
pub(super) fn by_usual_names(mut said: Map<String, Value>) -> Map<String, Value> {
    let kind = said.get("type").and_then(Value::as_str).unwrap_or_default();
    let kind = kind.trim().to_lowercase().replace('_', "-");
    let Some((_, usual, status)) = CALLED.iter().find(|(names, ..)| names.contains(&kind.as_str())) else {
        return said;
    };
    let task = said.get("task_id").or_else(|| said.get("task")).filter(|task| task.is_string()).cloned();
    let Some(task) = task else { return said };
    if *usual == MessageType::Verdict && !said.contains_key("verdict") {
        return said;
    }
    said.remove("task");
    said.insert("task_id".to_owned(), task);
    said.insert("type".to_owned(), json!(usual));
    if let Some(status) = status {
        said.insert("status".to_owned(), json!(status));
    }
    if let Some(question) = said.remove("question").filter(|_| !said.contains_key("questions")) {
        said.insert("questions".to_owned(), json!([question]));
    }
    if said.get("verdict").and_then(Value::as_str) == Some("wrong") {
        said.insert("verdict".to_owned(), json!("wrong-summary"));
    }
    said
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
            json!({"type": "plan", "task": "GH-1", "status": "received"}),
        ] {
            assert_eq!(called(other.clone()), other);
        }
    }
}
