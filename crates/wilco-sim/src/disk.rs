//! The simulated disk: a store in memory whose next commit may be refused, or cut short by the end of the
//! process just before or just after it took place. Planted defects live here too.

use std::borrow::Cow;

use wilco_protocol::directory::Agent;
use wilco_protocol::{MessageId, Name, Protocol, Time};
use wilco_store::{
    Batch, EffectRow, ExchangeFilter, ExchangeRow, Found, Head, IdempotencyRow, InboxFilter, InboxStatus,
    JournalRow, Memory, MessageRow, PresenceRow, Reached, Reader, SearchFilter, Store, StoreError,
};

use crate::bug::Bug;
use crate::realm::Database;

/// What becomes of the next commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Stored,
    Full,
    Failed,
    /// The process dies before anything is stored.
    DiesBefore,
    /// It dies when everything is stored and nobody has been answered.
    DiesAfter,
    /// Nobody who waits for it learns whether it took place.
    Doubted {
        stored: bool,
    },
}

#[derive(Debug, Clone)]
pub(crate) struct Disk {
    pub(crate) tables: Memory,
    pub(crate) fate: Fate,
    bug: Option<Bug>,
    commits: u64,
    /// The row of the writer, where several nodes share this.
    pub(crate) database: Database,
    is_shared: bool,
    /// Everything that was committed, where somebody wants to repeat it on another store.
    pub(crate) kept: Option<Vec<Batch>>,
}

impl Disk {
    pub(crate) fn new(bug: Option<Bug>, now: Time, is_shared: bool) -> Disk {
        let (tables, database) = (Memory::new(), Database::new(now));
        Disk { tables, fate: Fate::Stored, bug, commits: 0, database, is_shared, kept: None }
    }

    /// The events behind a position as a reader gets them, without a copy.
    pub(crate) fn events(&self, after: u64) -> impl Iterator<Item = &JournalRow> {
        let skips = self.bug == Some(Bug::SkippedPosition);
        self.tables.events(after).iter().filter(move |row| !skips || !row.position.is_multiple_of(64))
    }

    /// An exchange in the same way.
    pub(crate) fn standing(&self, number: u64) -> Option<Cow<'_, ExchangeRow>> {
        let row = self.tables.standing(number)?;
        let Some(bug) = self.bug else { return Some(Cow::Borrowed(row)) };
        let mut row = row.clone();
        bug.misread(&mut row);
        Some(Cow::Owned(row))
    }

    fn store(&mut self, batch: &Batch) -> Result<(), StoreError> {
        self.commits += 1;
        if let Some(kept) = &mut self.kept {
            kept.push(batch.clone());
        }
        if self.is_shared {
            self.tables.commit(batch)?;
            self.database.moves(&self.tables.head()?);
            return Ok(());
        }
        let Some(bug) = self.bug else { return self.tables.commit(batch) };
        let mut spoiled = batch.clone();
        bug.spoil(&mut spoiled, self.commits, &self.tables);
        if bug == Bug::TornCommit && self.fate == Fate::DiesAfter {
            Bug::tear(&mut spoiled);
        }
        self.tables.commit(&spoiled)
    }
}

impl Store for Disk {
    fn commit(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let died = || StoreError::Unknown("the process died".into());
        if self.is_shared && !matches!(self.fate, Fate::Full | Fate::Failed) {
            self.database.admits(batch, self.bug)?;
        }
        match self.fate {
            Fate::Stored if self.is_shared => {
                self.store(batch)?;
                self.database.acknowledges(self.tables.head()?);
                Ok(())
            }
            Fate::Stored => self.store(batch),
            Fate::Doubted { stored } => {
                if stored {
                    self.store(batch)?;
                }
                Err(self.database.doubts())
            }
            Fate::Full | Fate::Failed if self.bug == Some(Bug::StaleCache) => Ok(()),
            Fate::Full => Err(StoreError::Full("no room".into())),
            Fate::Failed => Err(StoreError::NotStored("a fault of the disk".into())),
            Fate::DiesBefore => Err(died()),
            Fate::DiesAfter => self.store(batch).and(Err(died())),
        }
    }

