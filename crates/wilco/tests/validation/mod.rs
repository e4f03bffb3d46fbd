//! Validation loops end to end, as agents see them over HTTP. What each state does with each message is told by
//! the protocol's transcripts; these scenes show that every layer above keeps to it.

mod commands;
mod decided;
mod log;
use crate::server;

use std::os::unix::fs::PermissionsExt;

use crate::server::{Server, Setup, pointers, said, text};
use serde_json::{Value, json};

const NOON: &str = "2026-03-01T12:00:00.000Z";

pub(crate) fn start(fields: Value) -> Value {
    let mut message = said(
        "boss",
        "validation-orchestrator",
        "validation-start",
        json!({
            "issue": 42, "feature": "Login", "main_agent": "main",
            "phases": [{"name": "unit", "specialist": "alice", "expected_outcome": "All tests pass"}],
        }),
    );
    for (key, value) in fields.as_object().into_iter().flatten() {
        message["content"][key] = value.clone();
    }
    message
}

fn with_agents() -> Server {
    let server = Setup::new().clock_at(NOON).start();
    server.register(&["boss", "main", "alice", "bob", "eve"]);
    server
}

fn result(from: &str, status: &str, fields: Value) -> Value {
    let mut message = said(from, "validation-orchestrator", "validation-result", json!({"status": status}));
    for (key, value) in fields.as_object().into_iter().flatten() {
        message["content"][key] = value.clone();
    }
    message
}

fn fails(from: &str) -> Value {
    let failure =
        json!({"location": "src/login.rs:31", "error": "expected 401, got 200", "suggestion": "check it"});
    result(from, "FAIL", json!({"failures": [failure]}))
}

fn fixed(id: &str) -> Value {
    let fields = json!({"fixes": ["The password is checked"], "files": ["src/login.rs"], "message_id": id});
    said("main", "validation-orchestrator", "fix-completion", fields)
}

/// The messages of a type in an inbox.
fn of_type(server: &Server, agent: &str, kind: &str) -> Vec<Value> {
    server.inbox(agent).into_iter().filter(|message| message["content"]["type"] == kind).collect()
}

fn phase(server: &Server, id: &str, name: &str) -> Value {
    let phases = server.exchange(id)["data"]["phases"].clone();
    phases.as_array().unwrap().iter().find(|phase| phase["name"] == name).unwrap().clone()
}

#[test]
fn val_1_val_3_val_4_a_loop_goes_round_until_it_passes() {
    let server = with_agents();
    let sent = server.send(&start(json!({})));
    assert_eq!(
        (&sent["exchange"]["protocol"], &sent["exchange"]["state"]),
        (&json!("validation"), &json!("in-progress"))
    );
    let id = sent["exchange"]["id"].as_str().unwrap();
    let asked = server.newest("alice");
    assert_eq!(asked["from"], "validation-orchestrator");
    assert_eq!(asked["content"]["type"], "validation-request");
    assert_eq!(asked["content"]["message_id"], "VALREQ-42-alice-1");
    let data = &server.exchange(id)["data"];
    assert_eq!((&data["issue"], &data["feature"]), (&json!("42"), &json!("Login")));
    assert_eq!((&data["status"], &data["phase"]), (&json!("IN_PROGRESS"), &json!("unit")));

    assert_eq!(server.send(&fails("alice"))["exchange"]["state"], "awaiting-fix");
    let kinds = server.kinds("main");
    assert_eq!(kinds, ["failure-report", "fix-request"]);
    let request = server.newest("main");
    assert_eq!(
        (&request["content"]["message_id"], &request["priority"]),
        (&json!("FIXREQ-42-1"), &json!("high"))
    );
    assert_eq!(request["content"]["failures"][0]["location"], "src/login.rs:31");
    assert_eq!(phase(&server, id, "unit")["failures"][0]["error"], "expected 401, got 200");

    let ack = text("main", "boss", "[ACK] FIXREQ-42-1 - RECEIVED");
    assert_eq!(server.send(&ack)["exchange"]["state"], "fixing");
    assert_eq!(server.send(&fixed("FIXDONE-42-1"))["exchange"]["state"], "re-checking");
    let trigger = server.newest("alice");
    assert_eq!(trigger["content"]["message_id"], "REVAL-42-alice-2");
    assert_eq!(trigger["content"]["previous_failures"][0]["location"], "src/login.rs:31");
    assert_eq!(trigger["content"]["fixes"][0], "The password is checked");
    let done = result("alice", "PASS", json!({"message_id": "REVALRES-42-alice-2"}));
    assert_eq!(server.send(&done)["exchange"]["state"], "completed");
    assert_eq!(server.newest("main")["content"]["message_id"], "SUCCESS-42-alice-2");
    let exchange = server.exchange(id);
    assert_eq!((&exchange["outcome"], &exchange["data"]["phase"]), (&json!("completed"), &Value::Null));
    assert_eq!(exchange["data"]["phases"][0]["status"], "PASS");
    assert_eq!(exchange["data"]["phases"][0]["failures"], json!([]));
    server.verify();
}

