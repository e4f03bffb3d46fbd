//! The working set of one step: what is stored, what the batch changed so far, what the command at hand
//! changes. A command that fails leaves no trace.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use wilco_language::interpret::Cited;
use wilco_language::render::Setting;
use wilco_protocol::directory::{self, Directory, Interface};
use wilco_protocol::journal::{Entry, Fact};
use wilco_protocol::judgement::judged_by;
use wilco_protocol::{ExchangeId, MessageId, Name, Span, Time};
use wilco_store::{
    EffectChange, EffectRow, Hash, IdempotencyRow, InboxMark, InboxRow, InboxStatus, Message, Reach,
    ReachRow, Reached, Reader, StoreError,
};

use crate::cache::merge;
use crate::digest::OpenDigest;
use crate::engine::State;
use crate::hooks::SESSION_LABEL;
use crate::layer::{Layer, Live, NewMessage, Written};
use crate::lookup::Lookup;
use crate::nudge::OpenNudge;
use crate::settings::Settings;

pub(crate) struct Workspace<'a> {
    state: &'a mut State,
    settings: &'a Settings,
    lookup: Lookup<'a>,
    now: Time,
    /// What is being committed. The store may have it already, or not; both are right.
    submitted: Option<&'a Layer>,
    batch: Layer,
    changes: Layer,
}

/// What a stored message mostly needs besides its content.
const ENVELOPE_BYTES: usize = 400;

