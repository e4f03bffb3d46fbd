//! What agents say: ack, checkpoint, complete, error, and confirmations.

use super::{UNDERSTOOD, delegated, program::Server, working};

#[test]
fn cli_2_ack_received_makes_the_task_theirs() {
    let server = delegated();
    assert_eq!(server.run("bob", &UNDERSTOOD).ok(), "GH-1 (del-5) is working.\n");
    let data = &server.get("/v1/exchanges/del-5")["data"];
    assert_eq!(data["understanding"]["verdict"], "correct");
}

/// HO-6: what is being handed over is nobody's to acknowledge; the exit code says that nothing came of it.
#[test]
fn ho_6_an_ack_of_a_task_that_is_handed_over_ends_with_1() {
    let server = delegated();
    server.run("bob", &UNDERSTOOD).ok();
    server.run("anna", &["handoff", "--from", "bob", "--to", "carl", "--reason", "lost"]).ok();
    let said = server.run("bob", &UNDERSTOOD).fails(1);
    assert!(said.contains("does not count") && said.contains("handed over by ho-"), "{said}");
}

#[test]
fn cli_2_ack_with_an_exchange_id_and_another_letter_case() {
    let server = delegated();
    let line = ["ack", "del-5", "QUEUED", "--understanding", "Later"];
    assert_eq!(server.run("bob", &line).ok(), "GH-1 (del-5) is queued.\n");
    let line =
        ["ack", "gh-1", "received", "--understanding", "Add a login page with a form for name and password"];
    assert_eq!(server.run("bob", &line).ok(), "GH-1 (del-5) is working.\n");
}

#[test]
fn cli_2_ack_clarify_asks_the_initiator() {
    let server = delegated();
    let line = ["ack", "GH-1", "clarify", "--question", "Which browsers must the login page support?"];
    assert_eq!(server.run("bob", &line).ok(), "GH-1 (del-5) is clarifying.\n");
    let line = ["clarify", "GH-1", "--answer", "Firefox and Chrome"];
    assert_eq!(server.run("anna", &line).ok(), "GH-1 (del-5) is awaiting-ack.\n");
    assert_eq!(server.newest("bob", "task-clarification")["exchange"], "del-5");
}

#[test]
fn cli_2_ack_reject_needs_a_reason() {
    let server = delegated();
    let refused = server.run("bob", &["ack", "GH-1", "reject"]).fails(1);
    assert!(refused.contains("/content/reason"), "{refused}");
    assert_eq!(server.state("GH-1"), "awaiting-ack");
    let line = ["ack", "GH-1", "reject", "--reason", "No access"];
    assert_eq!(server.run("bob", &line).ok(), "GH-1 (del-5) is escalated.\n");
}

#[test]
fn cli_2_ack_of_an_older_revision_changes_nothing() {
    let server = working();
    assert_eq!(
        server.run("anna", &["amend", "GH-1", "Also", "on", "mobile"]).ok(),
        "GH-1 (del-5) is awaiting-ack.\n"
    );
    let said = server.run("bob", &UNDERSTOOD).ok();
    assert!(said.starts_with("Nothing changed: GH-1 (del-5) is still awaiting-ack."), "{said}");
    // It says nothing of the amendment.
    let second = [&UNDERSTOOD[..], &["--revision", "2"]].concat();
    assert_eq!(server.run("bob", &second).ok(), "GH-1 (del-5) is in-review.\n");
}

#[test]
fn cli_2_checkpoint_and_complete() {
    let server = working();
    let line = ["checkpoint", "GH-1", "1", "--status", "done", "--summary", "The form works"];
    assert_eq!(server.run("bob", &line).ok(), "Recorded: GH-1 (del-5) is working.\n");
    assert_eq!(server.run("bob", &["complete", "GH-1", "Merged"]).ok(), "GH-1 (del-5) is completed.\n");
    let exchange = server.get("/v1/exchanges/del-5");
    assert_eq!(exchange["outcome"], "completed");
    assert_eq!(exchange["data"]["checkpoints"][0]["summary"], "The form works");
}

#[test]
fn cli_8_error_goes_to_the_next_agent() {
    let server = delegated();
    let line = ["error", "GH-1", "capability_mismatch", "--message", "No macOS", "--alternative", "carl"];
    assert_eq!(server.run("bob", &line).ok(), "Recorded: GH-1 (del-5) is awaiting-ack.\n");
    assert_eq!(server.get("/v1/exchanges/del-5")["data"]["assignee"], "carl");
}

#[test]
fn cli_8_pause_and_resume_are_confirmed() {
    let server = working();
    server.run("anna", &["pause", "GH-1", "--for", "1h", "--reason", "The database moves"]).ok();
    assert_eq!(server.run("bob", &["paused", "GH-1", "Half done"]).ok(), "GH-1 (del-5) is paused.\n");
    server.run("anna", &["resume", "GH-1", "It is back"]).ok();
    assert_eq!(server.run("bob", &["resumed", "GH-1"]).ok(), "GH-1 (del-5) is working.\n");
}

#[test]
fn cli_8_stop_is_confirmed() {
    let server = working();
    assert_eq!(
        server.run("anna", &["stop", "GH-1", "--reason", "Solved"]).ok(),
        "GH-1 (del-5) is cancelled.\n"
    );
    assert_eq!(server.run("bob", &["stopped", "GH-1"]).ok(), "Recorded: GH-1 (del-5) is cancelled.\n");
    assert_eq!(server.get("/v1/exchanges/del-5")["data"]["stop_confirmed"], true);
}

#[test]
fn cli_2_json_is_the_servers_own() {
    let server = delegated();
    let line = [&UNDERSTOOD[..], &["--json"]].concat();
    let answer = server.run("bob", &line).json();
    assert_eq!(answer["exchange"]["state"], "working");
    assert_eq!(answer["message"]["content"]["type"], "task-acknowledgment");
    assert_eq!(answer["message"]["reading"]["effect"], "awaiting-ack -> working");
}

#[test]
fn cli_8_a_task_that_is_open_twice_must_be_named_by_its_exchange() {
    let server = Server::of(&["anna", "bob", "carl"]);
    for initiator in ["anna", "carl"] {
        server.run(initiator, &["delegate", "bob", "--task", "GH-1", "--title", "Add a login page"]).ok();
    }
    let refused = server.run("bob", &UNDERSTOOD).fails(1);
    assert!(refused.contains("more than once") && refused.contains("from carl"), "{refused}");
    let said = server.run("bob", &["ack", "del-5", "received", "--understanding", "Add a login page"]).ok();
    assert_eq!(said, "GH-1 (del-5) is working.\n");
}
