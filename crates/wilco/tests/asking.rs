//! What an agent is asked for and taught, and what its initiator is told of it.

use crate::operation::{operate, with_agents};
use crate::server::{Server, said, text};
use serde_json::{Value, json};

/// A task that is judged as usual, and what says it back.
fn login(server: &Server, fields: Value) -> String {
    server.register(&["boss", "worker", "other"]);
    let mut content = json!({
        "task_id": "T-1", "title": "Add the login endpoint",
        "acceptance_criteria": ["login returns a token", "tests pass"],
    });
    content.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    server.begin(&said("boss", "worker", "task-assignment", content))
}

const GOOD: &str = "Add the login endpoint: login returns a token, tests pass";

fn acked(server: &Server, understanding: &str, revision: u32) -> Value {
    let fields = json!({
        "task_id": "T-1", "status": "received", "understanding": understanding, "revision": revision,
    });
    server.send(&said("worker", "boss", "task-acknowledgment", fields))["exchange"]["state"].clone()
}

fn words(message: &Value) -> String {
    message["content"]["message"].as_str().unwrap().to_owned()
}

#[test]
fn del_12_vague_questions_at_work_go_back_once() {
    let server = Server::start();
    let id = login(&server, json!({}));
    assert_eq!(acked(&server, GOOD, 1), "working");
    let vague = json!({"task_id": "T-1", "status": "needs-clarification", "questions": ["please clarify"]});
    let vague = said("worker", "boss", "task-acknowledgment", vague);
    assert_eq!(server.send(&vague)["exchange"]["state"], "working");
    let back = server.newest("worker");
    assert_eq!(back["content"]["reason"], "which-criterion");
    assert!(words(&back).contains("[ACK] T-1 - CLARIFICATION_NEEDED"), "{back}");
    assert!(!words(&back).contains("not yours"), "it works on it: {back}");
    assert_eq!(server.send(&vague)["exchange"]["state"], "clarifying");
    assert!(words(&server.newest("boss")).contains("after Wilco asked which criterion"));
    assert_eq!(server.state(&id), "clarifying");
}

#[test]
fn del_4_an_ack_that_is_quoted_denied_or_of_another_task_does_not_teach() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let shown = |id: &str, message: &str| {
        let fields = json!({"task_id": id, "title": "T", "message": message});
        server.begin(&said("boss", "worker", "task-assignment", fields));
        server.newest("worker")["content"].clone()
    };
    for (id, message) in [
        ("Q-2", "Bob wrote [ACK] OLD-1 - RECEIVED and vanished. Take over."),
        ("Q-3", "Look at this:\n> [ACK] OLD-1 - RECEIVED\n> [ACK] Q-3 - RECEIVED"),
        ("Q-4", "Do not reply with [ACK] Q-4 - RECEIVED; just start"),
        ("Q-5", "This is an old one:\n```\n[ACK] OLD-1 - RECEIVED\n```"),
    ] {
        let content = shown(id, message);
        assert_eq!(content["taught"], true, "{message}");
        assert!(content["message"].as_str().unwrap().contains(&format!("[ACK] {id} - {{RECEIVED|")));
    }
    let asks = "Do it. Reply with:\n```\n[ACK] Q-6 - RECEIVED\nUnderstanding: …\n```";
    assert_eq!(shown("Q-6", asks)["taught"], Value::Null, "it asks by itself");
}

#[test]
fn del_43_an_amendment_that_is_not_spoken_of_is_reviewed() {
    for change in [
        "Login must set a cookie and drop the token",
        "Remove the token; use sessions",
        "Also log every attempt",
    ] {
        let server = Server::start();
        let id = login(&server, json!({}));
        assert_eq!(acked(&server, GOOD, 1), "working");
        server.send(&said("boss", "worker", "task-amend", json!({"task_id": "T-1", "message": change})));
        assert_eq!(acked(&server, GOOD, 2), "in-review", "{change}");
        let judged = server.exchange(&id)["data"]["understanding"].clone();
        assert_eq!(judged["covered"], json!(["login returns a token", "tests pass"]), "{change}");
        assert!(judged["score"].as_f64().unwrap() < 1.0, "{change}: {judged}");
    }
}

#[test]
fn del_43_an_amendment_that_is_spoken_of_is_accepted() {
    let server = Server::start();
    login(&server, json!({}));
    let amend = |fields: Value| server.send(&said("boss", "worker", "task-amend", fields));
    amend(json!({"task_id": "T-1", "message": "Also log every attempt"}));
    assert_eq!(acked(&server, &format!("{GOOD}. Also log every attempt"), 2), "working");
    let criteria = json!(["login returns a token", "logout ends the session"]);
    amend(json!({"task_id": "T-1", "message": "Tests come later", "acceptance_criteria": criteria}));
    let listed =
        "Add the login endpoint: login returns a token, logout ends the session. Also log every attempt";
    assert_eq!(acked(&server, listed, 3), "working", "what is listed anew speaks for the words beside it");
}

#[test]
fn del_11_an_escalation_says_why_nobody_else_was_asked() {
    let server = Server::start();
    let id = login(&server, json!({"candidates": ["other"]}));
    server.send(&said("worker", "boss", "checkpoint-ack", json!({"task_id": "T-1", "checkpoint": 1})));
    for time in ["6m", "3m"] {
        server.advance(time);
    }
    assert_eq!(server.state(&id), "escalated");
    let told = words(&server.newest("boss"));
    assert!(told.contains("Nobody else was asked: it has shown work on it."), "{told}");
    assert!(told.contains("|reassign other|"), "who is left: {told}");
}

#[test]
fn del_3_an_escalation_of_a_weak_sign_says_why_nobody_else_was_asked() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    server.send(&text("boss", "worker", "- [ ] tidy up the shed\n- [ ] buy nails"));
    for time in ["6m", "3m"] {
        server.advance(time);
    }
    let told = words(&server.newest("boss"));
    assert!(told.contains("Nobody else was asked: the message only looks like a task."), "{told}");
}

/// Also what agents say: whoever sees a message can tell what it belongs to, and the sender's own words stay as they are.
#[test]
fn op_1_answers_carry_the_ids_of_their_operation() {
    let server = with_agents(&["worker", "other"]);
    let id = server.begin(&operate(json!(["worker", "other"]), json!({})));
    let broadcast = server.newest("worker")["broadcast_id"].clone();
    assert!(broadcast.is_string());
    let mut answer = said("worker", "boss", "acknowledgment", json!({"message": "wait", "weight": 0.10}));
    answer["exchange"] = json!(id);
    for answer in [answer, text("other", "boss", "ok, go on")] {
        let sent = server.send(&answer);
        assert_eq!(sent["message"]["content"], answer["content"]);
        assert_eq!(sent["message"]["broadcast_id"], broadcast);
        let message = sent["message"]["id"].clone();
        let inbox = server.inbox("boss");
        let told = inbox.iter().find(|told| told["id"] == message).unwrap();
        assert_eq!((&told["exchange"], &told["broadcast_id"]), (&json!(id), &broadcast));
        let content = &told["content"];
        assert_eq!((&content["operation_id"], &content["broadcast_id"]), (&json!(id), &broadcast));
        assert_eq!(content["message"], answer["content"]["message"]);
    }
}
