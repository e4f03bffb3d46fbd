//! Delegations end to end, as agents see them over HTTP. What each state does with each message is told
//! by the protocol's transcripts; these scenes show that every layer above keeps to it.

use crate::server::{Server, Setup, ack, pointers, said, task, task_with, text};
use serde_json::{Value, json};

const REAL: &str = "## Task: GH-42 Limit logins\n\nReturn 429.\n\n## Acceptance Criteria\n- Sixth attempt returns 429\n- Counter resets\n";

#[test]
fn del_1_nested_and_flat_and_made_up_ids() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let nested =
        said("boss", "worker", "task-assignment", json!({"content": {"task_id": "N-1", "title": "Nested"}}));
    let id = server.begin(&nested);
    assert_eq!(server.exchange(&id)["data"]["title"], "Nested");
    let made_up = server.send(&said("boss", "worker", "task-assignment", json!({"message": "do the thing"})));
    assert!(!made_up["exchange"]["task_id"].as_str().unwrap().is_empty());
    let id = made_up["exchange"]["id"].as_str().unwrap();
    assert!(server.exchange(id)["data"]["task_uuid"].is_string());
    let mut own = task("U-1");
    own["content"]["task_uuid"] = json!("my-uuid");
    assert_eq!(server.exchange(&server.begin(&own))["data"]["task_uuid"], "my-uuid");
    assert_eq!(server.newest("worker")["content"]["task_uuid"], "my-uuid");
    let mut to_self = task("S-1");
    to_self["to"] = json!("boss");
    assert_eq!(pointers(&server.refused(&to_self, 422)), ["/to"]);
    to_self["to"] = json!(["worker", "boss"]);
    assert_eq!(pointers(&server.refused(&to_self, 422)), ["/to"]);
}

#[test]
fn del_1_without_ack_it_is_working_at_once_and_told_to_begin() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let mut quiet = task("T-1");
    quiet["content"]["requires_ack"] = json!(false);
    let id = server.begin(&quiet);
    let shown = server.exchange(&id);
    assert_eq!((&shown["state"], &shown["data"]["acknowledged_at"]), (&json!("working"), &Value::Null));
    assert_eq!(server.newest("worker")["content"]["type"], "begin-now");
    assert_ne!(server.inbox("worker")[0]["content"]["taught"], true, "no ACK is asked for");
}

#[test]
fn del_2_a_plain_task_is_enrolled_and_talk_is_not() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let sent = server.send(&text("boss", "worker", REAL));
    assert_eq!(sent["exchange"]["task_id"], "GH-42");
    let data = server.exchange(sent["exchange"]["id"].as_str().unwrap())["data"].clone();
    assert!(data["sign"].is_string(), "{data}");
    assert_eq!(data["title"], "Limit logins");
    for talk in [
        "How is GH-42 going?",
        "```\n## Task: X-1 y\n```",
        "> - [ ] quoted",
        "I like the Acceptance Criteria section.",
    ] {
        assert_eq!(server.send(&text("boss", "worker", talk))["exchange"], Value::Null, "{talk:?}");
    }
    let mut typed = text("boss", "worker", REAL);
    typed["content"]["type"] = json!("status");
    assert_eq!(server.send(&typed)["exchange"], Value::Null);
    server.register(&["other"]);
    let several = json!({"from": "boss", "to": ["worker", "other"], "content": {"type": "text", "message": REAL.replace("42", "43")}});
    assert_eq!(server.send(&several)["exchange"], Value::Null);
    let off = Setup::new().config("[delegation]\nauto_enrol = false").start();
    assert_eq!(off.send(&text("boss", "worker", REAL))["exchange"], Value::Null);
}

#[test]
fn del_3_enrolled_by_a_weak_sign_the_sender_hears_how_to_undo_it() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let sent = server.send(&text("boss", "worker", "- [ ] water the plants\n- [ ] feed the cat"));
    let id = sent["exchange"]["id"].as_str().unwrap();
    let notice = server.newest("boss");
    assert_eq!(notice["content"]["type"], "protocol-notice");
    assert!(
        notice["content"]["message"].as_str().unwrap().contains("task-cancel")
            || notice["content"]["message"].as_str().unwrap().contains("wilco stop"),
        "{notice}"
    );
    server.advance("7m");
    assert_eq!(server.state(id), "escalated");
    assert_ne!(server.get("/v1/agents/worker").1["status"], "unresponsive");
}