#[test]
fn val_1_what_cannot_begin_is_refused() {
    let server = with_agents();
    let problem = server.refused(&start(json!({"phases": []})), 422);
    assert_eq!(pointers(&problem), ["/content/phases"]);
    let twice = json!([{"name": "unit", "specialist": "alice"}, {"name": "lint", "specialist": "alice"}]);
    let problem = server.refused(&start(json!({"phases": twice})), 422);
    assert_eq!(pointers(&problem), ["/content/phases/1/specialist"], "the one that is wrong");
    let twice = json!([{"name": "unit", "specialist": "alice"}, {"name": "unit", "specialist": "bob"}]);
    let problem = server.refused(&start(json!({"phases": twice})), 422);
    assert_eq!(pointers(&problem), ["/content/phases/1/name"]);
    server.refused(&start(json!({"phases": [{"name": "unit", "specialist": "nobody"}]})), 404);
    server.refused(&start(json!({"main_agent": "nobody"})), 404);
    server.refused(&start(json!({"watchers": ["nobody"]})), 404);
    let problem =
        server.refused(&start(json!({"phases": [{"name": "unit", "specialist": "cmd:unit"}]})), 422);
    assert_eq!(pointers(&problem), ["/content/phases/0/specialist"]);
    let problem = server.refused(&start(json!({"issue": null, "main_agent": null})), 422);
    assert_eq!(pointers(&problem), ["/content/issue", "/content/main_agent"]);
    let problem = server.refused(&start(json!({"policy": {"max_iterations": 0}})), 422);
    assert_eq!(pointers(&problem), ["/content/policy/max_iterations"]);
    let mut elsewhere = start(json!({}));
    elsewhere["to"] = json!("alice");
    assert_eq!(pointers(&server.refused(&elsewhere, 422)), ["/to"]);
    assert!(server.inbox("alice").is_empty());
    server.send(&start(json!({})));
    server.refused(&start(json!({})), 409);
    let other =
        said("eve", "validation-orchestrator", "validation-start", start(json!({}))["content"].clone());
    server.send(&other);
}

#[test]
fn val_1_reserved_names_are_nobodys() {
    let server = with_agents();
    for name in ["validation-orchestrator", "cmd:unit"] {
        server.refused(&text(name, "boss", "hello"), 403);
        assert_eq!(server.put(&format!("/v1/agents/{name}"), &json!({})).0, 422);
    }
}

