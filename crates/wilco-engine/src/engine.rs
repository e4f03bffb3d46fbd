//! The engine: its memory, and one step of it.

use std::collections::{BTreeMap, BTreeSet};

use wilco_protocol::directory::{Agent, Directory, Mark};
use wilco_protocol::journal::{Fact, ServerEvent};
use wilco_protocol::{Name, Span, Time};
use wilco_store::{
    AgentChange, Batch, EffectChange, EffectRow, ExchangeRow, Head, InboxStatus, JournalRow, KeyChange,
    MessageRow, Reader, Store, StoreError, link,
};

use crate::cache::Cache;
use crate::command::{Answer, Command, Done};
use crate::layer::Layer;
use crate::settings::Settings;
use crate::work::Work;

/// Decides and commits. One per realm; everything it knows follows from the store.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    state: State,
    cache: Cache,
}

/// What the engine remembers between steps.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) head: Head,
    pub(crate) directory: Directory,
    /// When each agent last did something; not history.
    pub(crate) last_seen: BTreeMap<Name, Time>,
    /// Whose presence is newer than what is stored.
    pub(crate) seen_since: BTreeSet<Name>,
    /// When the server was down last.
    pub(crate) downtime: Option<(Time, Time)>,
    /// Who wants to be woken when.
    pub(crate) wakes: BTreeSet<(Time, u64)>,
    /// How many unread messages an inbox has, once somebody asked.
    pub(crate) unread: BTreeMap<Name, i64>,
}

/// An agent is active for this long after it was last seen.
pub(crate) const ACTIVE_FOR: Span = Span::minutes(2);
/// Idempotency records are kept at least this long.
const REMEMBERED_FOR: Span = Span::minutes(8 * 24 * 60);
/// How often old records are looked for.
const FORGET_EVERY: u64 = 10_000;

/// What came of a step.
#[derive(Debug)]
pub struct Stepped {
    /// One for each command, in order.
    pub answers: Vec<Answer>,
    /// Agents whose inbox got something.
    pub reached: BTreeSet<Name>,
    /// Orders for the courier.
    pub effects: Vec<EffectRow>,
    /// Whether anything was committed, and the newest position.
    pub committed: bool,
    pub head: u64,
    /// Whether any agent is another than before.
    pub agents_changed: bool,
}

impl State {
    pub(crate) fn undo_agents(&mut self, touched: Vec<(Name, Option<Agent>)>) {
        for (name, before) in touched.into_iter().rev() {
            match before {
                Some(agent) => self.directory.restore(agent),
                None => self.directory.forget(&name),
            }
        }
    }

    pub(crate) fn saw(&mut self, agent: &Name, now: Time) {
        self.last_seen.insert(agent.clone(), now);
        self.seen_since.insert(agent.clone());
    }

    pub(crate) fn is_active(&self, agent: &Name, now: Time) -> bool {
        let seen = self.last_seen.get(agent).is_some_and(|seen| now.since(*seen) < ACTIVE_FOR);
        seen && self.directory.get(agent).is_some_and(|agent| agent.mark.is_none())
    }
}

