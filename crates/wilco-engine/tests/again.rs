//! The same message twice: the first answer again, no second effect. And what a batch asks of the store.

use serde_json::{Value, json};

use crate::realm::{Realm, ack, posting, task, text};
use wilco_engine::Done;

#[test]
fn msg_12_the_same_client_id_is_the_same_message() {
    let realm = Realm::start();
    let mut message = text("ann", "bob", "hi");
    message["id"] = json!("mine-1");
    let first = realm.send(&message);
    assert_eq!(realm.send(&message), first);
    message["content"]["message"] = json!("ho");
    realm.refused(&message, 422);
    assert_eq!(realm.inbox("bob").len(), 1);
}

#[test]
fn msg_12_only_accepted_requests_are_remembered() {
    let realm = Realm::start();
    realm.refused_under("k-1", &task("T-1"), 404);
    realm.register(&["boss", "worker"]);
    realm.send_under("k-1", &task("T-1"));
}

#[test]
fn msg_12_the_key_is_kept_for_seven_days() {
    let realm = Realm::start();
    let first = realm.send_under("k-1", &text("ann", "bob", "hi"));
    realm.advance("168h");
    assert_eq!(realm.send_under("k-1", &text("ann", "bob", "hi")), first);
    realm.restart();
    assert_eq!(realm.send_under("k-1", &text("ann", "bob", "hi")), first);
}

/// Also when both are decided in one commit, and what is stored is asked for before either.
#[test]
fn msg_12_twins_in_one_commit_get_one_answer() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let post = || posting(&task("T-1"), Some("twin")).unwrap();
    let answers = realm.run_all(vec![post(), post(), post()]);
    let ids = answers.into_iter().map(|answer| match answer.unwrap() {
        Done::Accepted(accepted) => accepted.messages[0].id.clone(),
        other @ (Done::Agent(_) | Done::Nothing) => panic!("{other:?}"),
    });
    let ids: Vec<_> = ids.collect();
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(realm.inbox("worker").len(), 1);
}

/// A message that was looked for in vain before the batch is found by the commands behind the one that sends it.
#[test]
fn msg_1_an_id_is_taken_once_within_one_commit() {
    let realm = Realm::start();
    let mut first = text("ann", "bob", "hi");
    first["id"] = json!("mine-1");
    let mut second = text("eve", "bob", "ho");
    second["id"] = json!("mine-1");
    let mut reply = text("bob", "ann", "yes?");
    reply["in_reply_to"] = json!("mine-1");
    let posts = [&first, &second, &reply].map(|message: &Value| posting(message, None).unwrap());
    let answers = realm.run_all(posts.into());
    assert_eq!(answers.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(realm.newest("ann")["in_reply_to"], "mine-1");
}

/// After a restart nothing is cached: what tasks and their answers need of the store is foreseen.
#[test]
fn perf_a_batch_asks_the_store_together() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    for number in 0..20 {
        realm.send(&task(&format!("T-{number}")));
    }
    realm.restart();
    let before = realm.single_lookups();
    let acks = (0..20).map(|number| posting(&ack(&format!("T-{number}")), Some(&format!("k-{number}"))));
    let tasks = (20..40).map(|number| posting(&task(&format!("T-{number}")), None));
    let answers = realm.run_all(acks.chain(tasks).collect::<Result<_, _>>().unwrap());
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert_eq!(realm.single_lookups() - before, 0);
}
