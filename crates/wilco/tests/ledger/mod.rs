//! Many senders, a server that dies under them, and who knows what of each message.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::Value;

use crate::server::{Caller, Server, text};

/// Half of them send message by message, the others many in one request.
const SENDERS: usize = 4;
/// The most messages in one request.
const MOST_LINES: usize = 60;

/// What one sender knows of a round: which requests were answered, and which may or may not have been done.
#[derive(Debug)]
pub(crate) struct Ledger {
    sender: usize,
    round: usize,
    /// By the request: the answer to each of its messages.
    answered: BTreeMap<Request, Vec<String>>,
    unknown: Vec<Request>,
}

/// So many messages, sent at once under one key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Request {
    key: String,
    lines: usize,
}

/// One for each sender. Every round has an inbox of its own, so that none is ever full.
pub(crate) fn ledgers(round: usize) -> Vec<Ledger> {
    let ledger = |sender| Ledger { sender, round, answered: BTreeMap::new(), unknown: Vec::new() };
    (0..SENDERS).map(ledger).collect()
}

/// How many messages were acknowledged.
pub(crate) fn acknowledged(ledgers: &[Ledger]) -> usize {
    ledgers.iter().flat_map(|ledger| ledger.answered.values()).map(Vec::len).sum()
}

/// Everybody sends until the server is killed, which happens after so many acknowledged messages.
pub(crate) fn load_and_kill(server: &mut Server, ledgers: &mut [Ledger], most: usize) {
    let (count, gone) = (AtomicUsize::new(0), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for ledger in ledgers.iter_mut() {
            let (caller, count, gone) = (server.caller(), &count, &gone);
            scope.spawn(move || {
                for number in 0.. {
                    let request = ledger.request(number);
                    match ledger.try_send(&caller, &request) {
                        Some(answers) => {
                            count.fetch_add(answers.len(), Ordering::SeqCst);
                            ledger.answered.insert(request, answers);
                        }
                        // Only a server that is gone does not answer.
                        None => return ledger.unknown.push(request),
                    }
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

/// What is unknown is sent again with its key; what is known gets the answer it got.
pub(crate) fn settle(server: &Server, ledgers: &mut [Ledger]) {
    for ledger in ledgers {
        for request in std::mem::take(&mut ledger.unknown) {
            let answers = ledger.try_send(server, &request).expect("the server is up");
            ledger.answered.insert(request, answers);
        }
        for (request, answers) in ledger.answered.iter().rev().take(5) {
            assert_eq!(ledger.try_send(server, request).as_ref(), Some(answers), "{request:?}");
        }
    }
}

/// Everything that was acknowledged in a round is in its inbox, once, and nothing else is.
pub(crate) fn check(server: &Server, ledgers: &[Ledger]) {
    let sink = sink(ledgers[0].round);
    let mut inbox = BTreeMap::new();
    let mut after = "0".to_owned();
    loop {
        let (_, page) = server.get(&format!("/v1/agents/{sink}/inbox?limit=1000&after={after}"));
        let items = page["items"].as_array().unwrap();
        if items.is_empty() {
            break;
        }
        for item in items {
            let said = item["content"]["message"].as_str().unwrap().to_owned();
            assert!(inbox.insert(said.clone(), item["id"].clone()).is_none(), "{said} is there twice");
        }
        after = page["next"].as_str().unwrap().to_owned();
    }
    assert_eq!(inbox.len(), acknowledged(ledgers), "nothing more than was sent");
    for (request, answers) in ledgers.iter().flat_map(|ledger| &ledger.answered) {
        for (line, answer) in answers.iter().enumerate() {
            let answer: Value = serde_json::from_str(answer).unwrap();
            let said = said(request, line);
            assert_eq!(inbox.get(&said), Some(&answer["message"]["id"]), "{said} was acknowledged");
        }
    }
}

/// A little chance for the moment of the kill.
pub(crate) fn chance() -> usize {
    RandomState::new().build_hasher().finish() as usize
}

fn sink(round: usize) -> String {
    format!("sink{round}")
}

fn said(request: &Request, line: usize) -> String {
    format!("{}/{line}", request.key)
}

impl Ledger {
    fn request(&self, number: usize) -> Request {
        let lines = if self.sender.is_multiple_of(2) { 1 } else { 2 + chance() % (MOST_LINES - 1) };
        Request { key: format!("{}/{}/{number}", self.sender, self.round), lines }
    }

    /// The answers, or none when nobody knows what became of it.
    fn try_send(&self, caller: &Caller, request: &Request) -> Option<Vec<String>> {
        let caller = caller.header_key(&request.key);
        let message = |line| {
            let (from, to) = (format!("sender{}", self.sender), sink(self.round));
            text(&from, &to, &said(request, line)).to_string()
        };
        if request.lines == 1 {
            let (status, answer) = caller.try_post("/v1/messages", "application/json", &message(0)).ok()?;
            assert_eq!(status, 201, "{answer}");
            return Some(vec![answer.to_string()]);
        }
        let lines: Vec<_> = (0..request.lines).map(message).collect();
        let sent = caller.try_post("/v1/messages", "application/x-ndjson", &lines.join("\n"));
        let (status, answers) = sent.ok()?;
        let answers = answers.as_array().unwrap_or_else(|| panic!("{status} {answers}"));
        assert_eq!((status, answers.len()), (200, request.lines));
        assert!(answers.iter().all(|answer| answer["status"] == 201), "{answers:?}");
        Some(answers.iter().map(Value::to_string).collect())
    }
}
