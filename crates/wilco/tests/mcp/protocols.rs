//! Operations, handoffs and validations: each tool has its effect, over every way in.

use serde_json::{Value, json};

use super::every_way;
use crate::server::until;

#[test]
fn mcp_1_an_operation_is_started_and_answered() {
    every_way(&["boss", "worker", "helper"], |server, client| {
        let (mut boss, mut worker, mut helper) = (client("boss"), client("worker"), client("helper"));
        let restart = json!({
            "operation": "restart", "agents": ["worker", "helper"], "message": "I will restart you",
            "kind": "disruptive", "quorum": "all", "execute": "manual",
        });
        let id = boss.done("start_operation", restart.clone())["exchange"]["id"].as_str().unwrap().to_owned();
        let track = |agent: &str| {
            let tracks = server.exchange(&id)["data"]["tracks"].clone();
            tracks.as_array().unwrap().iter().find(|track| track["agent"] == agent).unwrap().clone()
        };
        worker.done("answer_operation", json!({"operation_id": id, "answer": "wait"}));
        assert_eq!(track("worker")["extended"], true);
        worker.done(
            "answer_operation",
            json!({"operation_id": "restart", "answer": "ready", "notes": "Saved"}),
        );
        assert_eq!(track("worker")["state"], "ready");
        helper.done("answer_operation", json!({"operation_id": id, "answer": "ready"}));
        assert_eq!(server.state(&id), "authorized");
        let result = json!({"type": "operation-result", "status": "done"});
        boss.done("send_message", json!({"exchange": id, "content": result}));
        assert_eq!(server.exchange(&id)["outcome"], "done");

        let again = boss.done("start_operation", restart)["exchange"]["id"].as_str().unwrap().to_owned();
        boss.done(
            "answer_operation",
            json!({"operation_id": again, "answer": "cancel", "notes": "Not today"}),
        );
        assert_eq!(server.exchange(&again)["outcome"], "cancelled", "the initiator takes it back");
    });
}

#[test]
fn mcp_1_work_is_handed_over_and_acknowledged() {
    every_way(&["boss", "worker", "helper", "ecos-controller"], |server, client| {
        let (mut boss, mut helper) = (client("boss"), client("helper"));
        let delegation = server.begin_working("T-1");
        let request = json!({
            "failed_agent": "worker", "replacement_agent": "helper", "reason": "context_loss",
            "policy": {"understanding": "accept"},
        });
        let id = boss.done("start_handoff", request)["exchange"]["id"].as_str().unwrap().to_owned();
        until("the replacement was told", || server.state(&id) == "awaiting-ack");
        let handoff_id = server.exchange(&id)["data"]["handoff_id"].clone();
        let ack = json!({"handoff_id": handoff_id, "understanding": "Finish the limiter", "starting_from": "start"});
        assert_eq!(helper.done("acknowledge_handoff", ack)["exchange"]["state"], "complete");
        assert_eq!(server.exchange(&delegation)["data"]["assignee"], "helper");
    });
}

#[test]
fn mcp_1_a_validation_goes_round() {
    every_way(&["boss", "main", "alice"], |server, client| {
        let (mut boss, mut main, mut alice) = (client("boss"), client("main"), client("alice"));
        let start = json!({
            "issue": 42, "main_agent": "main", "phases": [{"name": "unit", "specialist": "alice"}],
        });
        let id = boss.done("start_validation", start)["exchange"]["id"].as_str().unwrap().to_owned();
        let state = |said: Value| said["exchange"]["state"].clone();
        let failures = json!([{"location": "src/login.rs:31", "error": "expected 401, got 200"}]);
        let fail = json!({"issue": "42", "status": "FAIL", "failures": failures});
        assert_eq!(state(alice.done("report_validation", fail)), "awaiting-fix");
        assert_eq!(state(main.done("report_validation", json!({"issue": 42, "status": "FIXING"}))), "fixing");
        let fixed =
            json!({"issue": id, "status": "FIXED", "fixes": ["It is checked"], "files": ["src/login.rs"]});
        assert_eq!(state(main.done("report_validation", fixed)), "re-checking");
        alice.done("report_validation", json!({"issue": "42", "status": "PASS"}));
        assert_eq!(server.exchange(&id)["outcome"], "completed");
    });
}
