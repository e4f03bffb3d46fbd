//! Derived tables made anew from the record: the fold of all events.

use std::collections::BTreeMap;

use wilco_protocol::directory::{self, Directory};
use wilco_protocol::journal::{Entry, Fact, MessageEvent};
use wilco_protocol::{Exchange, MessageId, Name, Time};
use wilco_store::{
    AgentChange, Batch, ExchangeRow, InboxMark, InboxRow, InboxStatus, KeyChange, Reach, ReachRow, Reader,
    Store, StoreError,
};

use crate::lookup::damaged;

/// Events read at once.
const PAGE: usize = 1000;

/// Refolds everything; returns how many events there were.
pub fn rebuild(store: &mut impl Store) -> Result<u64, StoreError> {
    // The last sign of life is no event, and stays what it was.
    let alive = store.head()?.at;
    store.begin_rebuild()?;
    let mut fold = Fold::default();
    let mut after = 0;
    loop {
        let page = store.journal(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.position;
        let mut batch = Batch::default();
        for row in &page {
            let entry = Entry::from_bytes(&row.bytes).map_err(|error| damaged(row.position, error))?;
            batch.at = alive.unwrap_or(entry.at);
            fold.take(row.position, &entry, &*store, &mut batch)?;
        }
        store.commit(&batch)?;
    }
    store.commit(&fold.finish(alive))?;
    store.finish_rebuild()?;
    Ok(after)
}

/// What has been folded so far.
#[derive(Default)]
pub(crate) struct Fold {
    pub(crate) exchanges: BTreeMap<u64, (Exchange, u64)>,
    /// Events that came before their exchange's first: its opening message.
    opened: BTreeMap<u64, u64>,
    pub(crate) directory: Directory,
    last: Time,
}

impl Fold {
    /// Brings everything on by an event: inboxes in the batch, exchanges and agents here.
    pub(crate) fn take(
        &mut self,
        position: u64,
        entry: &Entry,
        store: &dyn Reader,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        match &entry.fact {
            Fact::Message(event) => self.message(position, event, store, batch)?,
            Fact::Exchange(_) | Fact::Agent(_) | Fact::Server(_) => {}
        }
        self.apply(position, entry)
    }

    fn apply(&mut self, position: u64, entry: &Entry) -> Result<(), StoreError> {
        self.last = entry.at;
        if let (Some(id), Some(seq)) = (entry.exchange, entry.seq) {
            match self.exchanges.get_mut(&id.number) {
                Some((_, last)) => *last = seq,
                None => {
                    self.opened.insert(id.number, seq);
                }
            }
        }
        match &entry.fact {
            Fact::Exchange(event) => {
                let Some(id) = entry.exchange else { return Ok(()) };
                match self.exchanges.get_mut(&id.number) {
                    Some((exchange, _)) => exchange.apply(event, entry.at),
                    None => {
                        let born = Exchange::born(event, entry.at).ok_or_else(|| StoreError::Damaged {
                            position,
                            reason: format!("{id} does not begin with its first event"),
                        })?;
                        self.opened.remove(&id.number);
                        self.exchanges.insert(id.number, (born, entry.seq.unwrap_or(1)));
                    }
                }
            }
            Fact::Agent(event) => directory::apply(&mut self.directory, event),
            Fact::Message(_) | Fact::Server(_) => {}
        }
        Ok(())
    }

    fn message(
        &self,
        position: u64,
        event: &MessageEvent,
        store: &dyn Reader,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        let mut mark = |agent: &Name, id: &MessageId, status| -> Result<(), StoreError> {
            if let Some(row) = store.message(id)? {
                batch.marks.push(InboxMark { agent: agent.clone(), position: row.position, status });
            }
            Ok(())
        };
        let mut reach = |agent: &Name, id: &MessageId, reach| -> Result<(), StoreError> {
            if let Some(row) = store.message(id)? {
                batch.reaches.push(ReachRow { agent: agent.clone(), position: row.position, reach });
            }
            Ok(())
        };
        match event {
            MessageEvent::MessageAccepted { inboxes, .. } => {
                let row =
                    |agent: &Name| InboxRow { agent: agent.clone(), position, status: InboxStatus::Unread };
                batch.inbox.extend(inboxes.iter().map(row));
                answered(position, store, batch)
            }
            MessageEvent::MessageRead { id, agent } => mark(agent, id, InboxStatus::Read),
            MessageEvent::MessageArchived { id, agent, unread } => {
                mark(agent, id, InboxStatus::Archived)?;
                if *unread { reach(agent, id, Reach::PutAwayUnread) } else { Ok(()) }
            }
            MessageEvent::MessageDeleted { id, agent, unread } => {
                mark(agent, id, InboxStatus::Deleted)?;
                if *unread { reach(agent, id, Reach::PutAwayUnread) } else { Ok(()) }
            }
            MessageEvent::MessageNudged { id, agent, .. } => reach(agent, id, Reach::Nudged),
            MessageEvent::MessageNudgeFailed { id, agent, .. } => reach(agent, id, Reach::NudgeFailed),
            MessageEvent::MessageInjected { id, agent } => reach(agent, id, Reach::Injected),
        }
    }

    fn finish(self, alive: Option<Time>) -> Batch {
        let mut batch = Batch { at: alive.unwrap_or(self.last), ..Batch::default() };
        for (number, (exchange, seq)) in self.exchanges {
            let keys =
                exchange.keys().into_iter().map(|key| KeyChange { key, exchange: number, added: true });
            batch.keys.extend(keys);
            batch.exchanges.push(ExchangeRow {
                id: exchange.id(),
                state: exchange.state_name().to_owned(),
                open: exchange.is_open(),
                seq,
                wake_at: exchange.wake_at(),
                body: serde_json::to_vec(&exchange).unwrap_or_default(),
            });
        }
        batch.agents = self.directory.iter().cloned().map(AgentChange::Put).collect();
        batch
    }
}

/// A reply answers the message it names.
fn answered(position: u64, store: &dyn Reader, batch: &mut Batch) -> Result<(), StoreError> {
    #[derive(serde::Deserialize)]
    struct Reply {
        from: Name,
        #[serde(default)]
        in_reply_to: Option<MessageId>,
    }
    let Some(row) = store.message_at(position)? else { return Ok(()) };
    let reply: Reply = serde_json::from_slice(&row.body).map_err(|error| damaged(position, error))?;
    let parent = reply.in_reply_to.map(|id| store.message(&id)).transpose()?.flatten();
    if let Some(parent) = parent.filter(|parent| parent.position < position) {
        let (agent, position) = (reply.from, parent.position);
        batch.reaches.push(ReachRow { agent, position, reach: Reach::Answered });
    }
    Ok(())
}
