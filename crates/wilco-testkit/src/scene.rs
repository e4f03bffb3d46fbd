//! Messages that most rules are shown with: a task, an answer, a text.

use serde_json::{Value, json};

/// A task whose understanding is easy to show.
pub fn task(task_id: &str) -> Value {
    json!({
        "from": "boss", "to": "worker", "subject": format!("Task {task_id}"),
        "content": {
            "type": "task-assignment", "task_id": task_id, "title": "Add rate limiting to the login endpoint",
            "description": "Return HTTP 429 after five failed attempts within one minute.",
            "acceptance_criteria": ["Sixth attempt returns 429", "Counter resets after one minute"],
            "policy": {"understanding": "accept"},
        },
    })
}

/// The same with another policy.
pub fn task_with(task_id: &str, policy: Value) -> Value {
    let mut message = task(task_id);
    message["content"]["policy"] = policy;
    message
}

/// An acknowledgment that shows understanding.
pub fn ack(task_id: &str) -> Value {
    said(
        "worker",
        "boss",
        "task-acknowledgment",
        json!({
            "task_id": task_id, "status": "received",
            "understanding": "Add rate limiting to the login endpoint: the sixth attempt returns 429, the counter resets after one minute",
        }),
    )
}

/// A message of a type with its fields.
pub fn said(from: &str, to: &str, kind: &str, fields: Value) -> Value {
    let mut content = json!({"type": kind});
    for (key, value) in fields.as_object().into_iter().flatten() {
        content[key] = value.clone();
    }
    json!({"from": from, "to": to, "content": content})
}

pub fn text(from: &str, to: &str, message: &str) -> Value {
    json!({"from": from, "to": to, "subject": "", "content": {"type": "text", "message": message}})
}
