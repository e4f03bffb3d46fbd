//! `--wait`: an exchange followed to its end, with its outcome as exit code.

use std::process::Stdio;

use super::program::{Ran, Server};

/// Follows a delegation while `play` happens.
fn followed(options: &[&str], play: impl FnOnce(&Server)) -> Ran {
    let server = Server::of(&["anna", "bob"]);
    let line = ["delegate", "bob", "--task", "GH-1", "--title", "Add a login page", "--wait"];
    let mut command = server.command("anna", &[&line[..], options].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a command");
    let begun = server.get("/v1/agents/bob/inbox?wait=30s");
    assert_eq!(begun["items"][0]["content"]["task_id"], "GH-1");
    play(&server);
    let output = child.wait_with_output().expect("its end");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

fn understood(server: &Server) {
    server.run("bob", &["ack", "GH-1", "received", "--understanding", "Add a login page"]).ok();
}

#[test]
fn cli_8_waiting_ends_with_0_when_it_is_completed() {
    let ran = followed(&[], |server| {
        understood(server);
        server.run("bob", &["complete", "GH-1"]).ok();
    });
    let out = ran.ok();
    assert!(out.starts_with("GH-1 (del-4) is awaiting-ack.\n"), "{out}");
    assert!(out.trim_end().ends_with("completed  bob"), "{out}");
}

#[test]
fn cli_8_waiting_ends_with_4_when_it_is_cancelled() {
    let ran = followed(&["--json"], |server| {
        server.run("anna", &["stop", "GH-1"]).ok();
    });
    assert_eq!(ran.code, 4, "{ran:?}");
    let last: serde_json::Value = serde_json::from_str(ran.out.lines().last().unwrap()).unwrap();
    assert_eq!(last["outcome"], "cancelled");
}

#[test]
fn cli_8_waiting_ends_with_5_when_it_is_escalated_and_with_3_when_it_is_given_up() {
    let ran = followed(&[], |server| server.advance("7m"));
    assert_eq!(ran.code, 5, "{ran:?}");
    assert!(ran.out.contains("wilco decide del-4-e1 retry|"), "{}", ran.out);

    let server = Server::of(&["anna", "bob"]);
    server.run("anna", &["delegate", "bob", "--task", "GH-1", "--title", "T"]).ok();
    server.advance("7m");
    assert_eq!(server.run("anna", &["decide", "del-4-e1", "abort", "--wait"]).code, 3);
}
