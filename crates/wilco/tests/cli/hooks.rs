//! `wilco hook` with the shipped binary and what the clients write on its stdin.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::delegated;
use super::program::{Ran, Server, ran, wilco};

/// Runs a hook until it had time to answer: a loaded machine may be slower than a hook waits.
const ATTEMPTS: usize = 20;

pub(super) fn hook(url: &str, home: &TempDir, words: &[&str], input: &str) -> Ran {
    given(hook_command(url, home, words), input)
}

fn hook_command(url: &str, home: &TempDir, words: &[&str]) -> Command {
    let mut command = wilco();
    command
        .arg("hook")
        .args(words)
        .args(["--url", url])
        .env("HOME", home.path())
        .env_remove("XDG_STATE_HOME");
    command
}

/// What it makes of this input.
fn given(mut command: Command, input: &str) -> Ran {
    let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("a hook");
    // It may have ended before it read.
    let _ = child.stdin.take().expect("its stdin").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("its end");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

/// What a hook says that has something to say.
pub(super) fn told(server: &Server, home: &TempDir, words: &[&str], input: &Value) -> Value {
    serde_json::from_str(&said(server, home, words, input)).expect("JSON")
}

/// The same as it was printed.
pub(super) fn said(server: &Server, home: &TempDir, words: &[&str], input: &Value) -> String {
    for _ in 0..ATTEMPTS {
        let ran = hook(&server.url, home, words, &input.to_string());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
        if !ran.out.is_empty() {
            return ran.out;
        }
    }
    panic!("{words:?} said nothing");
}

fn input(event: &str) -> Value {
    json!({"session_id": "0192-a", "transcript_path": null, "cwd": "/src/shop", "hook_event_name": event,
        "model": "fake", "permission_mode": "default", "source": "startup", "prompt": "hello"})
}

#[test]
fn cli_32_a_session_is_told_once_what_is_unread_and_owed_and_cli_21_it_is_injected() {
    for (client, start, prompt) in [
        ("codex", "SessionStart", "UserPromptSubmit"),
        ("claude-code", "SessionStart", "UserPromptSubmit"),
        ("qwen", "SessionStart", "UserPromptSubmit"),
        ("gemini", "SessionStart", "BeforeAgent"),
    ] {
        let (server, home) = (delegated(), tempfile::tempdir().unwrap());
        let said = told(&server, &home, &[client, start, "--as", "bob"], &input(start));
        let text = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap().to_owned();
        let exact = json!({"hookSpecificOutput": {"hookEventName": start, "additionalContext": text}});
        assert_eq!(said, exact);
        assert!(text.contains("] begin: message ") && text.contains("Add a login page"), "{text}");
        assert!(text.contains("wilco ack GH-1 received --as bob --url "), "{text}");
        assert!(text.len() <= 10_000 && text.starts_with("Wilco: "), "{text}");
        let again = hook(&server.url, &home, &[client, prompt, "--as", "bob"], &input(prompt).to_string());
        assert_eq!((again.code, again.out.as_str()), (0, ""));
        let other = json!({"session_id": "0192-b", "cwd": "/src/shop"});
        told(&server, &home, &[client, start, "--as", "bob"], &other);
        let id = server.newest("bob", "task-assignment")["id"].as_str().unwrap().to_owned();
        assert_eq!(server.get(&format!("/v1/messages/{id}"))["delivery"], "injected");
    }
}

/// A hook's own registration names its session and the nudge of Codex, and ends as offline; a pane it does not name.
#[test]
fn sec_12_with_its_own_token_a_hook_sets_its_session_and_the_nudge_of_codex_and_nothing_else() {
    let (server, home) = (delegated(), tempfile::tempdir().unwrap());
    let data = server.data.path().to_str().unwrap();
    let token = ran(wilco().args(["token", "create", "bob", "--data", data])).ok();
    let session = "0190b7a0-0000-7000-8000-000000000001";
    let run = |client: &str, event: &str| {
        let mut command = hook_command(&server.url, &home, &[client, event]);
        command.env("WILCO_TOKEN", token.trim()).env("TMUX", "/tmp/none,1,0").env("TMUX_PANE", "%3");
        let ran = given(command, &json!({"session_id": session, "cwd": "/src"}).to_string());
        assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    };
    let bob = || server.get("/v1/agents/bob");
    let told = |what: &str, client: &str, event: &str, is: &dyn Fn(&Value) -> bool| {
        // A loaded machine may be slower than a hook waits.
        let done = (0..ATTEMPTS).any(|_| {
            run(client, event);
            is(&bob())
        });
        assert!(done, "{what}: {}", bob());
    };
    told("session", "codex", "SessionStart", &|bob| bob["labels"]["client_session"] == session);
    assert_eq!((&bob()["nudge"]["kind"], &bob()["host"]), (&json!("codex"), &Value::Null));
    told("offline", "codex", "SessionEnd", &|bob| bob["status"] == "offline");
    told("another client", "gemini", "SessionStart", &|bob| bob["program"] == "gemini");
    assert_eq!(bob()["nudge"], Value::Null, "an operator names panes");
}

#[test]
fn cli_22_a_stop_is_blocked_once_for_what_is_owed() {
    let (server, home) = (delegated(), tempfile::tempdir().unwrap());
    let words = ["codex", "Stop", "--as", "bob"];
    let mut stop = input("Stop");
    stop["stop_hook_active"] = json!(false);
    let said = told(&server, &home, &words, &stop);
    let reason = said["reason"].as_str().unwrap();
    assert_eq!(said, json!({"decision": "block", "reason": reason}));
    assert!(reason.contains("wilco ack GH-1 received --as bob --url "), "{reason}");
    stop["stop_hook_active"] = json!(true);
    let again = hook(&server.url, &home, &words, &stop.to_string());
    assert_eq!((again.code, again.out.as_str()), (0, ""));
}

#[test]
fn cli_25_without_a_name_the_session_gets_one_and_is_told_it() {
    let (server, home) = (Server::of(&["anna"]), tempfile::tempdir().unwrap());
    let said = told(&server, &home, &["codex", "SessionStart"], &input("SessionStart"));
    let text = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    let name = text.split("--as ").nth(1).and_then(|rest| rest.split([' ', '\n']).next()).unwrap();
    assert!(name.starts_with("shop-"), "{text}");
    let agent = server.get(&format!("/v1/agents/{name}"));
    assert_eq!((&agent["program"], &agent["labels"]["client_session"]), (&json!("codex"), &json!("0192-a")));
}

#[test]
fn cli_23_whatever_goes_wrong_a_hook_is_silent() {
    let home = tempfile::tempdir().unwrap();
    let start = input("SessionStart").to_string();
    for (words, input) in [
        (vec!["codex", "SessionStart", "--as", "bob"], start.as_str()),
        (vec!["codex", "SessionStart"], "no JSON"),
        (vec!["codex", "SessionStart"], "{}"),
        (vec!["codex", "NoSuchEvent"], "{\"session_id\": \"a\"}"),
        (vec!["nobody", "Stop"], "{\"session_id\": \"a\"}"),
        (vec!["codex"], ""),
        (vec!["codex", "Stop", "--wrong"], ""),
    ] {
        let ran = hook("http://127.0.0.1:9", &home, &words, input);
        assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (0, "", ""), "{words:?}");
    }
}
