//! The engine: its memory, and one step of it.

use std::collections::{BTreeMap, BTreeSet};

use wilco_protocol::directory::{Agent, Directory, Mark};
use wilco_protocol::journal::{Fact, ServerEvent};
use wilco_protocol::judgement::JudgedBy;
use wilco_protocol::{Name, Span, Time};
use wilco_store::{
    AgentChange, Batch, EffectChange, EffectRow, ExchangeRow, Head, InboxStatus, JournalRow, KeyChange,
    MessageRow, Reader, Store, StoreError, link,
};

use crate::accept::accept;
use crate::agents::{called, mark_message, patch_agent, put_agent, remove_agent, seen, waits};
use crate::cache::Cache;
use crate::command::{Answer, Command, Done};
use crate::digest::{self, OpenDigest, digest_due};
use crate::gather::gather;
use crate::hooks::hooked;
use crate::host::{begin_once, unreached};
use crate::layer::{Layer, Written};
use crate::lookup::Lookup;
use crate::nudge::{self, NEVER, OpenNudge, injected, nudged};
use crate::presence::Presence;
use crate::settings::Settings;
use crate::wake::{postpone, reported, wake};
use crate::workspace::Workspace;

/// Decides. One per realm; everything it knows follows from the store.
///
/// Decisions are gathered in a layer that becomes a batch. While one batch is being committed the next may
/// be gathered on top of it: should the commit fail, both are dropped, and nobody was told anything.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    state: State,
    cache: Cache,
    /// Decided, and not handed out for commit yet.
    open: Layer,
    /// Handed out for commit, and not known to be committed.
    submitted: Option<Layer>,
    single_lookups: u64,
}

/// What the engine remembers between steps.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) head: Head,
    pub(crate) directory: Directory,
    pub(crate) presence: Presence,
    /// When the server was down last.
    pub(crate) downtime: Option<(Time, Time)>,
    /// Who wants to be woken when.
    pub(crate) wakes: BTreeSet<(Time, u64)>,
    /// The nudge that an agent is being given, or that failed for good.
    pub(crate) nudges: BTreeMap<Name, OpenNudge>,
    /// What is gathered for an agent.
    pub(crate) digests: BTreeMap<Name, OpenDigest>,
    /// Which hosts are nodes, as far as it was asked, and when.
    pub(crate) hosts: BTreeMap<String, (Option<String>, Time)>,
}

/// An agent is active for this long after it was last seen.
pub(crate) const ACTIVE_FOR: Span = Span::minutes(2);
/// Idempotency records are kept at least this long.
const REMEMBERED_FOR: Span = Span::minutes(8 * 24 * 60);
/// What most states need.
const STATE_BYTES: usize = 2048;
/// How often old records are looked for.
const FORGET_EVERY: u64 = 10_000;

/// What came of a step.
#[derive(Debug)]
pub struct Stepped {
    /// One for each command, in order.
    pub answers: Vec<Answer>,
    /// None when there was nothing to commit.
    pub committed: Option<Committed>,
}

/// What follows from a commit.
#[derive(Debug)]
pub struct Committed {
    /// Agents whose inbox got something, once for each message.
    pub reached: Vec<Name>,
    /// Orders for the courier.
    pub effects: Vec<EffectRow>,
    /// The newest position.
    pub head: u64,
    /// Agents that are others than before.
    pub agents: Vec<Name>,
    /// How late each timer was that went off, every one once.
    pub woken: Vec<Span>,
    /// Who gave the verdicts on understandings.
    pub judged: Vec<JudgedBy>,
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

    pub(crate) fn is_active(&self, agent: &Name, now: Time) -> bool {
        let seen = self.presence.last_seen(agent).is_some_and(|seen| now.since(seen) < ACTIVE_FOR);
        seen && !self.presence.has_left(agent)
            && self.directory.get(agent).is_some_and(|agent| agent.mark.is_none())
    }
}