#[test]
fn del_4_the_deadline_and_every_way_to_answer_are_taught() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    server.begin(&task("GH-42"));
    let taught = server.newest("worker")["content"]["message"].as_str().unwrap().to_owned();
    for part in [
        "RECEIVED",
        "CLARIFICATION_NEEDED",
        "REJECTED",
        "QUEUED",
        "[ACK] GH-42",
        "wilco ack",
        "curl",
        &server.url,
    ] {
        assert!(taught.contains(part), "{part:?} is not taught in {taught}");
    }
    let mut known = task("GH-43");
    known["content"]["message"] =
        json!("Reply with [ACK] GH-43 - RECEIVED before you begin; an ACK is mandatory.");
    server.begin(&known);
    let delivered = server.newest("worker")["content"].clone();
    let text = delivered["message"].as_str().unwrap();
    assert!(!text.contains("wilco ack"), "it already asks for it: {text}");
    assert_ne!(delivered["taught"], true);
}

#[test]
fn del_5_the_same_task_twice() {
    let server = Server::start();
    server.register(&["boss", "chief", "worker", "second"]);
    let first = server.begin(&task("T-1"));
    let mut other = task("t-1");
    other["to"] = json!("second");
    let problem = server.refused(&other, 409);
    assert_eq!(problem["exchange"], *first);
    assert_eq!(server.send(&task("T-1"))["exchange"]["id"], *first, "the same again is the next attempt");
    assert_eq!(server.exchange(&first)["data"]["attempt"], 2);
    let mut foreign = task("T-1");
    foreign["from"] = json!("chief");
    server.begin(&foreign);
    assert_eq!(server.newest("boss")["content"]["type"], "protocol-notice");
    assert_eq!(server.newest("chief")["content"]["type"], "protocol-notice");
    let uuid = server.exchange(&first)["data"]["task_uuid"].clone();
    let mut same_uuid = task("T-9");
    same_uuid["content"]["task_uuid"] = uuid;
    assert_eq!(server.refused(&same_uuid, 409)["exchange"], *first);
    other["content"]["supersede"] = json!(true);
    let second = server.begin(&other);
    assert_eq!((server.state(&first), server.state(&second)), ("cancelled".into(), "awaiting-ack".into()));
    assert_eq!(server.newest("worker")["content"]["type"], "task-cancel");
    assert!(
        server.kinds("second").contains(&"protocol-notice".to_owned()),
        "told that it is the sole assignee"
    );
}

#[test]
fn del_5_text_under_the_heading_of_an_open_task_amends_it() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.send(&text("boss", "worker", REAL))["exchange"]["id"].as_str().unwrap().to_owned();
    let sent = server.send(&text("boss", "worker", "## Task: GH-42 Limit logins\n- [ ] also log it\n"));
    assert_eq!(sent["exchange"]["id"], *id);
    let data = server.exchange(&id)["data"].clone();
    assert_eq!((&data["revision"], &data["title"]), (&json!(2), &json!("Limit logins")));
    let blank = json!({"task_id": "GH-42", "status": "received", "revision": 2});
    server.send(&said("worker", "boss", "task-acknowledgment", blank));
    let judged = server.exchange(&id)["data"]["understanding"].clone();
    assert_eq!(judged["missing"], json!(["also log it"]), "what the text lists now");
}

