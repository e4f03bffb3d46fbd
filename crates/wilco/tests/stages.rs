//! How far messages get: stored, nudged, injected, read, acknowledged, acted on.

use std::path::Path;

use crate::server::{Server, Setup, ack, said, task, text, until};
use serde_json::{Value, json};

fn way(server: &Server, id: &Value) -> (String, Value) {
    let (_, message) = server.get(&format!("/v1/messages/{}", id.as_str().unwrap()));
    (message["delivery"].as_str().unwrap().to_owned(), message["nudge"].clone())
}

/// The id of the newest message of a type in an inbox.
fn newest(server: &Server, agent: &str, kind: &str) -> Value {
    let of_kind = |message: &Value| message["content"]["type"] == kind;
    server.inbox(agent).into_iter().rfind(of_kind).unwrap()["id"].clone()
}

fn operation(to: Value) -> Value {
    let mut message = said("boss", "", "pre-operation", json!({"operation": "restart", "message": "Now."}));
    message["to"] = to;
    message
}

/// The same server after everything derived was made anew.
fn rebuilt(mut server: Server) -> Server {
    server.terminate();
    let rebuilt = std::process::Command::new(env!("CARGO_BIN_EXE_wilco"))
        .args(["rebuild", "--data"])
        .arg(server.data.path())
        .output()
        .unwrap();
    assert!(rebuilt.status.success(), "{rebuilt:?}");
    server.up_again()
}

/// A program that rings, and does nothing else.
fn bell(directory: &Path) -> String {
    let program = directory.join("bell");
    std::fs::write(&program, "#!/bin/sh\ncat > /dev/null\n").unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&program, mode).unwrap();
    program.display().to_string()
}

/// CLI-20's stages, each told from the others.
#[test]
fn del_36_msg_20_every_message_says_how_far_it_got() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    server.begin(&task("GH-1"));
    let id = server.inbox("worker")[0]["id"].clone();
    let at = |what: &str| format!("/v1/messages/{}/{what}", id.as_str().unwrap());
    assert_eq!(way(&server, &id), ("stored".to_owned(), Value::Null));
    assert_eq!(server.post(&at("injected"), &json!({})).0, 204);
    assert_eq!(server.post(&at("injected"), &json!({})).0, 204);
    assert_eq!(way(&server, &id).0, "injected");
    server.post(&at("read"), &json!({}));
    assert_eq!(way(&server, &id).0, "read");
    server.send(&ack("GH-1"));
    assert_eq!(way(&server, &id).0, "acknowledged");
    server.send(&said(
        "worker",
        "boss",
        "checkpoint-ack",
        json!({"task_id": "GH-1", "checkpoint": 1, "summary": "half"}),
    ));
    assert_eq!(way(&server, &id).0, "acted");

    let talk = server.send(&text("boss", "worker", "lunch?"))["message"]["id"].clone();
    assert_eq!(way(&server, &talk).0, "stored");
    let mut reply = text("worker", "boss", "yes");
    reply["in_reply_to"] = talk.clone();
    server.send(&reply);
    assert_eq!(way(&server, &talk).0, "acknowledged");
    let injected = server.events().into_iter().filter(|event| event["type"] == "message-injected").count();
    assert_eq!(injected, 1, "recorded once");
    assert_eq!(server.post("/v1/messages/msg-1-none/injected", &json!({})).0, 404);
}

/// G4: what is put away unread was not read, also after a rebuild; what was read before stays so.
#[test]
fn g4_msg_42_what_is_archived_or_deleted_unread_was_not_read() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    let ids: Vec<Value> =
        (0..5).map(|_| server.send(&text("boss", "worker", "lunch?"))["message"]["id"].clone()).collect();
    let act = |id: &Value, action: &str| {
        let at = format!("/api/messages?agent=worker&id={}", id.as_str().unwrap());
        let (status, answer) = match action {
            "delete" => server.delete(&at),
            action => server.patch(&format!("{at}&action={action}"), None),
        };
        assert_eq!(status, 200, "{answer}");
    };
    act(&ids[0], "archive");
    act(&ids[1], "delete");
    server.post(&format!("/v1/messages/{}/injected", ids[2].as_str().unwrap()), &json!({}));
    act(&ids[2], "archive");
    act(&ids[2], "delete");
    act(&ids[3], "read");
    act(&ids[3], "archive");
    act(&ids[4], "read");
    act(&ids[4], "delete");
    let stages = |server: &Server| -> Vec<String> { ids.iter().map(|id| way(server, id).0).collect() };
    assert_eq!(stages(&server), ["stored", "stored", "injected", "read", "read"]);
    let server = rebuilt(server);
    assert_eq!(stages(&server), ["stored", "stored", "injected", "read", "read"]);
}

