//! Everything that a reader answers, as text, so that two stores can be compared.

use std::fmt::Debug;

use wilco_protocol::{MessageId, Name, Protocol};

use crate::batch::InboxStatus;
use crate::error::StoreError;
use crate::reader::{ExchangeFilter, InboxFilter, Reader, Walk};

/// What is asked about: names and keys that may exist, and numbers that may be positions, exchanges
/// and places where a page begins.
#[derive(Debug, Clone)]
pub struct StoreQuestions {
    pub agents: Vec<String>,
    pub keys: Vec<String>,
    pub states: Vec<String>,
    pub numbers: Vec<u64>,
    pub limits: Vec<usize>,
}

impl Default for StoreQuestions {
    fn default() -> StoreQuestions {
        let words = |list: &[&str]| list.iter().map(|word| (*word).to_owned()).collect();
        StoreQuestions {
            agents: words(&["alice", "bob", "carol", "dave"]),
            keys: words(&["task:1", "task:2", "party:alice", "party:bob"]),
            states: words(&["assigned", "working", "done"]),
            numbers: vec![0, 1, 2, 3, 5, 8, 13, u64::MAX],
            limits: vec![0, 1, 3, usize::MAX],
        }
    }
}

const STATUSES: [&[InboxStatus]; 6] = [
    &[],
    &[InboxStatus::Unread],
    &[InboxStatus::Unread, InboxStatus::Read],
    &[InboxStatus::Archived],
    &[InboxStatus::Deleted, InboxStatus::Unread],
    &[InboxStatus::Unread, InboxStatus::Read, InboxStatus::Archived, InboxStatus::Deleted],
];

/// Asks every method of a reader all these questions.
pub fn answers(
    reader: &(impl Reader + ?Sized),
    questions: &StoreQuestions,
) -> Result<Vec<String>, StoreError> {
    let mut told = Told(Vec::new());
    told.say("head", reader.head()?);
    told.say("wakes", reader.wakes()?);
    told.say("open", reader.open_exchanges()?);
    told.say("open in all", reader.open_total()?);
    told.say("agents", reader.agents()?);
    told.say("effects", reader.effects()?);
    told.say("presence", reader.presence()?);
    record(reader, questions, &mut told)?;
    inboxes(reader, questions, &mut told)?;
    exchanges(reader, questions, &mut told)?;
    many(reader, questions, &mut told)?;
    Ok(told.0)
}

/// Questions that are asked many at a time are answered as if each were asked alone.
fn many(
    reader: &(impl Reader + ?Sized),
    questions: &StoreQuestions,
    told: &mut Told,
) -> Result<(), StoreError> {
    // Twice the same and in no order, as a batch may ask.
    let numbers: Vec<u64> = questions.numbers.iter().rev().chain(&questions.numbers).copied().collect();
    let ids: Vec<_> = numbers.iter().map(|number| MessageId::new(format!("m{number}"))).collect();
    let agents: Vec<_> = questions.agents.iter().rev().map(Name::new).collect();
    let (places, senders) = (crossed(&agents, &numbers), crossed(&agents, &questions.keys));
    let effects = crossed(&numbers, &[0, 1]);
    let messages = reader.messages_by_id(&ids)?;
    assert_eq!(messages, each(&ids, |id| reader.message(id))?);
    let exchanges = reader.exchanges_by_number(&numbers)?;
    assert_eq!(exchanges, each(&numbers, |number| reader.exchange(*number))?);
    let statuses = reader.inbox_statuses(&places)?;
    assert_eq!(statuses, each(&places, |(agent, position)| reader.inbox_status(agent, *position))?);
    let reached = reader.reached_all(&places)?;
    assert_eq!(reached, each(&places, |(agent, position)| reader.reached(agent, *position))?);
    let orders = reader.effects_at(&effects)?;
    assert_eq!(orders, each(&effects, |(position, index)| reader.effect(*position, *index))?);
    let kept = reader.idempotent_all(&senders)?;
    assert_eq!(kept, each(&senders, |(sender, key)| reader.idempotent(sender, key))?);
    told.say("many", (messages, exchanges, statuses, reached, orders, kept));
    for limit in questions.limits.iter().copied() {
        let found = reader.find_all(&questions.keys, limit)?;
        assert_eq!(found, each(&questions.keys, |key| reader.find(key, limit))?);
        let unread = reader.unread_of_all(&agents, limit)?;
        assert_eq!(unread, each(&agents, |agent| reader.unread(agent, limit))?);
        told.say(("many", limit), (found, unread));
    }
    assert!(reader.find_all(&[], 1)?.is_empty() && reader.messages_by_id(&[])?.is_empty());
    Ok(())
}

