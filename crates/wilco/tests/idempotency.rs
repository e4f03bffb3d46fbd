//! The same message twice: the first answer again, no second effect.

use std::sync::Barrier;

use crate::server::{Server, ack, pointers, task, text};
use serde_json::json;

#[test]
fn msg_12_same_key_same_answer() {
    let server = Server::start();
    let ann = server.header_key("k-1");
    let first = ann.post("/v1/messages", &text("ann", "bob", "hi"));
    assert_eq!(first.0, 201);
    server.post(&format!("/v1/messages/{}/read", first.1["message"]["id"].as_str().unwrap()), &json!({}));
    assert_eq!(ann.post("/v1/messages", &text("ann", "bob", "hi")), first);
    let spaced = r#"{ "content": {"type": "text", "message":"hi"}, "subject":"",  "to":"bob","from":"ann" }"#;
    assert_eq!(ann.post_text("/v1/messages", "application/json", spaced), first, "the parsed body counts");
    assert_eq!(server.inbox("bob").len(), 1);
}

#[test]
fn msg_12_another_body_under_the_same_key_is_422() {
    let server = Server::start();
    let keyed = server.header_key("k-1");
    keyed.send(&text("ann", "bob", "hi"));
    let problem = keyed.refused(&text("ann", "bob", "ho"), 422);
    assert!(problem["type"].as_str().unwrap().ends_with("key-reused"), "{problem}");
    keyed.send(&text("eve", "bob", "ho"));
    assert_eq!(server.inbox("bob").len(), 2, "keys are per sender");
}

#[test]
fn msg_12_the_answer_is_as_it_was_when_accepted_also_after_kill_9() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let keyed = server.header_key("assign-1");
    let first = keyed.post("/v1/messages", &task("T-1"));
    assert_eq!(first.1["exchange"]["state"], "awaiting-ack");
    server.send(&ack("T-1"));
    let server = server.restart();
    assert_eq!(server.header_key("assign-1").post("/v1/messages", &task("T-1")), first);
    let count =
        server.inbox("worker").iter().filter(|one| one["content"]["type"] == "task-assignment").count();
    assert_eq!(count, 1);
    server.verify();
}

#[test]
fn msg_12_twins_in_flight_get_one_answer() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    for round in 0..5 {
        let keyed = server.header_key(&format!("twin-{round}"));
        let (barrier, message) = (Barrier::new(8), task(&format!("T-{round}")));
        let answers: Vec<_> = std::thread::scope(|scope| {
            let one = || {
                let (keyed, barrier, message) = (keyed.clone(), &barrier, &message);
                scope.spawn(move || {
                    barrier.wait();
                    keyed.post("/v1/messages", message)
                })
            };
            let twins: Vec<_> = (0..8).map(|_| one()).collect();
            twins.into_iter().map(|twin| twin.join().unwrap()).collect()
        });
        assert_eq!(answers[0].0, 201);
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    }
    assert_eq!(server.inbox("worker").len(), 5);
}

#[test]
fn msg_12_a_key_is_1_to_255_printable_ascii_characters() {
    let server = Server::start();
    for good in ["k", &"k".repeat(255)] {
        server.header_key(good).send(&text("ann", "bob", "hi"));
    }
    for bad in ["", &"k".repeat(256), "caf\u{e9}"] {
        server.header_key(bad).refused(&text("ann", "bob", "hi"), 400);
    }
}

#[test]
fn msg_12_every_line_of_a_batch_has_its_own_place_under_the_key() {
    let server = Server::start();
    let lines = format!("{}\n{}\n", text("ann", "bob", "1"), text("ann", "bob", "2"));
    let keyed = server.header_key("batch-1");
    let first = keyed.post_text("/v1/messages", "application/x-ndjson", &lines);
    assert_eq!(keyed.post_text("/v1/messages", "application/x-ndjson", &lines), first);
    assert_eq!(server.inbox("bob").len(), 2);
    assert_eq!(pointers(&first.1[0]["problem"]), Vec::<&str>::new());
}
