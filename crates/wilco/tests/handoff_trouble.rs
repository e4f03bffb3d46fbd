//! Handoffs that go wrong: each says clearly what is wrong, and leaves nothing half done.

use std::fs;

use serde_json::{Value, json};

use crate::handoff::{delivered, ready, request, scene};
use crate::server::{Server, Setup, realm, said, task, until};

fn handoffs(server: &Server) -> usize {
    server.get("/v1/exchanges?protocol=handoff").1["items"].as_array().unwrap().len()
}

/// What an agent was told of an exchange, in words.
pub(crate) fn told(server: &Server, agent: &str, exchange: &str) -> String {
    let about = server.inbox(agent).into_iter().filter(|one| one["exchange"] == exchange);
    about
        .map(|one| one["content"]["message"].as_str().unwrap_or("").to_owned())
        .collect::<Vec<_>>()
        .join("\n")
}

/// A server with this `[handoff]`, on which `worker` works on a task of `boss`.
pub(crate) fn configured(handoff: &str) -> Server {
    let server = Setup::new().config(&format!("[handoff]\n{handoff}\n")).start();
    server.register(&["helper", "ecos-controller"]);
    server.begin_working("T-1");
    server
}

#[test]
fn ho_1_that_there_is_no_open_task_is_said_to_everybody() {
    let server = Server::start();
    server.register(&["boss", "worker", "helper", "ecos-controller"]);
    let (id, handed) = delivered(&server, json!({}));
    assert!(handed["content"]["message"].as_str().unwrap().contains("There is no open task to take over."));
    let notice = server.inbox("boss").into_iter().find(|one| one["exchange"] == id.as_str()).unwrap();
    assert_eq!(notice["content"]["reason"], "no-open-task");
    assert!(notice["content"]["message"].as_str().unwrap().starts_with("worker has no open task to move."));
    server.send(&ready(&handed["content"]["handoff_id"]));
    let confirmed = server.newest("ecos-controller")["content"].clone();
    assert_eq!(confirmed["status"], "success", "{confirmed}");
    assert_eq!(
        confirmed["message"],
        "Agent replacement completed successfully. There was no open task to move."
    );
    assert_eq!(confirmed["details"]["tasks_reassigned"], 0);
    assert!(told(&server, "boss", &id).ends_with("There was no open task to move."));
    assert_eq!(server.caller().get("/v1/agents/worker").1["status"], "inactive");
}

#[test]
fn ho_2_a_document_that_is_too_large_is_refused_and_nothing_begins() {
    let (server, delegation) = scene();
    let problem = server.refused(&request(json!({"document": "x".repeat(1_100_000)})), 413);
    assert!(problem["detail"].as_str().unwrap().contains("1048576"), "{problem}");
    assert_eq!(handoffs(&server), 0);
    assert!(!server.kinds("worker").contains(&"task-cancel".to_owned()));
    assert_eq!(server.state(&delegation), "working");
}

#[test]
fn ho_2_a_template_that_fails_on_what_it_is_filled_with_is_told_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let template = directory.path().join("handoff.j2");
    fs::write(
        &template,
        "# {{ handoff_id }}\n{{ tasks[0].title.missing }}\n{{ tasks[0].checkpoints[0].name.x.y }}",
    )
    .unwrap();
    let (code, said) = Setup::new().config(&format!("[handoff]\ntemplate = {template:?}\n")).run_to_end();
    assert_eq!(code, Some(1));
    assert!(said.contains("handoff.template") && said.contains("line 3"), "{said}");

    // The sample that is tried at the start has a task; this handoff has none.
    fs::write(&template, "# {{ handoff_id }}\n{{ tasks[0].title }}").unwrap();
    let server = configured(&format!("template = {template:?}"));
    let id = server.begin(&request(json!({"tasks": []})));
    until("it is escalated", || server.state(&id) == "escalated");
    assert!(!server.kinds("helper").contains(&"replacement_handoff".to_owned()));
    for agent in ["boss", "ecos-controller"] {
        let words = told(&server, agent, &id);
        assert!(words.contains("could not be written: line 2: undefined value"), "{agent}: {words}");
    }
}

