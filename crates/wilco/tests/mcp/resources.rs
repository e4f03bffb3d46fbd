//! Resources, their watching, and prompts.

use serde_json::{Value, json};

use super::client::{Client, NEWEST, OLDER, Way};
use super::every_way;
use crate::server::{Server, ack, text};

#[test]
fn mcp_1_inboxes_exchanges_and_logs_are_resources() {
    every_way(&["boss", "worker"], |server, client| {
        let id = server.begin_working("T-1");
        let mut boss = client("boss");
        let listed = boss.ask("resources/list", json!({})).unwrap();
        let uris: Vec<_> =
            listed["resources"].as_array().unwrap().iter().map(|one| one["uri"].clone()).collect();
        let (exchange, log) = (format!("wilco://exchanges/{id}"), format!("wilco://exchanges/{id}/log.md"));
        assert_eq!(uris, [json!("wilco://agents/boss/inbox"), json!(exchange), json!(log)]);
        let mut read = |uri: &str| {
            let read = boss.ask("resources/read", json!({"uri": uri})).unwrap();
            read["contents"][0]["text"].as_str().unwrap().to_owned()
        };
        let inbox: Value = serde_json::from_str(&read("wilco://agents/boss/inbox")).unwrap();
        assert_eq!(inbox["items"].as_array().unwrap().len(), server.inbox("boss").len());
        let shown: Value = serde_json::from_str(&read(&exchange)).unwrap();
        assert_eq!((&shown["id"], &shown["state"]), (&json!(*id), &server.exchange(&id)["state"]));
        let (log, written) = (read(&log), server.get_text(&format!("/v1/exchanges/{id}/log.md")).1);
        assert!(log.contains(&format!("begin: exchange {id}. ")) && log.contains(&written), "SEC-13: {log}");
        let templates = boss.ask("resources/templates/list", json!({})).unwrap();
        assert_eq!(templates["resourceTemplates"][1]["uriTemplate"], "wilco://exchanges/{id}");
        for missing in ["wilco://exchanges/del-99", "wilco://nothing", "file:///etc/passwd"] {
            let error = boss.ask("resources/read", json!({"uri": missing})).unwrap_err();
            assert!(error["message"].as_str().unwrap().contains(missing), "{error}");
        }
    });
}

/// CLI-42: a notification is told to a client, which tells no agent of it; so it counts for nothing.
#[test]
fn mcp_1_a_program_tells_of_changes_to_what_is_watched() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let mut worker = Client::new(&server, Way::Stdio, "worker");
    assert_eq!(worker.greeting["capabilities"]["resources"]["subscribe"], true);
    worker.ask("resources/subscribe", json!({"uri": "wilco://agents/worker/inbox"})).unwrap();
    let sent = server.send(&text("boss", "worker", "hi"))["message"]["id"].clone();
    let told = worker.next_told();
    assert_eq!(told["method"], "notifications/resources/updated");
    let (_, sent) = server.get(&format!("/v1/messages/{}", sent.as_str().unwrap()));
    assert_eq!(sent["delivery"], "stored");
    assert_eq!(told["params"]["uri"], "wilco://agents/worker/inbox");
    worker.ask("resources/unsubscribe", json!({"uri": "wilco://agents/worker/inbox"})).unwrap();
    let id = server.begin_working("T-1");
    let uri = format!("wilco://exchanges/{id}");
    worker.ask("resources/subscribe", json!({"uri": uri})).unwrap();
    worker.done("complete_task", json!({"task_id": "T-1"}));
    assert_eq!(worker.next_told()["params"]["uri"], uri);
    assert!(worker.ask("resources/subscribe", json!({"uri": "wilco://exchanges/del-99"})).is_err());
}

#[test]
fn mcp_1_a_session_has_a_stream_of_changes() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let mut worker = Client::new(&server, Way::Session, "worker");
    let headers =
        server.caller().header("Mcp-Session-Id", &worker.id()).header("MCP-Protocol-Version", OLDER);
    let mut stream = headers.lines("GET", "/mcp", None);
    worker.ask("resources/subscribe", json!({"uri": "wilco://agents/worker/inbox"})).unwrap();
    server.send(&text("boss", "worker", "hi"));
    let told = stream.find(|line| line.contains("notifications/resources/updated")).unwrap();
    assert!(told.contains("wilco://agents/worker/inbox"), "{told}");
}

#[test]
fn mcp_1_the_newest_revision_listens_by_a_request() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let id = server.begin(&crate::server::task("T-1"));
    let uri = format!("wilco://exchanges/{id}");
    let body = json!({
        "jsonrpc": "2.0", "id": 7, "method": "subscriptions/listen",
        "params": {
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": NEWEST,
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
                "io.modelcontextprotocol/clientCapabilities": {},
            },
            "notifications": {"resourceSubscriptions": [uri]},
        },
    });
    let caller =
        server.caller().header("MCP-Protocol-Version", NEWEST).header("Mcp-Method", "subscriptions/listen");
    let mut stream = caller.lines("POST", "/mcp", Some(&body));
    stream.find(|line| line.contains("notifications/subscriptions/acknowledged")).unwrap();
    server.send(&ack("T-1"));
    let told = stream.find(|line| line.contains("notifications/resources/updated")).unwrap();
    assert!(told.contains(&uri), "{told}");
}

#[test]
fn mcp_1_a_prompt_says_how_to_acknowledge() {
    every_way(&["worker"], |_, client| {
        let mut worker = client("worker");
        let listed = worker.ask("prompts/list", json!({})).unwrap();
        assert_eq!(listed["prompts"][0]["name"], "acknowledge");
        let got = worker
            .ask("prompts/get", json!({"name": "acknowledge", "arguments": {"task_id": "T-1"}}))
            .unwrap();
        let text = got["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("T-1") && text.contains("acknowledge_task"), "{text}");
    });
}
