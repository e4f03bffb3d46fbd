//! Understandings before their initiator: short reviews, and objections to what was accepted at once.

use serde_json::{Value, json};

use crate::realm::{Realm, ack, said, task_with, text};

fn words(message: &Value) -> &str {
    message["content"]["message"].as_str().unwrap()
}

fn understood(words: &str) -> Value {
    let content = json!({"task_id": "GH-1", "status": "received", "understanding": words});
    said("worker", "boss", "task-acknowledgment", content)
}

fn verdict(more: &Value) -> Value {
    let mut content = json!({"task_id": "GH-1"});
    content.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    said("boss", "wilco", "verdict", content)
}

#[test]
fn talk_31_a_review_is_short_and_shows_what_differs() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let mut long = task_with("GH-1", json!({"understanding": "initiator"}));
    long["content"]["description"] = json!("Much is to be said about it. ".repeat(2000));
    realm.begin(&long);
    realm.send(&understood(
        "Add rate limiting to the login endpoint in src/limit.rs: the sixth attempt returns 503, and do not reset the counter",
    ));
    let review = realm.newest("boss");
    assert_eq!(review["content"]["reason"], "verdict-needed", "{review}");
    let asked = &realm.todo("boss")[0];
    for (what, text) in [("the message", words(&review)), ("the entry", asked["asked"].as_str().unwrap())] {
        assert!(text.chars().count() < 2000, "{what}: {text}");
        assert_eq!(text.matches("sixth attempt returns 503").count(), 1, "once, in {what}: {text}");
        for part in ["(not found in it)", "503", "src/limit.rs", "Words that turn the meaning: not"] {
            assert!(text.contains(part), "{what} says {part}: {text}");
        }
    }
}

#[test]
fn talk_31_the_raw_ack_lies_read_beside_its_review() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    realm.begin(&task_with("GH-1", json!({"understanding": "initiator"})));
    realm.send(&ack("GH-1"));
    let inbox = realm.inbox("boss");
    let rows: Vec<_> =
        inbox.iter().map(|one| (one["content"]["type"].as_str().unwrap(), &one["unread"])).collect();
    assert!(rows.contains(&("task-acknowledgment", &json!(false))), "{rows:?}");
    assert!(rows.contains(&("protocol-notice", &json!(true))), "{rows:?}");
    // Nobody reviews this one, so the ACK is all there is to read.
    realm.begin(&task_with("GH-2", json!({"understanding": "accept"})));
    realm.send(&ack("GH-2"));
    assert_eq!(realm.newest("boss")["unread"], true);
}

#[test]
fn talk_32_what_names_every_criterion_begins_and_an_objection_stops_it() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let id = realm.begin(&task_with("GH-1", json!({"understanding": "objection"})));
    realm.send(&understood("I will look into the login"));
    assert_eq!(realm.state(&id), "in-review", "as with auto");
    realm.send(&verdict(&json!({"verdict": "partial", "missing": ["Sixth attempt returns 429"]})));
    let said = "I will work on the login endpoint so that the sixth attempt returns 429 and the counter resets after one minute";
    realm.send(&understood(said));
    assert_eq!(realm.state(&id), "working");
    let told = realm.newest("boss");
    assert_eq!(
        (&told["content"]["reason"], &told["priority"]),
        (&json!("may-object"), &json!("low")),
        "{told}"
    );
    assert!(words(&told).contains("sixth attempt returns 429"), "{}", words(&told));
    realm.advance("5m");
    realm.send(&verdict(&json!({"verdict": "wrong-summary", "correction": "Limit the API, not the login"})));
    assert_eq!(realm.state(&id), "awaiting-ack");
    let correction = realm.newest("worker");
    assert_eq!(correction["content"]["type"], "task-correction", "{correction}");
    assert!(words(&correction).starts_with("Stop working on GH-1: boss objects"), "{}", words(&correction));

    realm.send(&understood(said));
    realm.advance("11m");
    realm.refused(&verdict(&json!({"verdict": "wrong-summary", "correction": "Too late"})), 409);
    assert_eq!(realm.state(&id), "working");
    realm.send(&text("worker", "boss", "[DONE] GH-1"));
    assert_eq!(realm.state(&id), "completed");
}

#[test]
fn talk_32_a_contradiction_is_never_accepted_at_once() {
    for said in [
        "The sixth attempt does not return 429, and the counter resets after one minute",
        "The sixth attempt returns 503, and the counter resets after one minute",
        "The sixth attempt returns 429",
    ] {
        let realm = Realm::start();
        realm.register(&["boss", "worker"]);
        let id = realm.begin(&task_with("GH-1", json!({"understanding": "objection"})));
        realm.send(&understood(said));
        assert_eq!(realm.state(&id), "in-review", "{said}");
    }
}