impl<'a> Workspace<'a> {
    /// `batch`: what was decided before and is not being committed yet.
    pub(crate) fn new(
        state: &'a mut State,
        settings: &'a Settings,
        lookup: Lookup<'a>,
        now: Time,
        submitted: Option<&'a Layer>,
        batch: Layer,
    ) -> Workspace<'a> {
        Workspace { state, settings, lookup, now, submitted, batch, changes: Layer::default() }
    }

    /// What is to be committed, and how many questions were asked one by one.
    pub(crate) fn finish(self) -> (Layer, u64) {
        (self.batch, self.lookup.single())
    }

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

    pub(crate) fn now(&self) -> Time {
        self.now
    }

    pub(crate) fn settings(&self) -> &'a Settings {
        self.settings
    }

    /// What is stored, for those who ask for many things at once.
    pub(crate) fn lookup(&mut self) -> &mut Lookup<'a> {
        &mut self.lookup
    }

    /// Reads messages together; what is not committed yet is at hand anyway.
    pub(crate) fn fetch_messages(&mut self, mut ids: BTreeSet<MessageId>) -> Result<(), StoreError> {
        ids.retain(|id| !self.layers().any(|layer| layer.message(id).is_some()));
        self.lookup.fetch_messages(ids)
    }

    /// Exchanges in the same way.
    pub(crate) fn fetch_exchanges(&mut self, mut numbers: BTreeSet<u64>) -> Result<(), StoreError> {
        numbers.retain(|number| !self.layers().any(|layer| layer.exchanges.contains_key(number)));
        self.lookup.fetch_exchanges(numbers)
    }

    /// What is stored, for lists. It may have what is being committed, or not.
    pub(crate) fn store(&self) -> &'a dyn Reader {
        self.lookup.store()
    }

    /// Which hosts are nodes, as far as it was asked, and when.
    pub(crate) fn hosts(&mut self) -> &mut BTreeMap<String, (Option<String>, Time)> {
        &mut self.state.hosts
    }

    /// Everything that is not committed yet, the newest first.
    fn layers(&self) -> impl Iterator<Item = &Layer> {
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
        if let Fact::Exchange(event) = &fact {
            self.changes.judged.extend(judged_by(event));
        }
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

    /// How a message got nearer to an agent, as far as it is stored.
    pub(crate) fn reached(&mut self, agent: &Name, position: u64) -> Result<Reached, StoreError> {
        Ok(self.lookup.place(agent, position)?.1)
    }

    pub(crate) fn reach(&mut self, agent: Name, position: u64, reach: Reach) {
        self.changes.reaches.push(ReachRow { agent, position, reach });
    }

    /// Puts a message into an inbox.
    pub(crate) fn post(&mut self, agent: &Name, position: u64) {
        *self.changes.unread.entry(agent.clone()).or_default() += 1;
        self.changes.inbox.push(InboxRow { agent: agent.clone(), position, status: InboxStatus::Unread });
    }

    pub(crate) fn mark(&mut self, agent: &Name, position: u64, before: InboxStatus, status: InboxStatus) {
        if before == InboxStatus::Unread {
            *self.changes.unread.entry(agent.clone()).or_default() -= 1;
        }
        self.changes.marks.push(InboxMark { agent: agent.clone(), position, status });
    }

    /// The newest message that was put into an inbox and is not committed yet.
    pub(crate) fn newest_posted(&self, agent: &Name) -> Option<u64> {
        let rows = self.layers().flat_map(|layer| &layer.inbox);
        rows.filter(|row| row.agent == *agent).map(|row| row.position).max()
    }

    /// How many messages of an inbox are unread, counted up to `most`.
    pub(crate) fn unread(&mut self, agent: &Name, most: usize) -> Result<i64, StoreError> {
        let submitted = self.submitted.and_then(|layer| layer.unread.get(agent).copied());
        let known = match self.state.presence.unread(agent) {
            Some(count) => count + submitted.unwrap_or(0),
            None => {
                let count = self.lookup.unread(agent, most)? as i64;
                // What is being committed may be counted already or not, so it is asked again.
                if submitted.is_none() {
                    self.state.presence.set_unread(agent, count);
                }
                count
            }
        };
        let pending = [&self.batch, &self.changes].map(|layer| layer.unread.get(agent).copied().unwrap_or(0));
        Ok(known + pending.iter().sum::<i64>())
    }

    /// Whether the store must be asked how full an inbox is.
    pub(crate) fn asks_unread(&self, agent: &Name) -> bool {
        self.state.presence.unread(agent).is_none()
    }

    pub(crate) fn saw(&mut self, agent: &Name) {
        self.state.presence.saw(agent, self.now);
    }

    /// A hook of one of its sessions was heard; says whether the session was not known.
    pub(crate) fn hooked(&mut self, agent: &Name, session: &str, rests: bool) -> bool {
        self.state.presence.hooked(agent, session, rests, self.now)
    }

    pub(crate) fn session_ended(&mut self, agent: &Name, session: &str) {
        self.state.presence.ended(agent, session);
    }

    /// What an agent's message came by. Another one than before is kept at once: it decides what is taught.
    pub(crate) fn spoke_by(&mut self, agent: &Name, interface: Interface) {
        if self.state.presence.spoke_by(agent, interface) {
            self.stay_alive();
        }
    }

    /// What an agent is taught to answer by. Whose client has hooks has tools too: they were installed together.
    pub(crate) fn speaks(&self, agent: &Name) -> Interface {
        let known = self.directory().get(agent);
        let set = known.and_then(|agent| agent.profile.speaks);
        let has_hooks = known.is_some_and(|agent| agent.profile.labels.contains_key(SESSION_LABEL));
        let usual = if has_hooks { Interface::Mcp } else { Interface::default() };
        set.or_else(|| self.state.presence.last_spoke_by(agent)).unwrap_or(usual)
    }

    /// Where and when something is said to an agent.
    pub(crate) fn setting<'s>(&'s self, to: &Name, cited: &'s Cited) -> Setting<'s> {
        let Settings { url, requires_token, .. } = self.settings();
        Setting { url, requires_token: *requires_token, speaks: self.speaks(to), now: self.now, cited }
    }

    pub(crate) fn last_seen(&self, agent: &Name) -> Option<Time> {
        self.state.presence.last_seen(agent)
    }

    pub(crate) fn has_left(&self, agent: &Name) -> bool {
        self.state.presence.has_left(agent)
    }

    pub(crate) fn is_active(&self, agent: &Name) -> bool {
        self.state.is_active(agent, self.now)
    }

    /// Whether the command at hand made the agent known.
    pub(crate) fn is_new(&self, agent: &Name) -> bool {
        self.changes.agents.iter().any(|(name, before)| name == agent && before.is_none())
    }

    /// The answer that stands under a key.
    pub(crate) fn answer(&mut self, place: &(Name, String)) -> Result<Option<IdempotencyRow>, StoreError> {
        let pending = self.layers().find_map(|layer| layer.idempotency.get(place)).cloned();
        pending.map_or_else(|| self.lookup.answer(place), |row| Ok(Some(row)))
    }

    /// Keeps an answer under its key.
    pub(crate) fn keep_answer(&mut self, sender: Name, key: String, request: Hash, answer: Vec<u8>) {
        let place = (sender.clone(), key.clone());
        let row = IdempotencyRow { sender, key, request, at: self.now, answer };
        self.changes.idempotency.insert(place, row);
    }

    /// Places of orders that this command gave already.
    pub(crate) fn next_order(&self) -> u32 {
        self.changes.effects.len() as u32
    }

    /// Gives an order, or changes one. What the command at hand ordered in the same place is replaced.
    pub(crate) fn order(&mut self, row: EffectRow) {
        let same = |change: &&mut EffectChange| match change {
            EffectChange::Put(put) => (put.position, put.index) == (row.position, row.index),
            EffectChange::Settled { .. } => false,
        };
        match self.changes.effects.iter_mut().find(same) {
            Some(put) => *put = EffectChange::Put(row),
            None => self.changes.effects.push(EffectChange::Put(row)),
        }
    }

    pub(crate) fn settle(&mut self, position: u64, index: u32) {
        self.changes.effects.push(EffectChange::Settled { position, index });
    }

    /// The nudge that an agent is being given, or that failed for good.
    pub(crate) fn open_nudge(&self, agent: &Name) -> Option<&OpenNudge> {
        match self.layers().find_map(|layer| layer.nudges.get(agent)) {
            Some(open) => open.as_ref(),
            None => self.state.nudges.get(agent),
        }
    }

    pub(crate) fn set_nudge(&mut self, agent: Name, open: Option<OpenNudge>) {
        self.changes.nudges.insert(agent, open);
    }

    /// What is gathered for an agent.
    pub(crate) fn open_digest(&self, agent: &Name) -> Option<&OpenDigest> {
        match self.layers().find_map(|layer| layer.digests.get(agent)) {
            Some(open) => open.as_ref(),
            None => self.state.digests.get(agent),
        }
    }

    pub(crate) fn set_digest(&mut self, agent: Name, open: Option<OpenDigest>) {
        self.changes.digests.insert(agent, open);
    }

    /// Exchanges that are due now, in the order of due time and number, at most so many.
    pub(crate) fn due(&self, most: usize) -> Vec<u64> {
        let due = self.state.wakes.iter().take_while(|(due, _)| *due <= self.now).map(|(_, number)| *number);
        // What was decided lately is looked at again when it is committed, and its next wake is known.
        let new = |number: &u64| !self.layers().any(|layer| layer.exchanges.contains_key(number));
        due.filter(new).take(most).collect()
    }

    /// A timer went off so late.
    pub(crate) fn woke(&mut self, late: Span) {
        self.changes.woken.push(late);
    }

    /// Commits also when nothing happened.
    pub(crate) fn stay_alive(&mut self) {
        self.changes.alive = true;
    }

    pub(crate) fn downtime(&self) -> Option<(Time, Time)> {
        self.state.downtime
    }

    /// The server was down from then to then. What is overdue by now nobody could handle, however often it was started
    /// since.
    pub(crate) fn was_down(&mut self, down: Option<(Time, Time)>) {
        let overdue = self.state.wakes.first().map_or(self.now, |(due, _)| *due);
        self.state.downtime = down.map(|(from, to)| (from.min(overdue), to));
    }

    /// Something that the next decision depends on and nobody can foresee.
    pub(crate) fn head_hash(&self) -> &Hash {
        &self.state.head.hash
    }

    /// Counts one more thing that happened in an exchange; its state is the same, and so are its keys.
    pub(crate) fn count(&mut self, exchange: Option<ExchangeId>) -> Result<Option<u64>, StoreError> {
        let Some(exchange) = exchange else { return Ok(None) };
        let Some(mut live) = self.live(exchange.number)? else { return Ok(None) };
        live.seq += 1;
        let seq = live.seq;
        self.changes.exchanges.insert(exchange.number, live);
        Ok(Some(seq))
    }

    /// Stores a message at its reserved position; returns it with the hash of what is stored.
    pub(crate) fn add_message(&mut self, position: u64, message: Message) -> (Arc<Message>, String) {
        let texts = message.content.get().len() + message.delivered.as_ref().map_or(0, |raw| raw.get().len());
        let mut body = Vec::with_capacity(texts + ENVELOPE_BYTES);
        // Writing to memory does not fail.
        let _ = serde_json::to_writer(&mut body, &message);
        let (message, hash) = (Arc::new(message), blake3::hash(&body).to_hex().to_string());
        self.changes.messages.push(NewMessage { position, message: message.clone(), body });
        (message, hash)
    }
}

/// The other spelling of an id in which `_` stands for `-`.
pub(crate) fn dashed(id: &MessageId) -> Option<MessageId> {
    id.as_str().contains('_').then(|| MessageId::new(id.as_str().replace('_', "-")))
}
