//! Mailboxes as people look at them: newest first, what came in and what went out.

use std::collections::BTreeMap;

use serde::Deserialize;
use wilco_protocol::directory::Agent;
use wilco_protocol::{MessageId, Name};
use wilco_store::{
    InboxFilter, InboxStatus, MessageRow, PAGE_BYTES, Priority, Reader, SearchFilter, StoreError, Walk,
};

use super::Part;
use super::messages::{InboxEntry, parsed, row_of};
use super::sight::limited_to;
use crate::command::Viewer;
use crate::lookup::damaged;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mailbox {
    Inbox,
    Sent,
}

/// Which letters. What is not asked for is not looked at.
#[derive(Debug, Clone)]
pub struct MailQuery {
    /// Whose; none is everybody's.
    pub agent: Option<Name>,
    pub mailbox: Mailbox,
    pub statuses: Vec<InboxStatus>,
    pub priority: Option<Priority>,
    pub from: Option<Name>,
    pub to: Option<Name>,
    /// Only those before this position.
    pub before: u64,
    pub limit: usize,
}

/// What an inbox holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MailCount {
    pub unread: usize,
    pub total: usize,
    pub low: usize,
    pub normal: usize,
    pub high: usize,
    pub urgent: usize,
}

/// Letters read at once.
const PAGE: usize = 500;
/// Pages that are looked through for one letter that fits.
const MAX_ROUNDS: usize = 20;

/// Letters that fit, newest first, up to a page of bytes. What the viewer may not see is not there. Without `next` that
/// was all; a page may be short or empty and still have one.
pub fn mail(reader: &dyn Reader, viewer: &Viewer, query: &MailQuery) -> Result<Part<InboxEntry>, StoreError> {
    let mut letters = Vec::new();
    if hidden(viewer, query.agent.as_ref()) {
        return Ok(Part { items: letters, next: None });
    }
    let mut before = query.before;
    for _ in 0..MAX_ROUNDS {
        let (rows, next) = rows(reader, query, before, PAGE.min(query.limit))?;
        for (status, row) in rows {
            let letter = InboxEntry { position: row.position, status, message: parsed(&row)? };
            if fits(&letter, query) {
                letters.push(letter);
            }
            if letters.len() == query.limit {
                return Ok(Part { items: letters, next: Some(row.position) });
            }
        }
        let Some(next) = next else { return Ok(Part { items: letters, next: None }) };
        before = next;
        if !letters.is_empty() {
            break;
        }
    }
    Ok(Part { items: letters, next: Some(before) })
}

/// Rows of a mailbox before a position, and where it goes on.
type Rows = (Vec<(InboxStatus, MessageRow)>, Option<u64>);

fn rows(reader: &dyn Reader, query: &MailQuery, before: u64, limit: usize) -> Result<Rows, StoreError> {
    let lying = |rows: Vec<MessageRow>| -> Result<Vec<_>, StoreError> {
        rows.into_iter().map(|row| Ok((lies(reader, &row)?, row))).collect()
    };
    let rows = match (&query.agent, query.mailbox) {
        (Some(agent), Mailbox::Inbox) => {
            let (agent, statuses) = (agent.clone(), query.statuses.clone());
            let filter = InboxFilter { agent, statuses, walk: Walk::Before(before), limit };
            reader.inbox_within(&filter, PAGE_BYTES)?
        }
        (None, _) => lying(reader.messages_before_within(Some(before), limit, PAGE_BYTES)?)?,
        (Some(agent), Mailbox::Sent) => {
            let (from, to) = (Some(agent.clone()), query.to.clone());
            let filter = SearchFilter { from, to, before: Some(before), limit, ..SearchFilter::default() };
            let found = reader.search(&filter)?;
            let last = found.rows.last().filter(|_| found.rows.len() == limit).map(|row| row.position);
            return Ok((lying(found.rows)?, found.next.or(last)));
        }
    };
    let next = rows.last().map(|(_, row)| row.position);
    Ok((rows, next))
}

/// The status of a message with the one it is addressed to.
fn lies(reader: &dyn Reader, row: &MessageRow) -> Result<InboxStatus, StoreError> {
    #[derive(Deserialize)]
    struct Addressed {
        to: Name,
    }
    let Addressed { to } = part(row)?;
    Ok(reader.inbox_status(&to, row.position)?.unwrap_or(InboxStatus::Unread))
}