/// Whoever gets the task later gets it as it is now, with every change.
#[test]
fn del_43_the_next_agent_gets_the_task_as_it_was_amended() {
    let server = Server::start();
    server.register(&["boss", "worker", "second"]);
    let mut first = task("T-1");
    first["content"]["candidates"] = json!(["second"]);
    first["content"]["policy"] = json!({});
    let id = server.begin(&first);
    let amend = |fields: Value| server.send(&said("boss", "worker", "task-amend", fields));
    let criteria = json!(["the seventh attempt returns 429"]);
    amend(json!({"task_id": "T-1", "message": "One more try", "acceptance_criteria": criteria}));
    amend(json!({"task_id": "T-1", "description": "Write every refusal to the log"}));
    let rejected = json!({"task_id": "T-1", "status": "rejected", "reason": "no time"});
    server.send(&said("worker", "boss", "task-acknowledgment", rejected));
    let given = server.newest("second")["content"].clone();
    assert_eq!((&given["type"], &given["revision"]), (&json!("task-assignment"), &json!(3)));
    assert_eq!(given["acceptance_criteria"], criteria);
    assert_eq!(given["description"], "Write every refusal to the log");
    let words = given["message"].as_str().unwrap();
    let said = ["Return HTTP 429 after five", "One more try", "the seventh attempt", "Write every refusal"];
    let places: Vec<_> = said.iter().map(|part| words.find(part)).collect();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "in order, once said: {words}");
    let blank = json!({"task_id": "T-1", "status": "received", "revision": 3});
    server.send(&self::said("second", "boss", "task-acknowledgment", blank));
    assert_eq!(server.exchange(&id)["data"]["understanding"]["missing"], criteria, "no change is forgotten");
}

/// The last word to an agent that gets its own task anew is not to stop.
#[test]
fn del_5_a_task_that_replaces_itself_ends_with_who_has_it() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    server.begin(&task("T-1"));
    let mut anew = task("T-1");
    anew["content"]["supersede"] = json!(true);
    server.begin(&anew);
    let kinds = server.kinds("worker");
    assert_eq!(kinds[1..], ["task-assignment", "task-cancel", "protocol-notice"]);
    assert_eq!(server.newest("worker")["content"]["reason"], "sole-assignee");
}

#[test]
fn del_11_work_before_the_ack_changes_nothing() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    let early = said("worker", "boss", "checkpoint-ack", json!({"task_id": "T-1", "checkpoint": 1}));
    assert_eq!(server.send(&early)["exchange"]["state"], "awaiting-ack");
    assert_eq!(server.newest("worker")["content"]["type"], "protocol-notice");
    assert_eq!(server.send(&early)["exchange"]["state"], "in-review");
    assert_eq!(server.state(&id), "in-review");
}

#[test]
fn del_12_questions_go_to_the_initiator_and_answers_to_the_agent() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    let ask = said(
        "worker",
        "boss",
        "task-acknowledgment",
        json!({
            "task_id": "T-1", "status": "needs-clarification",
            "questions": ["Does the counter reset per user or per address?", "Is 429 also returned to admins?"],
        }),
    );
    assert_eq!(server.send(&ask)["exchange"]["state"], "clarifying");
    assert_eq!(server.exchange(&id)["data"]["questions"].as_array().unwrap().len(), 2);
    let answers = |answers: Value| {
        said("boss", "worker", "task-clarification", json!({"task_id": "T-1", "answers": answers}))
    };
    assert_eq!(pointers(&server.refused(&answers(json!(["", "yes"])), 422)), ["/content/answers/0"]);
    assert_eq!(pointers(&server.refused(&answers(json!([" "])), 422)), ["/content/answers"]);
    let partly = answers(json!(["per user", " "]));
    assert_eq!(server.send(&partly)["exchange"]["state"], "clarifying", "a blank answers nothing");
    assert_eq!(server.send(&answers(json!(["yes"])))["exchange"]["state"], "awaiting-ack");
    assert_eq!(server.newest("worker")["content"]["type"], "task-clarification");
}

#[test]
fn del_20_a_misunderstanding_is_corrected() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task_with("T-1", json!({"understanding": "initiator"})));
    server.send(&ack("T-1"));
    let early = said(
        "boss",
        "worker",
        "verdict",
        json!({"task_id": "T-1", "verdict": "wrong-summary", "correction": "per user, not per address"}),
    );
    assert_eq!(server.send(&early)["exchange"]["state"], "awaiting-ack");
    let correction = server.newest("worker");
    assert_eq!(correction["content"]["type"], "task-correction");
    assert!(correction["content"]["message"].as_str().unwrap().contains("per user, not per address"));
    assert_eq!(server.exchange(&id)["data"]["corrections"], 1);
    server.refused(&early, 409);
    server.send(&ack("T-1"));
    server.send(&text("boss", "worker", "[VERDICT] T-1 - CORRECT"));
    assert_eq!(server.state(&id), "working");
}

