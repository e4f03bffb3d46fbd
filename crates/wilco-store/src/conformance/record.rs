//! Journal and messages.

use wilco_protocol::{MessageId, Time};

use crate::chain::genesis;
use crate::error::StoreError;
use crate::{Head, Store};

use super::{Author, assert_refused};

pub(super) fn an_empty_store_has_no_head(store: &mut dyn Store) -> Result<(), StoreError> {
    assert_eq!(store.head()?, Head { position: 0, hash: genesis(), at: None });
    assert_eq!(store.journal(0, 10)?, []);
    assert_eq!(store.messages_before(None, 10)?, []);
    Ok(())
}

pub(super) fn the_head_follows_the_journal(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    author.event(None, "one");
    author.event(None, "two");
    store.commit(&author.take(10))?;
    let at = |millis| Some(Time::from_millis(millis));
    assert_eq!(store.head()?, Head { position: 2, hash: author.hash, at: at(10) });
    // A batch without events is a sign of life all the same.
    store.commit(&author.take(20))?;
    assert_eq!(store.head()?, Head { position: 2, hash: author.hash, at: at(20) });
    Ok(())
}

pub(super) fn g3_positions_have_no_gaps(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    author.event(None, "one");
    store.commit(&author.take(1))?;
    for (position, why) in [(0, "position 0"), (1, "the same position again"), (3, "a gap")] {
        let mut wrong = Author::default();
        wrong.event(None, "wrong");
        wrong.batch.journal[0].position = position;
        assert_refused(store, &wrong.take(2), why)?;
    }
    author.event(None, "two");
    author.event(None, "three");
    author.batch.journal.swap(0, 1);
    assert_refused(store, &author.take(2), "the wrong order")
}

pub(super) fn a_refused_batch_leaves_no_trace(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    author.message("m1", None, "first");
    author.event(Some((1, 1)), "born");
    store.commit(&author.take(1))?;
    let full_batch = |author: &Author| {
        let mut next = Author::at(author.position, author.hash);
        next.event(None, "fine");
        next.exchange(1, "assigned", true, Some(5));
        next.key("task:1", 1, true);
        next.agent("alice", "claude");
        next.effect(1, 0, 5, 0);
        next.remember("alice", "task:1", 5, "answer");
        next
    };
    let mut twice = full_batch(&author);
    twice.message("m1", None, "again");
    assert_refused(store, &twice.take(2), "a message id twice")?;

    let mut twice = full_batch(&author);
    twice.message("m9", None, "one");
    twice.message("m9", None, "other");
    assert_refused(store, &twice.take(2), "a message id twice in one batch")?;

    let mut twice = full_batch(&author);
    twice.event(Some((1, 1)), "born again");
    assert_refused(store, &twice.take(2), "a seq twice")?;

    // And what was refused did not spoil the store.
    store.commit(&full_batch(&author).take(3))?;
    assert_eq!(store.head()?.position, 3);
    Ok(())
}

pub(super) fn journals_are_read_in_pages(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    for number in 1..=10u64 {
        let of = (number % 2 == 0).then_some((2, number / 2));
        author.event(of, &format!("event {number}"));
    }
    let batch = author.take(1);
    store.commit(&batch)?;

    let mut read = Vec::new();
    while let page = store.journal(read.len() as u64, 3)?
        && !page.is_empty()
    {
        assert!(page.len() <= 3);
        read.extend(page);
    }
    assert_eq!(read, batch.journal);

    let seqs = |rows: Vec<crate::JournalRow>| rows.into_iter().filter_map(|row| row.seq).collect::<Vec<_>>();
    assert_eq!(seqs(store.journal_of(2, 0, 100)?), [1, 2, 3, 4, 5]);
    assert_eq!(seqs(store.journal_of(2, 2, 2)?), [3, 4]);
    assert!(store.journal_of(3, 0, 100)?.is_empty());
    Ok(())
}

/// An id that the server made says where its message is; one that a client chose may look alike and does not.
pub(super) fn messages_are_found_by_both_kinds_of_ids(store: &mut dyn Store) -> Result<(), StoreError> {
    let (made, chosen) = ("msg-1800000000000-0000001", "msg-1700000000000-0000001");
    let mut author = Author::default();
    author.message(made, None, "one");
    author.message(chosen, None, "two");
    author.message("mine", None, "three");
    store.commit(&author.take(1))?;
    let place = |id: &str| Ok::<_, StoreError>(store.message(&MessageId::new(id))?.map(|row| row.position));
    assert_eq!((place(made)?, place(chosen)?, place("mine")?), (Some(1), Some(2), Some(3)));
    assert_eq!(place("msg-1800000000000-0000002")?, None);
    assert_eq!(place("msg-1800000000001-0000001")?, None);
    Ok(())
}

pub(super) fn messages_are_found(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    let first = author.message("m1", Some(1), "one");
    author.event(Some((1, 1)), "between");
    let second = author.message("m2", None, "two");
    let third = author.message("m3", Some(1), "three");
    let batch = author.take(1);
    store.commit(&batch)?;

    assert_eq!(store.message(&MessageId::new("m2"))?.as_ref(), Some(&batch.messages[1]));
    assert_eq!(store.message(&MessageId::new("M2"))?, None, "ids are exact");
    assert_eq!(store.message_at(third)?.as_ref(), Some(&batch.messages[2]));
    assert_eq!(store.message_at(second - 1)?, None);

    let places = |rows: Vec<crate::MessageRow>| rows.into_iter().map(|row| row.position).collect::<Vec<_>>();
    assert_eq!(places(store.messages_of(1, 0, 10)?), [first, third]);
    assert_eq!(places(store.messages_of(1, first, 10)?), [third]);
    assert_eq!(places(store.messages_of(1, 0, 1)?), [first]);
    assert_eq!(places(store.messages_before(None, 2)?), [third, second]);
    assert_eq!(places(store.messages_before(Some(second), 2)?), [first]);
    Ok(())
}