fn fits(letter: &InboxEntry, query: &MailQuery) -> bool {
    let message = &letter.message;
    let sent_by = match (query.mailbox, &query.agent) {
        (Mailbox::Sent, Some(agent)) => message.from == *agent,
        // What somebody sent stays sent, whatever became of it in the inbox it went to.
        (Mailbox::Inbox, _) | (Mailbox::Sent, None) => query.statuses.contains(&letter.status),
    };
    sent_by
        && query.priority.is_none_or(|priority| message.priority == priority)
        && query.from.as_ref().is_none_or(|from| message.from == *from)
        && query.to.as_ref().is_none_or(|to| message.to == *to)
}

/// A letter in somebody's mailbox; none when it is not there, or was deleted.
pub fn letter(
    reader: &dyn Reader,
    viewer: &Viewer,
    agent: &Name,
    mailbox: Mailbox,
    id: &MessageId,
) -> Result<Option<InboxEntry>, StoreError> {
    if hidden(viewer, Some(agent)) {
        return Ok(None);
    }
    let Some(row) = row_of(reader, id)? else { return Ok(None) };
    let message = parsed(&row)?;
    let status = match mailbox {
        Mailbox::Inbox => reader.inbox_status(agent, row.position)?,
        Mailbox::Sent if message.from == *agent => Some(lies(reader, &row)?),
        Mailbox::Sent => None,
    };
    let there = status.filter(|status| mailbox == Mailbox::Sent || *status != InboxStatus::Deleted);
    Ok(there.map(|status| InboxEntry { position: row.position, status, message }))
}

/// How many messages an inbox holds, by their priority.
pub fn mail_count(reader: &dyn Reader, viewer: &Viewer, agent: &Name) -> Result<MailCount, StoreError> {
    #[derive(Deserialize)]
    struct Urgency {
        priority: Priority,
    }
    let mut count = MailCount::default();
    if hidden(viewer, Some(agent)) {
        return Ok(count);
    }
    let statuses = vec![InboxStatus::Unread, InboxStatus::Read, InboxStatus::Archived];
    let mut filter = InboxFilter { agent: agent.clone(), statuses, walk: Walk::Behind(0), limit: PAGE };
    while let page = reader.inbox_within(&filter, PAGE_BYTES)?
        && let Some((_, last)) = page.last()
    {
        filter.walk = Walk::Behind(last.position);
        for (status, row) in &page {
            count.total += 1;
            count.unread += usize::from(*status == InboxStatus::Unread);
            let Urgency { priority } = part(row)?;
            match priority {
                Priority::Low => count.low += 1,
                Priority::Normal => count.normal += 1,
                Priority::High => count.high += 1,
                Priority::Urgent => count.urgent += 1,
            }
        }
    }
    Ok(count)
}

/// How many messages of an inbox are unread.
pub fn unread(reader: &dyn Reader, viewer: &Viewer, agent: &Name, most: usize) -> Result<usize, StoreError> {
    if hidden(viewer, Some(agent)) {
        return Ok(0);
    }
    reader.unread(agent, most)
}

/// Who wrote these letters and to whom, as far as they are registered.
pub fn people(reader: &dyn Reader, letters: &[InboxEntry]) -> Result<BTreeMap<Name, Agent>, StoreError> {
    let mut people = BTreeMap::new();
    for name in letters.iter().flat_map(|letter| [&letter.message.from, &letter.message.to]) {
        if !people.contains_key(name)
            && let Some(agent) = reader.agent(name)?
        {
            people.insert(name.clone(), agent);
        }
    }
    Ok(people)
}

/// What an agent's token does not show: everything that is not its own.
fn hidden(viewer: &Viewer, agent: Option<&Name>) -> bool {
    limited_to(viewer).is_some_and(|own| Some(own) != agent)
}

/// Some fields of a stored message, without reading the rest of it.
fn part<'row, T: Deserialize<'row>>(row: &'row MessageRow) -> Result<T, StoreError> {
    serde_json::from_slice(&row.body).map_err(|error| damaged(row.position, error))
}
