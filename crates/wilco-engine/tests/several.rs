//! Several open tasks between the same two: an id in a sentence says which is meant, and whoever wrote was not silent.

use serde_json::{Value, json};

use crate::realm::{Realm, ack, said, task, task_with, text};

fn words(message: &Value) -> &str {
    message["content"]["message"].as_str().unwrap()
}

fn told(realm: &Realm, agent: &str, reason: &str) -> Vec<Value> {
    let is = |one: &Value| one["content"]["reason"] == reason;
    realm.inbox(agent).into_iter().filter(is).collect()
}

fn two_working() -> (Realm, String, String) {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let (one, two) = (realm.begin_working("GH-1"), realm.begin_working("GH-2"));
    (realm, one, two)
}

#[test]
fn talk_11_a_sentence_belongs_to_the_task_that_it_names() {
    let (realm, one, two) = two_working();
    let sent = realm.send(&text("worker", "boss", "GH-2 is done."));
    assert_eq!((&sent["exchange"]["id"], &realm.reading(&sent)["rule"]), (&json!(two), &json!("text-id")));
    assert_eq!((realm.state(&one), realm.state(&two)), ("working".into(), "completed".into()));

    let (realm, one, two) = two_working();
    realm.send(&text("worker", "boss", "GH-1 and GH-2 are done."));
    assert_eq!((realm.state(&one), realm.state(&two)), ("completed".into(), "completed".into()));

    let (realm, _, two) = two_working();
    realm.send(&text("worker", "boss", "GH-1 is done, GH-2 is not."));
    assert_eq!(realm.state(&two), "working");

    let (realm, one, two) = two_working();
    realm.send(&text("worker", "boss", "GH-1 is blocked by the weather.\nGH-2 is next."));
    assert_eq!((realm.state(&one), realm.state(&two)), ("working".into(), "working".into()));
}

/// TALK-2: an answer that names tasks and could not be read is quoted by the next request of each.
#[test]
fn talk_2_whoever_answered_several_tasks_in_words_is_not_called_silent() {
    let answers = [
        ("Understood GH-1 and GH-2, I take both and start with GH-1.", true),
        ("I see. Interesting, tell me more.", false),
    ];
    for (answer, names) in answers {
        let realm = Realm::start();
        realm.register(&["boss", "worker", "spare"]);
        let (mut first, mut second) = (task("GH-1"), task("GH-2"));
        first["content"]["candidates"] = json!(["spare"]);
        second["content"]["candidates"] = json!(["spare"]);
        let ids = [realm.begin(&first), realm.begin(&second)];
        realm.send(&text("worker", "boss", answer));
        assert_eq!(told(&realm, "worker", "ambiguous").len(), usize::from(!names), "{answer}");
        assert_eq!(told(&realm, "worker", "not-understood").len(), if names { 2 } else { 0 }, "{answer}");
        realm.advance("6m");
        let asked: Vec<_> = realm.inbox("worker").into_iter().rev().take(2).collect();
        for request in &asked {
            assert_eq!(request["content"]["type"], "ack-request", "{request}");
            assert!(words(request).contains("I got your message of "), "{}", words(request));
            assert!(words(request).contains(&answer[..20]), "{}", words(request));
        }
        realm.advance("2m");
        for id in &ids {
            assert_eq!(realm.state(id), "escalated", "{answer}");
            let shown = realm.exchange(id);
            assert_eq!(shown["data"]["incidents"], json!([]), "{answer}");
            assert_eq!(shown["data"]["assignee"], "worker", "{shown}");
        }
        assert_eq!(told(&realm, "boss", "unreadable").len(), 2, "{answer}");
        assert!(realm.inbox("spare").is_empty());
    }
}

#[test]
fn talk_1_what_names_no_task_is_asked_about_once_with_forms_that_work_as_text() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let (one, two) = (realm.begin(&task("GH-1")), realm.begin(&task("GH-2")));
    realm.send(&text("worker", "boss", "I see. Interesting, tell me more.\nAnd more."));
    let notice = realm.newest("worker");
    for part in [
        "\"I see. Interesting, tell me more.\"",
        "Nothing changed",
        "Add rate limiting",
        "[ACK] GH-1 - RECEIVED",
        "[ACK] GH-2 - RECEIVED",
        one.as_str(),
        two.as_str(),
    ] {
        assert!(words(&notice).contains(part), "{part:?} is missing in {}", words(&notice));
    }
    assert!(!words(&notice).contains("And more"), "{}", words(&notice));
    assert_eq!(notice["content"]["exchanges"], json!([one, two]));
    for _ in 0..5 {
        realm.send(&text("worker", "boss", "I see. Interesting, tell me more."));
    }
    realm.send(&text("worker", "boss", "Thanks!"));
    assert_eq!(realm.newest("worker")["id"], notice["id"], "it is told once");
    assert_eq!(realm.newest("boss")["content"]["message"], "Thanks!");

    realm.send(&text(
        "worker",
        "boss",
        "[ACK] GH-2 - RECEIVED\nUnderstanding: Add rate limiting to the login endpoint",
    ));
    assert_eq!((realm.state(&one), realm.state(&two)), ("awaiting-ack".into(), "working".into()));
}