fn each<Q, A>(questions: &[Q], ask: impl FnMut(&Q) -> Result<A, StoreError>) -> Result<Vec<A>, StoreError> {
    questions.iter().map(ask).collect()
}

struct Told(Vec<String>);

impl Told {
    fn say(&mut self, question: impl Debug, answer: impl Debug) {
        self.0.push(format!("{question:?}: {answer:?}"));
    }
}

fn record(
    reader: &(impl Reader + ?Sized),
    questions: &StoreQuestions,
    told: &mut Told,
) -> Result<(), StoreError> {
    for number in questions.numbers.iter().copied() {
        let id = MessageId::new(format!("m{number}"));
        told.say(("message", &id), reader.message(&id)?);
        told.say(("message at", number), reader.message_at(number)?);
        for limit in questions.limits.iter().copied() {
            told.say(("before", number, limit), reader.messages_before(Some(number), limit)?);
            told.say(("journal", number, limit), reader.journal(number, limit)?);
            for after in questions.numbers.iter().copied() {
                told.say(("of", number, after, limit), reader.messages_of(number, after, limit)?);
                told.say(("events of", number, after, limit), reader.journal_of(number, after, limit)?);
            }
        }
    }
    for limit in questions.limits.iter().copied() {
        told.say(("newest", limit), reader.messages_before(None, limit)?);
    }
    Ok(())
}

fn inboxes(
    reader: &(impl Reader + ?Sized),
    questions: &StoreQuestions,
    told: &mut Told,
) -> Result<(), StoreError> {
    for agent in questions.agents.iter().map(Name::new) {
        told.say(("end", &agent), reader.inbox_end(&agent)?);
        for limit in questions.limits.iter().copied() {
            told.say(("unread", &agent, limit), reader.unread(&agent, limit)?);
            for (after, statuses) in crossed(&questions.numbers, &STATUSES) {
                for walk in [Walk::Behind(after), Walk::Before(after)] {
                    let (agent, statuses) = (agent.clone(), statuses.to_vec());
                    let filter = InboxFilter { agent, statuses, walk, limit };
                    told.say(&filter, reader.inbox(&filter)?);
                }
            }
        }
        for number in questions.numbers.iter().copied() {
            told.say(("status", &agent, number), reader.inbox_status(&agent, number)?);
            told.say(("reached", &agent, number), reader.reached(&agent, number)?);
        }
        for key in &questions.keys {
            told.say(("idempotent", &agent, key), reader.idempotent(&agent, key)?);
        }
    }
    Ok(())
}

fn exchanges(
    reader: &(impl Reader + ?Sized),
    questions: &StoreQuestions,
    told: &mut Told,
) -> Result<(), StoreError> {
    for number in questions.numbers.iter().copied() {
        told.say(("exchange", number), reader.exchange(number)?);
    }
    for (key, limit) in crossed(&questions.keys, &questions.limits) {
        told.say(("find", &key, limit), reader.find(&key, limit)?);
    }
    for filter in filters(questions) {
        told.say(&filter, reader.exchanges(&filter)?);
    }
    Ok(())
}

fn filters(questions: &StoreQuestions) -> Vec<ExchangeFilter> {
    let mut keys = vec![Vec::new()];
    for (at, key) in questions.keys.iter().enumerate() {
        keys.push(vec![key.clone()]);
        keys.extend(questions.keys[at..].iter().map(|other| vec![key.clone(), other.clone()]));
    }
    let states = questions.states.iter().cloned().map(Some).chain([None]).collect::<Vec<_>>();
    let mut filters = Vec::new();
    for ((keys, state), (open, before)) in crossed(
        &crossed(&keys, &states),
        &crossed(&[None, Some(true), Some(false)], &[None, Some(0), Some(5), Some(u64::MAX)]),
    ) {
        let protocol = open.map(|_| Protocol::Delegation);
        let limit = if before.is_some() { 2 } else { usize::MAX };
        filters.push(ExchangeFilter { protocol, state, open, keys, before, limit });
    }
    filters
}

fn crossed<A: Clone, B: Clone>(left: &[A], right: &[B]) -> Vec<(A, B)> {
    left.iter().flat_map(|a| right.iter().map(move |b| (a.clone(), b.clone()))).collect()
}
