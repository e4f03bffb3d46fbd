//! Names that are nearly somebody's, and agents that nobody can be asked in place of.

use serde_json::{Value, json};

use crate::realm::{Realm, said, task, text};

fn names_in(message: &Value) -> &Value {
    &message["content"]["names"]
}

#[test]
fn talk_40_a_sender_with_nearly_a_known_name_is_told_and_so_is_who_was_meant() {
    let realm = Realm::start();
    realm.register(&["boss", "worker", "impl-101"]);
    let sent = realm.send(&text("wroker", "boss", "All is well."));
    assert_eq!(sent["message"]["from_unknown"], true, "{sent}");
    for agent in ["wroker", "worker"] {
        let told = realm.newest(agent);
        assert_eq!(told["content"]["reason"], "near-name", "{told}");
        assert_eq!(names_in(&told), &json!(["wroker", "worker"]));
    }
    // It is known now, and told once.
    let again = realm.send(&text("wroker", "boss", "All is still well."));
    assert_eq!(again["message"]["from_unknown"], Value::Null, "{again}");
    assert_eq!(realm.inbox("worker").len(), 1);
    // Names that differ in digits, or are quite another, are other agents.
    for name in ["impl-102", "planner"] {
        let sent = realm.send(&text(name, "boss", "Hello."));
        assert_eq!(sent["message"]["from_unknown"], Value::Null, "{sent}");
    }
    assert_eq!(realm.inbox("worker").len(), 1);
}

#[test]
fn talk_40_a_handoff_from_an_agent_that_was_never_seen_is_refused() {
    let realm = Realm::start();
    realm.register(&["boss", "worker", "helper"]);
    let replace = |failed: Value, more: Value| {
        let mut content = json!({"failed_agent": failed, "replacement_agent": "helper", "reason": "crash"});
        content.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        said("boss", "wilco", "replacement-request", content)
    };
    let refused = realm.refused(&replace(json!("nobody"), json!({})), 422).to_string();
    assert!(refused.contains("/content/failed_agent") && refused.contains("worker"), "{refused}");
    realm.send(&replace(json!({"id": "nobody", "session": "s"}), json!({})));
}

#[test]
fn talk_40_an_unknown_agent_gets_no_task() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let mut unknown = task("GH-1");
    unknown["to"] = json!("nobody");
    realm.refused(&unknown, 404);
}
