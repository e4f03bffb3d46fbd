//! The envelope over HTTP: ids, recipients, limits, both forms of a message, wrong fields.

use crate::server;

use crate::server::{Server, pointers, said, task, text};
use serde_json::{Value, json};

#[test]
fn msg_1_server_ids_increase_strictly_and_the_envelope_is_complete() {
    let server = Server::start();
    let mut last = String::new();
    for n in 0..20 {
        let message = server.send(&text("ann", "bob", &format!("hello {n}")))["message"].clone();
        let id = message["id"].as_str().unwrap().to_owned();
        let (millis, suffix) = id.strip_prefix("msg-").unwrap().split_once('-').unwrap();
        assert!(millis.bytes().all(|b| b.is_ascii_digit()), "{id}");
        assert!(suffix.len() == 7 && suffix.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase()));
        assert!(id > last, "{id} does not follow {last}");
        last = id;
        assert_eq!(message["status"], "unread");
        assert_eq!(message["priority"], "normal");
        assert_eq!(message["fromVerified"], false);
        let stamp = message["timestamp"].as_str().unwrap();
        assert!(stamp.len() == 24 && stamp.ends_with('Z'), "{stamp} is not RFC 3339 with milliseconds");
    }
}

#[test]
fn msg_1_ids_go_on_increasing_over_restarts_while_time_stands_still() {
    let mut server = Server::start();
    let mut ids = Vec::new();
    for n in 0..4 {
        for m in 0..3 {
            let sent = server.send(&text("ann", "bob", &format!("{n} {m}")));
            ids.push(sent["message"]["id"].as_str().unwrap().to_owned());
        }
        server = server.restart();
    }
    assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
    assert_eq!(server.inbox("bob").len(), 12);
}

#[test]
fn msg_1_a_client_may_choose_its_id() {
    let server = Server::start();
    let mut message = text("ann", "bob", "hello");
    message["id"] = json!("my.own_id:1-a");
    assert_eq!(server.send(&message)["message"]["id"], "my.own_id:1-a");
    assert_eq!(server.get("/v1/messages/my.own_id:1-a").0, 200);
    for bad in ["", "with space", "slash/ed", &"x".repeat(129)] {
        message["id"] = json!(bad);
        assert_eq!(pointers(&server.refused(&message, 422)), ["/id"]);
    }
}

#[test]
fn msg_1_several_recipients_get_one_message_each_and_one_broadcast_id() {
    let server = Server::start();
    server.register(&["bob", "cid"]);
    let answer = server.send(
        &json!({"from": "ann", "to": ["bob", "cid", "bob"], "content": {"type": "text", "message": "hi"}}),
    );
    let messages = answer["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 2);
    assert_ne!(messages[0]["id"], messages[1]["id"]);
    assert_eq!(answer["message"]["id"], messages[0]["id"]);
    let (bobs, cids) = (server.inbox("bob"), server.inbox("cid"));
    assert_eq!((bobs.len(), cids.len()), (1, 1));
    assert_eq!((&bobs[0]["id"], &cids[0]["id"]), (&messages[0]["id"], &messages[1]["id"]));
    assert!(bobs[0]["broadcast_id"].is_string());
    assert_eq!(bobs[0]["broadcast_id"], cids[0]["broadcast_id"]);
}

#[test]
fn msg_1_one_unknown_recipient_and_nothing_is_sent() {
    let server = server::Setup::new().config("[agents]\nauto_register = \"none\"").start();
    server.register(&["ann", "bob"]);
    let problem = server.refused(
        &json!({"from": "ann", "to": ["bob", "bobby"], "content": {"type": "text", "message": "hi"}}),
        404,
    );
    assert!(problem["detail"].as_str().unwrap().contains("bob"), "names the nearest: {problem}");
    assert_eq!(server.inbox("bob").len(), 0);
}

#[test]
fn msg_1_reserved_names_are_wilcos_own() {
    let server = Server::start();
    for name in ["wilco", "validation-orchestrator", "Wilco"] {
        server.refused(&text(name, "bob", "hi"), 403);
        assert_eq!(server.put(&format!("/v1/agents/{name}"), &json!({})).0, 422);
    }
}

#[test]
fn msg_1_with_an_exchange_the_recipient_may_be_missing() {
    let server = Server::start();
    let id = server.begin_working("T-1");
    let mut note =
        json!({"from": "worker", "exchange": id, "content": {"type": "checkpoint-ack", "checkpoint": 1}});
    assert_eq!(server.send(&note)["message"]["to"], "boss");
    assert_eq!(server.newest("boss")["content"]["type"], "checkpoint-ack");
    note = json!({"from": "boss", "exchange": id, "content": {"type": "task-extend", "time": "1m"}});
    assert_eq!(server.send(&note)["message"]["to"], "wilco");
    note = json!({"from": "boss", "exchange": id, "content": {"type": "text", "message": "thanks"}});
    assert_eq!(server.send(&note)["message"]["to"], "wilco");
    let nobody = json!({"from": "boss", "content": {"type": "text", "message": "hi"}});
    assert_eq!(pointers(&server.refused(&nobody, 422)), ["/to"]);
}

#[test]
fn msg_1_a_message_to_wilco_counts_as_sent_to_the_initiator() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&task("T-1"));
    let mut ack = server::ack("T-1");
    ack["to"] = json!("wilco");
    assert_eq!(
        server.send(&ack)["exchange"],
        json!({"id": id, "protocol": "delegation", "state": "working", "task_id": "T-1"})
    );
    assert_eq!(server.newest("boss")["content"]["type"], "task-acknowledgment");
}