impl Engine {
    /// Starts from what is stored.
    pub fn load(settings: Settings, store: &dyn Reader) -> Result<Engine, StoreError> {
        let head = store.head()?;
        let mut directory = Directory::default();
        store.agents()?.into_iter().for_each(|agent| directory.restore(agent));
        let state = State {
            head,
            directory,
            last_seen: store.presence()?.into_iter().collect(),
            seen_since: BTreeSet::new(),
            downtime: None,
            wakes: store.wakes()?.into_iter().collect(),
            unread: BTreeMap::new(),
        };
        Ok(Engine { settings, state, cache: Cache::new() })
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// When something is due next.
    pub fn next_wake(&self) -> Option<Time> {
        self.state.wakes.first().map(|(due, _)| *due)
    }

    pub fn directory(&self) -> &Directory {
        &self.state.directory
    }

    pub fn last_seen(&self, agent: &Name) -> Option<Time> {
        self.state.last_seen.get(agent).copied()
    }

    /// Does the commands in order, commits once, answers all. After an error nothing has changed, here
    /// or in the store.
    pub fn step(
        &mut self,
        commands: Vec<Command>,
        now: Time,
        store: &mut impl Store,
    ) -> Result<Stepped, StoreError> {
        let mut work = Work {
            state: &mut self.state,
            settings: &self.settings,
            cache: &mut self.cache,
            store: &*store,
            now,
            batch: Layer::default(),
            draft: Layer::default(),
        };
        let answers: Vec<Answer> = commands.into_iter().map(|command| answer(&mut work, command)).collect();
        let mut layer = std::mem::take(&mut work.batch);
        if layer.is_empty() {
            self.state.undo_agents(layer.agents);
            let head = self.state.head.position;
            return Ok(Stepped {
                answers,
                reached: BTreeSet::new(),
                effects: Vec::new(),
                committed: false,
                head,
                agents_changed: false,
            });
        }
        let committed = self.batch(&mut layer, now).and_then(|batch| store.commit(&batch).map(|()| batch));
        let batch = match committed {
            Ok(batch) => batch,
            Err(error) => {
                self.state.undo_agents(layer.agents);
                return Err(error);
            }
        };
        Ok(self.committed(layer, batch, answers))
    }

    /// The batch that makes a layer durable. Moves into it what only the store needs.
    fn batch(&self, layer: &mut Layer, now: Time) -> Result<Batch, StoreError> {
        let mut batch = Batch { at: now, ..Batch::default() };
        let mut hash = self.state.head.hash;
        let entries = layer.journal.iter().flatten();
        for (position, entry) in (self.state.head.position + 1..).zip(entries) {
            let bytes = entry.to_bytes();
            hash = link(&hash, position, &bytes);
            let exchange = entry.exchange.map(|id| id.number);
            batch.journal.push(JournalRow { position, exchange, seq: entry.seq, bytes, hash });
        }
        for new in &mut layer.messages {
            let exchange = new.message.exchange.map(|id| id.number);
            let (id, body) = (new.message.id.clone(), std::mem::take(&mut new.body));
            batch.messages.push(MessageRow { position: new.position, id, exchange, body });
        }
        for live in layer.exchanges.values() {
            let body =
                serde_json::to_vec(&live.exchange).map_err(|error| StoreError::Failed(Box::new(error)))?;
            batch.exchanges.push(ExchangeRow {
                id: live.exchange.id(),
                state: live.exchange.state_name().to_owned(),
                open: live.exchange.is_open(),
                seq: live.seq,
                wake_at: live.exchange.wake_at(),
                body,
            });
        }
        for (key, changes) in &layer.keys {
            let change = |(exchange, added): (&u64, &bool)| KeyChange {
                key: key.clone(),
                exchange: *exchange,
                added: *added,
            };
            batch.keys.extend(changes.iter().map(change));
        }
        let touched: BTreeSet<_> = layer.agents.iter().map(|(name, _)| name).collect();
        for name in touched {
            batch.agents.push(match self.state.directory.get(name) {
                Some(agent) => AgentChange::Put(agent.clone()),
                None => AgentChange::Removed(name.clone()),
            });
        }
        if layer.alive {
            let seen = |name: &Name| Some((name.clone(), *self.state.last_seen.get(name)?));
            batch.presence = self.state.seen_since.iter().filter_map(seen).collect();
        }
        batch.inbox = std::mem::take(&mut layer.inbox);
        batch.marks = std::mem::take(&mut layer.marks);
        batch.effects = std::mem::take(&mut layer.effects);
        batch.idempotency = std::mem::take(&mut layer.idempotency).into_values().collect();
        let last = batch.journal.last().map_or(self.state.head.position, |row| row.position);
        if last / FORGET_EVERY > self.state.head.position / FORGET_EVERY {
            let oldest = now.millis() - REMEMBERED_FOR.as_millis() as i64;
            batch.forget_before = Some(Time::from_millis(oldest));
        }
        Ok(batch)
    }

    /// Remembers what was committed.
    fn committed(&mut self, layer: Layer, batch: Batch, answers: Vec<Answer>) -> Stepped {
        if let Some(last) = batch.journal.last() {
            self.state.head = Head { position: last.position, hash: last.hash, at: Some(batch.at) };
        }
        if layer.alive {
            self.state.seen_since.clear();
        }
        for (row, (number, mut live)) in batch.exchanges.iter().zip(layer.exchanges) {
            if let Some(before) = live.alarm {
                self.state.wakes.remove(&(before, number));
            }
            self.state.wakes.extend(row.wake_at.map(|due| (due, number)));
            live.alarm = row.wake_at;
            self.cache.put_exchange(number, row.body.len(), live);
        }
        for (row, new) in batch.messages.iter().zip(layer.messages) {
            self.cache.put_message(new.position, row.body.len(), new.message);
        }
        for (key, changes) in &layer.keys {
            self.cache.change_found(key, changes);
        }
        for (agent, count) in layer.unread {
            if let Some(known) = self.state.unread.get_mut(&agent) {
                *known += count;
            }
        }
        let effects = batch.effects.into_iter().filter_map(|change| match change {
            EffectChange::Put(row) => Some(row),
            EffectChange::Settled { .. } => None,
        });
        let reached = batch.inbox.into_iter().filter(|row| row.status == InboxStatus::Unread);
        let agents_changed = !layer.agents.is_empty();
        Stepped {
            answers,
            agents_changed,
            reached: reached.map(|row| row.agent).collect(),
            effects: effects.collect(),
            committed: true,
            head: self.state.head.position,
        }
    }
}

/// Does a command as one piece. A wake is many pieces, one for each exchange.
fn answer(work: &mut Work<'_>, command: Command) -> Answer {
    match command {
        Command::Wake => work.wake().map(|()| Done::Nothing),
        other => work.command(|work| run(work, other)),
    }
}

fn run(work: &mut Work<'_>, command: Command) -> Answer {
    match command {
        Command::Post(post) => work.accept(*post).map(Done::Accepted),
        Command::PutAgent(put) => work.put_agent(*put).map(|changed| Done::Agent(Box::new(changed))),
        Command::PatchAgent(patch) => work.patch_agent(*patch).map(|changed| Done::Agent(Box::new(changed))),
        Command::RemoveAgent { name, by } => work.remove_agent(&name, &by).map(|()| Done::Nothing),
        Command::Seen { agent } => work.seen(&agent).map(|()| Done::Nothing),
        Command::Called { agent, proven } => work.called(&agent, proven).map(|()| Done::Nothing),
        Command::Waits { agent } => work.waits(&agent).map(|()| Done::Nothing),
        Command::Mark { agent, id, mark } => work.mark(&agent, &id, mark).map(|()| Done::Nothing),
        Command::Wake => work.wake().map(|()| Done::Nothing),
        Command::Report { position, index, report } => {
            work.reported(position, index, report).map(|()| Done::Nothing)
        }
        Command::Postpone { position, index, due } => {
            work.postpone(position, index, due).map(|()| Done::Nothing)
        }
        Command::Alive => {
            work.draft.alive = true;
            Ok(Done::Nothing)
        }
        Command::Started { version, down_from, downtime } => {
            // What is overdue by now nobody could handle, however often the server was started since.
            let overdue = work.state.wakes.first().map_or(work.now, |(due, _)| *due);
            let down = down_from.zip(downtime);
            work.state.downtime = down.map(|(from, length)| (from.min(overdue), from.plus(length)));
            let fact = Fact::Server(ServerEvent::ServerStarted { version, down_from, downtime });
            work.record(None, Name::wilco(), fact);
            Ok(Done::Nothing)
        }
    }
}

/// The status of an agent as people see it.
pub fn status(mark: Option<Mark>, last_seen: Option<Time>, now: Time) -> &'static str {
    match (mark, last_seen.map(|seen| now.since(seen))) {
        (Some(mark), _) => mark.word(),
        (None, Some(ago)) if ago < ACTIVE_FOR => "active",
        (None, Some(ago)) if ago < crate::facts::IDLE_FOR => "idle",
        (None, _) => "offline",
    }
}
