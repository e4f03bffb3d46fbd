//! The working set of one step: what is stored, what the batch changed so far, what the command at hand
//! changes. A command that fails leaves no trace.

use std::sync::Arc;

use wilco_language::interpret::Cited;
use wilco_protocol::directory::{self, Directory};
use wilco_protocol::journal::{Entry, Fact};
use wilco_protocol::{ExchangeId, MessageId, Name, Time};
use wilco_store::{InboxStatus, Message, StoreError};

use crate::cache::merge;
use crate::engine::State;
use crate::layer::{Layer, Live, NewMessage, Written};
use crate::lookup::Lookup;
use crate::settings::Settings;

pub(crate) struct Workspace<'a> {
    pub(crate) state: &'a mut State,
    pub(crate) settings: &'a Settings,
    pub(crate) lookup: Lookup<'a>,
    pub(crate) now: Time,
    /// What is being committed. The store may have it already, or not; both are right.
    pub(crate) submitted: Option<&'a Layer>,
    pub(crate) batch: Layer,
    pub(crate) changes: Layer,
}

/// What a stored message mostly needs besides its content.
const ENVELOPE_BYTES: usize = 400;

impl<'a> Workspace<'a> {
    /// Does one command: its changes join the batch when it succeeds, and vanish when it does not.
    pub(crate) fn command<T, E>(&mut self, run: impl FnOnce(&mut Self) -> Result<T, E>) -> Result<T, E> {
        match run(self) {
            Ok(done) => {
                let changes = std::mem::take(&mut self.changes);
                debug_assert!(
                    changes.journal.iter().all(Option::is_some),
                    "a reserved position was not filled"
                );
                self.batch.absorb(changes);
                Ok(done)
            }
            Err(refused) => {
                let changes = std::mem::take(&mut self.changes);
                self.state.undo_agents(changes.agents);
                Err(refused)
            }
        }
    }

    /// Everything that is not committed yet, the newest first.
    pub(crate) fn layers(&self) -> impl Iterator<Item = &Layer> {
        [Some(&self.changes), Some(&self.batch), self.submitted].into_iter().flatten()
    }

    pub(crate) fn next_position(&self) -> u64 {
        let decided: usize = self.layers().map(|layer| layer.journal.len()).sum();
        self.state.head.position + decided as u64 + 1
    }

    /// An id for the message that takes the next position.
    pub(crate) fn new_id(&self) -> MessageId {
        MessageId::made(self.now, self.next_position())
    }

    /// Takes the next position now, to be filled before the command ends.
    pub(crate) fn reserve(&mut self) -> u64 {
        let position = self.next_position();
        self.changes.journal.push(None);
        position
    }

    pub(crate) fn fill(&mut self, position: u64, entry: &Entry) {
        let first = self.next_position() - self.changes.journal.len() as u64;
        let exchange = entry.exchange.map(|id| id.number);
        let written = Written { exchange, seq: entry.seq, bytes: entry.to_bytes() };
        self.changes.journal[(position - first) as usize] = Some(written);
    }

    pub(crate) fn record(&mut self, exchange: Option<(ExchangeId, u64)>, by: Name, fact: Fact) -> u64 {
        let position = self.reserve();
        let (exchange, seq) = (exchange.map(|(id, _)| id), exchange.map(|(_, seq)| seq));
        self.fill(position, &Entry { exchange, seq, at: self.now, by, fact });
        position
    }

    pub(crate) fn directory(&self) -> &Directory {
        &self.state.directory
    }

    /// Changes the directory, and remembers how to take it back.
    pub(crate) fn change_agent(&mut self, event: directory::Event, by: Name) -> u64 {
        let name = event.agent().clone();
        let before = self.state.directory.get(&name).cloned();
        directory::apply(&mut self.state.directory, &event);
        self.changes.agents.push((name, before));
        self.record(None, by, Fact::Agent(event))
    }

    pub(crate) fn live(&mut self, number: u64) -> Result<Option<Live>, StoreError> {
        if let Some(live) = self.layers().find_map(|layer| layer.exchanges.get(&number)) {
            return Ok(Some(live.clone()));
        }
        self.lookup.exchange(number)
    }

    /// Keeps an exchange as it stands now, and the keys that changed.
    pub(crate) fn keep(&mut self, mut live: Live) {
        let number = live.exchange.id().number;
        let keys = live.exchange.keys();
        if *keys == *live.keys {
            self.changes.exchanges.insert(number, live);
            return;
        }
        for removed in live.keys.iter().filter(|key| !keys.contains(key)) {
            self.changes.keys.entry(removed.clone()).or_default().insert(number, false);
        }
        for added in keys.iter().filter(|key| !live.keys.contains(key)) {
            self.changes.keys.entry(added.clone()).or_default().insert(number, true);
        }
        live.keys = keys.into();
        self.changes.exchanges.insert(number, live);
    }

    /// The exchanges that have this key, newest first.
    pub(crate) fn find(&mut self, key: &str) -> Result<Vec<u64>, StoreError> {
        let mut found = self.lookup.found(key)?;
        let layers = [self.submitted, Some(&self.batch), Some(&self.changes)];
        for changes in layers.into_iter().flatten().filter_map(|layer| layer.keys.get(key)) {
            merge(&mut found, changes);
        }
        Ok(found)
    }

    pub(crate) fn message(&mut self, id: &MessageId) -> Result<Option<(u64, Arc<Message>)>, StoreError> {
        if let Some(new) = self.layers().find_map(|layer| layer.message(id)) {
            return Ok(Some((new.position, new.message.clone())));
        }
        self.lookup.message(id)
    }

    /// A message as somebody names it: `_` may stand for `-` in its id.
    pub(crate) fn message_named(
        &mut self,
        id: &MessageId,
    ) -> Result<Option<(u64, Arc<Message>)>, StoreError> {
        match self.message(id)? {
            None => dashed(id).map_or(Ok(None), |id| self.message(&id)),
            found => Ok(found),
        }
    }

    /// Adds a message to those that are cited; one that is not stored gives nothing.
    pub(crate) fn cite(&mut self, id: &MessageId, cited: &mut Cited) -> Result<(), StoreError> {
        if cited.content(id).is_some() {
            return Ok(());
        }
        if let Some((_, message)) = self.message(id)? {
            cited.add(id.clone(), message.subject.clone(), message.values().clone());
        }
        Ok(())
    }

    pub(crate) fn status(&mut self, agent: &Name, position: u64) -> Result<Option<InboxStatus>, StoreError> {
        let pending = self.layers().find_map(|layer| layer.status(agent, position));
        match pending {
            Some(status) => Ok(Some(status)),
            None => Ok(self.lookup.place(agent, position)?.0),
        }
    }

    pub(crate) fn add_message(&mut self, position: u64, message: Message) -> Arc<Message> {
        let texts = message.content.get().len() + message.delivered.as_ref().map_or(0, |raw| raw.get().len());
        let mut body = Vec::with_capacity(texts + ENVELOPE_BYTES);
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(&mut body, &message);
        let message = Arc::new(message);
        self.changes.messages.push(NewMessage { position, message: message.clone(), body });
        message
    }
}

/// The other spelling of an id in which `_` stands for `-`.
pub(crate) fn dashed(id: &MessageId) -> Option<MessageId> {
    id.as_str().contains('_').then(|| MessageId::new(id.as_str().replace('_', "-")))
}
