//! TALK-33: what only informs is gathered for an agent that wants it so.

use serde_json::{Value, json};
use wilco_engine::{Command, PutAgent, StoredEffect, Viewer};
use wilco_protocol::Name;
use wilco_protocol::directory::Profile;

use super::realm::{Realm, ack, said, task_with, text};

fn profile(realm: &Realm, name: &str, digest: Option<&str>) {
    let digest = digest.map(|period| period.parse().unwrap());
    let profile = Profile { digest, ..Profile::default() };
    let put = PutAgent { name: name.to_owned(), profile, role: None, mark: None, viewer: Viewer::Operator };
    realm.run(Command::PutAgent(Box::new(put))).unwrap();
}

/// Somebody at work for a boss with a digest.
fn working(period: &str) -> Realm {
    let realm = Realm::start();
    realm.begin_working("GH-1");
    profile(&realm, "boss", Some(period));
    realm
}

fn progress(realm: &Realm, part: &str) {
    let said = format!("Quick progress update on GH-1: {part} works, the rest will follow.");
    assert_eq!(realm.reading(&realm.send(&text("worker", "boss", &said)))["meaning"], "progress");
}

/// Does what the courier does with the digests that are due.
fn carry(realm: &Realm) {
    let rows = realm.read(|store| store.effects().unwrap());
    for row in rows.iter().filter(|row| row.due <= realm.now()) {
        if let Ok(StoredEffect::Digest { digest }) = serde_json::from_slice(&row.body) {
            let (position, index) = (row.position, row.index);
            realm.run(Command::Digest { position, index, agent: digest.agent }).unwrap();
        }
    }
}

fn digests(realm: &Realm, agent: &str) -> Vec<Value> {
    let inbox = realm.inbox(agent).into_iter();
    inbox.map(|message| message["content"].clone()).filter(|content| content["reason"] == "digest").collect()
}

fn waits(realm: &Realm) -> usize {
    realm.read(|store| store.effects().unwrap().len())
}

#[test]
fn talk_33_progress_is_gathered_into_one_message() {
    let realm = working("5m");
    let before = realm.inbox("boss").len();
    progress(&realm, "the form");
    realm.send(&said(
        "worker",
        "boss",
        "checkpoint-ack",
        json!({"task_id": "GH-1", "checkpoint": 1, "summary": "the form works"}),
    ));
    realm.advance("4m");
    progress(&realm, "the test");
    carry(&realm);
    assert_eq!(realm.inbox("boss").len(), before, "nothing is due yet");
    realm.advance("1m");
    carry(&realm);
    let told = digests(&realm, "boss");
    assert_eq!((told.len(), realm.inbox("boss").len()), (1, before + 1));
    assert_eq!(told[0]["items"].as_array().unwrap().len(), 3, "{}", told[0]);
    for part in ["3 updates", "the form works", "the test works", "worker"] {
        assert!(told[0]["message"].as_str().unwrap().contains(part), "{part} in {}", told[0]);
    }
    carry(&realm);
    assert_eq!((digests(&realm, "boss").len(), waits(&realm)), (1, 0), "never an empty one");
    progress(&realm, "the page");
    realm.advance("5m");
    carry(&realm);
    assert_eq!(digests(&realm, "boss").len(), 2, "the next one begins with the next copy");
}

/// TALK-33: a change of status in a validation is gathered; what asks for something never is.
#[test]
fn talk_33_what_asks_is_never_held_back() {
    let realm = working("5m");
    realm.register(&["checker"]);
    realm.send(&said(
        "boss",
        "validation-orchestrator",
        "validation-start",
        json!({
            "issue": 42, "main_agent": "worker", "phases": [{"name": "unit", "specialist": "checker"}],
        }),
    ));
    realm.send(&text("checker", "boss", "PASS"));
    let kinds = |realm: &Realm| -> Vec<String> {
        realm.inbox("boss").iter().map(|one| one["content"]["type"].as_str().unwrap().to_owned()).collect()
    };
    assert!(!kinds(&realm).contains(&"status-change".to_owned()), "{:?}", kinds(&realm));
    assert!(kinds(&realm).contains(&"text".to_owned()), "{:?}", kinds(&realm));

    realm.begin(&task_with("GH-2", json!({"understanding": "initiator"})));
    realm.send(&ack("GH-2"));
    assert_eq!(realm.newest("boss")["content"]["reason"], "verdict-needed", "a review waits for nothing");
    let asked = json!({"task_id": "GH-1", "status": "needs-clarification", "questions": ["Which page?"]});
    realm.send(&said("worker", "boss", "task-acknowledgment", asked));
    assert!(realm.newest("boss").to_string().contains("Which page?"), "{}", realm.newest("boss"));
    realm.advance("5m");
    carry(&realm);
    let told = digests(&realm, "boss");
    assert!(told[0]["message"].as_str().unwrap().contains("PENDING to IN_PROGRESS"), "{}", told[0]);
}

/// TALK-32: an ACK that was accepted unless its initiator objects comes with the digest, while it can still object.
#[test]
fn talk_32_what_may_be_objected_to_comes_in_time() {
    let realm = working("1h");
    realm.begin(&task_with("GH-2", json!({"understanding": "objection", "review_timeout": "10m"})));
    assert_eq!(realm.send(&ack("GH-2"))["exchange"]["state"], "working");
    assert_ne!(realm.newest("boss")["content"]["reason"], "may-object");
    realm.advance("5m");
    carry(&realm);
    let told = digests(&realm, "boss").remove(0);
    assert!(told["message"].as_str().unwrap().contains("If that is wrong, say so until"), "{told}");
    let wrong = json!({"task_id": "GH-2", "verdict": "wrong-summary", "correction": "per IP"});
    assert_eq!(realm.send(&said("boss", "worker", "verdict", wrong))["exchange"]["state"], "awaiting-ack");
}

/// TALK-33: nothing that is held is lost: not when the process dies, not when everything is folded anew, not when the
/// setting or the agent goes.
#[test]
fn talk_33_nothing_held_is_lost() {
    let realm = working("5m");
    progress(&realm, "the form");
    realm.restart();
    realm.rebuild();
    assert_eq!(digests(&realm, "boss").len(), 0);
    progress(&realm, "the test");
    realm.advance("5m");
    carry(&realm);
    assert_eq!(digests(&realm, "boss")[0]["items"].as_array().unwrap().len(), 2);

    progress(&realm, "the page");
    profile(&realm, "boss", None);
    assert_eq!((digests(&realm, "boss").len(), waits(&realm)), (2, 0), "the setting went");
    progress(&realm, "the wall");
    assert!(
        realm.newest("boss")["content"]["message"].as_str().unwrap().contains("the wall"),
        "told at once"
    );

    profile(&realm, "boss", Some("5m"));
    progress(&realm, "the roof");
    realm.run(Command::RemoveAgent { name: Name::new("boss"), by: Viewer::Operator }).unwrap();
    assert_eq!((digests(&realm, "boss").len(), waits(&realm)), (3, 0), "the agent went");
}

/// TALK-33: a digest is bounded: the hundredth copy sends it.
#[test]
fn talk_33_a_full_digest_waits_for_nothing() {
    let realm = working("24h");
    for part in 0..150 {
        progress(&realm, &format!("part {part}"));
        carry(&realm);
    }
    let told = digests(&realm, "boss");
    assert_eq!((told.len(), told[0]["items"].as_array().unwrap().len()), (1, 100));
}
