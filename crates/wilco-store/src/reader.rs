//! What can be asked of a store. Lists are bounded by their callers.

use wilco_protocol::directory::Agent;
use wilco_protocol::{MessageId, Name, Protocol, Time};

use crate::batch::{
    AgentChange, EffectRow, ExchangeRow, IdempotencyRow, InboxStatus, JournalRow, MessageRow, PresenceRow,
    Reached,
};
use crate::chain::Hash;
use crate::error::StoreError;
use crate::search::{Found, SearchFilter};

/// The newest event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// 0 when nothing has happened yet.
    pub position: u64,
    pub hash: Hash,
    /// When the newest batch was committed.
    pub at: Option<Time>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExchangeFilter {
    pub protocol: Option<Protocol>,
    pub state: Option<String>,
    pub open: Option<bool>,
    /// Only those that have all these keys.
    pub keys: Vec<String>,
    /// Only those with a smaller number: newest first.
    pub before: Option<u64>,
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InboxFilter {
    pub agent: Name,
    /// Only these statuses; deleted ones only if named here.
    pub statuses: Vec<InboxStatus>,
    pub walk: Walk,
    pub limit: usize,
}

/// Which way a list goes, and from where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// Oldest first, only what is behind this position.
    Behind(u64),
    /// Newest first, only what is before this position.
    Before(u64),
}

/// Bytes of bodies at which a page ends: more is never read at once for somebody who asks.
pub const PAGE_BYTES: usize = 2 << 20;

/// What stands around an event when it is shown.
const AROUND_EVENT: usize = 128;

/// The first of them, and those after it that fit into so many bytes with it.
pub(crate) fn within<T>(rows: Vec<T>, bytes: usize, size: impl Fn(&T) -> usize) -> Vec<T> {
    let mut room = Room::new(bytes);
    rows.into_iter().take_while(|row| room.takes(size(row))).collect()
}

/// How many bytes a page may still have; the first of its items is always taken.
#[derive(Debug, Clone, Copy)]
pub struct Room {
    left: usize,
    begun: bool,
}

impl Room {
    pub fn new(bytes: usize) -> Room {
        Room { left: bytes, begun: false }
    }

    pub fn takes(&mut self, size: usize) -> bool {
        let takes = !self.begun || size <= self.left;
        if takes {
            self.left = self.left.saturating_sub(size);
            self.begun = true;
        }
        takes
    }
}

pub(crate) fn event_size(row: &JournalRow) -> usize {
    row.bytes.len() + AROUND_EVENT
}

/// Every method sees all commits that returned before it was called.
pub trait Reader {
    fn head(&self) -> Result<Head, StoreError>;

    fn message(&self, id: &MessageId) -> Result<Option<MessageRow>, StoreError>;
    fn message_at(&self, position: u64) -> Result<Option<MessageRow>, StoreError>;
    /// Messages of an exchange, oldest first.
    fn messages_of(&self, exchange: u64, after: u64, limit: usize) -> Result<Vec<MessageRow>, StoreError>;
    /// All messages, newest first.
    fn messages_before(&self, before: Option<u64>, limit: usize) -> Result<Vec<MessageRow>, StoreError>;
    /// All messages behind a position, oldest first.
    fn messages_after(&self, after: u64, limit: usize) -> Result<Vec<MessageRow>, StoreError>;
    /// Messages that fit, newest first: at most `limit`, and fewer when too many were looked at.
    fn search(&self, filter: &SearchFilter) -> Result<Found, StoreError>;

    fn inbox(&self, filter: &InboxFilter) -> Result<Vec<(InboxStatus, MessageRow)>, StoreError>;
    fn inbox_status(&self, agent: &Name, position: u64) -> Result<Option<InboxStatus>, StoreError>;
    /// How a message got nearer to an agent besides lying in its inbox.
    fn reached(&self, agent: &Name, position: u64) -> Result<Reached, StoreError>;
    /// The position of the newest message of this inbox, whatever its status; 0 if there is none.
    fn inbox_end(&self, agent: &Name) -> Result<u64, StoreError>;
    /// How many messages are unread, counted up to `most`.
    fn unread(&self, agent: &Name, most: usize) -> Result<usize, StoreError>;

    fn exchange(&self, number: u64) -> Result<Option<ExchangeRow>, StoreError>;
    /// Newest first.
    fn exchanges(&self, filter: &ExchangeFilter) -> Result<Vec<ExchangeRow>, StoreError>;
    /// How many exchanges are open, by protocol and state, in that order.
    fn open_exchanges(&self) -> Result<Vec<(Protocol, String, u64)>, StoreError>;
    /// How many exchanges are open. A store that can count them without reading them does.
    fn open_total(&self) -> Result<u64, StoreError> {
        Ok(self.open_exchanges()?.iter().map(|(_, _, count)| count).sum())
    }
    /// The numbers of exchanges that have this key, newest first.
    fn find(&self, key: &str, limit: usize) -> Result<Vec<u64>, StoreError>;
    /// Every exchange that wants to be woken, and when.
    fn wakes(&self) -> Result<Vec<(Time, u64)>, StoreError>;

