//! Digests: copies that inform only, gathered for agents that want them so.
//!
//! A copy that is held is stored like every message, and lies in no inbox. Its id stands in the agent's one row among
//! the effects, which is due when the oldest has waited long enough. Then one notice lists them, and the row is gone.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use wilco_language::render::{self, DigestItem, Rendered};
use wilco_protocol::delegation;
use wilco_protocol::directory;
use wilco_protocol::{Exchange, Meaning, MessageId, Name, Span, Time};
use wilco_store::{EffectRow, Reading};

use crate::command::Refused;
use crate::execute::send_from_wilco;
use crate::nudge::{QUIET, StoredEffect};
use crate::workspace::Workspace;

/// A digest that holds so many copies is sent at once.
const MOST_HELD: usize = 100;

/// The copies that are held for an agent, the oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    pub agent: Name,
    pub held: Vec<MessageId>,
}

/// A digest and its row among the effects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpenDigest {
    pub(crate) digest: Digest,
    pub(crate) row: EffectRow,
}

/// How somebody hears of a message in its inbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Announcement {
    /// It is nudged.
    #[default]
    Now,
    /// Another message tells of it.
    Elsewhere,
    /// It informs only, and may wait for a digest. `until`: what can be said to it counts until then.
    Informs { until: Option<Time> },
}

/// The digests among the stored effects.
pub(crate) fn standing(rows: &[EffectRow]) -> BTreeMap<Name, OpenDigest> {
    let read = |row: &EffectRow| match serde_json::from_slice(&row.body) {
        Ok(StoredEffect::Digest { digest }) => {
            Some((digest.agent.clone(), OpenDigest { digest, row: row.clone() }))
        }
        Ok(StoredEffect::Order(_) | StoredEffect::Nudge { .. }) | Err(_) => None,
    };
    rows.iter().filter_map(read).collect()
}

/// How a message of Wilco's own is announced: a change of status, and an ACK that was accepted unless its initiator
/// objects, inform only.
pub(crate) fn of_wilcos(rendered: &Rendered) -> Announcement {
    let text = |key: &str| rendered.content.get(key).and_then(Value::as_str);
    match (text("type"), text("reason")) {
        (Some(QUIET), _) => Announcement::Informs { until: None },
        (_, Some(render::MAY_OBJECT)) => {
            Announcement::Informs { until: text("objection_until").and_then(|until| until.parse().ok()) }
        }
        _ => Announcement::Now,
    }
}

/// Whether a message reports on work that goes on, and asks for nothing.
pub(crate) fn is_report(exchange: &Exchange, reading: &Reading) -> bool {
    let Exchange::Delegation(state) = exchange else { return false };
    let meaning = reading.meaning.known();
    matches!(state.phase, delegation::Phase::Working { .. })
        && matches!(meaning, Some(Meaning::Progress | Meaning::Checkpoint))
}

pub(crate) fn wants_digests(workspace: &Workspace<'_>, agent: &Name) -> bool {
    period(workspace, agent).is_some()
}

fn period(workspace: &Workspace<'_>, agent: &Name) -> Option<Span> {
    workspace.directory().get(agent)?.profile.digest_period()
}

/// Keeps a message for the agent's next digest. `until`: half of the time until then is left when it is sent.
pub(crate) fn hold(
    workspace: &mut Workspace<'_>,
    agent: &Name,
    (position, id): (u64, MessageId),
    until: Option<Time>,
) {
    let now = workspace.now();
    let mut open = workspace.open_digest(agent).cloned().unwrap_or_else(|| {
        let due = now.plus(period(workspace, agent).unwrap_or_default());
        let index = workspace.next_order();
        let digest = Digest { agent: agent.clone(), held: Vec::new() };
        OpenDigest {
            digest,
            row: EffectRow { position, index, due, attempts: 0, body: Vec::new(), node: None },
        }
    });
    open.digest.held.push(id);
    if let Some(until) = until {
        open.row.due = open.row.due.min(now.plus(Span::millis(until.since(now).as_millis() / 2)));
    }
    if open.digest.held.len() >= MOST_HELD {
        open.row.due = now;
    }
    let stored = StoredEffect::Digest { digest: open.digest.clone() };
    open.row.body = serde_json::to_vec(&stored).unwrap_or_default();
    workspace.order(open.row.clone());
    workspace.set_digest(agent.clone(), Some(open));
}

/// The digest in this place is due.
pub(crate) fn digest_due(
    workspace: &mut Workspace<'_>,
    agent: &Name,
    place: (u64, u32),
) -> Result<(), Refused> {
    match workspace.open_digest(agent) {
        Some(open) if (open.row.position, open.row.index) == place => send_digest(workspace, agent),
        // It was sent already, and another may be gathered since.
        Some(_) | None => Ok(()),
    }
}

/// What is held for an agent reaches it before it leaves, or when it wants no digests any more.
pub(crate) fn end_digest(workspace: &mut Workspace<'_>, event: &directory::Event) -> Result<(), Refused> {
    match event {
        directory::Event::AgentRemoved { name } => send_digest(workspace, name),
        directory::Event::AgentChanged { agent } if agent.profile.digest_period().is_none() => {
            send_digest(workspace, &agent.name)
        }
        directory::Event::AgentChanged { .. }
        | directory::Event::AgentRegistered { .. }
        | directory::Event::AgentUnresponsive { .. }
        | directory::Event::AgentReplaced { .. }
        | directory::Event::AgentReturned { .. } => Ok(()),
    }
}

/// Sends what is held, as one message.
fn send_digest(workspace: &mut Workspace<'_>, agent: &Name) -> Result<(), Refused> {
    let Some(OpenDigest { digest, row }) = workspace.open_digest(agent).cloned() else { return Ok(()) };
    let mut items = Vec::new();
    for id in &digest.held {
        if let Some((_, message)) = workspace.message(id)? {
            items.push(DigestItem {
                id: id.clone(),
                at: message.timestamp,
                from: message.from.clone(),
                exchange: message.exchange,
                content: message.values().clone(),
            });
        }
    }
    workspace.settle(row.position, row.index);
    workspace.set_digest(agent.clone(), None);
    if !items.is_empty() {
        send_from_wilco(workspace, None, agent, render::digest(&items), &[])?;
    }
    Ok(())
}