#[test]
fn msg_1_bodies_that_do_not_parse_are_400_and_bad_envelopes_422() {
    let server = Server::start();
    for broken in ["", "{", "not json", "{\"from\": \"ann\",}"] {
        let (status, problem) = server.post_text("/v1/messages", "application/json", broken);
        assert_eq!((status, &problem["status"]), (400, &json!(400)), "{broken:?}");
    }
    let hi = json!({"type": "text", "message": "hi"});
    for (body, pointer) in [
        (json!([1]), ""),
        (json!({"from": "ann", "to": "bob"}), "/content"),
        (json!({"from": "ann", "to": "bob", "content": "hi"}), "/content"),
        (json!({"from": 7, "to": "bob", "content": hi}), "/from"),
        (json!({"from": "ann", "to": [], "content": hi}), "/to"),
        (json!({"from": "ann", "to": "bob", "priority": "asap", "content": hi}), "/priority"),
        (json!({"from": "ann", "to": "bob", "content": {"type": 3, "message": "hi"}}), "/content/type"),
        (json!({"from": "ann", "to": "bob", "content": {"type": "text", "message": 3}}), "/content/message"),
        (json!({"from": "ann", "to": "bob", "subject": "x".repeat(999), "content": hi}), "/subject"),
    ] {
        assert_eq!(pointers(&server.refused(&body, 422)), [pointer]);
    }
    assert_eq!(server.get("/v1/agents").1["items"], json!([]), "nothing was stored");
}

#[test]
fn msg_1_a_content_has_a_type_and_unless_that_is_known_a_message() {
    let server = Server::start();
    server.register(&["ann", "bob"]);
    let of = |content: Value| json!({"from": "ann", "to": "bob", "content": content});
    for (content, missing) in [
        (json!({}), vec!["/content/type", "/content/message"]),
        (json!({"note": "hi"}), vec!["/content/type", "/content/message"]),
        (json!({"message": "hi"}), vec!["/content/type"]),
        (json!({"type": null, "message": 7}), vec!["/content/type", "/content/message"]),
        (json!({"type": "gossip"}), vec!["/content/message"]),
        (json!({"type": "conversation", "message": null}), vec!["/content/message"]),
    ] {
        assert_eq!(pointers(&server.refused(&of(content.clone()), 422)), missing, "{content}");
        let (status, body) = server.post("/api/messages", &of(content));
        let field = missing[0].strip_prefix('/').unwrap().replace('/', ".");
        assert_eq!((status, &body["field"]), (400, &json!(field)), "{body}");
    }
    assert!(server.inbox("bob").is_empty(), "nothing was stored");
    server.send(&of(json!({"type": "stop-ack", "task_id": "T-1"})));
    assert_eq!(server.inbox("bob").len(), 1, "a known type needs no words");
}

#[test]
fn msg_2_types_are_read_whatever_the_dash_and_wilcos_types_move_nothing() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let mut message = task("T-1");
    message["content"]["type"] = json!("TASK_Assignment");
    let id = server.begin(&message);
    let sent = server.send(&said("worker", "boss", "ack-request", json!({"task_id": "T-1", "message": "?"})));
    assert_eq!(sent["message"]["content"]["type"], "ack-request");
    assert_eq!(sent["exchange"], json!(null), "a conversation");
    let words = "[ACK] T-1 - RECEIVED\nUnderstanding: add rate limiting to the login endpoint";
    let mut acknowledged = said("worker", "boss", "status_check", json!({"message": words}));
    server.send(&acknowledged);
    acknowledged["exchange"] = json!(id);
    server.send(&acknowledged);
    assert_eq!(server.state(&id), "awaiting-ack", "whatever it says");
    assert!(server.send(&said("worker", "boss", "gossip", json!({"message": "hm"})))["message"].is_object());
}

