//! Nudges: telling an agent outside its inbox that something lies there.
//!
//! An agent has one nudge at a time. What arrives meanwhile is told by the next one, which is ordered when
//! the first is over: a flood of messages does not become a flood of nudges. A nudge that fails for good
//! stays as a dead letter until the next one is ordered. The messages lie in the inbox whatever happens.

use std::collections::{BTreeMap, BTreeSet};
use wilco_language::message::MessageType;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use wilco_language::render;
use wilco_protocol::decision::Tell;
use wilco_protocol::journal::{Fact, MessageEvent};
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Span, Time, exchange, validation};
use wilco_store::{
    EffectRow, InboxFilter, InboxStatus, Priority, Reach, Reader, StoreError, Walk, content_kind,
};

use crate::command::{Order, Refused};
use crate::digest::Digest;
use crate::execute::tell_all;
use crate::hooks::SESSION_LABEL;
use crate::host::nudged_by;
use crate::how::How;
use crate::lookup::damaged;
use crate::workspace::Workspace;

/// When a dead letter is due.
pub const NEVER: Time = Time::LAST;
/// The type of messages that nobody is nudged for: they only keep somebody up to date.
pub(crate) const QUIET: &str = MessageType::StatusChange.name();
/// An agent counts as unreached after so many tries.
const UNREACHED_AFTER: u32 = 3;
/// Messages that one nudge tells of.
const MAX_TOLD: usize = 1000;
/// Messages that are looked at to find one that somebody is disturbed for.
const FEW: usize = 32;
/// Orders that no message caused count from here, so that they meet no other.
const TOLD_AGAIN: u32 = 1_000_000;

/// What stands in the table of effects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StoredEffect {
    /// Ordered by an exchange, which gets the report.
    Order(Order),
    Nudge {
        nudge: Nudge,
    },
    Digest {
        digest: Digest,
    },
}

/// Tell an agent of the unread messages behind `after` up to `through`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nudge {
    pub agent: Name,
    pub after: u64,
    pub through: u64,
    /// Why the last try failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether it was given up.
    #[serde(default)]
    pub dead: bool,
    /// Whether it was handed over, and waits for a hook to take the messages into the session.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub woken: bool,
}

/// A nudge and its row among the effects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenNudge {
    pub(crate) nudge: Nudge,
    pub(crate) row: EffectRow,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NudgeOutcome {
    Delivered,
    /// It failed and is tried again.
    Again {
        due: Time,
        reason: String,
    },
    Dead {
        reason: String,
    },
    /// It was handed over to a client with hooks. If they have not taken it until `due`, it failed.
    Woken {
        due: Time,
    },
    /// The agent works, and its hooks will tell it: looked at again at `due`.
    Later {
        due: Time,
    },
    /// Everything was read meanwhile, or nobody is to be nudged any more.
    Moot,
}

/// What is to be done for a nudge that is due.
#[derive(Debug, Clone, PartialEq)]
pub enum NudgeTurn {
    Nudge(Box<NudgeJob>),
    /// It makes no sense as the agent's profile has it.
    Wrong(String),
    /// It was handed over, and no hook took it.
    Missed(String),
    Later(Time),
    Moot,
}

/// Everything the courier needs for one nudge.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NudgeJob {
    /// The same for every try.
    pub id: String,
    pub agent: Name,
    pub session: String,
    pub how: How,
    /// What a terminal is shown: never anything that somebody wrote.
    pub line: String,
    pub priority: Priority,
    pub messages: Vec<NudgedMessage>,
    /// The agent's client has hooks: what is handed over counts when they took it.
    pub has_hooks: bool,
}

/// A message as a nudge names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NudgedMessage {
    pub id: MessageId,
    pub from: Name,
    pub priority: Priority,
    pub exchange: Option<String>,
    pub timestamp: Time,
}

/// How long hooks have to take what an agent was woken for.
pub const WAKE_TAKES: Span = Span::seconds(60);
/// When an agent that works is looked at again.
const LOOK_AGAIN: Span = Span::seconds(60);

/// The nudges among the stored effects.
pub(crate) fn standing(rows: Vec<EffectRow>) -> BTreeMap<Name, OpenNudge> {
    let read = |row: EffectRow| match serde_json::from_slice(&row.body) {
        Ok(StoredEffect::Nudge { nudge }) => Some((nudge.agent.clone(), OpenNudge { nudge, row })),
        Ok(StoredEffect::Order(_) | StoredEffect::Digest { .. }) | Err(_) => None,
    };
    rows.into_iter().filter_map(read).collect()
}

/// Whether a nudge is on its way to this agent.
pub(crate) fn is_being_nudged(workspace: &Workspace<'_>, agent: &Name) -> bool {
    workspace.open_nudge(agent).is_some_and(|standing| !standing.nudge.dead)
}