    fn begin_rebuild(&mut self) -> Result<(), StoreError> {
        self.tables.begin_rebuild()
    }

    fn finish_rebuild(&mut self) -> Result<(), StoreError> {
        self.tables.finish_rebuild()
    }
}

impl Reader for Disk {
    fn head(&self) -> Result<Head, StoreError> {
        self.tables.head()
    }

    fn message(&self, id: &MessageId) -> Result<Option<MessageRow>, StoreError> {
        self.tables.message(id)
    }

    fn message_at(&self, position: u64) -> Result<Option<MessageRow>, StoreError> {
        self.tables.message_at(position)
    }

    fn messages_of(&self, exchange: u64, after: u64, limit: usize) -> Result<Vec<MessageRow>, StoreError> {
        self.tables.messages_of(exchange, after, limit)
    }

    fn messages_before(&self, before: Option<u64>, limit: usize) -> Result<Vec<MessageRow>, StoreError> {
        self.tables.messages_before(before, limit)
    }

    fn messages_after(&self, after: u64, limit: usize) -> Result<Vec<MessageRow>, StoreError> {
        self.tables.messages_after(after, limit)
    }

    fn search(&self, filter: &SearchFilter) -> Result<Found, StoreError> {
        self.tables.search(filter)
    }

    fn inbox(&self, filter: &InboxFilter) -> Result<Vec<(InboxStatus, MessageRow)>, StoreError> {
        self.tables.inbox(filter)
    }

    fn inbox_status(&self, agent: &Name, position: u64) -> Result<Option<InboxStatus>, StoreError> {
        self.tables.inbox_status(agent, position)
    }

    fn reached(&self, agent: &Name, position: u64) -> Result<Reached, StoreError> {
        self.tables.reached(agent, position)
    }

    fn inbox_end(&self, agent: &Name) -> Result<u64, StoreError> {
        self.tables.inbox_end(agent)
    }

    fn unread(&self, agent: &Name, most: usize) -> Result<usize, StoreError> {
        self.tables.unread(agent, most)
    }

    fn exchange(&self, number: u64) -> Result<Option<ExchangeRow>, StoreError> {
        Ok(self.standing(number).map(Cow::into_owned))
    }

    fn exchanges(&self, filter: &ExchangeFilter) -> Result<Vec<ExchangeRow>, StoreError> {
        self.tables.exchanges(filter)
    }

    fn open_exchanges(&self) -> Result<Vec<(Protocol, String, u64)>, StoreError> {
        self.tables.open_exchanges()
    }

    fn find(&self, key: &str, limit: usize) -> Result<Vec<u64>, StoreError> {
        if self.bug.is_some_and(|bug| bug.hides(key)) {
            return Ok(Vec::new());
        }
        self.tables.find(key, limit)
    }

    fn wakes(&self) -> Result<Vec<(Time, u64)>, StoreError> {
        self.tables.wakes()
    }

    fn journal(&self, after: u64, limit: usize) -> Result<Vec<JournalRow>, StoreError> {
        Ok(self.events(after).take(limit).cloned().collect())
    }

    fn journal_of(&self, exchange: u64, after_seq: u64, limit: usize) -> Result<Vec<JournalRow>, StoreError> {
        self.tables.journal_of(exchange, after_seq, limit)
    }

    fn agent(&self, name: &Name) -> Result<Option<Agent>, StoreError> {
        self.tables.agent(name)
    }

    fn agents(&self) -> Result<Vec<Agent>, StoreError> {
        self.tables.agents()
    }

    fn effects(&self) -> Result<Vec<EffectRow>, StoreError> {
        self.tables.effects()
    }

    fn effect(&self, position: u64, index: u32) -> Result<Option<EffectRow>, StoreError> {
        self.tables.effect(position, index)
    }

    fn idempotent(&self, sender: &Name, key: &str) -> Result<Option<IdempotencyRow>, StoreError> {
        self.tables.idempotent(sender, key)
    }

    fn presence(&self) -> Result<Vec<PresenceRow>, StoreError> {
        self.tables.presence()
    }
}
