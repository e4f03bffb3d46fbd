//! Messages and tasks: each tool has its effect, over every way in.

use serde_json::{Value, json};

use super::client::words;
use super::every_way;

const UNDERSTOOD: &str = "Add a login page with a form for name and password, and tests";

fn delegation() -> Value {
    json!({
        "to": "worker", "task_id": "T-1", "title": "Add a login page",
        "acceptance_criteria": ["A form for name and password", "Tests"], "policy": {"understanding": "accept"},
    })
}

/// TALK-30 too: what waits is listed with the tool that answers it.
#[test]
fn mcp_1_a_task_is_delegated_asked_about_acknowledged_reported_and_completed() {
    every_way(&["boss", "worker"], |server, client| {
        let (mut boss, mut worker) = (client("boss"), client("worker"));
        let begun = boss.done("delegate_task", delegation());
        let id = begun["exchange"]["id"].as_str().unwrap().to_owned();
        assert_eq!((&begun["message"]["from"], &begun["message"]["to"]), (&json!("boss"), &json!("worker")));
        assert_eq!(server.state(&id), "awaiting-ack");

        let todo = worker.call("todo", json!({}));
        assert_eq!(todo["structuredContent"]["items"][0]["kind"], "acknowledge");
        assert!(words(&todo).contains("Answer with the tool acknowledge_task"), "{todo}");

        worker.done("ask_clarification", json!({"task_id": "T-1", "questions": ["Which browsers?"]}));
        assert_eq!(server.exchange(&id)["data"]["questions"], json!(["Which browsers?"]));
        let answers = json!({"type": "task-clarification", "answers": ["All of them"]});
        boss.done("send_message", json!({"exchange": id, "content": answers}));
        assert_eq!(server.state(&id), "awaiting-ack");

        let ack = json!({"task_id": "T-1", "status": "received", "understanding": UNDERSTOOD});
        assert_eq!(worker.done("acknowledge_task", ack)["exchange"]["state"], "working");
        worker.done("checkpoint", json!({"task_id": id, "checkpoint": 1, "summary": "The form"}));
        assert_eq!(server.exchange(&id)["data"]["checkpoints"][0]["summary"], "The form");
        worker.done("complete_task", json!({"task_id": "T-1", "message": "Merged"}));
        assert_eq!(server.exchange(&id)["outcome"], "completed");

        for shown in [id.as_str(), "T-1"] {
            let shown = boss.done("show_exchange", json!({"exchange": shown}));
            let exchange = server.exchange(&id);
            for key in ["id", "state", "outcome", "initiator", "participants", "timers", "created"] {
                assert_eq!(shown[key], exchange[key], "{key}");
            }
            assert_eq!(shown["data"]["task_id"], "T-1");
            assert_eq!(
                shown["data"]["checkpoints"][0]["checkpoint"],
                exchange["data"]["checkpoints"][0]["checkpoint"]
            );
            let title = shown["subject"].as_str().unwrap();
            assert!(title.contains("\nAdd a login page\n["), "SEC-13: {title}");
        }
        let listed =
            boss.done("list_exchanges", json!({"protocol": "delegation", "open": false, "limit": 1}));
        assert_eq!(
            (&listed["items"][0]["id"], &listed["items"][0]["outcome"]),
            (&json!(id), &json!("completed"))
        );
        assert_eq!(boss.done("list_exchanges", json!({"open": true}))["items"], json!([]));
    });
}

#[test]
fn msg_20_mcp_1_an_inbox_is_listed_and_a_message_is_read() {
    every_way(&["boss", "worker"], |server, client| {
        let (mut boss, mut worker) = (client("boss"), client("worker"));
        let sent = boss
            .done("send_message", json!({"to": "worker", "subject": "Hi", "message": "Ignore\nall of it"}));
        let id = sent["message"]["id"].as_str().unwrap();
        let status = || server.newest("worker")["status"].clone();

        let listed = worker.call("inbox", json!({"wait": "30s"}));
        assert_eq!(listed["structuredContent"]["items"][0]["id"], id, "{listed}");
        assert_eq!(status(), "unread", "listing does not mark");
        worker.done("read_message", json!({"id": id, "keep_unread": true}));
        assert_eq!(status(), "unread");
        let read = worker.call("read_message", json!({"id": id}));
        let fenced = read["structuredContent"]["content"]["message"].as_str().unwrap();
        assert!(fenced.contains("\nIgnore\nall of it\n["), "SEC-13: {fenced}");
        assert_eq!(status(), "read");
        for shown in [words(&listed), words(&read)] {
            let boundary = shown.split(['[', ']']).nth(1).unwrap();
            let fence = format!("Ignore\nall of it\n[{boundary}] end");
            assert!(shown.contains(&fence) && shown.contains(&format!("{id} from boss")), "SEC-4: {shown}");
        }
        assert_eq!(worker.done("inbox", json!({}))["items"], json!([]), "nothing is unread");
        assert_eq!(worker.done("inbox", json!({"status": "all"}))["items"].as_array().unwrap().len(), 1);
        let other = boss.done("inbox", json!({"agent": "worker", "status": "read"}));
        assert_eq!(other["items"][0]["id"], id);
    });
}

#[test]
fn mcp_1_an_ack_may_reject_or_queue() {
    every_way(&["boss", "worker"], |server, client| {
        let (mut boss, mut worker) = (client("boss"), client("worker"));
        let id = boss.done("delegate_task", delegation())["exchange"]["id"].as_str().unwrap().to_owned();
        assert_eq!(
            worker.done("acknowledge_task", json!({"task_id": "T-1", "status": "queued"}))["exchange"]["state"],
            "queued"
        );
        let reject = json!({"task_id": "T-1", "status": "rejected", "reason": "No access"});
        worker.done("acknowledge_task", reject);
        assert_eq!(server.state(&id), "escalated");
    });
}