#[test]
fn val_2_results_that_contradict_themselves_are_refused() {
    let server = with_agents();
    let id = server.begin(&start(json!({})));
    let failure = json!([{"location": "a", "error": "b"}]);
    for (status, fields, pointer) in [
        ("PASS", json!({"failures": failure}), "/content/failures"),
        ("FAIL", json!({}), "/content/failures"),
        ("FAIL", json!({"failures": []}), "/content/failures"),
        ("FAIL", json!({"failures": [{"location": "a"}]}), "/content/failures/0/error"),
        ("ERROR", json!({}), "/content/error"),
        ("MAYBE", json!({}), "/content/status"),
    ] {
        let problem = server.refused(&result("alice", status, fields), 422);
        assert_eq!(pointers(&problem)[0], pointer, "{status}");
    }
    assert_eq!(server.state(&id), "in-progress");
    let mut either = result("alice", "PASS", json!({}));
    either["content"]["type"] = json!("revalidation_result");
    assert_eq!(server.send(&either)["exchange"]["state"], "completed");
}

#[test]
fn val_4_ids_lead_to_the_loop_whatever_else_is_open() {
    let server = with_agents();
    let first = server.begin(&start(json!({"issue": "a-b"})));
    let second = server.begin(&start(json!({"issue": "a"})));
    let named = |status: &str, id: &str| result("alice", status, json!({"message_id": id}));
    let unnamed = server.send(&result("alice", "PASS", json!({})));
    assert_eq!(unnamed["exchange"], Value::Null, "two loops wait for alice");
    assert_eq!(of_type(&server, "alice", "protocol-notice").len(), 1);
    assert_eq!(server.send(&named("PASS", "VALRES-a-b-alice-1"))["exchange"]["id"], first);
    assert_eq!(server.send(&named("PASS", "valres_a_alice_1"))["exchange"]["id"], second);
    assert_eq!(
        (server.state(&first), server.state(&second)),
        ("completed".to_owned(), "completed".to_owned())
    );
}

#[test]
fn val_6_watchers_hear_of_every_change_and_nobody_else() {
    let server = with_agents();
    server.send(&start(json!({"watchers": ["eve"], "watch": false})));
    server.send(&fails("alice"));
    let told = of_type(&server, "eve", "status-change");
    let words: Vec<_> = told.iter().map(|one| one["content"]["new_status"].as_str().unwrap()).collect();
    assert_eq!(words, ["IN_PROGRESS", "FAIL", "AWAITING_FIX"]);
    assert!(told.iter().all(|one| one["priority"] == "low"));
    assert!(of_type(&server, "boss", "status-change").is_empty());
}

#[test]
fn val_7_what_comes_out_of_turn_is_kept_and_changes_nothing() {
    let server = with_agents();
    let id = server.begin(&start(json!({})));
    let early = server.send(&fixed("FIXDONE-42-1"));
    assert_eq!((&early["exchange"]["id"], &early["exchange"]["state"]), (&json!(id), &json!("in-progress")));
    assert_eq!(server.newest("main")["content"]["type"], "protocol-notice");
    server.send(&fails("alice"));
    server.send(&fixed("FIXDONE-42-2"));
    assert_eq!(server.state(&id), "awaiting-fix");
    server.refused(
        &json!({"from": "eve", "exchange": id, "content": {"type": "fix-completion", "fixes": ["x"]}}),
        403,
    );
}

#[test]
fn val_11_val_16_silence_is_reminded_told_and_decided() {
    let server = with_agents();
    let id = server.begin(&start(json!({"watch": false})));
    server.advance("30m");
    let reminder = server.newest("alice");
    assert_eq!(reminder["content"]["type"], "timeout-reminder");
    assert_eq!(reminder["content"]["message_id"], "TIMEOUT-42-validation-20260301T123000Z");
    let error = server.newest("boss");
    assert_eq!(error["content"]["error_id"], "ERR-42-unresponsive-20260301T123000Z");
    assert_eq!(error["content"]["error_type"], "unresponsive");
    assert_eq!(error["content"]["recovered"], false);
    server.advance("2m");
    server.send(&text("alice", "boss", "I am still at it"));
    server.advance("3m");
    assert_eq!(server.state(&id), "in-progress", "a reply within the grace gives one more");
    server.advance("5m");
    assert_eq!(server.state(&id), "escalated");
    assert_eq!(of_type(&server, "boss", "escalation")[0]["content"]["reason"], "timeout");
    assert_eq!(of_type(&server, "boss", "error-notification").len(), 2);
}

