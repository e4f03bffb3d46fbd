//! One message to several agents, or about several tasks.

use crate::server::{Server, ack, task, text};
use serde_json::json;

#[test]
fn msg_5_every_copy_says_how_it_was_read() {
    let server = Server::start();
    server.register(&["boss", "worker", "friend"]);
    let id = server.begin(&task("T-1"));
    let mut shared = ack("T-1");
    shared["to"] = json!(["friend", "boss"]);
    let sent = server.send(&shared);
    let copies = sent["messages"].as_array().unwrap();
    assert_eq!(copies.len(), 2, "{sent}");
    for copy in copies {
        let shown = server.get(&format!("/v1/messages/{}", copy["id"].as_str().unwrap())).1;
        let reading = &shown["reading"];
        assert_eq!((&reading["exchange"], &reading["meaning"]), (&json!(id), &json!("received")), "{shown}");
        assert_eq!(reading, &sent["message"]["reading"]);
    }
    assert_eq!(server.state(&id), "working");
}

#[test]
fn del_10_a_reply_acknowledges_every_task_that_it_names() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let (first, second) = (server.begin(&task("T-1")), server.begin(&task("T-2")));
    let assignment = server.inbox("worker").into_iter().find(|one| one["exchange"] == first).unwrap();
    let both = "[ACK] T-1 - RECEIVED\nUnderstanding: add rate limiting\n\n[ACK] t-2 - QUEUED";
    let mut reply = text("worker", "boss", both);
    reply["in_reply_to"] = assignment["id"].clone();
    let sent = server.send(&reply);
    assert_eq!(sent["message"]["reading"]["rule"], "in-reply-to");
    assert_eq!((server.state(&first), server.state(&second)), ("working".into(), "queued".into()));
}

#[test]
fn msg_10_an_answer_to_several_exchanges_reaches_every_initiator() {
    let server = Server::start();
    server.register(&["boss", "chief", "worker", "friend"]);
    let first = server.begin(&task("T-1"));
    let mut others = task("T-2");
    others["from"] = json!("chief");
    let second = server.begin(&others);
    let both = "[ACK] T-1 - RECEIVED\nUnderstanding: add rate limiting\n\n[ACK] T-2 - QUEUED";
    server.send(&text("worker", "friend", both));
    assert_eq!((server.state(&first), server.state(&second)), ("working".into(), "queued".into()));
    for agent in ["boss", "chief", "friend"] {
        let got = server.inbox(agent).into_iter().filter(|one| one["content"]["message"] == both).count();
        assert_eq!(got, 1, "{agent}");
    }
}
