//! What is refused is refused whole: everything wrong with a content at once.

use serde_json::{Value, json};
use wilco_language::parse::typed;

fn pointers(content: Value) -> Vec<String> {
    let errors = typed(content.as_object().unwrap()).unwrap_err();
    errors.into_iter().map(|error| error.pointer).collect()
}

#[test]
fn msg_3_a_wrong_field_hides_no_wrong_policy_key() {
    let policy = json!({"downtime_grace": "soon", "nonsense": 1});
    for (content, field) in [
        (json!({"type": "task-assignment", "title": "T", "candidates": 7}), "candidates"),
        (json!({"type": "pre-operation", "message": "m", "operation": 7}), "operation"),
        (json!({"type": "replacement-request", "failed_agent": "a", "replacement_agent": "b"}), "reason"),
        (json!({"type": "replacement_handoff", "handoff_id": "h"}), "handoff_url"),
        (
            json!({"type": "validation-start", "issue": 4, "phases": [{"name": "n", "specialist": "s"}]}),
            "main_agent",
        ),
    ] {
        let mut content = content;
        content["policy"] = policy.clone();
        let expected = [field, "policy/downtime_grace", "policy/nonsense"];
        assert_eq!(pointers(content), expected.map(|name| format!("/content/{name}")));
    }
    let own =
        json!({"type": "pre-operation", "operation": "restart", "quorum": "some", "execute": {"comand": []}});
    let wrong = ["message", "execute/command", "quorum"];
    assert_eq!(pointers(own), wrong.map(|name| format!("/content/{name}")));
}

/// Beside whatever else is wrong.
#[test]
fn msg_3_a_task_for_oneself_is_named_with_every_other_wrong_field() {
    let body = r#"{"from": "anna", "to": "Anna", "content": {"type": "task-assignment", "title": "x", "ack_timeout_minutes": "soon"}}"#;
    let Err(wilco_language::parse::ParseError::Fields { errors, .. }) =
        wilco_language::parse::message(body.as_bytes())
    else {
        panic!("it was taken")
    };
    let pointers: Vec<_> = errors.iter().map(|error| error.pointer.as_str()).collect();
    assert_eq!(pointers, ["/to", "/content/ack_timeout_minutes"]);
}