#[test]
fn val_16_both_notifications_of_a_trouble_say_what_the_specialist_said() {
    let server = with_agents();
    server.begin(&start(json!({})));
    server.send(&result("alice", "ERROR", json!({"error": "no compiler", "stack_trace": "at ld"})));
    server.send(&result("alice", "PASS", json!({})));
    let told = of_type(&server, "boss", "error-notification");
    let says = |key: &str| told.iter().map(|one| one["content"][key].clone()).collect::<Vec<_>>();
    assert_eq!(says("recovered"), [json!(false), json!(true)]);
    let error = json!("alice could not check: no compiler");
    assert_eq!(says("error"), [error.clone(), error]);
    assert_eq!(says("stack_trace"), [json!("at ld"), json!("at ld")]);
}

#[test]
fn api_7_the_report_on_validations_tells_what_went_round() {
    let server = with_agents();
    let id = server.begin(&start(json!({})));
    server.send(&fails("alice"));
    server.send(&fixed("FIXDONE-42-1"));
    server.send(&fails("alice"));
    server.send(&fixed("FIXDONE-42-2"));
    server.send(&result("alice", "PASS", json!({})));
    let report = server.get("/v1/reports/validations").1;
    let row = &report["items"][0];
    assert_eq!(
        (&row["exchange"], &row["issue"], &row["status"]),
        (&json!(id), &json!("42"), &json!("COMPLETED"))
    );
    assert_eq!((&row["iterations"], &row["escalations"]), (&json!(3), &json!(0)));
    assert_eq!(
        row["failures"][0],
        json!({"location": "src/login.rs:31", "error": "expected 401, got 200", "count": 2})
    );
    let (status, table) = server.caller().get_text("/v1/reports/validations?format=md");
    assert!(status == 200 && table.contains("unit PASS 3"), "{table}");
}

fn words(from: &str, message: &str) -> Value {
    text(from, "validation-orchestrator", message)
}

fn body(message: &Value) -> &str {
    message["content"]["message"].as_str().unwrap_or_default()
}

#[test]
fn val_5_answers_in_markdown_count_like_fields() {
    let server = with_agents();
    let id = server.send(&start(json!({})))["exchange"]["id"].as_str().unwrap().to_owned();
    let asked = server.newest("alice");
    assert!(
        body(&asked).starts_with("## Validation Request\n\n**Message ID**: VALREQ-42-alice-1\n"),
        "{asked}"
    );
    server.send(&words(
        "alice",
        "## Validation Result\n\n**Message ID**: VALRES-42-alice-1\n**Status**: ❌ FAIL\n\n### Failures\n\
         1. src/login.rs:31 - expected 401, got 200 - check the password\n2. src/logout.rs:7 - timed out",
    ));
    assert_eq!(server.exchange(&id)["state"], "awaiting-fix");
    let request = &of_type(&server, "main", "fix-request")[0];
    assert_eq!(request["content"]["message_id"], "FIXREQ-42-1");
    assert_eq!(request["content"]["failures"][0]["suggestion"], "check the password");
    assert!(
        body(request).contains("### Failures to Fix\n1. src/login.rs:31 - expected 401, got 200"),
        "{request}"
    );
    server.send(&words("main", "[ACK] FIXREQ-42-1"));
    assert_eq!(server.exchange(&id)["state"], "fixing");
    server.send(&words(
        "main",
        "## Fix Completion\n**Message ID**: FIXDONE-42-1\n\n### Fixes Applied\n- The password is checked\n\n\
         ### Files Modified\n- `src/login.rs`",
    ));
    assert_eq!(server.exchange(&id)["state"], "re-checking");
    let trigger = &of_type(&server, "alice", "revalidation-trigger")[0];
    assert_eq!(trigger["content"]["fixes"], json!(["The password is checked"]));
    assert_eq!(trigger["content"]["files"], json!(["src/login.rs"]));
    assert_eq!(trigger["content"]["previous_failures"].as_array().unwrap().len(), 2);
    // Quoted, it is somebody else's.
    server.send(&words("alice", "> ## Re-validation Result\n> **Status**: PASS\n\nIs that what you want?"));
    assert_eq!(server.exchange(&id)["state"], "re-checking");
    server.send(&words("alice", "REVALRES-42-alice-2: PASS"));
    assert_eq!(server.exchange(&id)["state"], "completed");
}

