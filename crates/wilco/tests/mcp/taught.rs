//! What messages teach about tools is called as it stands there, by clients of whom nothing else is known.

use serde_json::{Value, json};

use super::client::Client;
use crate::server::{Server, task_with, until};

/// The newest line in somebody's inbox that teaches this tool: its arguments.
#[track_caller]
fn taught(server: &Server, agent: &str, tool: &str) -> Value {
    let start = format!("Call the MCP tool {tool} with ");
    let inbox = server.inbox(agent);
    let texts = inbox.iter().rev().filter_map(|message| message["content"]["message"].as_str());
    let line = texts.flat_map(str::lines).find_map(|line| Some(line.split_once(&start)?.1));
    let line = line.unwrap_or_else(|| panic!("nothing teaches {tool} in {inbox:#?}"));
    serde_json::from_str(line).unwrap()
}

#[track_caller]
fn called(server: &Server, agent: &str, tool: &str) -> Value {
    let arguments = taught(server, agent, tool);
    Client::http(server, &[]).done(tool, arguments)["exchange"]["state"].clone()
}

fn scene() -> Server {
    let server = Server::start();
    for agent in ["boss", "worker", "helper", "ecos-controller"] {
        server.speaks(agent, "mcp");
    }
    server
}

#[test]
fn del_4_the_taught_tools_work_when_they_are_called() {
    let server = scene();
    let id = server.begin(&task_with("it's-$HOME", json!({"understanding": "initiator"})));
    assert_eq!(called(&server, "worker", "acknowledge_task"), "in-review");
    assert_eq!(called(&server, "boss", "give_verdict"), "working");
    assert_eq!(server.exchange(&id)["data"]["assignee"], "worker");

    let silent = server.begin(&task_with("T-2", json!({})));
    let mut worker = Client::http(&server, &[("Wilco-Agent", "worker")]);
    worker.done("ask_clarification", json!({"task_id": "T-2", "questions": ["Which port is it to be?"]}));
    assert_eq!(called(&server, "boss", "send_message"), "awaiting-ack");
    server.advance("30m");
    assert_eq!(server.state(&silent), "escalated");
    called(&server, "boss", "decide");
    assert_ne!(server.state(&silent), "escalated");
}

#[test]
fn del_4_operations_handoffs_and_validations_teach_their_tools() {
    let server = scene();
    let mut boss = Client::http(&server, &[("Wilco-Agent", "boss")]);
    let restart =
        json!({"operation": "restart", "agents": ["worker"], "message": "Now", "execute": "manual"});
    boss.done("start_operation", restart);
    assert_eq!(called(&server, "worker", "answer_operation"), "authorized");
    assert_eq!(called(&server, "boss", "send_message"), "done");

    let start =
        json!({"issue": 42, "main_agent": "worker", "phases": [{"name": "unit", "specialist": "helper"}]});
    let loop_id = boss.done("start_validation", start)["exchange"]["id"].as_str().unwrap().to_owned();
    let mut fail = taught(&server, "helper", "report_validation");
    fail["status"] = json!("FAIL");
    fail["failures"] = json!([{"location": "a.rs:1", "error": "wrong"}]);
    Client::http(&server, &[]).done("report_validation", fail);
    assert_eq!(called(&server, "worker", "report_validation"), "re-checking");
    called(&server, "helper", "report_validation");
    assert_eq!(server.exchange(&loop_id)["outcome"], "completed");

    server.begin_working("T-1");
    let request = json!({
        "failed_agent": "worker", "replacement_agent": "helper", "reason": "context_loss",
        "policy": {"understanding": "initiator"},
    });
    let handoff = boss.done("start_handoff", request)["exchange"]["id"].as_str().unwrap().to_owned();
    until("the replacement was told", || server.state(&handoff) == "awaiting-ack");
    called(&server, "helper", "acknowledge_handoff");
    called(&server, "boss", "give_verdict");
    assert_eq!(server.exchange(&handoff)["outcome"], "complete");
}
