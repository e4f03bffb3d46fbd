//! Checkpoints on the way, and the end of a task.

use crate::server::{Server, said, task};
use serde_json::{Value, json};

#[test]
fn del_40_checkpoints_and_del_42_completion_and_del_50_the_checklist() {
    let server = Server::start();
    let id = server.begin_working("T-1");
    for (number, state) in [(1, "done"), (3, "done"), (3, "again")] {
        server.send(&said(
            "worker",
            "boss",
            "checkpoint-ack",
            json!({"task_id": "T-1", "checkpoint": number, "status": state, "summary": "s"}),
        ));
    }
    server.send(&said("worker", "boss", "checkpoint-ack", json!({"task_id": "T-1", "checkpoint": 2})));
    assert_eq!(server.newest("worker")["content"]["type"], "protocol-notice", "numbers never go back");
    let points = server.exchange(&id)["data"]["checkpoints"].clone();
    let numbers: Vec<_> =
        points.as_array().unwrap().iter().map(|point| point["checkpoint"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 3], "{points}");
    server.advance("10m");
    server.send(&said("worker", "boss", "task-complete", json!({"task_id": "T-1"})));
    let shown = server.exchange(&id);
    assert_eq!(
        (&shown["state"], &shown["outcome"], &shown["timers"]),
        (&json!("completed"), &json!("completed"), &json!([]))
    );
    let notice = server.newest("boss");
    assert_eq!(notice["content"]["type"], "protocol-notice");
    assert!(
        !notice["content"]["durations"].is_null() && !notice["content"]["checkpoints"].is_null(),
        "{notice}"
    );
    let items: Vec<_> = shown["checklist"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["item"].as_str().unwrap(), one["done"].clone()))
        .collect();
    let expected = [
        ("sent", json!(true)),
        ("ack-in-time", json!(true)),
        ("understanding", json!(true)),
        ("questions", Value::Null),
        ("assigned", json!(true)),
    ];
    assert_eq!(items, expected);
}

#[test]
fn del_42_without_an_acknowledgement_none_is_claimed() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let mut assignment = task("T-1");
    assignment["content"]["requires_ack"] = json!(false);
    server.begin(&assignment);
    server.advance("10m");
    server.send(&said("worker", "boss", "task-complete", json!({"task_id": "T-1"})));
    let notice = server.newest("boss")["content"].clone();
    assert_eq!(notice["durations"], json!({"to_acknowledge": null, "to_complete": "10m", "total": "10m"}));
    assert!(!notice["message"].as_str().unwrap().contains("cknowledged"), "{notice}");
}