#[test]
fn msg_3_every_wrong_field_is_listed_with_its_pointer() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let wrong = said(
        "boss",
        "worker",
        "task-assignment",
        json!({
            "requires_ack": "yes", "candidates": 7, "policy": {"ack_timeout": "-5m", "ack_timeot": "1m"},
        }),
    );
    let problem = server.refused(&wrong, 422);
    let named = pointers(&problem);
    for pointer in ["/content/requires_ack", "/content/candidates"] {
        assert!(named.contains(&pointer), "{pointer} is not in {named:?}");
    }
    let policy = server::task_with("T-1", json!({"ack_timeout": "-5m", "ack_timeot": "1m"}));
    let problem = server.refused(&policy, 422);
    for pointer in ["/content/policy/ack_timeout", "/content/policy/ack_timeot"] {
        assert!(pointers(&problem).contains(&pointer), "{problem}");
    }
    for (kind, fields, pointer) in [
        ("task-assignment", json!({}), "/content/title"),
        ("task-assignment", json!({"title": "x", "candidates": "bob"}), "/content/candidates"),
        (
            "task-assignment",
            json!({"content": {"title": "x", "acceptance_criteria": "it works"}}),
            "/content/content/acceptance_criteria",
        ),
        ("task-acknowledgment", json!({}), "/content/status"),
        ("task-acknowledgment", json!({"status": "rejected"}), "/content/reason"),
        ("task-acknowledgment", json!({"status": "maybe"}), "/content/status"),
        ("task-acknowledgment-error", json!({}), "/content/error_code"),
        ("task-clarification", json!({}), "/content/answers"),
        ("checkpoint-ack", json!({}), "/content/checkpoint"),
        ("checkpoint-ack", json!({"checkpoint": 0}), "/content/checkpoint"),
        ("verdict", json!({}), "/content/verdict"),
        ("verdict", json!({"verdict": "wrong-summary"}), "/content/correction"),
        ("verdict", json!({"verdict": "partial"}), "/content/missing"),
        ("task-extend", json!({}), "/content/time"),
        ("task-extend", json!({"time": "-1m"}), "/content/time"),
        ("task-extend", json!({"time": 0}), "/content/time"),
        ("fix-completion", json!({}), "/content/fixes"),
        ("fix-completion", json!({"fixes": [" "]}), "/content/fixes"),
        ("fix-completion", json!({"fixes": "all"}), "/content/fixes"),
        ("decision", json!({}), "/content/option"),
    ] {
        let problem = server.refused(&said("boss", "worker", kind, fields), 422);
        assert_eq!(pointers(&problem), [pointer], "{kind}: {problem}");
    }
    assert!(server.inbox("worker").is_empty(), "nothing was stored");
}

#[test]
fn msg_4_level_33_is_too_deep_and_32_is_kept_without_loss() {
    let server = Server::start();
    let nested = |levels: usize| {
        let inner = (1..levels).fold(json!("x"), |inner, _| json!([inner]));
        json!({"from": "ann", "to": "bob", "content": {"type": "text", "message": "deep", "extra": inner}})
    };
    let sent = server.send(&nested(32));
    assert_eq!(sent["message"]["content"], nested(32)["content"]);
    server.refused(&nested(33), 400);
}

#[test]
fn msg_5_the_original_stays_and_the_delivered_form_teaches() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let mut message = task("GH-42");
    message["content"]["message"] = json!("Please do it.");
    message["content"]["own_field"] = json!({"kept": [1, 2.50, null]});
    let answer = server.send(&message);
    assert_eq!(answer["message"]["content"], message["content"], "the answer shows the original");
    let id = answer["message"]["id"].as_str().unwrap();
    let (_, whole) = server.get(&format!("/v1/messages/{id}"));
    assert_eq!(whole["content"], message["content"]);
    assert_eq!(whole["delivered"]["taught"], true);
    assert_eq!(whole["reading"]["exchange"], answer["exchange"]["id"]);
    assert_eq!(whole["reading"]["meaning"], "task-assignment");
    let delivered = &server.inbox("worker")[0];
    assert_eq!(delivered["id"], id);
    assert_eq!(delivered["content"]["own_field"], message["content"]["own_field"]);
    let text = delivered["content"]["message"].as_str().unwrap();
    assert!(text.starts_with("Please do it.") && text.contains("[ACK] GH-42 - "), "{text}");
}

#[test]
fn msg_6_requests_carry_the_subjects_that_scripts_match_on() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    server.begin(&task("GH-42"));
    server.advance("5m");
    assert_eq!(server.newest("worker")["subject"], "ACK REQUIRED: GH-42");
    assert_eq!(server.inbox("worker")[0]["subject"], "Task GH-42", "a given subject stays");
}