/// CLI-20's stages in an operation: whoever is asked answers, whoever performs it acts.
#[test]
fn op_11_every_message_of_an_operation_says_how_far_it_got() {
    let server = Server::start();
    server.register(&["boss", "ann", "bob"]);
    let id = server.begin(&operation(json!(["ann", "bob"])));
    let stage = |agent: &str, kind: &str| way(&server, &newest(&server, agent, kind)).0;
    server.send(&text("ann", "boss", "ok"));
    assert_eq!(stage("ann", "pre-operation"), "acknowledged");
    assert_eq!(stage("bob", "pre-operation"), "stored");
    server.send(&text("bob", "boss", "what is it about?"));
    assert_eq!(stage("bob", "pre-operation"), "acknowledged", "an answer, if no \"ok\"");
    server.send(&text("bob", "boss", "ok"));
    assert_eq!(stage("boss", "operation-authorized"), "stored");
    server.advance("30m");
    assert_eq!(stage("boss", "escalation"), "stored");
    server.send(&json!({"from": "boss", "exchange": id, "content": {"type": "decision", "option": "retry"}}));
    assert_eq!(stage("boss", "escalation"), "acted", "who decides acts");
    server.send(
        &json!({"from": "boss", "exchange": id, "content": {"type": "operation-result", "status": "done"}}),
    );
    assert_eq!(stage("boss", "operation-authorized"), "acted");
    assert_eq!(stage("ann", "post-operation"), "stored");
}

#[test]
fn del_36_incidents_say_how_far_the_message_got() {
    let server = Server::start();
    server.register(&["boss", "worker"]);
    server.begin(&task("GH-1"));
    let id = server.inbox("worker")[0]["id"].as_str().unwrap().to_owned();
    server.post(&format!("/v1/messages/{id}/injected"), &json!({}));
    server.advance("7m");
    let (_, report) = server.get("/v1/reports/incidents");
    assert_eq!(report["items"][0]["delivery"], "injected", "{report}");
    let (_, escalations) = server.get("/v1/escalations?open=true");
    assert_eq!(escalations["items"][0]["evidence"]["delivery"], "injected", "{escalations}");
}

/// An answer and what follows from it are stored together, in another order than they stand in the journal.
#[test]
fn msg_21_an_answer_is_told_of_with_what_follows_from_it() {
    let directory = tempfile::tempdir().unwrap();
    let config = format!("[nudge.commands]\nbell = {}", json!([bell(directory.path())]));
    let server = Setup::new().config(&config).start();
    let nudge = json!({"nudge": {"kind": "command", "command": "bell"}});
    assert_eq!(server.put("/v1/agents/boss", &nudge).0, 201);
    server.register(&["ann"]);
    server.begin(&operation(json!("ann")));
    let answer = server.send(&text("ann", "boss", "ok"))["message"]["id"].clone();
    let authorized = newest(&server, "boss", "operation-authorized");
    until("both are told", || [&answer, &authorized].iter().all(|id| way(&server, id).0 == "nudged"));
}

/// The stages are derived from the journal, and a rebuild derives the same.
#[test]
fn g8_del_36_how_far_messages_got_survives_a_rebuild() {
    let directory = tempfile::tempdir().unwrap();
    let program = bell(directory.path());
    let config = format!("[nudge.commands]\nbell = {}\nbroken = [\"/bin/false\"]", json!([program]));
    let server = Setup::new().config(&config).start();
    server.register(&["boss"]);
    for (name, bell) in [("told", Some("bell")), ("deaf", Some("broken")), ("worker", None)] {
        let nudge = bell.map(|bell| json!({"kind": "command", "command": bell}));
        assert_eq!(server.put(&format!("/v1/agents/{name}"), &json!({"nudge": nudge})).0, 201);
    }
    let send = |to: &str| server.send(&text("boss", to, "hello"))["message"]["id"].clone();
    let mut ids: Vec<_> = ["told", "deaf", "worker", "worker", "worker"].into_iter().map(send).collect();
    let mark = |id: &Value, what: &str| {
        assert_eq!(server.post(&format!("/v1/messages/{}/{what}", id.as_str().unwrap()), &json!({})).0, 204);
    };
    mark(&ids[2], "injected");
    mark(&ids[3], "read");
    let mut reply = text("worker", "boss", "yes");
    reply["in_reply_to"] = ids[4].clone();
    ids.push(server.send(&reply)["message"]["id"].clone());
    server.advance("10m");
    let ways = |server: &Server| ids.iter().map(|id| way(server, id)).collect::<Vec<_>>();
    let before = ways(&server);
    let stages: Vec<_> = before.iter().map(|(stage, nudge)| (stage.as_str(), nudge.clone())).collect();
    assert_eq!(
        stages,
        [
            ("nudged", json!("delivered")),
            ("stored", json!("dead")),
            ("injected", Value::Null),
            ("read", Value::Null),
            ("acknowledged", Value::Null),
            ("stored", Value::Null),
        ]
    );
    assert_eq!(ways(&rebuilt(server)), before);
}
