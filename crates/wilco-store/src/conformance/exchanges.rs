//! Exchanges, their keys, and agents.

use wilco_protocol::{Protocol, Time};

use crate::error::StoreError;
use crate::reader::ExchangeFilter;
use crate::{Reader, Store};

use super::Author;

fn numbers(reader: &(impl Reader + ?Sized), filter: ExchangeFilter) -> Result<Vec<u64>, StoreError> {
    Ok(reader.exchanges(&filter)?.into_iter().map(|row| row.id.number).collect())
}

fn every() -> ExchangeFilter {
    ExchangeFilter { limit: usize::MAX, ..ExchangeFilter::default() }
}

pub(super) fn are_replaced(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    author.exchange(1, "assigned", true, Some(500));
    author.exchange(2, "assigned", true, Some(100));
    author.exchange(3, "assigned", true, Some(100));
    store.commit(&author.take(1))?;
    let time = Time::from_millis;
    assert_eq!(store.wakes()?, [(time(100), 2), (time(100), 3), (time(500), 1)], "by time, then number");

    author.exchange(2, "working", true, Some(900));
    author.exchange(3, "done", false, None);
    let batch = author.take(2);
    store.commit(&batch)?;
    assert_eq!(store.exchange(2)?.as_ref(), Some(&batch.exchanges[0]));
    assert_eq!(store.exchange(4)?, None);
    assert_eq!(store.wakes()?, [(time(500), 1), (time(900), 2)]);
    Ok(())
}

pub(super) fn are_filtered(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    for number in 1..=200u64 {
        let state = ["assigned", "working", "done"][number as usize % 3];
        author.exchange(number, state, state != "done", None);
        author.key("party:alice", number, true);
        if number % 2 == 0 {
            author.key("party:bob", number, true);
        }
        author.key(&format!("task:{number}"), number, true);
    }
    store.commit(&author.take(1))?;

    let keys = |keys: &[&str]| keys.iter().map(|key| (*key).to_owned()).collect::<Vec<_>>();
    let all: Vec<u64> = (1..=200).rev().collect();
    let only = |test: fn(&u64) -> bool| all.iter().copied().filter(test).collect::<Vec<_>>();
    assert_eq!(numbers(store, every())?, all, "newest first");
    assert_eq!(numbers(store, ExchangeFilter { limit: 2, ..every() })?, [200, 199]);
    assert_eq!(numbers(store, ExchangeFilter { before: Some(3), ..every() })?, [2, 1]);
    assert_eq!(numbers(store, ExchangeFilter { open: Some(false), ..every() })?, only(|n| n % 3 == 2));
    assert_eq!(numbers(store, ExchangeFilter { open: Some(true), ..every() })?, only(|n| n % 3 != 2));
    let working = ExchangeFilter { state: Some("working".to_owned()), ..every() };
    assert_eq!(numbers(store, working)?, only(|n| n % 3 == 1));
    let delegations = ExchangeFilter { protocol: Some(Protocol::Delegation), ..every() };
    assert_eq!(numbers(store, delegations)?, all);

    let both = keys(&["party:alice", "party:bob"]);
    assert_eq!(numbers(store, ExchangeFilter { keys: both.clone(), ..every() })?, only(|n| n % 2 == 0));
    let page = ExchangeFilter {
        keys: both,
        open: Some(true),
        state: Some("working".to_owned()),
        before: Some(100),
        limit: 2,
        ..every()
    };
    assert_eq!(numbers(store, page)?, [94, 88]);
    let rare = keys(&["party:alice", "task:7"]);
    assert_eq!(numbers(store, ExchangeFilter { keys: rare, ..every() })?, [7]);
    let none = keys(&["party:bob", "task:7"]);
    assert!(numbers(store, ExchangeFilter { keys: none, ..every() })?.is_empty());
    Ok(())
}

pub(super) fn keys_are_added_and_removed(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    author.exchange(1, "assigned", true, None);
    author.exchange(2, "assigned", true, None);
    for (key, exchange, added) in [
        ("task:1", 1, true),
        ("task:1", 1, true),
        ("task:1", 2, true),
        ("task:2", 2, true),
        ("task:2", 2, false),
        ("task:3", 1, false),
    ] {
        author.key(key, exchange, added);
    }
    store.commit(&author.take(1))?;
    assert_eq!(store.find("task:1", 10)?, [2, 1], "newest first");
    assert_eq!(store.find("task:1", 1)?, [2]);
    assert!(store.find("task:2", 10)?.is_empty(), "the later change counts");
    assert!(store.find("task", 10)?.is_empty(), "keys are exact");

    author.key("task:1", 2, false);
    author.key("task:1", 2, false);
    store.commit(&author.take(2))?;
    assert_eq!(store.find("task:1", 10)?, [1]);
    Ok(())
}

pub(super) fn agents_are_put_and_removed(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    author.agent("bob", "codex");
    author.agent("alice", "claude");
    author.agent("alice", "gemini");
    author.agent("carol", "claude");
    author.remove_agent("carol");
    author.remove_agent("dave");
    store.commit(&author.take(1))?;
    let seen = |store: &dyn Store| {
        let agents = store.agents()?.into_iter();
        Ok::<_, StoreError>(
            agents.map(|agent| (agent.name.to_string(), agent.profile.program)).collect::<Vec<_>>(),
        )
    };
    let expected = |name: &str, program: &str| (name.to_owned(), Some(program.to_owned()));
    assert_eq!(seen(store)?, [expected("alice", "gemini"), expected("bob", "codex")], "by name");
    author.remove_agent("alice");
    store.commit(&author.take(2))?;
    assert_eq!(seen(store)?, [expected("bob", "codex")]);
    Ok(())
}
