//! Inboxes.

use wilco_protocol::Name;

use crate::Store;
use crate::batch::InboxStatus::{self, Archived, Deleted, Read, Unread};
use crate::batch::{Reach, Reached};
use crate::error::StoreError;
use crate::reader::{InboxFilter, Walk};

use super::Author;

fn places(
    store: &dyn Store,
    statuses: &[InboxStatus],
    after: u64,
    limit: usize,
) -> Result<Vec<(InboxStatus, u64)>, StoreError> {
    walked(store, statuses, Walk::Behind(after), limit)
}

fn walked(
    store: &dyn Store,
    statuses: &[InboxStatus],
    walk: Walk,
    limit: usize,
) -> Result<Vec<(InboxStatus, u64)>, StoreError> {
    let filter = InboxFilter { agent: Name::new("alice"), statuses: statuses.to_vec(), walk, limit };
    let page = store.inbox(&filter)?;
    Ok(page.into_iter().map(|(status, message)| (status, message.position)).collect())
}

pub(super) fn shows_the_wanted_statuses(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    for status in [Read, Unread, Archived, Deleted, Unread, Read] {
        author.deliver("alice", status);
        author.deliver("bob", Unread);
    }
    let batch = author.take(1);
    store.commit(&batch)?;

    assert_eq!(places(store, &[Unread], 0, 10)?, [(Unread, 3), (Unread, 9)]);
    assert_eq!(places(store, &[Read, Unread], 0, 10)?, [(Read, 1), (Unread, 3), (Unread, 9), (Read, 11)]);
    assert_eq!(places(store, &[Deleted], 0, 10)?, [(Deleted, 7)]);
    assert_eq!(places(store, &[Unread, Unread], 0, 10)?, [(Unread, 3), (Unread, 9)], "named twice");
    assert_eq!(places(store, &[], 0, 10)?, []);
    assert_eq!(store.inbox_status(&Name::new("alice"), 5)?, Some(Archived));
    assert_eq!(store.inbox_status(&Name::new("alice"), 2)?, None, "bob's message");
    assert_eq!(store.inbox_status(&Name::new("Alice"), 5)?, None, "names are exact");
    assert_eq!(store.inbox_end(&Name::new("alice"))?, 11);
    assert_eq!(store.inbox_end(&Name::new("carol"))?, 0);

    let filter =
        InboxFilter { agent: Name::new("bob"), statuses: vec![Unread], walk: Walk::Behind(0), limit: 1 };
    assert_eq!(store.inbox(&filter)?, [(Unread, batch.messages[1].clone())], "with the whole message");
    Ok(())
}

pub(super) fn is_read_in_pages(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    // Many commits, so that what is old and what is new in the store are both read.
    for number in 0..3000u64 {
        let status = [Unread, Read, Archived, Unread, Read][number as usize % 5];
        author.deliver(["alice", "bob", "carol"][number as usize % 3], status);
        if number % 50 == 49 {
            store.commit(&author.take(number as i64))?;
        }
    }
    let everything = places(store, &[Unread, Read], 0, usize::MAX)?;
    assert_eq!(everything.len(), 800);
    assert!(everything.is_sorted_by_key(|(_, position)| *position), "oldest first");
    let (mut paged, mut after) = (Vec::new(), 0);
    while let page = places(store, &[Unread, Read], after, 7)?
        && let Some((_, last)) = page.last()
    {
        after = *last;
        paged.extend(page);
    }
    assert_eq!(paged, everything);
    let (mut paged, mut before) = (Vec::new(), u64::MAX);
    while let page = walked(store, &[Unread, Read], Walk::Before(before), 7)?
        && let Some((_, last)) = page.last()
    {
        before = *last;
        paged.extend(page);
    }
    paged.reverse();
    assert_eq!(paged, everything, "newest first");
    Ok(())
}

pub(super) fn marks_change_what_is_there(store: &mut dyn Store) -> Result<(), StoreError> {
    let mut author = Author::default();
    let first = author.deliver("alice", Unread);
    let second = author.deliver("alice", Unread);
    author.deliver("bob", Unread);
    // In the batch that brings the message, twice: the last one counts.
    author.mark("alice", second, Archived);
    author.mark("alice", second, Deleted);
    store.commit(&author.take(1))?;
    assert_eq!(places(store, &[Unread, Deleted], 0, 10)?, [(Unread, first), (Deleted, second)]);

    author.mark("alice", first, Read);
    author.mark("alice", second, Unread);
    author.mark("alice", 99, Read);
    author.mark("carol", first, Read);
    author.mark("bob", first, Read);
    store.commit(&author.take(2))?;
    assert_eq!(places(store, &[Unread, Read, Archived, Deleted], 0, 10)?, [(Read, first), (Unread, second)]);
    assert_eq!(store.inbox_end(&Name::new("carol"))?, 0, "a mark puts nothing into an inbox");
    assert_eq!(store.inbox_status(&Name::new("bob"), first)?, None);
    Ok(())
}

pub(super) fn what_was_reached_adds_up(store: &mut dyn Store) -> Result<(), StoreError> {
    let (mut author, alice) = (Author::default(), Name::new("alice"));
    let position = author.deliver("alice", Unread);
    author.reach("alice", position, Reach::Nudged);
    store.commit(&author.take(1))?;
    author.reach("alice", position, Reach::Injected);
    author.reach("alice", position, Reach::Injected);
    store.commit(&author.take(2))?;
    let reached = store.reached(&alice, position)?;
    assert_eq!(reached, Reached::default().and(Reach::Nudged).and(Reach::Injected));
    assert!(!reached.has(Reach::Answered) && !reached.has(Reach::NudgeFailed));
    assert_eq!(store.reached(&Name::new("bob"), position)?, Reached::default());
    store.begin_rebuild()?;
    store.finish_rebuild()?;
    assert_eq!(store.reached(&alice, position)?, Reached::default(), "it is derived");
    Ok(())
}

pub(super) fn unread_are_counted(store: &mut dyn Store) -> Result<(), StoreError> {
    let (mut author, alice) = (Author::default(), Name::new("alice"));
    for status in [Unread, Read, Unread, Archived, Unread, Deleted] {
        author.deliver("alice", status);
    }
    store.commit(&author.take(1))?;
    assert_eq!(store.unread(&alice, 100)?, 3);
    assert_eq!(store.unread(&alice, 2)?, 2);
    assert_eq!(store.unread(&alice, 0)?, 0);
    author.mark("alice", 1, Read);
    store.commit(&author.take(2))?;
    assert_eq!(store.unread(&alice, usize::MAX)?, 2);
    assert_eq!(store.unread(&Name::new("bob"), 100)?, 0);
    Ok(())
}