#[test]
fn ho_3_two_handoffs_of_one_pair_in_a_second_keep_their_documents() {
    let (server, _) = scene();
    let second = server.begin(&task("T-2"));
    let (first, _) = delivered(&server, json!({"tasks": ["T-1"]}));
    let (other, _) = delivered(&server, json!({"tasks": ["T-2"]}));
    let of = |id: &str| server.exchange(id)["data"].clone();
    let name = |id: &str| of(id)["document"]["name"].as_str().unwrap().to_owned();
    assert!(name(&first).ends_with("Z.md"), "{}", name(&first));
    assert_eq!(name(&other), name(&first).replace("Z.md", "Z-2.md"));
    for (id, task) in [(&first, "T-1"), (&other, "T-2")] {
        let data = of(id);
        let path = format!("/v1/handoffs/{}/document", data["handoff_id"].as_str().unwrap());
        let (status, text) = server.get_text(&path);
        assert_eq!(status, 200, "{text}");
        assert!(text.contains(data["handoff_id"].as_str().unwrap()), "{text}");
        assert!(text.contains(&format!("Task id: `{task}`")), "{text}");
    }
    assert_eq!(server.exchange(&second)["data"]["assignee"], "worker", "nothing has moved yet");
}

#[test]
fn ho_13_an_ack_of_another_handoff_is_asked_for_again() {
    let (server, delegation) = scene();
    server.begin(&task("T-2"));
    let (id, handed) = delivered(&server, json!({"tasks": ["T-1"]}));
    let right = &handed["content"]["handoff_id"];
    // Carol's handoff is real, and none of the helper's business.
    let others = server.begin(&request(json!({"tasks": ["T-2"], "replacement_agent": "carol"})));
    until("carol was told", || server.state(&others) == "awaiting-ack");
    for wrong in [json!("handoff-of-nobody"), server.exchange(&others)["data"]["handoff_id"].clone()] {
        server.send(&ready(&wrong));
        let asked = server.newest("helper")["content"].clone();
        assert_eq!(asked["reason"], "wrong-handoff-id", "{asked}");
        assert!(asked["message"].as_str().unwrap().contains(right.as_str().unwrap()), "{asked}");
        assert_eq!(
            (server.state(&id), server.state(&others)),
            ("awaiting-ack".into(), "awaiting-ack".into())
        );
    }
    assert_eq!(server.exchange(&delegation)["data"]["assignee"], "worker");
    server.send(&ready(right));
    assert_eq!(server.state(&id), "complete");
}

#[test]
fn ho_13_a_document_that_nobody_asked_for_is_published_too() {
    let (server, _) = scene();
    let (id, handed) = delivered(&server, json!({}));
    let more = json!({
        "clarifications": [{"question": "Which port?", "answer": "8080"}], "document": "# A better one",
    });
    let mut clarification = said("boss", "helper", "handoff_clarification", more);
    clarification["exchange"] = json!(id);
    server.send(&clarification);
    until("the replacement has it", || server.kinds("helper").contains(&"handoff_clarification".to_owned()));
    let content = server.newest("helper")["content"].clone();
    let document = server.exchange(&id)["data"]["document"].clone();
    assert_eq!(content["updated_handoff_url"], document["url"]);
    assert!(
        content["document"].is_null() && content["message"].as_str().unwrap().contains("8080"),
        "{content}"
    );
    let path = format!("/v1/handoffs/{}/document", handed["content"]["handoff_id"].as_str().unwrap());
    assert_eq!(server.get_text(&path).1, "# A better one");
    assert_eq!(server.state(&id), "awaiting-ack");
}

#[test]
fn ho_21_a_task_that_asked_for_no_ack_is_acknowledged_by_its_new_agent() {
    let server = Server::start();
    server.register(&["boss", "worker", "helper", "ecos-controller"]);
    let mut quiet = task("T-1");
    quiet["content"]["requires_ack"] = json!(false);
    let delegation = server.begin(&quiet);
    assert_eq!(server.state(&delegation), "working");
    let (_, handed) = delivered(&server, json!({}));
    server.send(&ready(&handed["content"]["handoff_id"]));
    assert_eq!(server.state(&delegation), "awaiting-ack");
    let assigned = |one: &Value| one["content"]["type"] == "task-assignment";
    let asked = server.inbox("helper").into_iter().find(assigned).unwrap()["content"].clone();
    assert_eq!(asked["requires_ack"], true, "{asked}");
    assert!(asked["message"].as_str().unwrap().contains("[ACK] T-1 - "), "{asked}");
    server.advance("5m");
    assert_eq!(server.newest("helper")["content"]["type"], "ack-request");
    let mut acknowledged = crate::server::ack("T-1");
    acknowledged["from"] = json!("helper");
    server.send(&acknowledged);
    assert_eq!(server.state(&delegation), "working");
    assert!(server.exchange(&delegation)["data"]["acknowledged_at"].is_string());
}