#[test]
fn val_14_what_cannot_be_read_is_answered_with_the_form_and_the_second_is_escalated() {
    let server = with_agents();
    let id = server.send(&start(json!({})))["exchange"]["id"].as_str().unwrap().to_owned();
    let unclear =
        words("alice", "## Validation Result\n**Message ID**: VALRES-42-alice-1\nLooks good to me!");
    server.send(&unclear);
    assert_eq!(server.exchange(&id)["state"], "in-progress");
    let told = &of_type(&server, "alice", "error-notification")[0];
    let form = told["content"]["expected_form"].as_str().unwrap();
    assert!(form.contains("**Message ID**: VALRES-42-alice-1\n") && body(told).contains(form), "{told}");
    let known = &of_type(&server, "boss", "error-notification")[0];
    assert_eq!(known["content"]["error_type"], "invalid-response");
    server.send(&unclear);
    assert_eq!(server.exchange(&id)["state"], "escalated");
    assert_eq!(of_type(&server, "boss", "escalation")[0]["content"]["reason"], "invalid-answer");
}

#[test]
fn val_14_what_reaches_nobody_is_escalated() {
    let config = "[nudge.commands]\nbell = \"/bin/false\"\n";
    let server = Setup::new().clock_at(NOON).config(config).start();
    server.register(&["boss", "main"]);
    let nudged = json!({"nudge": {"kind": "command", "command": "bell"}});
    assert!(server.put("/v1/agents/alice", &nudged).0 < 300);
    let id = server.begin(&start(json!({})));
    server.advance("20m");
    assert_eq!(server.state(&id), "escalated");
    assert_eq!(of_type(&server, "boss", "escalation")[0]["content"]["reason"], "delivery-failed");
    let errors = of_type(&server, "boss", "error-notification");
    assert_eq!(errors.len(), 2, "when it occurs, and when it is escalated");
    assert!(errors.iter().all(|one| one["content"]["error_type"] == "communication"));
}

#[test]
fn val_6_nobody_is_nudged_for_a_change_of_status() {
    let folder = tempfile::tempdir().unwrap();
    let rings = folder.path().join("rings");
    let bell = folder.path().join("bell");
    std::fs::write(&bell, format!("#!/bin/sh\necho ring >> '{}'\n", rings.display())).unwrap();
    std::fs::set_permissions(&bell, std::fs::Permissions::from_mode(0o755)).unwrap();
    let config = format!("[nudge.commands]\nbell = \"{}\"\n", bell.display());
    let server = Setup::new().clock_at(NOON).config(&config).start();
    server.register(&["boss", "main", "alice"]);
    let nudged = json!({"nudge": {"kind": "command", "command": "bell"}});
    assert!(server.put("/v1/agents/eve", &nudged).0 < 300);
    server.send(&start(json!({"watchers": ["eve"]})));
    server.send(&fails("alice"));
    server.advance("1m");
    assert_eq!(of_type(&server, "eve", "status-change").len(), 3);
    assert!(!rings.exists());
    server.send(&text("boss", "eve", "Look at this"));
    server.advance("1m");
    server::until("the bell rings", || !server.events().is_empty() && rings.exists());
}
