//! status, exchanges, show, agents, report, audit.

use super::{delegated, program::Server, working};

#[test]
fn cli_4_show_says_everything_about_an_exchange() {
    let server = working();
    server.run("bob", &["checkpoint", "GH-1", "1", "--summary", "Half"]).ok();
    for name in ["GH-1", "del-5"] {
        let shown = server.run("carl", &["show", name, "--events"]).ok();
        for part in [
            "del-5  GH-1  Add a login page\n",
            "state          working\n",
            "initiator      anna\n",
            "assignee       bob\n",
            "[x] sent  [x] ack-in-time  [x] understanding  [-] questions  [x] assigned\n",
            "understanding  correct by rule, score 1.00, 1 of 1 criteria covered\n",
            "Half",
            "SEQ  AT",
            "checkpoint-reached",
        ] {
            assert!(shown.contains(part), "{part:?} is not in\n{shown}");
        }
    }
    assert_eq!(server.run("carl", &["show", "GH-1", "--json"]).json()["id"], "del-5");
    assert!(server.run("carl", &["show", "GH-2"]).fails(1).contains("there is no exchange GH-2"));
}

#[test]
fn cli_4_show_counts_down() {
    let server = delegated();
    let shown = server.run("anna", &["show", "GH-1"]).ok();
    assert!(shown.contains("timer          ack in 5m\n"), "{shown}");
}

#[test]
fn cli_4_exchanges_can_be_filtered() {
    let server = working();
    server.run("anna", &["delegate", "carl", "--task", "GH-2", "--title", "Translate"]).ok();
    let lines = |options: &[&str]| {
        let shown = server.run("anna", &[&["exchanges"], options].concat()).ok();
        shown
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().nth(1).unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(&[]), ["GH-2", "GH-1"]);
    assert_eq!(lines(&["--open"]), ["GH-2", "GH-1"]);
    assert_eq!(lines(&["--agent", "bob"]), ["GH-1"]);
    assert_eq!(lines(&["--state", "working"]), ["GH-1"]);
    assert_eq!(lines(&["--task", "gh-2"]), ["GH-2"]);
    assert_eq!(server.run("anna", &["exchanges", "--ended"]).ok(), "No exchanges.\n");
}

#[test]
fn msg_31_status_shows_escalations_first() {
    let server = delegated();
    server.advance("7m");
    let shown = server.run("anna", &["status"]).ok();
    let place = |part: &str| shown.find(part).unwrap_or_else(|| panic!("{part:?} is not in\n{shown}"));
    assert!(place("del-5-e1  for anna") < place("Open exchanges"), "{shown}");
    assert!(place("wilco decide del-5-e1 ") < place("Agents"), "{shown}");
    let json = server.run("anna", &["status", "--json"]).json();
    assert_eq!(json["escalations"]["items"][0]["id"], "del-5-e1");
    assert_eq!(json["exchanges"]["items"][0]["id"], "del-5");
}

#[test]
fn del_36_incidents_are_reported() {
    let server = delegated();
    assert_eq!(server.run("anna", &["report", "incidents"]).ok(), "No incidents.\n");
    server.advance("7m");
    let shown = server.run("anna", &["report", "incidents"]).ok();
    assert!(shown.contains("bob") && shown.contains("del-5"), "{shown}");
}

#[test]
fn api_7_the_audit_trail_is_verified() {
    let server = working();
    let shown = server.run("anna", &["audit", "verify"]).ok();
    assert!(shown.starts_with("The journal is whole: "), "{shown}");
    assert_eq!(server.run("anna", &["audit", "verify", "--json"]).json()["ok"], true);
}

#[test]
fn cli_5_no_colours_in_a_pipe() {
    let server: Server = working();
    for verb in [&["status"][..], &["show", "GH-1"], &["agents"], &["help"]] {
        assert!(!server.run("anna", verb).ok().contains('\x1b'), "{verb:?}");
    }
}

#[test]
fn cli_4_log_tells_who_said_what_in_every_form() {
    let server = working();
    let log = |options: &[&str]| server.run("carl", &[&["log", "GH-1"], options].concat());
    let markdown = log(&[]).ok();
    assert!(markdown.starts_with("# del-5 "), "{markdown}");
    assert!(markdown.contains(" bob → anna: task-acknowledgment\n> "), "{markdown}");
    let diagram = log(&["--form", "diagram"]).ok();
    assert!(diagram.contains("─── task-assignment ─") && diagram.contains("◀─── task-ack"), "{diagram}");
    assert!(log(&["--form", "mermaid"]).ok().starts_with("sequenceDiagram\n"));
    assert!(log(&["--form", "svg"]).ok().starts_with("<svg "));
    let json = log(&["--json"]).json();
    assert_eq!(
        (json["steps"][0]["step"].as_str(), json["steps"][0]["kind"].as_str()),
        (Some("said"), Some("task-assignment"))
    );
    assert!(server.run("carl", &["log", "GH-2"]).fails(1).contains("there is no exchange GH-2"));
}

#[test]
fn cli_5_a_mistyped_state_names_the_nearest() {
    let server = delegated();
    let shown = server.run("anna", &["exchanges", "--state", "awaiting-akc"]).ok();
    assert_eq!(shown, "No exchanges. No state is called \"awaiting-akc\"; did you mean awaiting-ack?\n");
    assert_eq!(server.run("anna", &["exchanges", "--state", "working"]).ok(), "No exchanges.\n");
    assert!(server.run("anna", &["exchanges", "--state", "awaiting-ack"]).ok().contains("GH-1"));
}

#[test]
fn api_7_delegations_are_reported() {
    assert_eq!(Server::start().run("anna", &["report", "delegations"]).ok(), "No delegations.\n");
    let shown = working().run("anna", &["report", "delegations"]).ok();
    assert!(shown.contains("del-5") && shown.contains("GH-1") && shown.contains("working"), "{shown}");
}
