//! When an agent was there: what it did, and when it was found silent.

use wilco_protocol::directory;
use wilco_protocol::journal::{Entry, Fact};
use wilco_protocol::{Name, Time};
use wilco_store::{Reader, StoreError};

use super::audit::{Bound, range};
use super::sight::sees_event;
use crate::command::Viewer;
use crate::lookup::damaged;

/// What the journal tells of an agent's presence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LifeSign {
    pub at: Time,
    /// It was found silent; else it did something.
    pub silent: bool,
}

/// Events looked at, newest first; what is older is not told.
const MAX_SCANNED: u64 = 5_000;
/// Events read at once.
const STRETCH: u64 = 500;

/// The signs of an agent since a moment, newest first.
pub fn signs(
    reader: &dyn Reader,
    viewer: &Viewer,
    agent: &Name,
    since: Time,
) -> Result<Vec<LifeSign>, StoreError> {
    let (first, _) = range(reader, Some(Bound::Time(since)), None)?;
    let head = reader.head()?.position;
    let (mut end, least) = (head, first.saturating_sub(1).max(head.saturating_sub(MAX_SCANNED)));
    let mut found = Vec::new();
    while end > least {
        let begin = end.saturating_sub(STRETCH).max(least);
        for row in reader.journal(begin, (end - begin) as usize)?.iter().rev() {
            // Most events are about others: they need not be read to see that.
            if !std::str::from_utf8(&row.bytes).is_ok_and(|text| text.contains(agent.as_str())) {
                continue;
            }
            let entry = Entry::from_bytes(&row.bytes).map_err(|error| damaged(row.position, error))?;
            let silent = matches!(
                &entry.fact,
                Fact::Agent(directory::Event::AgentUnresponsive { name, .. }) if name == agent
            );
            if (silent || entry.by == *agent) && sees_event(reader, viewer, &entry)? {
                found.push(LifeSign { at: entry.at, silent });
            }
        }
        end = begin;
    }
    Ok(found)
}
