//! Tasks whose agent is being replaced, or is gone.

use serde_json::json;
use wilco_engine::{Command, Viewer};

use crate::realm::{Realm, said};

fn replace(realm: &Realm) -> String {
    let fields = json!({"failed_agent": "worker", "replacement_agent": "helper", "reason": "gone"});
    realm.begin(&said("boss", "wilco", "replacement-request", fields))
}

#[test]
fn ho_6_an_amendment_during_a_handoff_does_not_ask_the_agent_that_failed() {
    let realm = Realm::start();
    realm.register(&["helper"]);
    let task = realm.begin_working("T-1");
    replace(&realm);
    let before = realm.inbox("worker").len();
    let amend = json!({"task_id": "T-1", "message": "Log every refusal too"});
    realm.send(&said("boss", "worker", "task-amend", amend));
    assert_eq!(realm.inbox("worker").len(), before, "{}", realm.newest("worker"));
    assert_eq!(realm.exchange(&task)["data"]["revision"], 2);
    assert_eq!(realm.newest("boss")["content"]["reason"], "amended");
}

#[test]
fn msg_30_retry_for_an_assignee_that_was_removed_is_refused() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let id = realm.begin(&crate::realm::task("T-1"));
    realm.advance("10m");
    assert_eq!(realm.state(&id), "escalated");
    realm.run(Command::RemoveAgent { name: "worker".into(), by: Viewer::Operator }).unwrap();
    let decide = |option: &str| said("boss", "wilco", "decision", json!({"option": option, "exchange": id}));
    let mut retry = decide("retry");
    retry["exchange"] = json!(id);
    let problem = realm.refused(&retry, 422);
    let detail = problem["errors"][0]["detail"].as_str().unwrap();
    assert_eq!(problem["errors"][0]["pointer"], "/content/option");
    assert!(detail.contains("worker") && detail.contains("reassign"), "{detail}");
    assert_eq!(realm.state(&id), "escalated");
}
