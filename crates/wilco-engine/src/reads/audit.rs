//! The journal as it is exported: exact bytes, each with the hash before it and its own.

use wilco_protocol::journal::Entry;
use wilco_protocol::{Name, Time};
use wilco_store::{Exported, Reader, StoreError, follows, genesis};

use super::journal::{EventQuery, events};
use super::sight::limited_to;
use crate::command::Viewer;
use crate::lookup::damaged;

/// Where an export begins or ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    Position(u64),
    Time(Time),
}

/// The positions between two bounds, both included; `from` is the first, `to` the last.
pub fn range(reader: &dyn Reader, from: Option<Bound>, to: Option<Bound>) -> Result<(u64, u64), StoreError> {
    let head = reader.head()?.position;
    let first = match from {
        None => 1,
        Some(Bound::Position(position)) => position.max(1),
        Some(Bound::Time(time)) => first_that(reader, head, |at| at >= time)?,
    };
    let last = match to {
        None => head,
        Some(Bound::Position(position)) => position.min(head),
        Some(Bound::Time(time)) => first_that(reader, head, |at| at > time)? - 1,
    };
    Ok((first, last))
}

/// Time never goes back in a journal, so halving finds it.
fn first_that(reader: &dyn Reader, head: u64, holds: impl Fn(Time) -> bool) -> Result<u64, StoreError> {
    let (mut low, mut high) = (1, head + 1);
    while low < high {
        let middle = low + (high - low) / 2;
        let row = reader.journal(middle - 1, 1)?;
        let row = row.first().ok_or_else(|| damaged(middle, "the event is missing"))?;
        let entry = Entry::from_bytes(&row.bytes).map_err(|error| damaged(middle, error))?;
        if holds(entry.at) { high = middle } else { low = middle + 1 }
    }
    Ok(low)
}

/// Events from `first` to `last` that the viewer may see, at most `limit`; and where to go on.
pub fn export(
    reader: &dyn Reader,
    viewer: &Viewer,
    first: u64,
    last: u64,
    limit: usize,
) -> Result<(Vec<Exported>, Option<u64>), StoreError> {
    if first > last {
        return Ok((Vec::new(), None));
    }
    let agent: Option<Name> = limited_to(viewer).cloned();
    let query = EventQuery { after: first - 1, limit, protocol: None, agent };
    let part = events(reader, viewer, &query)?;
    let mut lines = Vec::with_capacity(part.items.len());
    let mut newest = None;
    for event in part.items {
        if event.position > last {
            return Ok((lines, None));
        }
        let before = follows(&event.bytes).unwrap_or(event.position - 1);
        let previous = match newest {
            Some((position, hash)) if position == before => hash,
            _ if before == 0 => genesis(),
            _ => {
                let rows = reader.journal(before - 1, 1)?;
                rows.first().ok_or_else(|| damaged(before, "the event is missing"))?.hash
            }
        };
        newest = Some((event.position, event.hash));
        lines.push(Exported { position: event.position, bytes: event.bytes, previous, hash: event.hash });
    }
    let reached = part.next.unwrap_or(last);
    Ok((lines, (reached < last && reached >= first).then_some(reached + 1)))
}
