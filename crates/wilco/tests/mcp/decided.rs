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

#[test]
fn talk_31_several_understandings_are_judged_in_one_call() {
    every_way(&["boss", "worker"], |server, client| {
        let (mut boss, mut worker) = (client("boss"), client("worker"));
        for task in ["T-1", "T-2"] {
            let policy = json!({"understanding": "initiator"});
            boss.done(
                "delegate_task",
                json!({"to": "worker", "task_id": task, "title": "Add a page", "policy": policy}),
            );
            let ack = json!({"task_id": task, "status": "received", "understanding": "Add a page"});
            worker.done("acknowledge_task", ack);
        }
        let verdicts = json!([
            {"task_id": "T-1", "verdict": "correct"},
            {"task_id": "T-9", "verdict": "correct"},
            {"task_id": "T-2", "verdict": "partial", "missing": ["For whom"]},
        ]);
        let said = boss.refused("give_verdict", json!({"verdicts": verdicts}));
        assert!(said.contains("T-9") && said.contains("T-1 (") && said.contains("T-2 ("), "{said}");
        let (_, all) = server.get("/v1/exchanges");
        let states: Vec<_> =
            all["items"].as_array().unwrap().iter().map(|one| one["state"].clone()).collect();
        assert!(states.contains(&json!("working")) && states.contains(&json!("awaiting-ack")), "{states:?}");
        let said = boss.refused("give_verdict", json!({"verdict": "correct"}));
        assert!(said.contains("/task_id"), "{said}");
    });
}