#[test]
fn ho_30_the_last_known_progress_is_that_of_the_checkpoints() {
    for (planned, expected) in [
        (json!(["Tests written", "Implementation complete", "PR ready"]), "last_known_progress: 67"),
        (json!([]), "last_known_progress: \"checkpoint-2\""),
    ] {
        let server = Server::start();
        server.register(&["boss", "worker", "helper", "ecos-controller"]);
        server.begin(&task("T-1"));
        let mut acknowledged = crate::server::ack("T-1");
        acknowledged["content"]["estimated_checkpoints"] = planned;
        server.send(&acknowledged);
        let reached = json!({"task_id": "T-1", "checkpoint": 2, "status": "done", "summary": "it works"});
        server.send(&said("worker", "boss", "checkpoint-ack", reached));
        let (id, handed) = delivered(&server, json!({}));
        let mut ready = ready(&handed["content"]["handoff_id"]);
        ready["content"]["starting_from"] = json!("2");
        server.send(&ready);
        until("the audit has its entry", || server.exchange(&id)["data"]["confirmation"]["audited"] == true);
        let audit = realm::replacement_audit(server.data.path());
        assert!(audit.contains(expected), "{expected} is not in\n{audit}");
    }
}

#[test]
fn ho_22_a_task_of_the_replacement_itself_is_not_moved_and_named() {
    let (server, delegation) = scene();
    let mut own = task("T-2");
    own["from"] = json!("helper");
    let own = server.begin(&own);
    let (id, handed) = delivered(&server, json!({}));
    server.send(&ready(&handed["content"]["handoff_id"]));
    assert_eq!(server.state(&id), "partial");
    let details = server.newest("ecos-controller")["content"]["details"].clone();
    assert_eq!(details["tasks_reassigned"], 1, "{details}");
    assert_eq!(details["failed_tasks"][0]["uuid"], server.exchange(&own)["data"]["task_uuid"]);
    let reason = details["failed_tasks"][0]["reason"].as_str().unwrap();
    assert_eq!(reason, "helper asked for it itself, and cannot take it over");
    assert_eq!(server.exchange(&delegation)["data"]["assignee"], "helper");
    assert_eq!(server.state(&own), "escalated");
}

#[test]
fn ho_22_a_task_that_somebody_else_works_on_is_not_moved_and_named() {
    let (server, delegation) = scene();
    server.register(&["other"]);
    let mut others = task("T-2");
    others["to"] = json!("other");
    let others = server.begin(&others);
    // The same id, asked for by somebody else: that one is nobody's business here.
    let mut strangers = task("T-3");
    (strangers["from"], strangers["to"]) = (json!("stranger"), json!("other"));
    server.begin(&strangers);
    let (id, handed) = delivered(&server, json!({"tasks": ["T-1", "T-2", "T-3"]}));
    server.send(&ready(&handed["content"]["handoff_id"]));
    assert_eq!(server.state(&id), "partial");
    let details = server.newest("ecos-controller")["content"]["details"].clone();
    assert_eq!(details["tasks_reassigned"], 2, "{details}");
    let failed = json!([{
        "uuid": server.exchange(&others)["data"]["task_uuid"],
        "reason": "other works on it, not the agent that failed",
    }]);
    assert_eq!(details["failed_tasks"], failed);
    assert_eq!(server.exchange(&delegation)["data"]["assignee"], "helper");
    assert_eq!(server.exchange(&others)["data"]["assignee"], "other");
    assert_eq!(server.state(&others), "awaiting-ack");
}

#[test]
fn ho_11_urgency_sets_priority_and_the_time_that_is_told() {
    let server = Server::start();
    server.register(&["helper"]);
    let told = |id: &str, priority: &str, more: Value| {
        let mut handoff = said("boss", "helper", "replacement_handoff", more);
        handoff["priority"] = json!(priority);
        handoff["content"]["handoff_id"] = json!(id);
        handoff["content"]["handoff_url"] = json!("https://example.com/handoff.md");
        handoff["content"]["ack_required_within"] = json!("3 days");
        server.send(&handoff);
        let told = server.newest("helper");
        (told["priority"].clone(), told["content"]["ack_required_within"].clone())
    };
    assert_eq!(told("H-1", "low", json!({"urgency": "prepare"})), (json!("high"), json!("15 minutes")));
    assert_eq!(told("H-2", "low", json!({})), (json!("low"), json!("5 minutes")));
}
