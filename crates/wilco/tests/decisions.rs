//! Escalations and what is decided on them.

use crate::server;

use crate::server::{Server, Setup, ack, pointers, task, task_with};
use serde_json::{Value, json};
use wilco_server::Role;

/// A delegation that nobody answered; returns it and its escalation.
fn escalated(server: &Server, task_id: &str) -> (String, String) {
    server.register(&["boss", "worker"]);
    let id = server.begin(&task(task_id));
    server.advance("7m");
    assert_eq!(server.state(&id), "escalated");
    let escalation = server.exchange(&id)["data"]["escalation"].as_str().unwrap().to_owned();
    (id, escalation)
}

fn decision(from: &str, escalation: &str, fields: Value) -> Value {
    let mut content = json!({"type": "decision", "escalation": escalation});
    fields.as_object().into_iter().flatten().for_each(|(key, value)| content[key] = value.clone());
    json!({"from": from, "to": "wilco", "content": content})
}

#[test]
fn msg_30_an_escalation_says_why_and_what_can_be_done_now() {
    let server = Server::start();
    let (id, escalation) = escalated(&server, "T-1");
    let (status, page) = server.get("/v1/escalations?open=true");
    assert_eq!(status, 200);
    let shown = &page["items"][0];
    assert_eq!((&shown["id"], &shown["exchange"]), (&json!(escalation), &json!(id)));
    assert_eq!(shown["addressee"], "boss");
    assert_eq!(shown["closed"], Value::Null);
    assert!(shown["reason"].is_string() && shown["text"].is_string() && shown["opened"].is_string());
    assert!(shown["evidence"].is_object(), "{shown}");
    let options: Vec<_> = shown["options"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(options.contains(&"retry") && options.contains(&"abort") && options.contains(&"extend"));
    assert!(!options.contains(&"accept"), "nothing was acknowledged: {options:?}");
    let notice = server.newest("boss");
    assert_eq!((&notice["content"]["type"], &notice["from"]), (&json!("escalation"), &json!("wilco")));
    assert_eq!(notice["exchange"], *id);
}

#[test]
fn msg_32_without_its_initiator_an_escalation_goes_to_the_operators() {
    let server = Server::start();
    server.register(&["boss", "worker", "operator"]);
    let id = server.begin(&task("T-1"));
    assert_eq!(server.delete("/v1/agents/boss").0, 204);
    server.advance("7m");
    assert_eq!(server.state(&id), "escalated");
    assert_eq!(server.get("/v1/escalations?open=true").1["items"][0]["addressee"], "operator");
    assert_eq!(server.newest("operator")["content"]["type"], "escalation");
    let escalation = server.exchange(&id)["data"]["escalation"].as_str().unwrap().to_owned();
    let sent = server.send(&decision("operator", &escalation, json!({"option": "retry"})));
    assert_eq!(sent["exchange"]["state"], "awaiting-ack");
}

#[test]
fn msg_30_retry_begins_again_at_attempt_1_and_the_second_decision_is_409() {
    let server = Server::start();
    let (id, escalation) = escalated(&server, "T-1");
    let sent = server.send(&decision("boss", &escalation, json!({"option": "retry"})));
    assert_eq!(sent["exchange"]["state"], "awaiting-ack");
    assert_eq!(server.exchange(&id)["data"]["attempt"], 1);
    server.refused(&decision("boss", &escalation, json!({"option": "abort"})), 409);
    assert_eq!(server.get("/v1/escalations?open=true").1["items"], json!([]));
    let (_, closed) = server.get("/v1/escalations?open=false");
    assert!(closed["items"][0]["closed"].is_object() || closed["items"][0]["closed"].is_string(), "{closed}");
}

#[test]
fn msg_30_wrong_options_are_422_and_nothing_happens() {
    let server = Server::start();
    let (id, escalation) = escalated(&server, "T-1");
    for (fields, pointer) in [
        (json!({"option": "celebrate"}), "/content/option"),
        (json!({"option": "accept"}), "/content/option"),
        (json!({"option": "reassign"}), "/content/agent"),
        (json!({"option": "reassign", "agent": "nobody"}), "/content/agent"),
        (json!({"option": "extend"}), "/content/time"),
        (json!({"option": "extend", "time": "-1m"}), "/content/time"),
    ] {
        let problem = server.refused(&decision("boss", &escalation, fields.clone()), 422);
        assert_eq!(pointers(&problem), [pointer], "{fields}");
    }
    assert_eq!(server.state(&id), "escalated");
}

#[test]
fn msg_30_a_decision_names_an_escalation_of_its_exchange() {
    let server = Server::start();
    let (first, _) = escalated(&server, "T-1");
    let (second, own) = escalated(&server, "T-2");
    let other = server.exchange(&first)["data"]["escalation"].as_str().unwrap().to_owned();
    let of_second = |escalation: &str| {
        let content = json!({"type": "decision", "option": "retry", "escalation": escalation});
        json!({"from": "boss", "exchange": second, "content": content})
    };
    assert_eq!(pointers(&server.refused(&of_second(&other), 422)), ["/content/escalation"]);
    assert_eq!(
        (server.state(&first), server.state(&second)),
        ("escalated".to_owned(), "escalated".to_owned())
    );
    server.send(&of_second(&own));
    assert_eq!(
        (server.state(&first), server.state(&second)),
        ("escalated".to_owned(), "awaiting-ack".to_owned())
    );
}

#[test]
fn msg_30_others_may_not_decide() {
    let server = Server::start();
    let (id, escalation) = escalated(&server, "T-1");
    server.refused(&decision("worker", &escalation, json!({"option": "abort"})), 403);
    server.refused(&decision("eve", &escalation, json!({"option": "abort"})), 403);
    let mut by_exchange = decision("eve", &escalation, json!({"option": "abort"}));
    by_exchange["content"].as_object_mut().unwrap().remove("escalation");
    by_exchange["exchange"] = json!(id);
    server.refused(&by_exchange, 403);
    let unknown = decision("boss", "del-9999-e1", json!({"option": "abort"}));
    server.refused(&unknown, 404);
}

#[test]
fn msg_30_the_person_at_the_machine_is_an_operator() {
    let server = Server::start();
    let (id, escalation) = escalated(&server, "T-1");
    let mut mine = decision("", &escalation, json!({"option": "abort"}));
    mine.as_object_mut().unwrap().remove("from");
    server.send(&mine);
    assert_eq!(server.exchange(&id)["outcome"], "failed");
    assert_eq!(server.newest("worker")["content"]["type"], "task-cancel");
}

#[test]
fn msg_30_reassign_to_the_agent_that_is_named() {
    let server = Server::start();
    let (id, escalation) = escalated(&server, "T-1");
    server.register(&["second"]);
    server.send(&decision("boss", &escalation, json!({"option": "reassign", "agent": "second"})));
    let data = server.exchange(&id)["data"].clone();
    assert_eq!((&data["assignee"], &data["former_assignees"]), (&json!("second"), &json!(["worker"])));
    assert_eq!(server.newest("worker")["content"]["type"], "task-cancel");
    assert!(server.kinds("second").contains(&"task-assignment".to_owned()));
}

#[test]
fn msg_30_accept_when_there_is_an_acknowledgment() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task_with("T-1", json!({"understanding": "initiator", "review_timeout": "1m"})));
    server.send(&ack("T-1"));
    server.advance("2m");
    assert_eq!(server.state(&id), "escalated");
    let accept = json!({"from": "boss", "exchange": id, "content": {"type": "decision", "option": "accept"}});
    assert_eq!(server.send(&accept)["exchange"]["state"], "working");
}