#[test]
fn del_30_silence_over_http() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    server.advance("299s");
    assert_eq!(server.kinds("worker"), ["task-assignment"]);
    server.advance("1s");
    assert_eq!(server.kinds("worker"), ["task-assignment", "ack-request"]);
    server.advance("2m");
    assert_eq!(server.get("/v1/agents/worker").1["status"], "unresponsive");
    assert_eq!(server.state(&id), "escalated");
}

#[test]
fn del_31_critical_waits_between_attempts() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task_with("T-1", json!({"preset": "critical"})));
    server.advance("569s");
    assert_ne!(server.state(&id), "escalated");
    server.advance("1s");
    assert_eq!(server.state(&id), "escalated");
}

#[test]
fn del_32_the_next_candidate_and_del_33_the_former_assignee() {
    let server = Server::start();
    server.register(&["boss", "worker", "second"]);
    let mut message = task("T-1");
    message["content"]["candidates"] = json!(["second"]);
    let id = server.begin(&message);
    server.advance("7m");
    let data = server.exchange(&id)["data"].clone();
    assert_eq!((&data["assignee"], &data["former_assignees"]), (&json!("second"), &json!(["worker"])));
    assert_eq!(server.newest("worker")["content"]["type"], "task-cancel");
    server.send(&ack("T-1"));
    assert_eq!(server.newest("worker")["content"]["type"], "task-cancel");
    assert_eq!(server.exchange(&id)["data"]["assignee"], "second");
    assert_eq!(server.get("/v1/agents/worker").1["status"], "active", "a message brings it back");
}

/// Whoever gets the task next gets the answers that were given about it, and is judged by them as well.
#[test]
fn del_12_del_32_the_next_agent_gets_the_answers() {
    let server = Server::start();
    server.register(&["boss", "worker", "second"]);
    let mut message = task("T-1");
    message["content"]["candidates"] = json!(["second"]);
    let id = server.begin(&message);
    let asks =
        json!({"task_id": "T-1", "status": "needs-clarification", "questions": ["Per user or per address?"]});
    server.send(&said("worker", "boss", "task-acknowledgment", asks));
    let answers = json!({"task_id": "T-1", "answers": ["Per address, whatever the user"]});
    server.send(&said("boss", "worker", "task-clarification", answers));
    let rejects = json!({"task_id": "T-1", "status": "rejected", "reason": "no time"});
    server.send(&said("worker", "boss", "task-acknowledgment", rejects));
    let told = server.newest("second")["content"]["message"].as_str().unwrap().to_owned();
    assert!(told.contains("Asked before:\n- Per user or per address?"), "{told}");
    assert!(told.contains("Answered:\n- Per address, whatever the user"), "{told}");
    let data = server.exchange(&id)["data"].clone();
    assert_eq!((&data["assignee"], &data["questions"]), (&json!("second"), &json!([])));
}

#[test]
fn del_35_extend_moves_the_running_deadline() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    server.begin(&task("T-1"));
    server.send(&said("boss", "worker", "task-extend", json!({"task_id": "T-1", "time": "10m"})));
    server.advance("14m59s");
    assert_eq!(server.kinds("worker").iter().filter(|kind| *kind == "ack-request").count(), 0);
    server.advance("1s");
    assert_eq!(server.newest("worker")["content"]["type"], "ack-request");
}

#[test]
fn del_43_an_amendment_wants_a_new_ack_of_its_revision() {
    let server = Server::start();
    let id = server.begin_working("T-1");
    let amended = server.send(&said(
        "boss",
        "worker",
        "task-amend",
        json!({"task_id": "T-1", "message": "also log it"}),
    ));
    assert_eq!(amended["exchange"]["state"], "awaiting-ack");
    assert_eq!(server.newest("worker")["content"]["revision"], 2);
    server.send(&ack("T-1"));
    assert_eq!(server.state(&id), "awaiting-ack", "which revision?");
    let mut of_two = ack("T-1");
    of_two["content"]["revision"] = json!(2);
    assert_eq!(server.send(&of_two)["exchange"]["state"], "working");
}

