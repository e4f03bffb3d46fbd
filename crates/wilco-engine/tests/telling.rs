//! What an agent is told, and when.

use serde_json::{Value, json};

use super::realm::{Realm, ack, posting, said, task, task_with};
use wilco_protocol::directory::Interface;

/// The newest message to somebody of this type.
fn newest(realm: &Realm, agent: &str, kind: &str) -> Value {
    let inbox = realm.inbox(agent);
    let found = inbox.iter().rev().find(|message| message["content"]["type"] == kind);
    found.unwrap_or_else(|| panic!("no {kind} in {inbox:#?}"))["content"].clone()
}

fn text(content: &Value) -> &str {
    content["message"].as_str().unwrap_or("")
}

/// TALK-15: an accepted ACK is answered, with how to report and to finish.
#[test]
fn talk_15_who_is_accepted_is_told_to_begin_and_how_to_finish() {
    let realm = Realm::start();
    realm.begin_working("GH-1");
    let told = newest(&realm, "worker", "begin-now");
    assert!(text(&told).contains("Begin now") && text(&told).contains("[DONE] GH-1"), "{told}");
    assert!(text(&told).contains("wilco complete GH-1 --as worker"), "{told}");

    let mut unasked = task("GH-2");
    unasked["content"]["requires_ack"] = json!(false);
    realm.begin(&unasked);
    assert_eq!(newest(&realm, "worker", "begin-now")["task_id"], "GH-2", "nobody asked for an ACK");
}

/// TALK-15: whose ACK is looked at by somebody does not begin.
#[test]
fn talk_15_whose_ack_is_reviewed_is_told_not_to_begin() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let id = realm.begin(&task_with("GH-1", json!({"understanding": "initiator"})));
    realm.send(&ack("GH-1"));
    assert_eq!(realm.state(&id), "in-review");
    let told = newest(&realm, "worker", "protocol-notice");
    assert!(text(&told).contains("not yours yet, do not begin"), "{told}");
    realm.send(&said("boss", "worker", "verdict", json!({"task_id": "GH-1", "verdict": "correct"})));
    assert_eq!(newest(&realm, "worker", "begin-now")["task_id"], "GH-1");
}

/// TALK-15: a stop, a pause and an amendment name the task, the reason, and how to confirm.
#[test]
fn talk_15_what_is_to_be_confirmed_says_what_why_and_how() {
    const TITLE: &str = "Add rate limiting to the login endpoint";
    for (kind, confirm) in [("task-pause", "[PAUSED] GH-1"), ("task-cancel", "[STOPPED] GH-1")] {
        let realm = Realm::start();
        realm.begin_working("GH-1");
        realm.send(&said("boss", "worker", kind, json!({"task_id": "GH-1", "reason": "The budget is gone"})));
        let told = newest(&realm, "worker", kind);
        for part in [TITLE, "The budget is gone", confirm] {
            assert!(text(&told).contains(part), "{part} in {told}");
        }
    }
    let realm = Realm::start();
    realm.begin_working("GH-1");
    let change = json!({"task_id": "GH-1", "message": "Also log it", "reason": "An audit"});
    realm.send(&said("boss", "worker", "task-amend", change));
    let told = newest(&realm, "worker", "task-amend");
    for part in [TITLE, "An audit", "Also log it", "[ACK] GH-1 r2"] {
        assert!(text(&told).contains(part), "{part} in {told}");
    }
}

/// TALK-15: whoever is corrected or answered has the whole task before it.
#[test]
fn talk_15_corrections_and_answers_hold_the_whole_task() {
    const CRITERION: &str = "Counter resets after one minute";
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    realm.begin(&task_with("GH-1", json!({"understanding": "initiator"})));
    for (verdict, kind) in [
        (json!({"verdict": "wrong-summary", "correction": "Only the login"}), "task-correction"),
        (json!({"verdict": "partial", "missing": ["Sixth attempt returns 429"]}), "task-supplement"),
    ] {
        realm.send(&ack("GH-1"));
        realm.send(&said("boss", "worker", "verdict", verdict));
        let told = newest(&realm, "worker", kind);
        assert!(text(&told).contains(CRITERION), "{told}");
    }
    let ask = json!({"task_id": "GH-1", "status": "needs-clarification", "questions": ["Which port is it?"]});
    realm.send(&said("worker", "boss", "task-acknowledgment", ask));
    let answer = json!({"task_id": "GH-1", "message": "Port 8080"});
    realm.send(&said("boss", "worker", "task-clarification", answer));
    let told = newest(&realm, "worker", "task-clarification");
    assert!(text(&told).contains("Port 8080") && text(&told).contains(CRITERION), "{told}");
}

/// TALK-20: what an agent spoke by is kept at once.
#[test]
fn talk_20_what_an_agent_spoke_by_survives_a_restart() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let hello = json!({"from": "worker", "to": "boss", "content": {"type": "text", "message": "hello"}});
    let wilco_engine::Command::Post(mut post) = posting(&hello, None).unwrap() else { panic!("a message") };
    post.interface = Interface::Mcp;
    realm.run(wilco_engine::Command::Post(post)).unwrap();
    realm.restart();
    realm.begin(&task("GH-1"));
    let told = newest(&realm, "worker", "task-assignment");
    assert!(text(&told).contains("Call the MCP tool acknowledge_task with {"), "{told}");
}
