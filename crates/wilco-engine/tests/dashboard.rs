//! What the dashboard asks of the engine: the journal from its end, and acting in somebody else's name.

use serde_json::{Value, json};
use wilco_engine::reads::{self, EventQuery};
use wilco_engine::{Command, Done, Viewer};
use wilco_protocol::{Name, Protocol};

use crate::realm::{Realm, ack, posting, said, task, task_with, text};

/// Every position that pages from the end lead to.
fn from_the_end(realm: &Realm, viewer: &Viewer, query: &EventQuery) -> Vec<u64> {
    let (mut all, mut before) = (Vec::new(), None);
    loop {
        let part = realm.read(|reader| reads::events_before(reader, viewer, before, query)).unwrap();
        assert!(part.items.len() <= query.limit);
        all.extend(part.items.iter().map(|event| event.position));
        match part.next {
            Some(next) => before = Some(next),
            None => return all,
        }
    }
}

/// WEB-2: newest first, every event once, filtered as the oldest-first list is.
#[test]
fn web_2_the_journal_from_its_end() {
    let realm = Realm::start();
    realm.begin_working("T-1");
    for number in 0..300 {
        realm.send(&text("ann", "bob", &format!("hello {number}")));
    }
    realm.begin(&task("T-2"));
    let agent = Viewer::Agent(Name::new("worker"));
    let filters = [
        (None, None),
        (Some(Protocol::Delegation), None),
        (None, Some(Name::new("worker"))),
        (Some(Protocol::Handoff), None),
    ];
    for viewer in [Viewer::Local, agent] {
        for (protocol, name) in &filters {
            let query = |limit| EventQuery { after: 0, limit, protocol: *protocol, agent: name.clone() };
            let forwards = realm.read(|reader| reads::events(reader, &viewer, &query(1000))).unwrap();
            let mut expected: Vec<_> = forwards.items.iter().map(|event| event.position).collect();
            expected.reverse();
            for limit in [1, 7, 1000] {
                assert_eq!(
                    from_the_end(&realm, &viewer, &query(limit)),
                    expected,
                    "{protocol:?} {name:?} {limit}"
                );
            }
        }
    }
    let after = EventQuery { after: 5, limit: 1000, ..EventQuery::default() };
    assert_eq!(from_the_end(&realm, &Viewer::Local, &after).last(), Some(&6));
}

/// WEB-6: the message says who sent it, also to whoever asks again; nobody's token proves it.
#[test]
fn web_6_a_message_records_the_operator_who_sent_it() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let mut command = posting(&task("T-1"), None).unwrap();
    if let Command::Post(post) = &mut command {
        (post.sent_by, post.viewer) = (Some(Name::new("operator")), Viewer::Agent(Name::new("boss")));
    }
    let Ok(Done::Accepted(accepted)) = realm.run(command) else { panic!("it was refused") };
    let message = &accepted.messages[0];
    assert_eq!((message.from.as_str(), message.from_verified), ("boss", false));
    assert_eq!(message.sent_by, Some(Name::new("operator")));
    realm.restart();
    let kept = realm.read(|reader| reads::message(reader, &Viewer::Local, &message.id)).unwrap().unwrap();
    assert_eq!(kept.message.sent_by, Some(Name::new("operator")));
}

#[test]
fn del_22_a_verdict_that_names_another_ack_than_the_one_that_waits_is_refused() {
    let realm = Realm::start();
    realm.register(&["boss", "worker"]);
    let id = realm.begin(&task_with("T-1", json!({"understanding": "initiator"})));
    let verdict = |on: &Value| {
        let mut verdict = said("boss", "wilco", "verdict", json!({"verdict": "correct"}));
        (verdict["exchange"], verdict["in_reply_to"]) = (json!(id), on.clone());
        verdict
    };
    let first = realm.send(&ack("T-1"))["message"]["id"].clone();
    let second = realm.send(&ack("T-1"))["message"]["id"].clone();
    realm.refused(&verdict(&first), 409);
    assert_eq!(realm.state(&id), "in-review");
    realm.send(&verdict(&second));
    assert_eq!(realm.state(&id), "working");
}
