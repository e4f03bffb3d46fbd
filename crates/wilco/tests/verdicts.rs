//! What an initiator's judgement needs, and what the agent's reports keep, over HTTP.

use crate::server::{Caller, Server, ack, said, task, task_with, text};
use serde_json::{Value, json};

fn in_review(server: &Caller, task_id: &str) -> String {
    server.register(&["boss", "worker"]);
    let id = server.begin(&task_with(task_id, json!({"understanding": "initiator"})));
    assert_eq!(server.send(&ack(task_id))["exchange"]["state"], "in-review");
    id
}

#[test]
fn del_22_a_half_verdict_in_words_is_answered_and_not_delivered() {
    let server = Server::start();
    let id = in_review(&server, "T-1");
    let before = server.inbox("worker").len();
    for (said, lacks) in [("PARTIAL", "Missing:"), ("WRONG-SUMMARY", "Correction:")] {
        let sent = server.send(&text("boss", "worker", &format!("[VERDICT] T-1 - {said}")));
        assert_eq!(sent["exchange"]["state"], "in-review");
        assert_eq!(server.inbox("worker").len(), before, "{said} reached the agent");
        let notice = server.newest("boss")["content"].clone();
        assert_eq!(notice["type"], "protocol-notice");
        assert!(notice["message"].as_str().unwrap().contains(lacks), "{notice}");
    }
    server.send(&text("boss", "worker", "[VERDICT] T-1 - PARTIAL\nMissing:\n- the reset of the counter"));
    assert_eq!(server.state(&id), "awaiting-ack");
    let understood = server.exchange(&id)["data"]["understanding"].clone();
    assert_eq!(understood["missing"], json!(["the reset of the counter"]));
}

#[test]
fn del_21_the_subject_of_the_letter_need_not_be_said_back() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let asked = "Refactor the database module to use connection pooling";
    let mut task = said("boss", "worker", "task-assignment", json!({"task_id": "T-1", "message": asked}));
    task["subject"] = json!("Something for the quiet hours");
    server.begin(&task);
    let mut understood = ack("T-1");
    understood["content"]["understanding"] = json!(format!("I will {asked}."));
    assert_eq!(server.send(&understood)["exchange"]["state"], "working");
}

#[test]
fn del_40_a_planned_checkpoint_keeps_its_name_when_it_is_reached() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    let mut planned = ack("T-1");
    planned["content"]["estimated_checkpoints"] = json!(["limiter", "tests", "docs"]);
    server.send(&planned);
    let reached = |fields: Value| {
        let mut content = json!({"task_id": "T-1"});
        fields.as_object().into_iter().flatten().for_each(|(key, value)| content[key] = value.clone());
        server.send(&said("worker", "boss", "checkpoint-ack", content));
    };
    reached(json!({"checkpoint": 1, "status": "done", "summary": "it limits"}));
    reached(json!({"checkpoint": 2, "name": "more tests"}));
    let points = server.exchange(&id)["data"]["checkpoints"].clone();
    let shown = |index: usize| (points[index]["name"].clone(), points[index]["status"].clone());
    assert_eq!(shown(0), (json!("limiter"), json!("done")), "{points}");
    assert_eq!(shown(1), (json!("more tests"), Value::Null));
    assert_eq!(shown(2), (json!("docs"), json!("planned")));
    server.send(&said("worker", "boss", "task-complete", json!({"task_id": "T-1"})));
    let told = server.newest("boss")["content"].clone();
    assert_eq!(told["checkpoints"][0]["name"], "limiter");
    assert!(told["message"].as_str().unwrap().contains("(2 checkpoints)"), "{told}");
}

#[test]
fn del_11_work_finished_before_the_ack_and_judged_correct_is_completed() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    let done = said("worker", "boss", "task-complete", json!({"task_id": "T-1"}));
    assert_eq!(server.send(&done)["exchange"]["state"], "awaiting-ack");
    assert_eq!(server.send(&done)["exchange"]["state"], "in-review");
    let correct = said("boss", "worker", "verdict", json!({"task_id": "T-1", "verdict": "correct"}));
    assert_eq!(server.send(&correct)["exchange"]["state"], "completed");
    assert_eq!(server.exchange(&id)["outcome"], "completed");
    assert!(!server.newest("boss")["content"]["durations"].is_null());
}