/// Whether this agent is to be nudged, and every try so far failed.
pub(crate) fn nudge_fails(workspace: &Workspace<'_>, agent: &Name) -> bool {
    let failed = |standing: &OpenNudge| standing.nudge.dead || standing.row.attempts > 0;
    wants_nudges(workspace, agent) && workspace.open_nudge(agent).is_some_and(failed)
}

fn wants_nudges(workspace: &Workspace<'_>, agent: &Name) -> bool {
    workspace.directory().get(agent).is_some_and(|agent| agent.profile.nudge.is_some())
}

/// A message arrived in an inbox: its agent is told, unless it is being told of others. What follows from a
/// message is stored before it and behind it in the journal, so a nudge for that is widened.
pub(crate) fn nudge(workspace: &mut Workspace<'_>, agent: &Name, position: u64) {
    if !wants_nudges(workspace, agent) {
        return;
    }
    match workspace.open_nudge(agent).filter(|standing| !standing.nudge.dead).cloned() {
        None => {
            let place = (position, workspace.next_order());
            order_nudge(workspace, agent, position - 1, position, place);
        }
        Some(mut standing) if position <= standing.nudge.after => {
            standing.nudge.after = position - 1;
            put_nudge(workspace, standing);
        }
        Some(_) => {}
    }
}

/// Whoever comes back is told of everything that it has not read.
pub(crate) fn tell_again(workspace: &mut Workspace<'_>, agent: &Name) -> Result<(), StoreError> {
    if wants_nudges(workspace, agent)
        && !is_being_nudged(workspace, agent)
        && workspace.store().unread(agent, 1)? > 0
    {
        let last = workspace.next_position() - 1;
        let id = workspace.directory().get(agent).map(|agent| agent.id.as_str()).unwrap_or("");
        let number: u32 = id.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(0);
        order_nudge(workspace, agent, 0, last, (last, number.saturating_add(TOLD_AGAIN)));
    }
    Ok(())
}

/// Its turn is over: what its hooks did not tell it wakes it.
pub(crate) fn wake_now(workspace: &mut Workspace<'_>, agent: &Name) -> Result<(), StoreError> {
    match workspace.open_nudge(agent).filter(|standing| !standing.nudge.dead).cloned() {
        // One that was handed over waits for the hooks, unless they took it all.
        Some(OpenNudge { nudge, row })
            if row.attempts > 0
                || nudge.woken
                    && !unread(workspace.store(), agent, nudge.after, nudge.through, 1)?.is_empty() => {}
        Some(mut standing) => {
            standing.row.due = workspace.now();
            put_nudge(workspace, standing);
        }
        None if unread(workspace.store(), agent, 0, u64::MAX, 1)?.is_empty() => {}
        None => tell_again(workspace, agent)?,
    }
    Ok(())
}

/// `place`: under which the order is known, unless an older one of this agent is replaced.
fn order_nudge(workspace: &mut Workspace<'_>, agent: &Name, after: u64, through: u64, place: (u64, u32)) {
    let replaced = workspace.open_nudge(agent).map(|old| (old.row.position, old.row.index));
    let (position, index) = replaced.unwrap_or(place);
    let nudge = Nudge { agent: agent.clone(), after, through, reason: None, dead: false, woken: false };
    let row = EffectRow { position, index, due: workspace.now(), attempts: 0, body: Vec::new(), node: None };
    put_nudge(workspace, OpenNudge { nudge, row });
}

/// An agent may be on another machine by now: what is to be told there is told there.
pub(crate) fn rehost(workspace: &mut Workspace<'_>, agent: &Name) {
    let Some(standing) = workspace.open_nudge(agent).filter(|standing| !standing.nudge.dead).cloned() else {
        return;
    };
    if nudged_by(workspace, agent) != standing.row.node {
        put_nudge(workspace, standing);
    }
}

fn put_nudge(workspace: &mut Workspace<'_>, mut standing: OpenNudge) {
    let errand = StoredEffect::Nudge { nudge: standing.nudge.clone() };
    standing.row.body = serde_json::to_vec(&errand).unwrap_or_default();
    standing.row.node = nudged_by(workspace, &standing.nudge.agent);
    workspace.order(standing.row.clone());
    workspace.set_nudge(standing.nudge.agent.clone(), Some(standing));
}