    fn journal(&self, after: u64, limit: usize) -> Result<Vec<JournalRow>, StoreError>;
    fn journal_of(&self, exchange: u64, after_seq: u64, limit: usize) -> Result<Vec<JournalRow>, StoreError>;

    // The same lists, ended early: at the first item that would make them larger than so many bytes. There is always a
    // first item, so a list that is empty is at its end, and no other is known to be.

    fn inbox_within(
        &self,
        filter: &InboxFilter,
        bytes: usize,
    ) -> Result<Vec<(InboxStatus, MessageRow)>, StoreError> {
        Ok(within(self.inbox(filter)?, bytes, |(_, row)| row.body.len()))
    }

    fn messages_before_within(
        &self,
        before: Option<u64>,
        limit: usize,
        bytes: usize,
    ) -> Result<Vec<MessageRow>, StoreError> {
        Ok(within(self.messages_before(before, limit)?, bytes, |row| row.body.len()))
    }

    fn journal_within(&self, after: u64, limit: usize, bytes: usize) -> Result<Vec<JournalRow>, StoreError> {
        Ok(within(self.journal(after, limit)?, bytes, event_size))
    }

    fn journal_of_within(
        &self,
        exchange: u64,
        after_seq: u64,
        limit: usize,
        bytes: usize,
    ) -> Result<Vec<JournalRow>, StoreError> {
        Ok(within(self.journal_of(exchange, after_seq, limit)?, bytes, event_size))
    }

    fn agent(&self, name: &Name) -> Result<Option<Agent>, StoreError>;
    fn agents(&self) -> Result<Vec<Agent>, StoreError>;
    /// The agents that changed behind this position, as they are now. None: the store does not know it, and all are to
    /// be read.
    fn agents_changed(&self, after: u64) -> Result<Option<Vec<AgentChange>>, StoreError> {
        let _ = after;
        Ok(None)
    }
    /// When agents were last seen and what they spoke by, as far as it was stored, in the order of their names.
    fn presence(&self) -> Result<Vec<PresenceRow>, StoreError>;
    fn effects(&self) -> Result<Vec<EffectRow>, StoreError>;
    /// The node of this name, whatever its letter case, if there ever was one; where there are no nodes, none.
    fn node_named(&self, name: &str) -> Result<Option<String>, StoreError> {
        let _ = name;
        Ok(None)
    }
    /// The order that stands at this position of the journal and this place there.
    fn effect(&self, position: u64, index: u32) -> Result<Option<EffectRow>, StoreError>;
    fn idempotent(&self, sender: &Name, key: &str) -> Result<Option<IdempotencyRow>, StoreError>;

    // The same questions many at a time: one answer for each, in their order. Asking one after the other costs nothing
    // in a store of the same process; one across a network asks once.

    fn messages_by_id(&self, ids: &[MessageId]) -> Result<Vec<Option<MessageRow>>, StoreError> {
        ids.iter().map(|id| self.message(id)).collect()
    }

    fn exchanges_by_number(&self, numbers: &[u64]) -> Result<Vec<Option<ExchangeRow>>, StoreError> {
        numbers.iter().map(|number| self.exchange(*number)).collect()
    }

    /// `limit`: for each key.
    fn find_all(&self, keys: &[String], limit: usize) -> Result<Vec<Vec<u64>>, StoreError> {
        keys.iter().map(|key| self.find(key, limit)).collect()
    }

    fn unread_of_all(&self, agents: &[Name], most: usize) -> Result<Vec<usize>, StoreError> {
        agents.iter().map(|agent| self.unread(agent, most)).collect()
    }

    fn inbox_statuses(&self, places: &[(Name, u64)]) -> Result<Vec<Option<InboxStatus>>, StoreError> {
        places.iter().map(|(agent, position)| self.inbox_status(agent, *position)).collect()
    }

    fn reached_all(&self, places: &[(Name, u64)]) -> Result<Vec<Reached>, StoreError> {
        places.iter().map(|(agent, position)| self.reached(agent, *position)).collect()
    }

    fn effects_at(&self, places: &[(u64, u32)]) -> Result<Vec<Option<EffectRow>>, StoreError> {
        places.iter().map(|(position, index)| self.effect(*position, *index)).collect()
    }

    fn idempotent_all(&self, keys: &[(Name, String)]) -> Result<Vec<Option<IdempotencyRow>>, StoreError> {
        keys.iter().map(|(sender, key)| self.idempotent(sender, key)).collect()
    }
}
