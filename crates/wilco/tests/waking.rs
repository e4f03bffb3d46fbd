//! Waking an agent that rests: Codex by a line that is queued for its session. What is queued is not delivered.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::server::{Server, Setup, text, until};

const SESSION: &str = "0192aa3e-7c1d-7b52-9f0e-3a5d2b6c4e11";

/// A program `codex` that takes lines and writes down how it was called.
struct Codex(TempDir);

impl Codex {
    fn new() -> Codex {
        let codex = Codex(tempfile::tempdir().unwrap());
        let script = "#!/bin/sh\nprintf '%s|' \"$@\" >> \"$HOME/called\"\necho >> \"$HOME/called\"\n";
        let program = codex.path().join("codex");
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        codex
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn calls(&self) -> Vec<String> {
        let text = std::fs::read_to_string(self.path().join("called")).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn server(&self) -> Server {
        let path = format!("{}:/bin:/usr/bin", self.path().display());
        Setup::new().environment("PATH", &path).environment("HOME", self.path().to_str().unwrap()).start()
    }
}

fn hooked(server: &Server, moment: &str) -> Value {
    let call = json!({"client": "codex", "session": SESSION, "moment": moment, "wake": {"kind": "codex"}});
    let (status, agent) = server.post("/v1/agents/bob/hook", &call);
    assert_eq!(status, 200, "{agent}");
    agent
}

fn delivery(server: &Server, id: &Value) -> Value {
    server.get(&format!("/v1/messages/{}", id.as_str().unwrap())).1["delivery"].clone()
}

fn nudge(server: &Server) -> Value {
    server.get("/v1/nudges").1["items"][0].clone()
}

/// CLI-20, CLI-33: only a session that rests is woken; a wake that no hook takes within a minute has failed.
#[test]
fn cli_33_codex_is_woken_when_it_rests_and_queued_is_not_delivered() {
    let codex = Codex::new();
    let server = codex.server();
    assert_eq!(hooked(&server, "works")["nudge"]["kind"], "codex");
    let first = server.send(&text("ann", "bob", "secret"))["message"]["id"].clone();
    server.advance("2m");
    assert_eq!(codex.calls(), [""; 0], "it works: its hooks tell it");
    hooked(&server, "rests");
    until("it is woken", || codex.calls().len() == 1);
    let call = codex.calls().remove(0);
    assert!(call.starts_with(&format!("queue|--thread|{SESSION}|--message|")), "{call}");
    assert!(!call.contains("secret"), "never what somebody wrote: {call}");
    until("it is noted", || delivery(&server, &first) == "nudged");
    server.advance("61s");
    until("it failed", || nudge(&server)["attempts"] == 1);
    assert!(nudge(&server)["reason"].as_str().unwrap().contains("no hook took it"), "{}", nudge(&server));
    server.advance("3s");
    until("it is tried again", || codex.calls().len() == 2);
    // The hook of the prompt takes it.
    hooked(&server, "works");
    server.post(&format!("/v1/messages/{}/injected", first.as_str().unwrap()), &json!({}));
    server.advance("10m");
    assert_eq!((nudge(&server)["state"].clone(), codex.calls().len()), (json!("idle"), 2));
    hooked(&server, "rests");
    assert_eq!(codex.calls().len(), 2, "what entered its context wakes nobody");
    server.send(&text("ann", "bob", "again"));
    until("the next one wakes it", || codex.calls().len() == 3);
    server.verify();
}

/// CLI-25: the tmux session of a hook is that of its agent, unless it is somebody else's or a person set where it is nudged;
/// and whose client has hooks is taught its tools.
#[test]
fn cli_25_a_hook_says_in_which_tmux_session_its_agent_works() {
    let server = Setup::new().start();
    let session = |agent: &str, id: &str| {
        let call = json!({"client": "gemini", "session": id, "moment": "works", "tmux_session": "shop"});
        server.post(&format!("/v1/agents/{agent}/hook"), &call).1["session"].clone()
    };
    assert_eq!((session("bob", "s1"), session("carl", "s2")), (json!("shop"), json!("carl")));
    server.put("/v1/agents/dora", &json!({"session": "pane-1", "nudge": {"kind": "tmux"}}));
    server.send(&text("ann", "bob", "hi"));
    assert_eq!(session("dora", "s3"), "pane-1");
    let task = json!({"type": "task-assignment", "task_id": "T-1", "title": "Sweep"});
    let sent = server.send(&json!({"from": "ann", "to": "bob", "content": task}))["message"]["id"].clone();
    let sent = server.get(&format!("/v1/messages/{}", sent.as_str().unwrap())).1;
    assert!(sent.to_string().contains("Call the MCP tool acknowledge_task"), "{sent}");
}

/// CLI-25: who has left is not woken; its next session begins with what it has not heard.
#[test]
fn cli_25_a_session_that_ended_is_offline_and_is_not_woken() {
    let codex = Codex::new();
    let server = codex.server();
    hooked(&server, "rests");
    assert_eq!(hooked(&server, "ends")["status"], "offline");
    server.send(&text("ann", "bob", "hi"));
    until("nothing is to do", || nudge(&server)["state"] == "idle");
    assert_eq!(codex.calls(), [""; 0]);
    assert_eq!(hooked(&server, "works")["status"], "active");
    let (status, wrong) =
        server.post("/v1/agents/bob/hook", &json!({"client": "codex", "session": "", "moment": "works"}));
    assert_eq!(status, 422, "{wrong}");
    let wrong = json!({"nudge": {"kind": "codex", "thread": "; rm -rf"}});
    assert_eq!(server.put("/v1/agents/carl", &wrong).0, 422);
}
