//! Handoffs over HTTP: work moves from a failed agent to its replacement, and nothing is lost on the way.

use crate::server::{Server, ack, pointers, said, text, until};
use serde_json::{Value, json};

const UNDERSTANDING: &str = "Continue the open task of the failed agent";

/// A server on which `worker` works on a task of `boss`.
pub(crate) fn scene() -> (Server, String) {
    let server = Server::start();
    server.register(&["helper", "carol", "ecos-controller"]);
    let delegation = server.begin_working("T-1");
    (server, delegation)
}

pub(crate) fn request(more: Value) -> Value {
    let mut fields = json!({
        "failed_agent": "worker", "replacement_agent": "helper", "reason": "context_loss",
        "policy": {"understanding": "accept"},
    });
    for (key, value) in more.as_object().unwrap() {
        fields[key] = value.clone();
    }
    said("boss", "wilco", "replacement-request", fields)
}

/// Begins a handoff, and waits until the replacement was told.
pub(crate) fn delivered(server: &Server, more: Value) -> (String, Value) {
    let id = server.begin(&request(more));
    until("the replacement was told", || server.state(&id) == "awaiting-ack");
    let told =
        server.inbox("helper").into_iter().rfind(|one| one["content"]["type"] == "replacement_handoff");
    (id, told.unwrap())
}

pub(crate) fn ready(handoff_id: &Value) -> Value {
    let fields = json!({
        "handoff_id": handoff_id, "status": "ready_to_proceed", "understanding": UNDERSTANDING,
        "starting_from": "anything", "questions": [],
    });
    said("helper", "boss", "handoff_ack", fields)
}

#[test]
fn ho_1_a_request_is_prepared_delivered_acknowledged_and_confirmed() {
    let (server, delegation) = scene();
    let (id, told) = delivered(&server, json!({}));
    let handoff_id = &told["content"]["handoff_id"];
    let (status, document) =
        server.caller().get_text(&format!("/v1/handoffs/{}/document", handoff_id.as_str().unwrap()));
    assert_eq!(status, 200, "{document}");
    assert!(document.contains("worker") && document.contains("T-1"), "{document}");
    let answer = server.send(&ready(handoff_id));
    assert_eq!(answer["exchange"]["state"], "complete", "{answer}");
    assert_eq!(server.exchange(&delegation)["data"]["assignee"], "helper");
    assert_eq!(server.state(&delegation), "awaiting-ack");
    let worker = server.caller().get("/v1/agents/worker").1;
    assert_eq!(worker["status"], "inactive");
    let confirmed = server.newest("ecos-controller");
    assert_eq!(confirmed["subject"], "[EOA] Agent Replacement Complete");
    assert_eq!(confirmed["content"]["status"], "success");
    assert_eq!(confirmed["content"]["details"]["tasks_reassigned"], 1);
    assert_eq!(server.exchange(&id)["outcome"], "complete");
    server.verify();
}

#[test]
fn ho_10_the_message_carries_what_the_replacement_needs() {
    let (server, delegation) = scene();
    let (_, told) = delivered(&server, json!({}));
    assert_eq!(told["subject"], "[HANDOFF] Agent Replacement - You are replacing worker");
    assert_eq!(told["priority"], "urgent");
    let content = &told["content"];
    assert_eq!(content["ack_required_within"], "5 minutes");
    assert_eq!(content["failed_agent"], json!({"id": "worker", "session": "worker"}));
    assert_eq!(content["tasks"], json!([server.exchange(&delegation)["data"]["task_uuid"]]));
    assert_eq!(content["urgency"], "immediate");
    assert_eq!(content["taught"], true);
    assert!(content["handoff_url"].as_str().unwrap().ends_with("/document"));
}

#[test]
fn ho_4_who_cannot_take_over_is_refused_and_nothing_is_sent() {
    let (server, _) = scene();
    let put = server.caller().put("/v1/agents/carol", &json!({"status": "inactive"}));
    assert!(put.0 < 300);
    for wrong in ["nobody", "worker", "carol"] {
        let problem = server.refused(&request(json!({"replacement_agent": wrong})), 422);
        assert_eq!(pointers(&problem), ["/content/replacement_agent"], "{wrong}");
    }
    assert!(server.caller().get("/v1/agents/nobody").0 == 404);
    let problem = server.refused(&said("boss", "wilco", "replacement-request", json!({})), 422);
    assert_eq!(
        pointers(&problem),
        ["/content/failed_agent", "/content/replacement_agent", "/content/reason"]
    );
}

