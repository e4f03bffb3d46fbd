//! A store in memory: for simulation and tests, with the same answers as the real one.
//!
//! It keeps nothing over a restart, so "durable" means here that a clone has it too.

mod apply;
mod check;
mod read;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use wilco_protocol::directory::Agent;
use wilco_protocol::{MessageId, Name, Time};

use crate::batch::{
    Batch, EffectRow, ExchangeRow, IdempotencyRow, InboxStatus, JournalRow, MessageRow, PresenceRow, Reached,
};
use crate::error::StoreError;
use crate::{Head, Store, genesis};

/// A clone is a snapshot: it shares all rows, and costs something only when one of the two is
/// written to again, for the kinds that are written to.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    tables: Tables,
}

impl Memory {
    pub fn new() -> Memory {
        Memory::default()
    }

    /// The events behind a position, without a copy.
    pub fn events(&self, after: u64) -> &[JournalRow] {
        let journal = &self.tables.record.journal;
        &journal[usize::try_from(after).unwrap_or(usize::MAX).min(journal.len())..]
    }

    /// The same for a message by its position,
    pub fn letter(&self, position: u64) -> Option<&MessageRow> {
        self.tables.record.messages.get(&position)
    }

    /// and for an exchange by its number.
    pub fn standing(&self, number: u64) -> Option<&ExchangeRow> {
        self.tables.derived.exchanges.get(&number)
    }

    /// The orders that have not been reported on.
    pub fn orders(&self) -> impl Iterator<Item = &EffectRow> {
        self.tables.operational.effects.values()
    }

    /// Whether a rebuild was begun and not finished.
    pub fn rebuilding(&self) -> bool {
        self.tables.rebuilding
    }

    /// Whether the other has the same head, derived rows and effects: every read answers the same.
    pub fn answers_like(&self, other: &Memory) -> bool {
        let (mine, theirs) = (&self.tables, &other.tables);
        let same_head = mine.record.head(mine.at) == theirs.record.head(theirs.at);
        same_head && mine.derived == theirs.derived && mine.operational.effects == theirs.operational.effects
    }
}

impl Store for Memory {
    fn commit(&mut self, batch: &Batch) -> Result<(), StoreError> {
        check::batch(&self.tables, batch)?;
        self.tables.apply(batch);
        Ok(())
    }

    fn begin_rebuild(&mut self) -> Result<(), StoreError> {
        self.tables.derived = Arc::default();
        self.tables.rebuilding = true;
        Ok(())
    }

    fn finish_rebuild(&mut self) -> Result<(), StoreError> {
        self.tables.rebuilding = false;
        Ok(())
    }
}

#[derive(Debug, Clone, Default)]
struct Tables {
    at: Option<Time>,
    record: Arc<Record>,
    derived: Arc<Derived>,
    operational: Arc<Operational>,
    rebuilding: bool,
}

#[derive(Debug, Clone, Default)]
struct Record {
    /// Position 1 stands at index 0.
    journal: Vec<JournalRow>,
    /// (exchange, seq) → position
    events: BTreeMap<(u64, u64), u64>,
    messages: BTreeMap<u64, MessageRow>,
    ids: BTreeMap<MessageId, u64>,
    /// (exchange, position)
    spoken: BTreeSet<(u64, u64)>,
}

#[derive(Debug, Clone, Default, PartialEq)]
struct Derived {
    inboxes: BTreeMap<Name, Inbox>,
    exchanges: BTreeMap<u64, ExchangeRow>,
    keys: BTreeMap<String, BTreeSet<u64>>,
    agents: BTreeMap<Name, Agent>,
    reached: BTreeMap<(u64, Name), Reached>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Inbox {
    messages: BTreeMap<u64, InboxStatus>,
    /// Those of `messages` that are unread, so that a long inbox is as quick as a short one.
    unread: BTreeSet<u64>,
}

#[derive(Debug, Clone, Default)]
struct Operational {
    effects: BTreeMap<(u64, u32), EffectRow>,
    idempotency: BTreeMap<(Name, String), IdempotencyRow>,
    /// Keys of `idempotency` by age.
    ages: BTreeSet<(Time, Name, String)>,
    presence: BTreeMap<Name, PresenceRow>,
}

impl Record {
    fn head(&self, at: Option<Time>) -> Head {
        match self.journal.last() {
            Some(row) => Head { position: row.position, hash: row.hash, at },
            None => Head { position: 0, hash: genesis(), at },
        }
    }
}