impl Engine {
    /// Starts from what is stored.
    pub fn load(settings: Settings, store: &dyn Reader) -> Result<Engine, StoreError> {
        let (head, effects) = (store.head()?, store.effects()?);
        let mut directory = Directory::default();
        store.agents()?.into_iter().for_each(|agent| directory.restore(agent));
        let state = State {
            head,
            directory,
            presence: Presence::stored(store.presence()?),
            downtime: None,
            wakes: store.wakes()?.into_iter().collect(),
            digests: digest::standing(&effects),
            nudges: nudge::standing(effects),
            hosts: BTreeMap::new(),
        };
        Ok(Engine {
            settings,
            state,
            cache: Cache::new(),
            open: Layer::default(),
            submitted: None,
            single_lookups: 0,
        })
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// When something is due next.
    pub fn next_wake(&self) -> Option<Time> {
        self.state.wakes.first().map(|(due, _)| *due)
    }

    /// How many exchanges want to be woken.
    pub fn timers(&self) -> usize {
        self.state.wakes.len()
    }

    /// How many events were decided since the last batch was handed out.
    pub fn gathered(&self) -> usize {
        self.open.journal.len()
    }

    /// How many questions the store was asked one by one, because nobody foresaw them.
    pub fn single_lookups(&self) -> u64 {
        self.single_lookups
    }

    pub fn directory(&self) -> &Directory {
        &self.state.directory
    }

    pub fn last_seen(&self, agent: &Name) -> Option<Time> {
        self.state.presence.last_seen(agent)
    }

    /// Whether its client works on a turn, so that hooks will tell it what came.
    pub(crate) fn is_working(&self, agent: &Name, now: Time) -> bool {
        self.state.presence.is_working(agent, now)
    }

    /// Whether its client said that its last session ended, and nothing was heard of it since.
    pub fn has_left(&self, agent: &Name) -> bool {
        self.state.presence.has_left(agent)
    }

    /// Does the commands in order, commits once, answers all. After an error nothing has changed, here
    /// or in the store.
    pub fn step(
        &mut self,
        commands: Vec<Command>,
        now: Time,
        store: &mut impl Store,
    ) -> Result<Stepped, StoreError> {
        let answers = self.decide(commands, now, &*store);
        let Some(batch) = self.submit(now)? else { return Ok(Stepped { answers, committed: None }) };
        match store.commit(&batch) {
            Ok(()) => Ok(Stepped { answers, committed: Some(self.committed(batch)) }),
            Err(error) => {
                self.failed(&batch);
                Err(error)
            }
        }
    }

    /// Does the commands in order. Nobody may hear the answers before the batch that holds what they did
    /// is committed.
    pub fn decide(&mut self, commands: Vec<Command>, now: Time, store: &dyn Reader) -> Vec<Answer> {
        let (lookup, batch) = (Lookup::new(store, &mut self.cache), std::mem::take(&mut self.open));
        let submitted = self.submitted.as_ref();
        let mut workspace = Workspace::new(&mut self.state, &self.settings, lookup, now, submitted, batch);
        // What could not be read is asked for again where it is needed, and the failure is told there.
        let _ = gather(&mut workspace, &commands);
        let answers = commands.into_iter().map(|command| answer(&mut workspace, command)).collect();
        let single;
        (self.open, single) = workspace.finish();
        self.single_lookups += single;
        answers
    }

    /// What was decided since the last time, for the store to commit; none when nothing was. There is one
    /// at a time: the next is asked for when it is known what became of this one.
    pub fn submit(&mut self, now: Time) -> Result<Option<Batch>, StoreError> {
        debug_assert!(self.submitted.is_none(), "a batch is being committed");
        if self.open.is_empty() {
            return Ok(None);
        }
        let mut layer = std::mem::take(&mut self.open);
        match self.batch(&mut layer, now) {
            Ok(batch) => {
                self.submitted = Some(layer);
                Ok(Some(batch))
            }
            Err(error) => {
                self.state.undo_agents(layer.agents);
                Err(error)
            }
        }
    }

    /// The batch was not committed: it, and whatever was decided on top of it, never happened.
    pub fn failed(&mut self, batch: &Batch) {
        let layers = [std::mem::take(&mut self.open), self.submitted.take().unwrap_or_default()];
        for layer in layers {
            self.state.undo_agents(layer.agents);
        }
        self.state.presence.not_stored(&batch.presence);
    }

    /// The batch that makes a layer durable. Moves into it what only the store needs.
    fn batch(&mut self, layer: &mut Layer, now: Time) -> Result<Batch, StoreError> {
        let mut batch = Batch { at: now, ..Batch::default() };
        let mut hash = self.state.head.hash;
        let written = layer.journal.iter_mut().flatten();
        for (position, Written { exchange, seq, bytes }) in (self.state.head.position + 1..).zip(written) {
            hash = link(&hash, position, bytes);
            let bytes = std::mem::take(bytes);
            batch.journal.push(JournalRow { position, exchange: *exchange, seq: *seq, bytes, hash });
        }
        for new in &mut layer.messages {
            let exchange = new.message.exchange.map(|id| id.number);
            let (id, body) = (new.message.id.clone(), std::mem::take(&mut new.body));
            batch.messages.push(MessageRow { position: new.position, id, exchange, body });
        }
        for live in layer.exchanges.values() {
            let mut body = Vec::with_capacity(STATE_BYTES);
            let written = serde_json::to_writer(&mut body, &live.exchange);
            written.map_err(|error| StoreError::NotStored(Box::new(error)))?;
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
            batch.presence = self.state.presence.take_newer();
        }
        batch.inbox = layer.inbox.clone();
        batch.marks = layer.marks.clone();
        batch.reaches = layer.reaches.clone();
        batch.effects = std::mem::take(&mut layer.effects);
        batch.idempotency = layer.idempotency.values().cloned().collect();
        let last = batch.journal.last().map_or(self.state.head.position, |row| row.position);
        if last / FORGET_EVERY > self.state.head.position / FORGET_EVERY {
            let oldest = now.millis() - REMEMBERED_FOR.as_millis() as i64;
            batch.forget_before = Some(Time::from_millis(oldest));
        }
        Ok(batch)
    }

    /// Remembers that the batch was committed.
    pub fn committed(&mut self, batch: Batch) -> Committed {
        let layer = self.submitted.take().unwrap_or_default();
        if let Some(last) = batch.journal.last() {
            self.state.head = Head { position: last.position, hash: last.hash, at: Some(batch.at) };
        }
        for (row, (number, mut live)) in batch.exchanges.iter().zip(layer.exchanges) {
            if let Some(before) = live.alarm {
                self.state.wakes.remove(&(before, number));
            }
            self.state.wakes.extend(row.wake_at.map(|due| (due, number)));
            live.alarm = row.wake_at;
            if let Some(later) = self.open.exchanges.get_mut(&number) {
                later.alarm = row.wake_at;
            }
            self.cache.put_exchange(number, row.body.len(), live);
        }
        // Exchanges cite their messages again and again. What belongs to none is hardly ever asked for.
        let cited = batch.messages.iter().zip(layer.messages).filter(|(row, _)| row.exchange.is_some());
        for (row, new) in cited {
            self.cache.put_message(new.position, row.body.len(), new.message);
        }
        for (key, changes) in &layer.keys {
            self.cache.change_found(key, changes);
        }
        for (agent, count) in layer.unread {
            self.state.presence.count_unread(&agent, count);
        }
        for (agent, standing) in layer.nudges {
            match standing {
                Some(standing) => self.state.nudges.insert(agent, standing),
                None => self.state.nudges.remove(&agent),
            };
        }
        for (agent, open) in layer.digests {
            match open {
                Some(open) => self.state.digests.insert(agent, open),
                None => self.state.digests.remove(&agent),
            };
        }
        let effects = batch.effects.into_iter().filter_map(|change| match change {
            EffectChange::Put(row) => Some(row).filter(|row| row.due < NEVER),
            EffectChange::Settled { .. } => None,
        });
        let reached = batch.inbox.into_iter().filter(|row| row.status == InboxStatus::Unread);
        let agents = layer.agents.into_iter().map(|(name, _)| name).collect();
        Committed {
            reached: reached.map(|row| row.agent).collect(),
            effects: effects.collect(),
            head: self.state.head.position,
            agents,
            woken: layer.woken,
            judged: layer.judged,
        }
    }
}

/// Does a command as one piece. A wake is many pieces, one for each exchange.
fn answer(workspace: &mut Workspace<'_>, command: Command) -> Answer {
    match command {
        Command::Wake => wake(workspace).map(|()| Done::Nothing),
        other => workspace.command(|workspace| run(workspace, other)),
    }
}

fn run(workspace: &mut Workspace<'_>, command: Command) -> Answer {
    match command {
        Command::Post(post) => accept(workspace, *post).map(Done::Accepted),
        Command::PutAgent(put) => put_agent(workspace, *put).map(|changed| Done::Agent(Box::new(changed))),
        Command::PatchAgent(patch) => {
            patch_agent(workspace, *patch).map(|changed| Done::Agent(Box::new(changed)))
        }
        Command::RemoveAgent { name, by } => remove_agent(workspace, &name, &by).map(|()| Done::Nothing),
        Command::Seen { agent } => seen(workspace, &agent).map(|()| Done::Nothing),
        Command::Hooked(report) => hooked(workspace, *report).map(|changed| Done::Agent(Box::new(changed))),
        Command::Called { agent, proven } => called(workspace, &agent, proven).map(|()| Done::Nothing),
        Command::Waits { agent } => waits(workspace, &agent).map(|()| Done::Nothing),
        Command::Mark { agent, id, mark } => {
            mark_message(workspace, &agent, &id, mark).map(|()| Done::Nothing)
        }
        Command::Wake => wake(workspace).map(|()| Done::Nothing),
        Command::Report { position, index, report } => {
            reported(workspace, position, index, report).map(|()| Done::Nothing)
        }
        Command::Postpone { position, index, due } => {
            postpone(workspace, position, index, due).map(|()| Done::Nothing)
        }
        Command::Begin { position, index, node } => {
            begin_once(workspace, (position, index), &node).map(|()| Done::Nothing)
        }
        Command::Unreached { position, index } => {
            unreached(workspace, (position, index)).map(|()| Done::Nothing)
        }
        Command::Nudged { position, index, agent, through, outcome } => {
            nudged(workspace, (position, index), &agent, through, outcome).map(|()| Done::Nothing)
        }
        Command::Digest { position, index, agent } => {
            digest_due(workspace, &agent, (position, index)).map(|()| Done::Nothing)
        }
        Command::Injected { agent, id } => injected(workspace, &agent, &id).map(|()| Done::Nothing),
        Command::Keep { sender, key, request, answer } => {
            workspace.keep_answer(sender, key, request, answer);
            Ok(Done::Nothing)
        }
        Command::Alive => {
            workspace.stay_alive();
            Ok(Done::Nothing)
        }
        Command::Started { version, down_from, downtime } => {
            begun(
                workspace,
                down_from,
                downtime,
                ServerEvent::ServerStarted { version, down_from, downtime },
            );
            Ok(Done::Nothing)
        }
        Command::TookOver { epoch, node, down_from, downtime } => {
            let event = ServerEvent::WriterChanged { epoch, node, down_from, downtime };
            begun(workspace, down_from, downtime, event);
            Ok(Done::Nothing)
        }
    }
}

/// Nobody could be heard while nothing ran: what is due by now knows of it.
fn begun(workspace: &mut Workspace<'_>, down_from: Option<Time>, downtime: Option<Span>, event: ServerEvent) {
    let down = down_from.zip(downtime);
    workspace.was_down(down.map(|(from, length)| (from, from.plus(length))));
    workspace.record(None, Name::wilco(), Fact::Server(event));
}

/// The status of an agent as people see it. Who has left is not there, however lately it was seen.
pub fn status(mark: Option<Mark>, last_seen: Option<Time>, has_left: bool, now: Time) -> &'static str {
    match (mark, last_seen.map(|seen| now.since(seen))) {
        (Some(mark), _) => mark.word(),
        (None, _) if has_left => "offline",
        (None, Some(ago)) if ago < ACTIVE_FOR => "active",
        (None, Some(ago)) if ago < crate::facts::IDLE_FOR => "idle",
        (None, _) => "offline",
    }
}
