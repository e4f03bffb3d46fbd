//! What an initiator is asked: verdicts and decisions.

use serde_json::json;

use super::every_way;

#[test]
fn mcp_1_an_understanding_is_judged() {
    every_way(&["boss", "worker"], |server, client| {
        let (mut boss, mut worker) = (client("boss"), client("worker"));
        let task = json!({
            "to": "worker", "task_id": "T-1", "title": "Add a login page", "policy": {"understanding": "initiator"},
        });
        let id = boss.done("delegate_task", task)["exchange"]["id"].as_str().unwrap().to_owned();
        let ack = json!({"task_id": "T-1", "status": "received", "understanding": "Add a page"});
        assert_eq!(worker.done("acknowledge_task", ack.clone())["exchange"]["state"], "in-review");
        let partial = json!({"task_id": "T-1", "verdict": "partial", "missing": ["It is for the login"]});
        assert_eq!(boss.done("give_verdict", partial)["exchange"]["state"], "awaiting-ack");
        assert_eq!(server.exchange(&id)["data"]["understanding"]["missing"], json!(["It is for the login"]));
        worker.done("acknowledge_task", ack);
        boss.done("give_verdict", json!({"task_id": id, "verdict": "correct"}));
        assert_eq!(server.state(&id), "working");
    });
}

#[test]
fn mcp_1_an_escalation_is_decided() {
    every_way(&["boss", "worker", "helper"], |server, client| {
        let mut boss = client("boss");
        let begin = |task: &str| json!({"to": "worker", "task_id": task, "title": "Add a login page"});
        let ids = ["T-1", "T-2"].map(|task| {
            boss.done("delegate_task", begin(task))["exchange"]["id"].as_str().unwrap().to_owned()
        });
        server.advance("7m");
        let escalation = server.exchange(&ids[0])["data"]["escalation"].clone();
        assert!(escalation.is_string(), "{}", server.exchange(&ids[0]));
        boss.done("decide", json!({"escalation": escalation, "option": "reassign", "agent": "helper"}));
        assert_eq!(server.exchange(&ids[0])["data"]["assignee"], "helper");
        boss.done("decide", json!({"escalation": "T-2", "option": "abort", "note": "No longer needed"}));
        assert_eq!(server.exchange(&ids[1])["outcome"], "failed");
    });
}

#[test]
fn talk_2_an_unreadable_answer_is_taken_as_an_ack() {
    every_way(&["boss", "worker"], |server, client| {
        let (mut boss, mut worker) = (client("boss"), client("worker"));
        let task = json!({"to": "worker", "task_id": "T-1", "title": "Add a login page"});
        let id = boss.done("delegate_task", task)["exchange"]["id"].as_str().unwrap().to_owned();
        worker.done("send_message", json!({"to": "boss", "message": "Interesting one!"}));
        server.advance("7m");
        assert_eq!(server.state(&id), "escalated");
        boss.done("decide", json!({"escalation": "T-1", "option": "accept-as", "status": "received"}));
        assert_eq!(server.state(&id), "working");
    });
}
