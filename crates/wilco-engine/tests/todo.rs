//! What waits for an agent: one entry for each thing, most urgent first, with the command that answers it.

use serde_json::{Value, json};

use crate::realm::{Realm, ack, said, task, task_with};

/// Kind, exchange and whether a clock runs.
fn rows(list: &[Value]) -> Vec<(&str, &str, bool)> {
    let text = |value: &'_ Value| value.as_str().is_some();
    assert!(list.iter().all(|item| text(&item["kind"]) && text(&item["asked"])), "{list:?}");
    let word = |value| Value::as_str(value).unwrap();
    list.iter().map(|item| (word(&item["kind"]), word(&item["exchange"]), !item["due"].is_null())).collect()
}

#[test]
fn talk_30_a_task_waits_for_its_ack_then_for_a_report_then_for_nobody() {
    let realm = Realm::start();
    realm.register(&["boss", "worker", "other"]);
    let id = realm.begin(&task("GH-1"));
    let todo = realm.todo("worker");
    assert_eq!(rows(&todo), [("acknowledge", id.as_str(), true)]);
    assert_eq!((&todo[0]["task_id"], &todo[0]["from"]), (&json!("GH-1"), &json!("boss")));
    assert_eq!(todo[0]["asked"], "Acknowledge GH-1: Add rate limiting to the login endpoint");
    assert_eq!(
        todo[0]["answer"],
        "wilco ack GH-1 received --as worker --understanding - <<'END'\nWHAT YOU WILL DO\nEND"
    );
    assert_eq!(realm.exchange(&id)["timers"][0]["due"], todo[0]["due"]);
    assert!(realm.todo("boss").is_empty() && realm.todo("other").is_empty());

    realm.send(&ack("GH-1"));
    assert_eq!(rows(&realm.todo("worker"))[0].0, "report");
    assert_eq!(realm.todo("worker")[0]["answer"], "wilco complete GH-1 --as worker");
    realm.send(&said("worker", "boss", "task-complete", json!({"task_id": "GH-1"})));
    assert!(realm.todo("worker").is_empty() && realm.todo("boss").is_empty());
}

#[test]
fn talk_30_questions_reviews_and_stops_wait_for_whom_they_are_asked() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    realm.begin(&task_with("GH-1", json!({"understanding": "initiator"})));
    let asks =
        json!({"task_id": "GH-1", "status": "needs-clarification", "questions": ["Which login endpoint?"]});
    realm.send(&said("worker", "boss", "task-acknowledgment", asks));
    let todo = realm.todo("boss");
    assert_eq!((&todo[0]["kind"], &todo[0]["from"]), (&json!("question"), &json!("worker")));
    assert!(todo[0]["asked"].as_str().unwrap().contains("1. Which login endpoint?"), "{todo:?}");
    assert!(realm.todo("worker").is_empty());

    realm.send(&said(
        "boss",
        "worker",
        "task-clarification",
        json!({"task_id": "GH-1", "answers": ["Both"]}),
    ));
    realm.send(&ack("GH-1"));
    let todo = realm.todo("boss");
    assert_eq!(todo[0]["kind"], "review");
    let asked = todo[0]["asked"].as_str().unwrap();
    assert!(
        asked.contains("Sixth attempt returns 429") && asked.contains("It understood: Add rate"),
        "{asked}"
    );
    assert!(realm.todo("worker").is_empty(), "not its own yet");

    realm.send(&said("boss", "worker", "task-cancel", json!({"task_id": "GH-1"})));
    let todo = realm.todo("worker");
    assert_eq!(todo.first().map(|one| &one["kind"]), Some(&json!("stop")), "{todo:?}");
    realm.send(&said("worker", "boss", "stop-ack", json!({"task_id": "GH-1"})));
    assert!(realm.todo("worker").is_empty());
}

#[test]
fn talk_30_the_most_urgent_comes_first_and_what_is_never_due_last() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let working = realm.begin(&task("GH-1"));
    realm.send(&ack("GH-1"));
    let slow = realm.begin(&task_with("GH-2", json!({"ack_timeout": "20m"})));
    let fast = realm.begin(&task_with("GH-3", json!({"ack_timeout": "2m"})));
    let todo = realm.todo("worker");
    let order: Vec<_> = rows(&todo).into_iter().map(|(kind, exchange, _)| (kind, exchange)).collect();
    let expected = [("acknowledge", &fast), ("acknowledge", &slow), ("report", &working)];
    assert_eq!(order, expected.map(|(kind, exchange)| (kind, exchange.as_str())));
}

#[test]
fn talk_30_an_escalation_waits_for_who_decides_and_the_agent_may_still_answer() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let id = realm.begin(&task("GH-1"));
    realm.advance("2h");
    assert_eq!(realm.state(&id), "escalated");
    let todo = realm.todo("boss");
    assert_eq!(todo[0]["kind"], "escalation");
    assert!(todo[0]["answer"].as_str().unwrap().starts_with(&format!("wilco decide {id}-e1 ")), "{todo:?}");
    assert_eq!(rows(&realm.todo("worker")), [("acknowledge", id.as_str(), false)]);
}

#[test]
fn talk_30_operations_checks_and_fixes_are_listed() {
    let realm = Realm::start();
    realm.register(&["boss", "worker", "tester"]);
    let operation = json!({"operation": "restart", "message": "I will restart you."});
    let operation = realm.begin(&said("boss", "worker", "pre-operation", operation));
    let todo = realm.todo("worker");
    assert_eq!(rows(&todo), [("operation", operation.as_str(), true)]);
    assert_eq!(todo[0]["answer"], format!("wilco ready {operation} --as worker"));

    let phases = json!([{"name": "unit", "specialist": "tester", "expected_outcome": "All tests pass"}]);
    let start = json!({"issue": 42, "main_agent": "worker", "phases": phases});
    let loop_ = realm.begin(&said("boss", "validation-orchestrator", "validation-start", start));
    assert_eq!(rows(&realm.todo("tester")), [("check", loop_.as_str(), true)]);
    let failed = json!({"status": "FAIL", "failures": [{"location": "a.rs:1", "error": "is wrong"}]});
    let mut result = said("tester", "validation-orchestrator", "validation-result", failed);
    result["exchange"] = json!(loop_);
    realm.send(&result);
    let todo = realm.todo("worker");
    let fix = todo.iter().find(|one| one["kind"] == "fix").expect("a fix");
    assert!(fix["asked"].as_str().unwrap().contains("a.rs:1 is wrong"), "{fix}");
    assert!(realm.todo("tester").is_empty());
}