#[test]
fn ho_5_a_direct_handoff_is_delivered_once_and_teaches() {
    let (server, _) = scene();
    let direct = said(
        "boss",
        "helper",
        "replacement_handoff",
        json!({
            "handoff_id": "handoff-uuid-123", "handoff_url": "https://example.test/42",
            "message": "You are replacing worker", "tasks": ["task-uuid-9"], "urgency": "prepare",
        }),
    );
    let answer = server.send(&direct);
    assert_eq!(answer["exchange"]["state"], "awaiting-ack");
    let told: Vec<_> = server.inbox("helper");
    assert_eq!(told.len(), 1);
    let words = told[0]["content"]["message"].as_str().unwrap();
    assert!(words.starts_with("You are replacing worker") && words.contains("[ACK] handoff-uuid-123 - "));
    assert_eq!(told[0]["priority"], "high");
    let again = server.refused(&direct, 409);
    assert!(again["detail"].as_str().unwrap().contains("handoff-uuid-123"), "{again}");
    let body =
        "[ACK] handoff-uuid-123 - READY_TO_PROCEED\nUnderstanding: go on\nStarting from: 1\nQuestions: none";
    let answer = server.send(&text("helper", "boss", body));
    assert_eq!(answer["exchange"]["state"], "complete", "{answer}");
}

#[test]
fn ho_6_what_the_failed_agent_sends_is_evidence() {
    let (server, delegation) = scene();
    let (_, told) = delivered(&server, json!({}));
    assert!(server.kinds("worker").contains(&"task-cancel".to_owned()));
    assert_eq!(server.exchange(&delegation)["timers"], json!([]));
    let before = server.exchange(&delegation)["data"].clone();
    server.send(&said("worker", "boss", "task-complete", json!({"task_id": "T-1"})));
    assert_eq!(server.exchange(&delegation)["data"], before);
    assert_eq!(server.newest("boss")["content"]["reason"], "evidence");
    let mut stolen = ready(&told["content"]["handoff_id"]);
    stolen["from"] = json!("worker");
    server.refused(&stolen, 403);
}

#[test]
fn ho_11_silence_reminds_twice_and_escalates_to_the_controller() {
    let (server, _) = scene();
    let (id, told) = delivered(&server, json!({}));
    server.advance("5m");
    let reminder = server.newest("helper");
    assert_eq!(reminder["content"]["type"], "handoff_reminder");
    assert_eq!(reminder["content"]["reminder_number"], 1);
    assert_eq!(reminder["priority"], "urgent");
    assert_eq!(reminder["content"]["original_sent"], told["timestamp"]);
    server.advance("5m");
    assert_eq!(server.state(&id), "escalated");
    let asked = server.newest("ecos-controller");
    assert_eq!(asked["subject"], "[EOA-ESCALATE] Replacement Agent Not Responding");
    let content = &asked["content"];
    assert_eq!(content["reminders_sent"], 2);
    assert_eq!(content["action_required"], "provide_alternative_agent");
    assert_eq!(content["replacement_agent"], "helper");
    let choice =
        json!({"option": "provide_alternative_agent", "agent": "carol", "escalation": content["escalation"]});
    server.send(&said("ecos-controller", "wilco", "decision", choice));
    until("carol was told", || server.kinds("carol").contains(&"replacement_handoff".to_owned()));
    let data = &server.exchange(&id)["data"];
    assert_eq!(data["replacement"], "carol");
    assert_ne!(data["handoff_id"], told["content"]["handoff_id"]);
    server.send(&ready(&told["content"]["handoff_id"]));
    assert_eq!(server.newest("helper")["content"]["reason"], "superseded");
}

#[test]
fn ho_13_questions_corrections_and_malformed_answers() {
    let (server, _) = scene();
    let (id, told) = delivered(&server, json!({"starting_from": "checkpoint-2"}));
    let handoff_id = &told["content"]["handoff_id"];
    server.send(&ready(handoff_id));
    assert_eq!(server.state(&id), "correcting");
    assert_eq!(server.newest("helper")["content"]["correct_starting_from"], "checkpoint-2");
    let fields =
        json!({"handoff_id": handoff_id, "status": "needs_clarification", "questions": ["Which port?"]});
    server.send(&said("helper", "boss", "handoff_ack", fields));
    assert_eq!(server.state(&id), "clarifying");
    let answers = json!({"clarifications": [{"question": "Which port?", "answer": "8080"}]});
    let mut clarification = said("boss", "helper", "handoff_clarification", answers);
    clarification["exchange"] = json!(id);
    server.send(&clarification);
    assert_eq!(server.state(&id), "awaiting-ack");
    assert!(server.newest("helper")["content"]["message"].as_str().unwrap().contains("8080"));
    let mut talk = text("helper", "boss", "sure, will do");
    talk["exchange"] = json!(id);
    server.send(&talk);
    assert_eq!(server.newest("helper")["content"]["reason"], "malformed-ack");
    server.send(&talk);
    assert_eq!(server.state(&id), "in-review");
    let mut verdict = said("boss", "wilco", "verdict", json!({"verdict": "correct"}));
    verdict["exchange"] = json!(id);
    server.send(&verdict);
    assert_eq!(server.state(&id), "complete");
}

