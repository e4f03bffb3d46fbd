//! Operations on the command line.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use serde_json::Value;

use super::program::{Ran, Server};

/// Follows an operation of anna's while `play` happens.
fn followed(line: &[&str], play: impl FnOnce(&Server)) -> Ran {
    let server = Server::of(&["anna", "bob", "carl"]);
    let mut command = server.command("anna", &[&["operate", "restart", "--wait"], line].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a command");
    let begun = server.get("/v1/agents/bob/inbox?wait=30s");
    assert_eq!(begun["items"][0]["content"]["operation"], "restart");
    play(&server);
    let output = child.wait_with_output().expect("its end");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

#[test]
fn cli_2_an_agent_answers_and_cli_3_the_initiator_sees_every_track() {
    let server = Server::of(&["anna", "bob", "carl"]);
    let mut command = server.command("anna", &["operate", "restart", "--wait", "--agents", "bob,carl"]);
    let mut child = command.stdout(Stdio::piped()).spawn().expect("a command");
    let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines().map_while(Result::ok);
    // What goes by between two looks is not shown, so each is waited for.
    let mut shows = |part: &str| assert!(lines.any(|line| line.ends_with(part)), "{part:?} is never shown");
    shows("waiting  bob waiting, carl waiting");
    server.run("bob", &["wait", "restart"]).ok();
    server.run("bob", &["ready", "restart", "--notes", "cancel nothing"]).ok();
    shows("waiting  bob ready, carl waiting");
    server.run("carl", &["ready", "restart"]).ok();
    shows("authorized  bob ready, carl ready");
    server.run("anna", &["result", "restart", "done", "--message", "All up", "--agent", "bob=done"]).ok();
    shows("done  bob ready, carl ready");
    assert!(child.wait().expect("its end").success());
}

#[test]
fn cli_8_the_exit_code_of_an_operation_tells_its_outcome() {
    let cancelled = followed(&["--agents", "bob"], |server| {
        server.run("bob", &["cancel", "restart", "--reason", "in a release"]).ok();
    });
    assert_eq!(cancelled.code, 4, "{cancelled:?}");
    let withdrawn = followed(&["--agents", "bob,carl"], |server| {
        server.run("anna", &["cancel", "restart"]).ok();
    });
    assert_eq!(withdrawn.code, 4, "{withdrawn:?}");
    let aborted = followed(&["--agents", "bob,carl"], |server| server.advance("120s"));
    assert_eq!(aborted.code, 3, "{aborted:?}");
    let failed = followed(&["--agents", "bob"], |server| {
        server.run("bob", &["ready", "restart"]).ok();
        server.run("anna", &["result", "restart", "failed"]).ok();
    });
    assert_eq!(failed.code, 3, "{failed:?}");
    let escalated = followed(&["--agents", "bob"], |server| server.advance("1h"));
    assert_eq!(escalated.code, 5, "{escalated:?}");
}

#[test]
fn cli_3_what_cannot_be_is_said_and_changes_nothing() {
    let server = Server::of(&["anna", "bob"]);
    let said = |args: &[&str]| server.run("anna", args).fails(1);
    assert!(said(&["operate", "restart", "--agents", "bob", "--quorum", "3"]).contains("only 1"));
    assert!(said(&["operate", "restart", "--agents", "bob", "--execute", "rm"]).contains("not allowed"));
    assert!(said(&["operate", "restart", "--agents", "anna,bob"]).contains("initiator"));
    assert!(said(&["ready", "restart"]).contains("no operation restart is open"));
    assert!(said(&["ready", "op-9999"]).contains("there is no operation op-9999"));
    assert_eq!(server.get("/v1/exchanges")["items"], Value::Array(Vec::new()));
}

#[test]
fn op_12_the_operation_log_as_a_table() {
    let server = Server::of(&["anna", "bob"]);
    assert!(server.run("anna", &["report", "operations"]).ok().contains("No operations."));
    server.run("anna", &["operate", "restart", "--agents", "bob", "--execute", "none"]).ok();
    server.advance("120s");
    let shown = server.run("anna", &["report", "operations"]).ok();
    for part in ["restart", "bob", "no ready in time, timed out, proceeded anyway", "3", "unknown"] {
        assert!(shown.contains(part), "{part:?} in {shown}");
    }
    let show = server.run("anna", &["exchanges", "--protocol", "operation"]).ok();
    assert!(show.contains("op-"), "{show}");
}