#[test]
fn del_1_without_ack_a_retry_and_another_agent_ask_for_none() {
    let server = Server::start();
    server.register(&["boss", "worker", "second"]);
    let mut quiet = task_with("T-1", json!({"checkpoint_timeout": "1m"}));
    quiet["content"]["requires_ack"] = json!(false);
    let id = server.begin(&quiet);
    for (fields, agent) in
        [(json!({"option": "retry"}), "worker"), (json!({"option": "reassign", "agent": "second"}), "second")]
    {
        server.advance("3m");
        assert_eq!(server.state(&id), "escalated");
        let mut decision = json!({"from": "boss", "exchange": id, "content": {"type": "decision"}});
        fields.as_object().into_iter().flatten().for_each(|(k, v)| decision["content"][k] = v.clone());
        assert_eq!(server.send(&decision)["exchange"]["state"], "working");
        let told = server.newest(agent)["content"].clone();
        assert_eq!((&told["type"], &told["taught"]), (&json!("task-assignment"), &Value::Null), "{told}");
        assert!(!told["message"].as_str().unwrap().contains("[ACK]"), "{told}");
    }
    assert_eq!(server.exchange(&id)["data"]["acknowledged_at"], Value::Null);
}

/// A text that rejects several tasks hands each to an agent of its own.
#[test]
fn del_32_several_rejections_in_one_text_go_to_several_agents() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    for name in ["free-1", "free-2"] {
        let (status, _) = server.put(&format!("/v1/agents/{name}"), &json!({"capabilities": ["rust"]}));
        assert_eq!(status, 201);
        server.as_agent(name).get(&format!("/v1/agents/{name}/inbox"));
    }
    let mut ids = Vec::new();
    for task_id in ["T-1", "T-2"] {
        let mut message = task(task_id);
        message["content"]["capabilities"] = json!(["rust"]);
        ids.push(server.begin(&message));
    }
    server.send(&text(
        "worker",
        "boss",
        "[ACK] T-1 - REJECTED\nReason: no\n\n[ACK] T-2 - REJECTED\nReason: no",
    ));
    let agents: Vec<_> = ids.iter().map(|id| server.exchange(id)["data"]["assignee"].clone()).collect();
    assert_eq!(agents, [json!("free-1"), json!("free-2")]);
}

/// An agent that comes back and still owes its ACK is asked for it.
#[test]
fn del_35_a_status_check_asks_for_the_ack_that_is_owed() {
    let server = Server::start();
    server.register(&["boss"]);
    server.put("/v1/agents/worker", &json!({"status": "hibernated"}));
    server.begin(&task("T-1"));
    server.post("/v1/agents/worker/heartbeat", &json!({}));
    let check = server.newest("worker")["content"].clone();
    assert_eq!((&check["type"], &check["taught"]), (&json!("status-check"), &json!(true)), "{check}");
    assert!(check["message"].as_str().unwrap().contains("[ACK] T-1"), "{check}");
}

/// What Wilco passes on for an initiator that writes to Wilco has a subject that says what it is about.
#[test]
fn msg_6_passed_on_messages_have_a_subject() {
    let server = Server::start();
    let id = server.begin_working("T-1");
    let amend =
        json!({"from": "boss", "exchange": id, "content": {"type": "task-amend", "message": "log it"}});
    server.send(&amend);
    assert_eq!(server.newest("worker")["subject"], "Amended: T-1");
}

#[test]
fn del_3_what_cannot_be_enrolled_stays_talk_with_a_notice() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let long = format!("## Task: {}-1 Do it\n- [ ] all of it", "A".repeat(200));
    for (to, body) in [("worker", long.as_str()), ("boss", "- [ ] water the plants")] {
        assert_eq!(server.send(&text("boss", to, body))["exchange"], Value::Null);
        let notice = server.newest("boss")["content"].clone();
        assert_eq!((&notice["type"], &notice["reason"]), (&json!("protocol-notice"), &json!("not-enrolled")));
    }
}