#[test]
fn ho_14_an_override_goes_on_without_an_ack() {
    let (server, delegation) = scene();
    let (id, _) = delivered(&server, json!({}));
    let mut without = said("boss", "wilco", "handoff-override", json!({}));
    without["exchange"] = json!(id);
    server.refused(&without, 422);
    without["content"]["reason"] = json!("it is at work");
    server.send(&without);
    let ack = &server.exchange(&id)["data"]["ack"];
    assert_eq!(ack["status"], "acknowledged_with_delay");
    assert_eq!(ack["reason"], "it is at work");
    assert_eq!(server.exchange(&delegation)["data"]["assignee"], "helper");
}

#[test]
fn ho_22_an_aborted_handoff_is_confirmed_as_failed() {
    let (server, delegation) = scene();
    let (id, _) = delivered(&server, json!({}));
    server.advance("10m");
    let mut choice = said("boss", "wilco", "decision", json!({"option": "abort"}));
    choice["exchange"] = json!(id);
    server.send(&choice);
    let confirmed = server.newest("ecos-controller");
    assert_eq!(confirmed["priority"], "urgent");
    let error = &confirmed["content"]["error"];
    assert_eq!(error["code"], "NO_ACK_RECEIVED");
    assert_eq!(error["reminders_sent"], 2);
    assert!(error["message"].as_str().unwrap().contains("after 3 attempts"));
    assert_eq!(server.state(&delegation), "escalated");
    assert_eq!(server.exchange(&delegation)["data"]["assignee"], "worker");
}

#[test]
fn ho_15_an_ack_is_called_after_the_handoff_that_it_names() {
    let (server, _) = scene();
    let (id, told) = delivered(&server, json!({"candidates": ["carol"]}));
    let handoff_id = told["content"]["handoff_id"].as_str().unwrap();
    let mut rejected = ready(&told["content"]["handoff_id"]);
    rejected["content"]["status"] = json!("rejected");
    let sent = server.send(&rejected);
    assert_eq!(sent["message"]["subject"], format!("[ACK] Handoff {handoff_id} Received"));
    until("the next was told", || server.state(&id) == "awaiting-ack");
    let late = server.send(&ready(&told["content"]["handoff_id"]));
    assert_eq!(late["message"]["subject"], format!("[ACK] Handoff {handoff_id} Received"));
}

#[test]
fn ho_32_what_a_failed_handoff_did_not_do_is_not_ticked() {
    let (server, _) = scene();
    let (id, _) = delivered(&server, json!({}));
    server.advance("2h");
    let escalation = server.exchange(&id)["data"]["escalation"].clone();
    server.send(&said("boss", "wilco", "decision", json!({"escalation": escalation, "option": "abort"})));
    until("the audit has its entry", || server.exchange(&id)["data"]["confirmation"]["audited"] == true);
    assert_eq!(server.newest("ecos-controller")["content"]["details"]["tasks_uuids"], json!([]));
    let list = server.exchange(&id)["checklist"].as_array().unwrap().clone();
    let of = |item: &str| list.iter().find(|one| one["item"] == item).unwrap()["done"].clone();
    assert_eq!(of("All task UUIDs listed"), false);
    assert_eq!(of("Confirmation message sent"), true);
}

#[test]
fn ho_32_the_checklist_shows_what_happened_with_its_evidence() {
    let (server, _) = scene();
    let (id, told) = delivered(&server, json!({}));
    server.send(&ready(&told["content"]["handoff_id"]));
    until("the audit has its entry", || server.exchange(&id)["data"]["confirmation"]["audited"] == true);
    let list = server.exchange(&id)["checklist"].as_array().unwrap().clone();
    let of = |item: &str| list.iter().find(|one| one["item"] == item).unwrap().clone();
    assert_eq!(of("ACK message received")["done"], true);
    assert_eq!(of("Handoff document uploaded to GitHub")["done"], Value::Null);
    assert_eq!(of("Audit log entry created")["done"], true);
    assert_eq!(of("Local backup saved")["section"], "Delivery");
    assert!(
        of("Local backup saved")["evidence"]
            .as_str()
            .unwrap()
            .starts_with("replacement-handoff-worker-to-helper-")
    );
    let answer = server.send(&ack("T-1"));
    assert!(answer["exchange"].is_object());
}