#[test]
fn del_44_a_cancelled_task_must_be_confirmed() {
    let server = Server::start();
    let cancel = |task_id: &str| {
        let id = server.begin_working(task_id);
        server.send(&said(
            "boss",
            "worker",
            "task-cancel",
            json!({"task_id": task_id, "reason": "not needed"}),
        ));
        assert_eq!(server.exchange(&id)["outcome"], "cancelled");
        assert_eq!(server.newest("worker")["content"]["type"], "task-cancel");
        server.inbox("boss").len()
    };
    let before = cancel("T-1");
    server.send(&said("worker", "boss", "stop-ack", json!({"task_id": "T-1"})));
    server.advance("5m");
    assert_eq!(server.inbox("boss").len(), before + 1, "the stop-ack and nothing more");
    cancel("T-2");
    server.advance("5m");
    let notice = server.newest("boss");
    assert_eq!(notice["content"]["type"], "protocol-notice");
    assert!(notice["content"]["message"].as_str().unwrap().contains("T-2"), "{notice}");
}

#[test]
fn del_45_pause_and_resume() {
    let server = Server::start();
    let id = server.begin_working("T-1");
    server.send(&said(
        "boss",
        "worker",
        "task-pause",
        json!({"task_id": "T-1", "reason": "freeze", "expected_duration": "1h"}),
    ));
    assert_eq!(
        server.send(&said("worker", "boss", "pause-ack", json!({"task_id": "T-1"})))["exchange"]["state"],
        "paused"
    );
    server.advance("1h");
    assert_eq!(server.newest("boss")["content"]["type"], "protocol-notice", "reminded at its end");
    server.send(&said("boss", "worker", "task-resume", json!({"task_id": "T-1"})));
    server.send(&said("worker", "boss", "resume-ack", json!({"task_id": "T-1"})));
    assert_eq!(server.state(&id), "working");
}

#[test]
fn del_46_an_ended_exchange_stays_ended() {
    let server = Server::start();
    let id = server.begin_working("T-1");
    server.send(&said("worker", "boss", "task-complete", json!({"task_id": "T-1"})));
    let sent =
        server.send(&said("worker", "boss", "checkpoint-ack", json!({"task_id": "T-1", "checkpoint": 9})));
    assert_eq!(server.newest("worker")["content"]["type"], "protocol-notice", "{sent}");
    for kind in ["task-cancel", "task-amend"] {
        server.refused(&said("boss", "worker", kind, json!({"task_id": "T-1", "message": "x"})), 409);
    }
    assert_eq!(server.state(&id), "completed");
}

/// A script that asks for ACKs itself, as it does with a server that only carries messages.
#[test]
fn op_16_an_ack_request_of_the_initiator_counts() {
    let server = Server::start();
    server.register(&["boss", "worker", "other"]);
    let id = server.begin(&task("GH-1"));
    server.advance("290s");
    let ask = |from: &str, to: &str| said(from, to, "ack-request", json!({"message": "Did you get GH-1?"}));
    assert_eq!(
        server.send(&ask("other", "worker"))["exchange"],
        Value::Null,
        "whose task it is not, only talks"
    );
    let own = server.send(&ask("boss", "worker"));
    assert_eq!(own["exchange"]["id"], id);
    let reading = &own["message"]["reading"];
    assert_eq!((&reading["rule"], &reading["meaning"]), (&json!("only-open"), &json!("ack-request")));
    let got = server.newest("worker");
    assert_eq!((&got["from"], &got["content"]["taught"]), (&json!("boss"), &json!(true)), "{got}");
    assert!(got["content"]["message"].as_str().unwrap().starts_with("Did you get GH-1?"), "{got}");
    server.advance("129s");
    let asked = server.inbox("worker");
    let asked: Vec<_> = asked.iter().filter(|one| one["content"]["type"] == "ack-request").collect();
    assert_eq!(asked.iter().filter(|one| one["from"] == "wilco").count(), 0, "not again: {asked:?}");
    assert_eq!(
        (server.state(&id), &server.exchange(&id)["data"]["attempt"]),
        ("awaiting-ack".to_owned(), &json!(2))
    );
    server.advance("1s");
    assert_eq!(server.state(&id), "escalated", "at 7m, as without it");
}
