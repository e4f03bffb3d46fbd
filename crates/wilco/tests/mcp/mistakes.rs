//! What is wrong is said so that a model can repair its call, and changes nothing.

use serde_json::json;

use super::client::{Client, Way};
use super::every_way;
use crate::server::Server;

#[test]
fn mcp_1_a_refusal_says_what_is_wrong_and_what_would_be_right() {
    every_way(&["boss", "worker"], |server, client| {
        let (mut boss, mut worker) = (client("boss"), client("worker"));
        let before = server.events().len();
        let said = worker.refused("acknowledge_task", json!({"taskid": "T-1", "status": "ok"}));
        for part in
            ["did you mean \"task_id\"", "/task_id: is required", "one of received,", "look like this: {"]
        {
            assert!(said.contains(part), "{part} is not in: {said}");
        }
        let said = boss.refused("delegate_task", json!({"to": "nobody", "title": "Do it"}));
        assert!(said.contains("nobody"), "{said}");
        let said = boss.refused(
            "delegate_task",
            json!({"to": "worker", "title": "Do it", "policy": {"ack_timeot": "5m"}}),
        );
        assert!(said.contains("/policy/ack_timeot") && !said.contains("/content/"), "{said}");
        let said = worker.refused("acknowledge_task", json!({"task_id": "T-9", "status": "queued"}));
        assert!(said.contains("no exchange of \"T-9\"") && said.contains("list_exchanges"), "{said}");
        let said = boss.refused("send_message", json!({"to": "worker", "content": {"type": "task-cancle"}}));
        assert!(said.contains("did you mean \"task-cancel\""), "{said}");
        let twice = json!({"to": "worker", "message": "a", "content": {"type": "update", "message": "b"}});
        let said = boss.refused("send_message", twice);
        assert!(said.contains("/message: is said in content too"), "{said}");
        let said = boss.refused("send_message", json!({"to": "worker"}));
        assert!(said.contains("message"), "{said}");
        assert_eq!(server.events().len(), before, "nothing happened");
        let error = boss.ask("tools/call", json!({"name": "delegate", "arguments": {}})).unwrap_err();
        assert!(error["message"].as_str().unwrap().contains("delegate_task"), "{error}");
    });
}

#[test]
fn mcp_1_a_task_that_is_open_twice_must_be_named_by_its_exchange() {
    let server = Server::start();
    server.register(&["ann", "boss", "worker"]);
    let mut worker = Client::new(&server, Way::Stateless, "worker");
    let ids = ["ann", "boss"].map(|from| {
        let task = json!({"to": "worker", "task_id": "T-1", "title": "Do it", "policy": {"understanding": "accept"}});
        let begun = Client::new(&server, Way::Stateless, from).done("delegate_task", task);
        begun["exchange"]["id"].as_str().unwrap().to_owned()
    });
    let ack = |id: &str| json!({"task_id": id, "status": "received", "understanding": "I do it"});
    let said = worker.refused("acknowledge_task", ack("T-1"));
    assert!(ids.iter().all(|id| said.contains(id)), "{said}");
    worker.done("acknowledge_task", ack(&ids[1]));
    assert_eq!([server.state(&ids[0]), server.state(&ids[1])], ["awaiting-ack", "working"]);
}

#[test]
fn mcp_1_an_exchange_refuses_what_does_not_fit() {
    every_way(&["boss", "worker", "eve"], |server, client| {
        let id = server.begin_working("T-1");
        let said = client("eve").refused("complete_task", json!({"task_id": id}));
        assert!(said.contains("eve") || said.contains("assignee") || said.contains("part"), "{said}");
        assert_eq!(server.state(&id), "working");
        let said = client("worker").refused("give_verdict", json!({"task_id": id, "verdict": "correct"}));
        assert!(said.contains("give_verdict refused it"), "{said}");
    });
}

#[test]
fn mcp_1_a_program_without_its_server_says_how_to_start_one() {
    let mut server = Server::start();
    let mut bob = Client::new(&server, Way::Stdio, "bob");
    server.kill();
    let said = bob.refused("inbox", json!({}));
    assert!(said.contains("wilco serve"), "{said}");
    assert_eq!(bob.ask("tools/list", json!({})).unwrap()["tools"].as_array().unwrap().len(), 19);
}
