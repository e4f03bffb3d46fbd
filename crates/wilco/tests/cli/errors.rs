//! What goes wrong says what to try, on stderr, with its exit code.

use super::delegated;
use super::program::{Server, ran, wilco};

#[test]
fn cli_5_help_groups_the_verbs() {
    let help = ran(wilco().arg("help")).ok();
    let place = |part: &str| help.find(part).unwrap_or_else(|| panic!("{part:?} is not in\n{help}"));
    assert!(place("For agents:") < place("  ack ") && place("  ack ") < place("For initiators:"));
    assert!(place("  delegate ") < place("For everyone:") && place("  show ") < place("The server:"));
    assert!(ran(wilco().args(["help", "ack"])).ok().contains("Examples:\n  wilco ack GH-42 received"));
}

#[test]
fn cli_5_a_mistyped_verb_names_the_nearest() {
    let error = ran(wilco().arg("delegat")).fails(2);
    assert!(error.contains("'delegate'"), "{error}");
}

#[test]
fn cli_5_without_a_server_the_error_says_how_to_start_one() {
    let error = ran(wilco().args(["inbox", "--as", "bob", "--url", "http://127.0.0.1:9"])).fails(1);
    assert!(error.contains("wilco serve"), "{error}");
    let error = ran(wilco().args(["inbox", "--as", "bob", "--url", "https://example.org"])).fails(1);
    assert!(error.contains("https is not supported"), "{error}");
}

#[test]
fn cli_2_without_a_name_nothing_is_sent() {
    let server = delegated();
    let mut command = wilco();
    let error = ran(command.args(["ack", "GH-1", "received", "--url", &server.url])).fails(2);
    assert!(error.contains("--as NAME"), "{error}");
}

#[test]
fn cli_2_the_identity_may_come_from_ai_maestro() {
    let server = delegated();
    let mut command = wilco();
    command.args(["ack", "GH-1", "queue", "--url", &server.url]).env("AI_MAESTRO_AGENT_ID", "bob");
    assert_eq!(ran(&mut command).ok(), "GH-1 (del-5) is queued.\n");
}

#[test]
fn cli_5_a_refusal_is_a_problem_document_with_json() {
    let server = Server::of(&["anna"]);
    let error = server.run("anna", &["delegate", "nobody", "--title", "T", "--json"]).fails(1);
    let problem: serde_json::Value = serde_json::from_str(&error).expect("JSON");
    assert_eq!(problem["status"], 404);
}

#[test]
fn cli_5_a_task_that_nobody_knows() {
    let server = delegated();
    let error = server.run("carl", &["ack", "GH-1", "queue"]).fails(1);
    assert!(error.contains("no exchange of GH-1 in which carl takes part"), "{error}");
}

#[test]
fn del_46_an_ended_exchange_answers_for_itself() {
    let server = delegated();
    server.run("anna", &["stop", "GH-1"]).ok();
    let error = server.run("anna", &["stop", "GH-1"]).fails(1);
    assert!(error.contains("cancelled"), "{error}");
}

#[test]
fn cli_2_an_empty_text_is_not_sent() {
    let server = Server::of(&["anna", "bob"]);
    for text in ["", "  "] {
        let error = server.run("anna", &["send", "bob", text]).fails(2);
        assert!(error.contains("the text is empty"), "{error}");
    }
    assert_eq!(server.get("/v1/agents/bob/inbox")["items"], serde_json::json!([]));
}

/// CLI-5: what was wrong, and what would be right.
#[test]
fn cli_5_what_a_new_user_gets_wrong_is_told_whole() {
    let server = Server::of(&["bob", "carl"]);
    let said = |args: &[&str], code| server.run("anna", args).fails(code);
    let phase = said(&["validate", "--issue", "1", "--phase", "unit", "--main", "bob"], 2);
    assert!(phase.contains("unit=AGENT"), "{phase}");
    let nudge = said(&["agent", "register", "dora", "--nudge", "bell"], 2);
    assert!(nudge.contains("expected tmux, or a JSON object"), "{nudge}");
    server.run("anna", &["agent", "register", "dora", "--nudge", "tmux"]).ok();
    assert_eq!(server.get("/v1/agents/dora")["nudge"]["kind"], "tmux");
    let report = said(&["report", "foo"], 2);
    assert!(report.contains("delegations|incidents|judge|operations|replacements|validations"), "{report}");
    server.run("anna", &["operate", "restart", "--agents", "bob, carl", "--message", "soon"]).ok();
    let data = server.data.path().join("new");
    let file = said(&["restore", "nofile", "--data", data.to_str().unwrap()], 1);
    assert!(file.contains("there is no file nofile; name one that wilco backup wrote"), "{file}");
    let address = server.url.strip_prefix("http://").unwrap();
    let port = said(&["serve", "--listen", address, "--data", data.to_str().unwrap()], 1);
    assert!(port.contains("wilco status --url") && port.contains("--listen 127.0.0.1:0"), "{port}");
}
