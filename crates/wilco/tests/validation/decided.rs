//! Loops that somebody decides about.

use crate::server::said;
use serde_json::{Value, json};

use super::{fails, of_type, phase, start, with_agents};

#[test]
fn val_10_val_15_the_last_failure_is_decided_by_the_initiator() {
    let server = with_agents();
    let id = server.begin(&start(json!({"policy": {"max_iterations": 1}})));
    server.send(&fails("alice"));
    let exchange = server.exchange(&id);
    assert_eq!(exchange["state"], "escalated");
    let escalation = exchange["data"]["escalation"].as_str().unwrap();
    let told = &of_type(&server, "boss", "escalation")[0];
    assert_eq!(told["from"], "validation-orchestrator");
    let content = &told["content"];
    assert_eq!((&content["reason"], &told["priority"]), (&json!("max-iterations"), &json!("urgent")));
    assert_eq!(content["message_id"], "ESC-42-alice-20260301T120000Z");
    assert_eq!(content["options"], json!(["manual-fix", "skip", "abort", "extend"]));
    let decide = |fields: Value| {
        let mut message =
            said("boss", "validation-orchestrator", "decision", json!({"escalation": escalation}));
        for (key, value) in fields.as_object().into_iter().flatten() {
            message["content"][key] = value.clone();
        }
        message
    };
    server.refused(&decide(json!({"option": "extend"})), 422);
    server.refused(&decide(json!({"option": "begin"})), 422);
    let extended = server.send(&decide(json!({"option": "extend", "iterations": 2})));
    assert_eq!(extended["exchange"]["state"], "awaiting-fix");
    assert_eq!(phase(&server, &id, "unit")["max_iterations"], 3);
    server.refused(&decide(json!({"option": "skip"})), 409);
    let escalations = server.get("/v1/escalations?open=false").1;
    assert_eq!(escalations["items"][0]["evidence"]["iterations"], 1);
}

#[test]
fn val_6_a_loop_whose_phases_were_skipped_claims_no_pass() {
    let server = with_agents();
    let id = server.begin(&start(json!({"policy": {"max_iterations": 1}})));
    server.send(&fails("alice"));
    let escalation = server.exchange(&id)["data"]["escalation"].clone();
    let skip = json!({"escalation": escalation, "option": "skip"});
    server.send(&said("boss", "validation-orchestrator", "decision", skip));
    assert_eq!(server.state(&id), "completed");
    let log = server.get(&format!("/v1/exchanges/{id}/log.json")).1;
    let statuses: Vec<_> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|entry| [&entry["status_before"], &entry["status_after"]])
        .collect();
    assert!(!statuses.contains(&&json!("PASS")) && statuses.contains(&&json!("SKIPPED")), "{log}");
}
