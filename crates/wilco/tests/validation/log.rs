//! The communication log of a loop.

use serde_json::json;

use super::{fails, fixed, result, start, with_agents};
use crate::server::{pointers, said, text};

/// Answers in words count as what they are; what is about the whole loop belongs to the iteration it has come to.
#[test]
fn val_20_answers_in_words_and_the_end_of_a_loop() {
    let server = with_agents();
    let id = server.begin(&start(json!({})));
    server.send(&fails("alice"));
    server.send(&fixed("FIXDONE-42-1"));
    let form = "## Validation Result\n\n**Message ID**: REVALRES-42-alice-2\n**Status**: PASS";
    server.send(&text("alice", "validation-orchestrator", form));
    let log = server.get(&format!("/v1/exchanges/{id}/log.json")).1;
    let entries = log["entries"].as_array().unwrap();
    let passed = entries.iter().find(|entry| entry["message_id"] == "REVALRES-42-alice-2").unwrap();
    assert_eq!((&passed["type"], &passed["summary"]), (&json!("revalidation-result"), &json!("PASS")));
    let iterations: Vec<_> = entries.iter().map(|entry| entry["iteration"].as_u64().unwrap()).collect();
    assert!(iterations.is_sorted(), "{iterations:?}");
    let last = entries.last().unwrap();
    let count = entries.len();
    assert_eq!((&last["type"], &last["summary"]), (&json!("status-change"), &json!("PASS to COMPLETED")));
    assert_eq!((&last["entry_id"], &last["iteration"]), (&json!(format!("LOG-42-2-{count}")), &json!(2)));
}

#[test]
fn val_20_val_21_every_message_is_an_entry_of_the_log() {
    let server = with_agents();
    let id = server.begin(&start(json!({"watch": false})));
    server.send(&fails("alice"));
    server.send(&fixed("FIXDONE-42-1"));
    server.send(&result("alice", "PASS", json!({"message_id": "REVALRES-42-alice-2"})));
    let log = server.get(&format!("/v1/exchanges/{id}/log.json")).1;
    assert_eq!((&log["issue"], &log["feature"]), (&json!("42"), &json!("Login")));
    assert!(log["started"].is_string() && log["completed"].is_string());
    let entries = log["entries"].as_array().unwrap();
    let told: Vec<_> = entries
        .iter()
        .map(|entry| {
            let text = |key: &str| entry[key].as_str().unwrap();
            format!(
                "{} {} {} {}",
                text("entry_id"),
                text("type"),
                text("status_before"),
                text("status_after")
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            "LOG-42-0-1 validation-start PENDING PENDING",
            "LOG-42-1-2 validation-request PENDING IN_PROGRESS",
            "LOG-42-1-3 validation-result IN_PROGRESS FAIL",
            "LOG-42-1-4 failure-report FAIL FAIL",
            "LOG-42-1-5 fix-request FAIL AWAITING_FIX",
            "LOG-42-1-6 fix-completion AWAITING_FIX FIXING",
            "LOG-42-2-7 revalidation-trigger FIXING RE_CHECKING",
            "LOG-42-2-8 validation-result RE_CHECKING PASS",
            "LOG-42-2-9 success-notification PASS PASS",
        ]
    );
    let summaries: Vec<_> = entries.iter().map(|entry| entry["summary"].as_str().unwrap()).collect();
    assert_eq!(
        summaries,
        [
            "validate 42: 1 phase",
            "check unit, iteration 1 of 5",
            "FAIL, 1 failure",
            "unit, iteration 1 of 5: 1 failure",
            "fix unit, iteration 1 of 5: 1 failure",
            "The password is checked",
            "check again unit, iteration 2 of 5",
            "PASS",
            "unit passed after 2 iterations",
        ]
    );
    assert_eq!(log["statistics"]["total_messages"], 9);
    assert_eq!((&entries[8]["iteration"], &entries[8]["max_iterations"]), (&json!(2), &json!(5)));
    let (status, text) = server.caller().get_text(&format!("/v1/exchanges/{id}/log.md"));
    assert_eq!(status, 200);
    assert!(
        text.contains("**Issue**: #42 - Login") && text.contains("- Message ID: VFR-42-alice-1"),
        "{text}"
    );
    assert_eq!(text.matches("**Total Messages**: 9").count(), 2);
}

/// The issue written with its sign is the same issue.
#[test]
fn val_1_the_sign_before_a_number_is_no_part_of_the_issue() {
    let server = with_agents();
    let id = server.begin(&start(json!({"issue": "#77", "watch": false})));
    assert_eq!(server.exchange(&id)["data"]["issue"], "77");
    assert_eq!(server.newest("alice")["content"]["message_id"], "VALREQ-77-alice-1");
    server.refused(&start(json!({"issue": 77})), 409);
    let (_, log) = server.caller().get_text(&format!("/v1/exchanges/{id}/log.md"));
    assert!(log.contains("Feature #77\n") && !log.contains("##77"), "{log}");
    for nothing in ["#", " # ", ""] {
        assert_eq!(pointers(&server.refused(&start(json!({"issue": nothing})), 422)), ["/content/issue"]);
    }
}

/// Agents that name no id: the log knows which answer it was.
#[test]
fn val_4_val_21_answers_without_an_id_have_that_of_their_round_in_the_log() {
    let server = with_agents();
    let id = server.begin(&start(json!({"watch": false})));
    server.send(&fails("alice"));
    let mut unnamed = fixed("");
    unnamed["content"].as_object_mut().unwrap().remove("message_id");
    server.send(&unnamed);
    server.send(&result("alice", "PASS", json!({})));
    let log = server.get(&format!("/v1/exchanges/{id}/log.json")).1;
    let entries = log["entries"].as_array().unwrap().iter();
    let answers = entries.filter(|entry| entry["recipient"] == "validation-orchestrator").skip(1);
    let ids: Vec<_> = answers.map(|entry| entry["message_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["VALRES-42-alice-1", "FIXDONE-42-1", "REVALRES-42-alice-2"]);
    let (_, text) = server.caller().get_text(&format!("/v1/exchanges/{id}/log.md"));
    assert!(text.contains("**Outcome**: Success (all validations passed)\n"), "{text}");

    let id = server.begin(&start(json!({"watch": false})));
    server.advance("35m");
    let told = server.newest("boss");
    let message = told["content"]["message"].as_str().unwrap();
    assert!(message.contains("### Persistent Failures\nNone: no check has reported a failure."), "{message}");
    assert!(!message.contains("0 failures"), "{message}");
    let open = server.exchange(&id)["data"]["escalation"].clone();
    server.send(&said(
        "boss",
        "validation-orchestrator",
        "decision",
        json!({"option": "skip", "escalation": open}),
    ));
    let (_, text) = server.caller().get_text(&format!("/v1/exchanges/{id}/log.md"));
    assert!(text.contains("passed or were skipped"), "{text}");
}