pub(crate) fn nudged(
    workspace: &mut Workspace<'_>,
    (position, index): (u64, u32),
    agent: &Name,
    through: u64,
    outcome: NudgeOutcome,
) -> Result<(), Refused> {
    let same =
        |one: &&OpenNudge| (one.row.position, one.row.index, one.nudge.through) == (position, index, through);
    let Some(mut standing) = workspace.open_nudge(agent).filter(same).cloned() else { return Ok(()) };
    match outcome {
        NudgeOutcome::Later { due } => {
            standing.row.due = due;
            put_nudge(workspace, standing);
            return Ok(());
        }
        NudgeOutcome::Woken { due } => {
            record_told(workspace, &standing.nudge, Reach::Nudged, None)?;
            (standing.row.due, standing.nudge.woken) = (due, true);
            put_nudge(workspace, standing);
            return Ok(());
        }
        NudgeOutcome::Again { due, reason } => {
            (standing.row.due, standing.row.attempts) = (due, standing.row.attempts + 1);
            (standing.nudge.reason, standing.nudge.woken) = (Some(reason), false);
            put_nudge(workspace, standing.clone());
            return if standing.row.attempts >= UNREACHED_AFTER {
                unreached(workspace, &standing.nudge)
            } else {
                Ok(())
            };
        }
        NudgeOutcome::Delivered => record_told(workspace, &standing.nudge, Reach::Nudged, None)?,
        NudgeOutcome::Moot => {}
        NudgeOutcome::Dead { reason } => {
            record_told(workspace, &standing.nudge, Reach::NudgeFailed, Some(&reason))?;
            (standing.row.due, standing.row.attempts) = (NEVER, standing.row.attempts + 1);
            (standing.nudge.reason, standing.nudge.dead) = (Some(reason), true);
            put_nudge(workspace, standing.clone());
            unreached(workspace, &standing.nudge)?;
        }
    }
    match arrived_behind(workspace, agent, standing.nudge.through)? {
        Some(last) if wants_nudges(workspace, agent) => {
            order_nudge(workspace, agent, standing.nudge.through, last, (position, index));
        }
        Some(_) | None if standing.nudge.dead => {}
        Some(_) | None => {
            workspace.settle(position, index);
            workspace.set_nudge(agent.clone(), None);
        }
    }
    Ok(())
}

/// Validations that wait for an agent hear that what they sent it does not reach it.
fn unreached(workspace: &mut Workspace<'_>, nudge: &Nudge) -> Result<(), Refused> {
    let agent = &nudge.agent;
    let lying = unread(workspace.store(), agent, nudge.after, nudge.through, MAX_TOLD)?;
    let ids: BTreeSet<_> = lying.into_iter().filter_map(|(_, letter)| letter.exchange).collect();
    let told = |id| {
        let told = validation::Signal::Unreached { agent: agent.clone() };
        Tell::Exchange(id, exchange::Signal::Validation(told))
    };
    let of_loops = ids.into_iter().filter(|id| id.protocol == Protocol::Validation);
    tell_all(workspace, of_loops.map(told).collect(), &Name::wilco())
}

/// The last message that arrived while the agent was being told of others, if one did.
fn arrived_behind(workspace: &Workspace<'_>, agent: &Name, through: u64) -> Result<Option<u64>, StoreError> {
    let fresh = workspace.newest_posted(agent);
    let stored = match unread(workspace.store(), agent, through, u64::MAX, 1)?.is_empty() {
        true => None,
        false => Some(workspace.store().inbox_end(agent)?),
    };
    Ok(fresh.max(stored).filter(|last| *last > through))
}

/// Records of every message how far the nudge brought it.
fn record_told(
    workspace: &mut Workspace<'_>,
    nudge: &Nudge,
    reach: Reach,
    reason: Option<&str>,
) -> Result<(), Refused> {
    let Some(agent) = workspace.directory().get(&nudge.agent) else { return Ok(()) };
    let how = How::of(agent).and_then(Result::ok);
    let kind = how.map_or("none", |how| how.kind());
    for (position, letter) in unread(workspace.store(), &nudge.agent, nudge.after, nudge.through, MAX_TOLD)? {
        let (id, agent, kind) = (letter.id, nudge.agent.clone(), kind.to_owned());
        workspace.reach(agent.clone(), position, reach);
        let event = match reason {
            None => MessageEvent::MessageNudged { id, agent, kind },
            Some(reason) => MessageEvent::MessageNudgeFailed { id, agent, kind, reason: reason.to_owned() },
        };
        workspace.record(None, Name::wilco(), Fact::Message(event));
    }
    Ok(())
}

/// A message entered the context of an agent.
pub(crate) fn injected(workspace: &mut Workspace<'_>, agent: &Name, id: &MessageId) -> Result<(), Refused> {
    let missing =
        || Refused::NotFound { detail: format!("there is no message {:?} in this inbox", id.as_str()) };
    let (position, message) = workspace.message_named(id)?.ok_or_else(missing)?;
    match workspace.status(agent, position)? {
        None | Some(InboxStatus::Deleted) => return Err(missing()),
        Some(InboxStatus::Unread | InboxStatus::Read | InboxStatus::Archived) => {}
    }
    if workspace.reached(agent, position)?.has(Reach::Injected) {
        return Ok(());
    }
    workspace.reach(agent.clone(), position, Reach::Injected);
    let event = MessageEvent::MessageInjected { id: message.id.clone(), agent: agent.clone() };
    workspace.record(None, agent.clone(), Fact::Message(event));
    Ok(())
}

