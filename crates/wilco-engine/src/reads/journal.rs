//! Events of the journal.

use wilco_protocol::journal::Entry;
use wilco_protocol::{ExchangeId, Name, Protocol};
use wilco_store::{Hash, JournalRow, PAGE_BYTES, Reader, Room, StoreError};

use super::Part;
use super::sight::{load, sees_event, sees_exchange};
use crate::command::Viewer;
use crate::lookup::damaged;

/// An event as it is stored.
#[derive(Debug, Clone)]
pub struct EventView {
    pub position: u64,
    pub bytes: Vec<u8>,
    pub hash: Hash,
}

#[derive(Debug, Clone, Default)]
pub struct EventQuery {
    pub after: u64,
    pub limit: usize,
    pub protocol: Option<Protocol>,
    pub agent: Option<Name>,
}

/// Events looked at for one page when a filter leaves most of them out.
const MAX_SCANNED: usize = 5_000;
/// What stands around an event when it is shown: its position and hash.
const AROUND: usize = 128;

/// Events that are read at once when going back.
const BACKWARDS: u64 = 200;

/// Events behind a position, oldest first. `next` is where the next page goes on, and moves also over
/// events that were left out.
pub fn events(
    reader: &dyn Reader,
    viewer: &Viewer,
    query: &EventQuery,
) -> Result<Part<EventView>, StoreError> {
    let (mut items, mut after, mut scanned) = (Vec::new(), query.after, 0);
    let mut room = Room::new(PAGE_BYTES);
    while items.len() < query.limit && scanned < MAX_SCANNED {
        let rows = reader.journal_within(after, query.limit, PAGE_BYTES)?;
        if rows.is_empty() {
            break;
        }
        for row in rows {
            let wanted = wanted(reader, viewer, query, &row)?;
            if wanted && !room.takes(row.bytes.len() + AROUND) {
                return Ok(Part { items, next: Some(after) });
            }
            (after, scanned) = (row.position, scanned + 1);
            if wanted {
                items.push(view(row));
            }
            if items.len() == query.limit {
                break;
            }
        }
    }
    Ok(Part { items, next: Some(after) })
}

/// Events before a position, newest first, down to the one behind `query.after`. `next` is before which the next page
/// goes on; none when everything was looked at.
pub fn events_before(
    reader: &dyn Reader,
    viewer: &Viewer,
    before: Option<u64>,
    query: &EventQuery,
) -> Result<Part<EventView>, StoreError> {
    let end = reader.head()?.position + 1;
    let (mut items, mut before, mut scanned) = (Vec::new(), before.map_or(end, |before| before.min(end)), 0);
    let mut room = Room::new(PAGE_BYTES);
    while before > query.after + 1 && scanned < MAX_SCANNED {
        // Positions have no gaps, so that a stretch is read by where it begins.
        let begin = before.saturating_sub(1 + BACKWARDS).max(query.after);
        let rows = reader.journal(begin, (before - 1 - begin) as usize)?;
        for row in rows.into_iter().rev() {
            let wanted = wanted(reader, viewer, query, &row)?;
            if items.len() == query.limit || (wanted && !room.takes(row.bytes.len() + AROUND)) {
                return Ok(Part { items, next: Some(before) });
            }
            (before, scanned) = (row.position, scanned + 1);
            if wanted {
                items.push(view(row));
            }
        }
        before = begin + 1;
    }
    Ok(Part { items, next: Some(before).filter(|before| *before > query.after + 1) })
}

fn wanted(
    reader: &dyn Reader,
    viewer: &Viewer,
    query: &EventQuery,
    row: &JournalRow,
) -> Result<bool, StoreError> {
    let everything = matches!(viewer, Viewer::Local | Viewer::Operator | Viewer::ReadOnly);
    if everything && query.protocol.is_none() && query.agent.is_none() {
        return Ok(true);
    }
    let entry = Entry::from_bytes(&row.bytes).map_err(|error| damaged(row.position, error))?;
    if query.protocol.is_some() && entry.exchange.map(|id| id.protocol) != query.protocol {
        return Ok(false);
    }
    if let Some(agent) = &query.agent
        && !sees_event(reader, &Viewer::Agent(agent.clone()), &entry)?
    {
        return Ok(false);
    }
    sees_event(reader, viewer, &entry)
}

/// The events of an exchange behind a seq, oldest first; none when there is no such exchange.
pub fn events_of(
    reader: &dyn Reader,
    viewer: &Viewer,
    id: ExchangeId,
    after: u64,
    limit: usize,
) -> Result<Option<Part<EventView>>, StoreError> {
    let Some((exchange, _)) = load(reader, id.number)? else { return Ok(None) };
    if exchange.id() != id || !sees_exchange(reader, viewer, &exchange)? {
        return Ok(None);
    }
    let rows = reader.journal_of_within(id.number, after, limit, PAGE_BYTES)?;
    let next = rows.last().and_then(|row| row.seq).unwrap_or(after);
    Ok(Some(Part { items: rows.into_iter().map(view).collect(), next: Some(next) }))
}

/// Whether a position was given out before a restore, and lost by it: nothing stands there, and more behind it.
pub fn is_lost(reader: &dyn Reader, position: u64) -> Result<bool, StoreError> {
    let Some(before) = position.checked_sub(1) else { return Ok(false) };
    Ok(reader.journal(before, 1)?.first().is_some_and(|row| row.position > position))
}

fn view(row: JournalRow) -> EventView {
    EventView { position: row.position, bytes: row.bytes, hash: row.hash }
}
