//! Nudges: telling an agent outside its inbox that something lies there.
//!
//! An agent has one nudge at a time. What arrives meanwhile is told by the next one, which is ordered when
//! the first is over: a flood of messages does not become a flood of nudges. A nudge that fails for good
//! stays as a dead letter until the next one is ordered. The messages lie in the inbox whatever happens.

use std::collections::{BTreeMap, BTreeSet};
use wilco_language::message::MessageType;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use wilco_language::parse::FieldError;
use wilco_language::render;
use wilco_protocol::decision::Tell;
use wilco_protocol::journal::{Fact, MessageEvent};
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Time, exchange, validation};
use wilco_store::{
    EffectRow, InboxFilter, InboxStatus, Priority, Reach, Reader, StoreError, Walk, content_kind,
};

use crate::command::{Order, Refused};
use crate::execute::tell_all;
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
}

/// A nudge and its row among the effects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenNudge {
    pub(crate) nudge: Nudge,
    pub(crate) row: EffectRow,
}

#[derive(Debug, Clone, PartialEq, Eq)]
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
    /// Everything was read meanwhile, or nobody is to be nudged any more.
    Moot,
}

/// How an agent wants to be nudged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum How {
    /// A line is typed into this pane.
    Tmux {
        target: String,
    },
    Webhook {
        url: String,
    },
    /// The program that the configuration has under this name.
    Command {
        name: String,
    },
}

/// Everything the courier needs for one nudge.
#[derive(Debug, Clone, PartialEq)]
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
}

/// A message as a nudge names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NudgedMessage {
    pub id: MessageId,
    pub from: Name,
    pub priority: Priority,
    pub exchange: Option<String>,
    pub timestamp: Time,
}

const KINDS: [&str; 3] = ["tmux", "webhook", "command"];

impl How {
    /// Reads what an agent's profile says; `session`: where it works.
    pub fn read(value: &Value, session: &str) -> Result<How, FieldError> {
        let wrong = |key: &str, detail: &str| FieldError {
            pointer: format!("/nudge/{key}"),
            detail: detail.to_owned(),
        };
        let text = |key: &str| value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let legal = |key: &str| match value.get(key) {
            None | Some(Value::Null | Value::String(_)) => Ok(()),
            Some(_) => Err(wrong(key, "expected a text")),
        };
        if value.get("secret").is_some() {
            return Err(wrong("secret", "stands in the configuration of the server, as nudge.secret"));
        }
        match text("kind") {
            Some("tmux") => {
                legal("target")?;
                // Exactly this session: tmux would also take one whose name only begins like it.
                let target = text("target").map_or_else(|| format!("={session}:"), str::to_owned);
                if target.starts_with('-') || target.chars().any(char::is_control) {
                    return Err(wrong("target", "expected the name of a tmux session, window or pane"));
                }
                Ok(How::Tmux { target })
            }
            Some("webhook") => match text("url") {
                Some(url) if is_address(url) => Ok(How::Webhook { url: url.to_owned() }),
                // It is not shown: there may be a password in it.
                Some(_) => {
                    Err(wrong("url", "expected http://host/path or https://host/path, without a password"))
                }
                None => Err(wrong("url", "is required: the address that is called")),
            },
            Some("command") => match text("command").or_else(|| text("name")) {
                Some(name) => Ok(How::Command { name: name.to_owned() }),
                None => Err(wrong("command", "is required: a name from nudge.commands")),
            },
            Some(_) | None => Err(wrong("kind", &format!("expected {}", KINDS.join(", ")))),
        }
    }

    pub fn kind(&self) -> &'static str {
        match self {
            How::Tmux { .. } => "tmux",
            How::Webhook { .. } => "webhook",
            How::Command { .. } => "command",
        }
    }
}

/// Whether it names a host to call and nobody to call it as.
fn is_address(url: &str) -> bool {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    host.is_some_and(|host| !host.is_empty() && !host.contains('@'))
}

/// The nudges among the stored effects.
pub(crate) fn standing(rows: Vec<EffectRow>) -> BTreeMap<Name, OpenNudge> {
    let read = |row: EffectRow| match serde_json::from_slice(&row.body) {
        Ok(StoredEffect::Nudge { nudge }) => Some((nudge.agent.clone(), OpenNudge { nudge, row })),
        Ok(StoredEffect::Order(_)) | Err(_) => None,
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

/// `place`: under which the order is known, unless an older one of this agent is replaced.
fn order_nudge(workspace: &mut Workspace<'_>, agent: &Name, after: u64, through: u64, place: (u64, u32)) {
    let replaced = workspace.open_nudge(agent).map(|old| (old.row.position, old.row.index));
    let (position, index) = replaced.unwrap_or(place);
    let nudge = Nudge { agent: agent.clone(), after, through, reason: None, dead: false };
    let row = EffectRow { position, index, due: workspace.now(), attempts: 0, body: Vec::new() };
    put_nudge(workspace, OpenNudge { nudge, row });
}

fn put_nudge(workspace: &mut Workspace<'_>, mut standing: OpenNudge) {
    let errand = StoredEffect::Nudge { nudge: standing.nudge.clone() };
    standing.row.body = serde_json::to_vec(&errand).unwrap_or_default();
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
        NudgeOutcome::Again { due, reason } => {
            (standing.row.due, standing.row.attempts) = (due, standing.row.attempts + 1);
            standing.nudge.reason = Some(reason);
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
    let Some(agent) = workspace.directory().get(&nudge.agent).cloned() else { return Ok(()) };
    let how = agent.profile.nudge.as_ref().and_then(|how| How::read(how, agent.session()).ok());
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
    /// What the courier is to do for a nudge that is due; none when it is moot by now.
    pub fn nudge_job(
        &self,
        nudge: &Nudge,
        row: &EffectRow,
        store: &dyn Reader,
    ) -> Result<Option<Result<NudgeJob, String>>, StoreError> {
        let Some(agent) = self.directory().get(&nudge.agent) else { return Ok(None) };
        let Some(how) = &agent.profile.nudge else { return Ok(None) };
        let letters = unread(store, &nudge.agent, nudge.after, nudge.through, MAX_TOLD)?;
        let Some(priority) = letters.iter().map(|(_, letter)| letter.priority).max() else {
            return Ok(None);
        };
        Ok(Some(match How::read(how, agent.session()) {
            Ok(how) => Ok(NudgeJob {
                id: format!("nudge-{}-{}-{}", row.position, row.index, nudge.through),
                agent: agent.name.clone(),
                session: agent.session().to_owned(),
                how,
                line: render::nudge_line(letters.len(), priority_word(priority)),
                priority,
                messages: letters.into_iter().map(|(_, letter)| told(letter)).collect(),
            }),
            Err(wrong) => Err(format!("{}: {}", wrong.pointer, wrong.detail)),
        }))
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

/// Unread messages of an agent behind a position, up to another, but for those that nobody is disturbed for.
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
