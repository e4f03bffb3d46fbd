//! Messages and inboxes.

use wilco_protocol::{MessageId, Name};
use wilco_store::{InboxFilter, InboxStatus, Message, MessageRow, Reader, StoreError, Walk};

use super::Part;
use super::sight::{limited_to, sees_message};
use crate::command::Viewer;
use crate::lookup::damaged;
use crate::workspace::dashed;

/// A message with its status in an inbox.
#[derive(Debug, Clone)]
pub struct InboxEntry {
    pub position: u64,
    pub status: InboxStatus,
    pub message: Message,
}

#[derive(Debug, Clone)]
pub struct InboxQuery {
    pub agent: Name,
    pub statuses: Vec<InboxStatus>,
    pub after: Option<u64>,
    pub limit: usize,
    /// A page ends at the first message that would make it larger; there is always one.
    pub bytes: usize,
}

/// A message by its id.
pub fn message(
    reader: &dyn Reader,
    viewer: &Viewer,
    id: &MessageId,
) -> Result<Option<InboxEntry>, StoreError> {
    let Some(row) = row_of(reader, id)? else { return Ok(None) };
    let message = parsed(&row)?;
    if !sees_message(reader, viewer, &message, row.position)? {
        return Ok(None);
    }
    let status = reader.inbox_status(&message.to, row.position)?.unwrap_or(InboxStatus::Unread);
    Ok(Some(InboxEntry { position: row.position, status, message }))
}

/// A page of an inbox, oldest first; `next` is always there. None when the viewer may not look.
pub fn inbox(
    reader: &dyn Reader,
    viewer: &Viewer,
    query: &InboxQuery,
) -> Result<Option<Part<InboxEntry>>, StoreError> {
    if limited_to(viewer).is_some_and(|agent| *agent != query.agent) {
        return Ok(None);
    }
    let after = query.after.unwrap_or(0);
    let (agent, statuses) = (query.agent.clone(), query.statuses.clone());
    let filter = InboxFilter { agent, statuses, walk: Walk::Behind(after), limit: query.limit };
    let rows = reader.inbox_within(&filter, query.bytes)?;
    let mut items = Vec::with_capacity(rows.len());
    for (status, row) in rows {
        items.push(InboxEntry { position: row.position, status, message: parsed(&row)? });
    }
    let next = match (items.last(), query.after) {
        (Some(last), _) => last.position,
        (None, Some(given)) => given,
        (None, None) => reader.inbox_end(&query.agent)?,
    };
    Ok(Some(Part { items, next: Some(next) }))
}

/// Where an inbox ends; none when the viewer may not look.
pub fn inbox_end(reader: &dyn Reader, viewer: &Viewer, agent: &Name) -> Result<Option<u64>, StoreError> {
    if limited_to(viewer).is_some_and(|own| own != agent) {
        return Ok(None);
    }
    reader.inbox_end(agent).map(Some)
}

/// A message by its id, in which `_` may stand for `-`.
pub(super) fn row_of(reader: &dyn Reader, id: &MessageId) -> Result<Option<MessageRow>, StoreError> {
    match reader.message(id)? {
        None => dashed(id).map_or(Ok(None), |id| reader.message(&id)),
        found => Ok(found),
    }
}

pub(super) fn parsed(row: &MessageRow) -> Result<Message, StoreError> {
    serde_json::from_slice(&row.body).map_err(|error| damaged(row.position, error))
}