/// `accept` takes any words, `initiator` always asks; an understanding without words is partial for both.
#[test]
fn del_21_accept_takes_any_words_and_the_initiator_is_always_asked() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    for (judge, said, state) in [
        ("accept", "Understood, will do!", "working"),
        ("accept", " ", "awaiting-ack"),
        ("initiator", "Understood, will do!", "in-review"),
        ("initiator", "", "awaiting-ack"),
        ("auto", "Understood, will do!", "awaiting-ack"),
    ] {
        let task_id = format!("{judge}-{}", said.len());
        server.begin(&task_with(&task_id, json!({"understanding": judge})));
        let mut ack = ack(&task_id);
        ack["content"]["understanding"] = json!(said);
        assert_eq!(server.send(&ack)["exchange"]["state"], state, "{judge}: {said:?}");
    }
}

#[test]
fn del_22_contradicting_verdicts_in_words_are_answered_and_not_delivered() {
    let server = Server::start();
    let id = in_review(&server, "T-1");
    let before = server.inbox("worker").len();
    let both = "[VERDICT] T-1 - CORRECT\n\n[VERDICT] t-1 - PARTIAL\nMissing: the reset";
    let sent = server.send(&text("boss", "worker", both));
    assert_eq!((&sent["exchange"]["id"], &sent["exchange"]["state"]), (&json!(id), &json!("in-review")));
    assert_eq!(server.inbox("worker").len(), before, "it reached the agent");
    let notice = server.newest("boss")["content"].clone();
    assert_eq!((&notice["type"], &notice["reason"]), (&json!("protocol-notice"), &json!("contradiction")));
    server.send(&text("boss", "worker", "[VERDICT] T-1 - CORRECT"));
    assert_eq!(server.state(&id), "working");
}

/// An agent that works without its ACK, or names no revision, hears how to give it.
#[test]
fn del_4_notices_that_ask_for_an_ack_teach_it() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    server.begin(&task("T-1"));
    server.send(&said("worker", "boss", "checkpoint-ack", json!({"task_id": "T-1", "checkpoint": 1})));
    let taught = |reason: &str, line: &str| {
        let asked = server.newest("worker")["content"].clone();
        assert_eq!((&asked["type"], &asked["reason"]), (&json!("protocol-notice"), &json!(reason)));
        assert_eq!(asked["taught"], true, "{asked}");
        assert!(asked["message"].as_str().unwrap().contains(line), "{asked}");
    };
    taught("ack-first", "[ACK] T-1 - {RECEIVED|");
    server.send(&said("boss", "worker", "task-amend", json!({"task_id": "T-1", "message": "also log it"})));
    server.send(&ack("T-1"));
    taught("which-revision", "[ACK] T-1 r2 - {RECEIVED|");
}

/// A note is no second correction, and no secret either.
#[test]
fn del_22_what_a_verdict_remarks_reaches_the_agent() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let verdicts = [
        json!({"verdict": "correct"}),
        json!({"verdict": "partial", "missing": ["A test"]}),
        json!({"verdict": "wrong-summary", "correction": "Only the API"}),
        json!({"verdict": "wrong-task"}),
    ];
    for (number, verdict) in verdicts.into_iter().enumerate() {
        let task_id = format!("T-{number}");
        server.begin(&task_with(&task_id, json!({"understanding": "initiator"})));
        server.send(&ack(&task_id));
        let mut content = verdict;
        (content["task_id"], content["note"]) = (json!(task_id), json!("mind the old clients"));
        server.send(&said("boss", "wilco", "verdict", content));
        let told = server.newest("worker")["content"].clone();
        assert_eq!(told["task_id"], task_id);
        let text = told["message"].as_str().unwrap();
        assert!(text.contains("Note from boss: mind the old clients"), "{told}");
    }
}

/// Who queued a task has not acknowledged it, so it is told how when its turn comes.
#[test]
fn del_14_who_is_not_blocked_any_more_is_asked_for_its_ack() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    server.send(&text("worker", "boss", "[ACK] T-1 - QUEUED"));
    server.advance("30m");
    let told = server.newest("worker")["content"].clone();
    assert_eq!((&told["type"], &told["taught"]), (&json!("ack-request"), &json!(true)));
    let message = told["message"].as_str().unwrap();
    assert!(message.contains("[ACK] T-1 - {RECEIVED"), "{message}");
    server.send(&ack("T-1"));
    assert_eq!(server.state(&id), "working");
}
