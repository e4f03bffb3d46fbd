//! Effects, idempotency, and the rebuild that leaves them alone.

use wilco_protocol::directory::Interface;
use wilco_protocol::{Name, Time};

use crate::Store;
use crate::batch::{InboxStatus, PresenceRow};
use crate::error::StoreError;

use super::{Author, StoreQuestions, answers};

pub(super) fn effects_stay_until_settled(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    author.effect(2, 1, 50, 0);
    author.effect(2, 0, 60, 0);
    author.effect(1, 0, 70, 0);
    store.commit(&author.take(1))?;
    let seen = |store: &dyn Store| {
        let effects = store.effects()?.into_iter();
        Ok::<_, StoreError>(effects.map(|row| (row.position, row.index, row.attempts)).collect::<Vec<_>>())
    };
    assert_eq!(seen(store)?, [(1, 0, 0), (2, 0, 0), (2, 1, 0)], "in the order they were decided");

    author.effect(2, 0, 90, 1);
    author.settle(1, 0);
    author.settle(1, 0);
    store.commit(&author.take(2))?;
    assert_eq!(seen(store)?, [(2, 0, 1), (2, 1, 0)]);
    assert_eq!(store.effects()?[0].due.millis(), 90);
    assert_eq!(store.effect(2, 1)?, store.effects()?.pop());
    assert_eq!((store.effect(1, 0)?, store.effect(2, 2)?), (None, None));
    Ok(())
}

pub(super) fn msg_23_presence_is_kept(store: &mut dyn Store) -> Result<(), StoreError> {
    let spoke = Some(Interface::Mcp);
    let seen = |name: &str, at| PresenceRow { name: Name::new(name), seen: Time::from_millis(at), spoke };
    let mut batch = Author::default().take(1);
    batch.presence = vec![seen("bob", 5), seen("alice", 7)];
    store.commit(&batch)?;
    batch.presence = vec![seen("bob", 9)];
    store.commit(&batch)?;
    assert_eq!(store.presence()?, [seen("alice", 7), seen("bob", 9)]);
    Ok(())
}

pub(super) fn g2_answers_are_remembered(store: &mut dyn Store) -> Result<(), StoreError> {
    let (mut author, alice) = (Author::default(), Name::new("alice"));
    author.remember("alice", "k", 100, "first");
    author.remember("bob", "k", 200, "bob's");
    let batch = author.take(200);
    store.commit(&batch)?;
    assert_eq!(store.idempotent(&alice, "k")?.as_ref(), Some(&batch.idempotency[0]));
    assert_eq!(store.idempotent(&alice, "K")?, None);
    assert_eq!(store.idempotent(&Name::new("carol"), "k")?, None, "a key belongs to its sender");

    author.forget_before(100);
    store.commit(&author.take(201))?;
    assert!(store.idempotent(&alice, "k")?.is_some(), "not older than that");
    author.remember("alice", "k", 300, "anew");
    author.forget_before(201);
    store.commit(&author.take(300))?;
    let found = store.idempotent(&alice, "k")?;
    assert_eq!(found.map(|row| row.answer), Some(b"anew".to_vec()), "as old as its newest answer");
    assert_eq!(store.idempotent(&Name::new("bob"), "k")?, None, "forgotten");
    Ok(())
}

pub(super) fn g8_rebuild_empties_the_derived(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    author.event(Some((1, 1)), "born");
    author.message("m2", Some(1), "body");
    author.effect(1, 0, 5, 0);
    author.remember("alice", "task:1", 5, "answer");
    let kept = author.clone();
    let derive = |author: &mut Author| {
        author.exchange(1, "assigned", true, Some(5));
        author.key("task:1", 1, true);
        author.agent("alice", "claude");
        author.batch.inbox.push(crate::InboxRow {
            agent: Name::new("alice"),
            position: 2,
            status: InboxStatus::Unread,
        });
    };
    derive(&mut author);
    store.commit(&author.take(9))?;
    let whole = answers(store, &StoreQuestions::default())?;

    store.begin_rebuild()?;
    let bare = answers(store, &StoreQuestions::default())?;
    let mut never_derived = crate::Memory::new();
    never_derived.commit(&kept.clone().take(9))?;
    assert_eq!(bare, answers(&never_derived, &StoreQuestions::default())?);

    derive(&mut author);
    store.commit(&author.take(9))?;
    store.finish_rebuild()?;
    assert_eq!(answers(store, &StoreQuestions::default())?, whole);
    Ok(())
}