#[test]
fn talk_1_at_work_on_several_the_forms_finish_each() {
    let (realm, one, two) = two_working();
    realm.send(&text("worker", "boss", "Everything is done."));
    let notice = realm.newest("worker");
    assert_eq!(notice["content"]["reason"], "ambiguous", "{notice}");
    assert!(words(&notice).contains("[DONE] GH-1") && words(&notice).contains("[DONE] GH-2"), "{notice}");
    assert_eq!((realm.state(&one), realm.state(&two)), ("working".into(), "working".into()));
    realm.send(&text("worker", "boss", "[DONE] GH-2"));
    assert_eq!((realm.state(&one), realm.state(&two)), ("working".into(), "completed".into()));
}

/// The answer that is owed elsewhere is not lost because a task is named in it.
#[test]
fn talk_13_an_answer_to_an_operation_may_name_a_task() {
    for (answer, ready, done) in
        [("Ok, go ahead. GH-1 is saved.", true, false), ("GH-1 is done.", false, true)]
    {
        let (realm, one, _) = two_working();
        let operation = json!({"operation": "restart", "message": "A restart is due."});
        let id = realm.begin(&said("boss", "worker", "pre-operation", operation));
        realm.send(&text("worker", "boss", answer));
        assert_eq!(realm.state(&id) == "authorized", ready, "{answer}");
        assert_eq!(realm.state(&one) == "completed", done, "{answer}");
    }
}

/// TALK-1: an initiator that names the exchange and is not read hears what it can send.
#[test]
fn talk_1_an_initiator_that_names_its_task_hears_that_it_was_not_read() {
    let wishes = [
        "Please stop GH-1.",
        "Stop working on GH-1.",
        "Pause GH-1 for now.",
        "GH-1: make it 10 attempts instead of 5.",
    ];
    for wish in wishes {
        for working in [true, false] {
            let realm = Realm::start();
            realm.register(&["boss", "worker"]);
            let id = if working { realm.begin_working("GH-1") } else { realm.begin(&task("GH-1")) };
            let state = realm.state(&id);
            realm.send(&text("boss", "worker", wish));
            let notice = realm.newest("boss");
            assert_eq!(notice["content"]["reason"], "not-understood", "{wish}: {notice}");
            assert!(words(&notice).contains(wish), "{}", words(&notice));
            assert!(words(&notice).contains("wilco stop GH-1"), "{}", words(&notice));
            assert!(words(&notice).contains("wilco amend GH-1"), "{}", words(&notice));
            assert_eq!(words(&realm.newest("worker")), wish);
            realm.send(&text("boss", "worker", wish));
            assert_eq!(told(&realm, "boss", "not-understood").len(), 1, "{wish}");
            assert_eq!(realm.state(&id), state);
        }
    }
}

/// DEL-20 is for ACKs: whatever else names a task that is none of the sender's is said to no other.
#[test]
fn msg_10_an_act_that_names_another_task_moves_none() {
    let acts = [
        ("verdict", json!({"verdict": "correct"})),
        ("task-cancel", json!({})),
        ("task-amend", json!({"message": "Make it ten."})),
        ("task-extend", json!({"time": "10m"})),
        ("task-pause", json!({})),
    ];
    for (act, mut content) in acts {
        let realm = Realm::start();
        realm.register(&["boss", "worker"]);
        let id = realm.begin(&task_with("GH-1", json!({"understanding": "initiator"})));
        realm.send(&ack("GH-1"));
        let before = realm.exchange(&id);
        content["task_id"] = json!("GH-99");
        let sent = realm.send(&said("boss", "worker", act, content));
        assert_eq!(sent["exchange"], Value::Null, "{act}");
        let notice = realm.newest("boss");
        assert_eq!(notice["content"]["reason"], "no-exchange", "{act}: {notice}");
        assert!(words(&notice).contains("GH-99"), "{}", words(&notice));
        assert_eq!(realm.exchange(&id), before, "{act}");
    }
}
