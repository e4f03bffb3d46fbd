//! send, inbox, read, reply.

use std::io::Write;
use std::process::Stdio;

use serde_json::json;

use super::{delegated, program::Server};

#[test]
fn cli_2_a_message_is_sent_listed_read_and_answered() {
    let server = Server::of(&["anna", "bob"]);
    server.run("anna", &["send", "bob", "Is the build green?", "--subject", "Build"]).ok();
    let listed = server.run("bob", &["inbox"]).ok();
    assert!(
        listed.contains("anna") && listed.contains("Build") && listed.contains("wilco read ID"),
        "{listed}"
    );
    let page = server.run("bob", &["inbox", "--json"]).json();
    let id = page["items"][0]["id"].as_str().unwrap_or_default();
    let read = server.run("bob", &["read", id]).ok();
    assert!(read.contains("subject   Build\n") && read.contains("\nIs the build green?\n["), "{read}");
    assert_eq!(server.run("bob", &["inbox"]).ok(), "No messages for bob.\n");
    assert!(server.run("bob", &["inbox", "--all"]).ok().contains("(read)"));
    server.run("bob", &["reply", id, "Yes"]).ok();
    let answer = server.newest("anna", "response");
    assert_eq!(answer["in_reply_to"], json!(id));
    assert_eq!(answer["subject"], "RE: Build");
}

#[test]
fn cli_2_a_reply_may_be_an_ack() {
    let server = delegated();
    let task = server.newest("bob", "task-assignment");
    let text = "[ACK] GH-1 - RECEIVED\nUnderstanding: Add a login page with a form for name and password";
    let said = server.run("bob", &["reply", task["id"].as_str().unwrap_or_default(), text]).ok();
    assert_eq!(said, "GH-1 (del-5) is working.\n");
}

#[test]
fn cli_2_an_inbox_can_be_waited_for() {
    let server = Server::of(&["anna", "bob"]);
    let mut command = server.command("bob", &["inbox", "--wait", "30s", "--json"]);
    let child = command.stdout(Stdio::piped()).spawn().expect("a command");
    server.run("anna", &["send", "bob", "Wake up"]).ok();
    let output = child.wait_with_output().expect("its end");
    let page: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(page["items"][0]["content"]["message"], "Wake up");
    assert_eq!(server.run("carl", &["inbox", "--wait", "1ms"]).ok(), "No messages for carl.\n");
}

#[test]
fn cli_2_a_text_can_come_from_a_pipe_and_go_to_several() {
    let server = Server::of(&["anna", "bob", "carl"]);
    let mut command = server.command("anna", &["send", "bob,carl", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("a command");
    child.stdin.take().expect("stdin").write_all(b"From a pipe\n").expect("a text");
    let output = child.wait_with_output().expect("its end");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "Sent to bob, carl.\n");
    for agent in ["bob", "carl"] {
        let page = server.get(&format!("/v1/agents/{agent}/inbox"));
        assert_eq!(page["items"][0]["content"]["message"], "From a pipe");
    }
}

#[test]
fn sec_4_a_message_cannot_command_the_terminal() {
    let server = Server::of(&["anna", "bob"]);
    let evil = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{202e}";
    let (status, posted) = server.post(&json!({
        "from": "anna", "to": "bob", "subject": evil, "content": {"type": "conversation", "message": evil},
    }));
    assert_eq!(status, 201);
    let id = posted["message"]["id"].as_str().unwrap_or_default();
    for line in [&["inbox"][..], &["read", id, "--keep-unread"]] {
        let shown = server.run("bob", line).ok();
        assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
        assert!(shown.contains("\\x1b]0;owned\\x07"), "{shown}");
    }
}
