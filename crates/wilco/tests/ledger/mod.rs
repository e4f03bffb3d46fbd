//! Many senders, a server that dies under them, and who knows what of each message.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::Value;

use crate::server::{Caller, Server, text};

const SENDERS: usize = 4;

/// What one sender knows of its messages: those that were answered, and those that may or may not be there.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    pub(crate) answered: BTreeMap<String, Value>,
    unknown: Vec<String>,
}

/// One for each sender.
pub(crate) fn ledgers() -> Vec<Ledger> {
    (0..SENDERS).map(|_| Ledger::default()).collect()
}

/// Everybody sends until the server is killed, which happens after so many answers.
pub(crate) fn load_and_kill(server: &mut Server, ledgers: &mut [Ledger], round: usize, most: usize) {
    let (count, gone) = (AtomicUsize::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for (sender, ledger) in ledgers.iter_mut().enumerate() {
            let (caller, count, gone) = (server.caller(), &count, &gone);
            scope.spawn(move || {
                for number in 0.. {
                    let key = format!("{sender}/{round}/{number}");
                    match try_send(&caller, sender, &key) {
                        Some(answer) => drop(ledger.answered.insert(key, answer)),
                        None => ledger.unknown.push(key),
                    }
                    count.fetch_add(1, Ordering::SeqCst);
                    if gone.load(Ordering::SeqCst) {
                        return;
                    }
                }
            });
        }
        while count.load(Ordering::SeqCst) < most {
            std::thread::yield_now();
        }
        server.kill();
        gone.store(true, Ordering::SeqCst);
    });
}

/// The answer, or none when nobody knows what became of it.
fn try_send(caller: &Caller, sender: usize, key: &str) -> Option<Value> {
    let body = text(&format!("sender{sender}"), "sink", key).to_string();
    let (status, answer) = caller.header_key(key).try_post("/v1/messages", "application/json", &body).ok()?;
    assert_eq!(status, 201, "{answer}");
    Some(answer)
}

/// What is unknown is sent again with its key; what is known gets the answer it got.
pub(crate) fn settle(server: &Server, ledgers: &mut [Ledger]) {
    for (sender, ledger) in ledgers.iter_mut().enumerate() {
        settle_one(server, sender, ledger);
    }
}

fn settle_one(server: &Server, sender: usize, ledger: &mut Ledger) {
    for key in std::mem::take(&mut ledger.unknown) {
        let answer = try_send(server, sender, &key).expect("the server is up");
        ledger.answered.insert(key, answer);
    }
    for (key, answer) in ledger.answered.iter().rev().take(5) {
        assert_eq!(try_send(server, sender, key).as_ref(), Some(answer), "{key}");
    }
}

pub(crate) fn check(server: &Server, ledgers: &[Ledger]) {
    server.verify();
    let mut inbox = BTreeMap::new();
    let mut after = "0".to_owned();
    loop {
        let (_, page) = server.get(&format!("/v1/agents/sink/inbox?limit=1000&after={after}"));
        let items = page["items"].as_array().unwrap();
        if items.is_empty() {
            break;
        }
        for item in items {
            let key = item["content"]["message"].as_str().unwrap().to_owned();
            assert!(inbox.insert(key.clone(), item["id"].clone()).is_none(), "{key} is there twice");
        }
        after = page["next"].as_str().unwrap().to_owned();
    }
    let answered: usize = ledgers.iter().map(|ledger| ledger.answered.len()).sum();
    assert_eq!(inbox.len(), answered, "nothing more than was sent");
    for (key, answer) in ledgers.iter().flat_map(|ledger| &ledger.answered) {
        assert_eq!(inbox.get(key), Some(&answer["message"]["id"]), "{key} was acknowledged");
    }
}

/// A little chance for the moment of the kill.
pub(crate) fn chance() -> usize {
    RandomState::new().build_hasher().finish() as usize
}