#[test]
fn msg_31_the_notice_is_repeated() {
    let server = Setup::new().config("[escalation]\nreminder = \"10m\"").start();
    escalated(&server, "T-1");
    let count = || server.kinds("boss").iter().filter(|kind| *kind == "escalation").count();
    assert_eq!(count(), 1);
    server.advance("20m");
    assert_eq!(count(), 3);
}

#[test]
fn msg_32_the_controller_gets_a_copy_when_the_initiator_is_not_active() {
    let server = Setup::new().config("[escalation]\ncontroller = \"control\"").start();
    server.register(&["control"]);
    escalated(&server, "T-1");
    assert_eq!(server.newest("control")["content"]["type"], "escalation");
}

#[test]
fn msg_32_extend_gives_more_time() {
    let server = Server::start();
    let (id, escalation) = escalated(&server, "T-1");
    server.send(&decision("boss", &escalation, json!({"option": "extend", "time": "10m"})));
    assert_eq!(server.state(&id), "awaiting-ack");
    server.advance("9m");
    assert_eq!(server.state(&id), "awaiting-ack");
}

#[test]
fn del_36_silence_is_an_incident() {
    let server = Server::start();
    let (id, _) = escalated(&server, "T-1");
    let (status, report) = server.get("/v1/reports/incidents");
    assert_eq!(status, 200);
    let incident = &report["items"][0];
    assert_eq!((&incident["exchange"], &incident["agent"]), (&json!(id), &json!("worker")));
    for field in ["at", "kind", "attempts", "delivery"] {
        assert!(!incident[field].is_null(), "{field} is missing in {incident}");
    }
    assert_eq!(server.exchange(&id)["data"]["incidents"], json!([incident]), "the same in the exchange");
}