impl crate::engine::Engine {
    /// What the courier is to do for a nudge that is due.
    pub fn nudge_turn(
        &self,
        nudge: &Nudge,
        row: &EffectRow,
        now: Time,
        store: &dyn Reader,
    ) -> Result<NudgeTurn, StoreError> {
        let Some((agent, how)) =
            self.directory().get(&nudge.agent).and_then(|agent| Some((agent, How::of(agent)?)))
        else {
            return Ok(NudgeTurn::Moot);
        };
        let letters = unread(store, &nudge.agent, nudge.after, nudge.through, MAX_TOLD)?;
        let Some(priority) = letters.iter().map(|(_, letter)| letter.priority).max() else {
            return Ok(NudgeTurn::Moot);
        };
        let how = match how {
            Ok(how) => how,
            Err(wrong) => return Ok(NudgeTurn::Wrong(format!("{}: {}", wrong.pointer, wrong.detail))),
        };
        if how.begins_a_turn() && self.has_left(&agent.name) {
            // Its next session begins with what it has not heard.
            return Ok(NudgeTurn::Moot);
        }
        if how.begins_a_turn() && self.is_working(&agent.name, now) {
            return Ok(NudgeTurn::Later(now.plus(LOOK_AGAIN)));
        }
        if nudge.woken {
            let reason = format!("it was woken by {}, and no hook took it within {WAKE_TAKES}", how.kind());
            return Ok(NudgeTurn::Missed(reason));
        }
        let has_hooks = how.begins_a_turn() && agent.profile.labels.contains_key(SESSION_LABEL);
        Ok(NudgeTurn::Nudge(Box::new(NudgeJob {
            id: format!("nudge-{}-{}-{}", row.position, row.index, nudge.through),
            agent: agent.name.clone(),
            session: agent.session().to_owned(),
            how,
            line: render::nudge_line(letters.len(), priority_word(priority)),
            priority,
            messages: letters.into_iter().map(|(_, letter)| told(letter)).collect(),
            has_hooks,
        })))
    }
}

fn told(letter: UnreadMessage) -> NudgedMessage {
    NudgedMessage {
        id: letter.id,
        from: letter.from,
        priority: letter.priority,
        exchange: letter.exchange.map(|id| id.to_string()),
        timestamp: letter.timestamp,
    }
}

/// What a nudge tells of a message, without its words.
#[derive(Deserialize)]
struct UnreadMessage {
    id: MessageId,
    from: Name,
    priority: Priority,
    #[serde(default)]
    exchange: Option<ExchangeId>,
    timestamp: Time,
    #[serde(rename = "content", deserialize_with = "kind")]
    kind: Option<String>,
}

fn kind<'de, D: Deserializer<'de>>(content: D) -> Result<Option<String>, D::Error> {
    <&RawValue>::deserialize(content).map(content_kind)
}

fn priority_word(priority: Priority) -> &'static str {
    match priority {
        Priority::Low => "low",
        Priority::Normal => "normal",
        Priority::High => "high",
        Priority::Urgent => "urgent",
    }
}

/// Unread messages of an agent behind a position, up to another, but for those that nobody is disturbed for, and those
/// that entered its context.
fn unread(
    store: &dyn Reader,
    agent: &Name,
    after: u64,
    through: u64,
    limit: usize,
) -> Result<Vec<(u64, UnreadMessage)>, StoreError> {
    let mut letters = Vec::new();
    let (mut walk, most) = (after, limit.max(FEW));
    loop {
        let (statuses, walk_on) = (vec![InboxStatus::Unread], Walk::Behind(walk));
        let page =
            store.inbox(&InboxFilter { agent: agent.clone(), statuses, walk: walk_on, limit: most })?;
        let last = page.last().map(|(_, row)| row.position).filter(|_| page.len() == most);
        for (_, row) in page.into_iter().filter(|(_, row)| row.position <= through) {
            // What entered its context needs no hint.
            if store.reached(agent, row.position)?.has(Reach::Injected) {
                continue;
            }
            let letter: UnreadMessage =
                serde_json::from_slice(&row.body).map_err(|error| damaged(row.position, error))?;
            if letter.kind.as_deref() != Some(QUIET) {
                letters.push((row.position, letter));
            }
            if letters.len() == limit {
                return Ok(letters);
            }
        }
        // A page of messages that nobody is disturbed for may hide others behind it.
        match last.filter(|last| *last < through) {
            Some(last) => walk = last,
            None => return Ok(letters),
        }
    }
}
