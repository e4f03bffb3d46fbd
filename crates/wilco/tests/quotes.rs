//! Whoever must decide reads what the agent said: in the notice, in the list of escalations, and in its reminder.

use crate::handoff::{delivered, scene};
use crate::server::{Server, ack, said, task, task_with, text};
use serde_json::{Value, json};

/// The evidence of the open escalation of an exchange, as the notice and as the list have it.
fn evidence(server: &Server, id: &str, addressee: &str, words: &str) -> Value {
    assert_eq!(server.state(id), "escalated");
    let mut notices = server.inbox(addressee).into_iter();
    let notice =
        notices.rfind(|one| one["content"]["type"] == "escalation" && one["exchange"] == *id).unwrap();
    let told = notice["content"]["message"].as_str().unwrap();
    assert!(told.contains(words), "{told}");
    let open = server.get("/v1/escalations?open=true").1;
    let of_it = |one: &&Value| one["exchange"] == *id;
    let listed = open["items"].as_array().unwrap().iter().find(of_it).unwrap().clone();
    assert!(listed["text"].as_str().unwrap().ends_with(&format!("It said: {words}")), "{listed}");
    assert_eq!(listed["evidence"], notice["content"]["evidence"]);
    assert_eq!(listed["evidence"]["said"], json!(words));
    let message = listed["evidence"]["message"].as_str().unwrap();
    assert_eq!(server.get(&format!("/v1/messages/{message}")).0, 200);
    listed["evidence"].clone()
}

#[test]
fn del_13_msg_30_a_rejection_is_quoted() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    server.send(&said(
        "worker",
        "boss",
        "task-acknowledgment",
        json!({"task_id": "T-1", "status": "rejected", "reason": "I have no access\nto the repository"}),
    ));
    evidence(&server, &id, "boss", "I have no access to the repository");
    server.advance("30m");
    evidence(&server, &id, "boss", "I have no access to the repository");
    let id = server.begin(&task("T-2"));
    server.send(&text("worker", "boss", "[ACK] T-2 - REJECTED\nReason: my disk is full"));
    evidence(&server, &id, "boss", "my disk is full");
}

#[test]
fn del_15_msg_30_an_error_is_quoted() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    let fields =
        json!({"task_id": "T-1", "error_code": "CAPABILITY_MISMATCH", "message": "I only know Python"});
    server.send(&said("worker", "boss", "task-acknowledgment-error", fields));
    evidence(&server, &id, "boss", "CAPABILITY_MISMATCH: I only know Python");
}

#[test]
fn del_12_del_20_del_22_msg_30_what_was_asked_or_misunderstood_is_quoted() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let asked = server.begin(&task("T-1"));
    let fields = json!({"task_id": "T-1", "status": "needs-clarification", "questions": ["Which endpoint?"]});
    server.send(&said("worker", "boss", "task-acknowledgment", fields));
    let judged = server.begin(&task_with("T-2", json!({"understanding": "initiator"})));
    server.send(&ack("T-2"));
    let wrong = server.begin(&task_with("T-3", json!({"understanding": "initiator", "max_corrections": 0})));
    let mut misread = ack("T-3");
    misread["content"]["understanding"] = json!("Delete the login endpoint");
    server.send(&misread);
    let verdict = json!({"task_id": "T-3", "verdict": "wrong-summary", "correction": "Keep it"});
    server.send(&said("boss", "worker", "verdict", verdict));
    evidence(&server, &wrong, "boss", "Delete the login endpoint");
    server.advance("30m");
    evidence(&server, &asked, "boss", "Which endpoint?");
    let said = ack("T-2")["content"]["understanding"].as_str().unwrap().to_owned();
    evidence(&server, &judged, "boss", &said);
}

#[test]
fn val_3_val_13_val_15_what_cannot_be_fixed_or_checked_is_quoted() {
    let server = Server::start();
    server.register(&["boss", "main", "alice"]);
    let begin = |issue: u32| {
        let phases = json!([{"name": "unit", "specialist": "alice"}]);
        let fields = json!({"issue": issue, "main_agent": "main", "phases": phases});
        server.begin(&said("boss", "validation-orchestrator", "validation-start", fields))
    };
    let tells = |from: &str, kind: &str, id: &str, fields: Value| {
        let mut message = said(from, "boss", kind, fields);
        message["exchange"] = json!(id);
        server.send(&message);
    };
    let id = begin(42);
    let failure = json!([{"location": "src/a.rs:1", "error": "wrong"}]);
    tells("alice", "validation-result", &id, json!({"status": "FAIL", "failures": failure}));
    tells("main", "fix-completion", &id, json!({"status": "cannot-fix", "reason": "The library is broken"}));
    let shown = evidence(&server, &id, "boss", "The library is broken");
    assert_eq!((&shown["phase"], &shown["agent"]), (&json!("unit"), &json!("main")));
    let id = begin(43);
    for error in ["no compiler", "still no compiler"] {
        tells("alice", "validation-result", &id, json!({"status": "ERROR", "error": error}));
    }
    evidence(&server, &id, "boss", "still no compiler");
}

#[test]
fn ho_13_msg_30_why_a_replacement_does_not_take_over_is_quoted() {
    let (server, _) = scene();
    let (id, told) = delivered(&server, json!({}));
    let fields = json!({
        "handoff_id": told["content"]["handoff_id"], "status": "rejected", "reason": "I am at my limit",
    });
    server.send(&said("helper", "boss", "handoff_ack", fields));
    evidence(&server, &id, "ecos-controller", "I am at my limit");
}

#[test]
fn ho_6_the_failed_agent_is_told_to_stop_what_only_the_state_file_knows() {
    let (server, _) = scene();
    delivered(&server, json!({"tasks": ["T-1", "LEGACY-9"]}));
    let stops: Vec<_> =
        server.inbox("worker").into_iter().filter(|one| one["content"]["type"] == "task-cancel").collect();
    let named = |one: &Value| (one["content"]["task_id"].clone(), one["content"]["tasks"].clone());
    assert_eq!(
        stops.iter().map(named).collect::<Vec<_>>(),
        [(json!("T-1"), Value::Null), (Value::Null, json!(["LEGACY-9"]))]
    );
}