/// The controller's copy teaches a decision that the controller may make, with its token too.
#[test]
fn msg_32_the_controller_may_decide_what_it_got_a_copy_of() {
    let server = Setup::new().config("[escalation]\ncontroller = \"control\"").start();
    server.register(&["second"]);
    server.speaks("control", "cli");
    let (id, escalation) = escalated(&server, "T-1");
    let copy = server.newest("control")["content"].clone();
    assert!(copy["message"].as_str().unwrap().contains("--as control"), "{copy}");
    assert_eq!((&copy["addressee"], copy["opened"].is_string()), (&json!("boss"), true));
    let (control, second) =
        (server.with_token("control", Role::Agent), server.with_token("second", Role::Agent));
    for path in [format!("/v1/exchanges/{id}"), format!("/v1/exchanges/{id}/events")] {
        assert_eq!(control.get(&path).0, 200, "it sees what it is to decide: {path}");
        assert_eq!(second.get(&path).0, 404, "and others do not: {path}");
    }
    let listed = |caller: &server::Caller| caller.get("/v1/escalations?open=true").1["items"].clone();
    assert_eq!(listed(&control)[0]["id"], json!(escalation), "it is listed for whoever is to decide it");
    assert_eq!(listed(&second), json!([]));
    server.refused(&decision("second", &escalation, json!({"option": "abort"})), 403);
    server.send(&decision("control", &escalation, json!({"option": "reassign", "agent": "second"})));
    assert_eq!(server.exchange(&id)["data"]["assignee"], "second");
    let remark = json!({"from": "control", "to": "boss", "exchange": id, "content": {"type": "text", "message": "How is it going?"}});
    assert_eq!(server.send(&remark)["exchange"], Value::Null, "it decides and takes no other part");
}

/// While the initiator is there to decide, nobody is copied, and the controller is like anybody else.
#[test]
fn msg_30_the_controller_decides_nothing_that_it_got_no_copy_of() {
    let server = Setup::new().config("[escalation]\ncontroller = \"control\"").start();
    server.register(&["control", "boss", "worker"]);
    let id = server.begin(&task("T-1"));
    let rejected = json!({"task_id": "T-1", "status": "rejected", "reason": "no time"});
    server.send(&server::said("worker", "boss", "task-acknowledgment", rejected));
    let escalation = server.exchange(&id)["data"]["escalation"].as_str().unwrap().to_owned();
    assert!(server.kinds("control").is_empty());
    let choice = decision("control", &escalation, json!({"option": "abort"}));
    server.refused(&choice, 403);
    let control = server.with_token("control", Role::Agent);
    assert_eq!(control.post("/v1/messages", &choice).0, 404, "it does not see what is not for it");
    assert_eq!(server.state(&id), "escalated");
}

/// When nobody is left the taught command names no agent that it could mean; when somebody is, it does.
#[test]
fn msg_30_the_taught_reassignment_names_who_is_left() {
    let server = Server::start();
    server.register(&["worker"]);
    server.speaks("boss", "cli");
    server.begin(&task("T-1"));
    server.advance("7m");
    let taught = server.newest("boss")["content"]["message"].as_str().unwrap().to_owned();
    assert!(taught.contains(" reassign --agent NAME_OF_AN_AGENT --as boss"), "{taught}");
    server.register(&["second"]);
    let mut judged = task_with("T-2", json!({"max_corrections": 0}));
    judged["content"]["candidates"] = json!(["second"]);
    let id = server.begin(&judged);
    let mut empty = ack("T-2");
    empty["content"]["understanding"] = json!("ok");
    server.send(&empty);
    assert_eq!(server.state(&id), "escalated");
    let taught = server.newest("boss")["content"]["message"].as_str().unwrap().to_owned();
    assert!(taught.contains("reassign --agent second --as boss"), "{taught}");
}

/// A page has as many rows as asked for, and cursors visit every row once, newest first.
#[test]
fn api_6_escalations_and_del_36_incidents_are_paged_row_by_row() {
    let server = Server::start();
    server.register(&["second"]);
    for task_id in ["T-1", "T-2", "T-3"] {
        escalated(&server, task_id);
    }
    // Its second escalation is newer than those of later exchanges.
    let first = server.get("/v1/exchanges?task=T-1").1["items"][0].clone();
    let escalation = first["data"]["escalation"].as_str().unwrap().to_owned();
    server.send(&decision("boss", &escalation, json!({"option": "reassign", "agent": "second"})));
    server.advance("7m");
    for (path, when, rows) in [("/v1/escalations", "opened", 4), ("/v1/reports/incidents", "at", 4)] {
        let all = server.get(path).1["items"].as_array().unwrap().clone();
        assert_eq!(all.len(), rows, "{path}");
        let times: Vec<_> = all.iter().map(|row| row[when].as_str().unwrap().to_owned()).collect();
        assert!(times.is_sorted_by(|a, b| a >= b), "{path} is not newest first: {times:?}");
        let (mut paged, mut after) = (Vec::new(), String::new());
        loop {
            let (status, page) = server.get(&format!("{path}?limit=1{after}"));
            assert_eq!(status, 200, "{page}");
            let items = page["items"].as_array().unwrap();
            assert_eq!(items.len(), 1, "{path}: limit counts rows");
            paged.push(items[0].clone());
            match page["next"].as_str() {
                Some(next) => after = format!("&after={next}"),
                None => break,
            }
        }
        assert_eq!(paged, all, "{path}");
        assert_eq!(server.get(&format!("{path}?after=x")).0, 400);
    }
}
