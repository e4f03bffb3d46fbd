//! What initiators say: delegate, verdict, amend, extend, decide.

use serde_json::json;

use super::{delegated, program::Server};

#[test]
fn cli_3_delegate_says_what_was_asked_for() {
    let server = Server::of(&["anna", "bob", "carl"]);
    let line = [
        "delegate",
        "bob",
        "--task",
        "GH-1",
        "--title",
        "T",
        "--description",
        "D",
        "--criterion",
        "C",
        "--candidate",
        "carl",
        "--policy",
        "ack_timeout=90s",
        "--policy",
        "retry_timeouts=30s,10s",
        "--json",
    ];
    let answer = server.run("anna", &line).json();
    assert_eq!(answer["exchange"]["state"], "awaiting-ack");
    let policy = &server.get("/v1/exchanges/del-5")["policy"];
    assert_eq!(
        (&policy["ack_timeout"], &policy["retry_timeouts"]),
        (&json!("1m30s"), &json!(["30s", "10s"]))
    );
}

#[test]
fn cli_3_delegate_without_ack_is_working_at_once() {
    let server = Server::of(&["anna", "bob"]);
    let line = ["delegate", "bob", "--task", "GH-1", "--title", "T", "--no-ack"];
    assert_eq!(server.run("anna", &line).ok(), "GH-1 (del-4) is working.\n");
}

#[test]
fn cli_3_delegate_twice_is_refused_unless_it_supersedes() {
    let server = delegated();
    let line = ["delegate", "carl", "--task", "GH-1", "--title", "Another"];
    let refused = server.run("anna", &line).fails(1);
    assert!(refused.contains("del-5"), "{refused}");
    let said = server.run("anna", &[&line[..], &["--supersede"]].concat()).ok();
    assert!(said.ends_with("is awaiting-ack.\n"), "{said}");
    assert_eq!(server.get("/v1/exchanges/del-5")["state"], "cancelled");
}

#[test]
fn cli_3_delegate_with_a_wrong_policy_names_the_right_key() {
    let server = Server::of(&["anna", "bob"]);
    let refused =
        server.run("anna", &["delegate", "bob", "--title", "T", "--policy", "ack_timout=1m"]).fails(1);
    assert_eq!(refused.matches("did you mean \"ack_timeout\"").count(), 1, "{refused}");
}

#[test]
fn cli_3_verdict_corrects_and_accepts() {
    let server = delegated();
    server.run("bob", &["ack", "GH-1", "received", "--understanding", "Delete the sign-up database"]).ok();
    assert_eq!(server.state("GH-1"), "in-review");
    let line = ["verdict", "GH-1", "wrong-summary", "--correction", "Add a login page"];
    assert_eq!(server.run("anna", &line).ok(), "GH-1 (del-5) is awaiting-ack.\n");
    server.run("bob", &["ack", "GH-1", "received", "--understanding", "Something about the login"]).ok();
    assert_eq!(server.run("anna", &["verdict", "GH-1", "correct"]).ok(), "GH-1 (del-5) is working.\n");
    let refused = server.run("anna", &["verdict", "GH-1", "correct"]).fails(1);
    assert!(refused.contains("working"), "{refused}");
}

#[test]
fn cli_8_extend_moves_the_deadline() {
    let server = delegated();
    let due = |server: &Server| server.get("/v1/exchanges/del-5")["timers"][0]["due"].clone();
    let before = due(&server);
    server.run("anna", &["extend", "GH-1", "10m"]).ok();
    assert_ne!(due(&server), before);
    assert!(server.run("anna", &["extend", "GH-1", "soon"]).fails(2).contains("90s"));
}

#[test]
fn cli_3_decide_by_every_name_of_the_escalation() {
    for name in ["del-5-e1", "del-5", "GH-1"] {
        let server = delegated();
        server.advance("7m");
        assert_eq!(server.state("GH-1"), "escalated");
        let unknown = server.run("anna", &["decide", name, "forget"]).fails(1);
        assert!(unknown.contains("retry"), "{unknown}");
        let said =
            server.run("anna", &["decide", name, "reassign", "--agent", "carl", "--note", "He can"]).ok();
        assert_eq!(said, "GH-1 (del-5) is awaiting-ack.\n");
        assert_eq!(server.get("/v1/exchanges/del-5")["data"]["assignee"], "carl");
    }
}

#[test]
fn cli_3_decide_twice_is_refused() {
    let server = delegated();
    server.advance("7m");
    assert_eq!(server.run("anna", &["decide", "del-5-e1", "abort"]).ok(), "GH-1 (del-5) is failed.\n");
    server.run("anna", &["decide", "del-5-e1", "retry"]).fails(1);
}

#[test]
fn talk_2_decide_accept_as_takes_an_unreadable_answer_as_an_ack() {
    let server = delegated();
    server.run("bob", &["send", "anna", "Interesting one!"]).ok();
    server.advance("7m");
    assert_eq!(server.state("GH-1"), "escalated");
    let lacking = server.run("anna", &["decide", "GH-1", "accept-as"]).fails(1);
    assert!(lacking.contains("status"), "{lacking}");
    server.run("anna", &["decide", "GH-1", "accept-as", "--status", "fine"]).fails(2);
    let said = server.run("anna", &["decide", "GH-1", "accept-as", "--status", "received"]).ok();
    assert_eq!(said, "GH-1 (del-5) is working.\n");
}
