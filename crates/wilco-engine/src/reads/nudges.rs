//! How the nudges of agents stand.

use wilco_protocol::directory::Agent;
use wilco_protocol::{Name, Time};
use wilco_store::{EffectRow, Reach, Reader, StoreError};

use super::sight::limited_to;
use crate::command::Viewer;
use crate::how::How;
use crate::nudge::{OpenNudge, standing};

/// How an agent's nudge stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NudgeView {
    pub agent: Name,
    pub kind: &'static str,
    pub state: NudgeState,
    /// How often it was tried and failed.
    pub attempts: u32,
    /// When it is tried next.
    pub due: Option<Time>,
    /// Why the last try failed.
    pub reason: Option<String>,
    /// The node that gives it, where it can be given on one machine only.
    pub node: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NudgeState {
    /// There is nothing to tell.
    Idle,
    Pending,
    /// It failed, and is tried again.
    Retrying,
    /// It was given up; the next message makes a new one.
    Dead,
}

impl NudgeState {
    pub fn word(self) -> &'static str {
        match self {
            NudgeState::Idle => "idle",
            NudgeState::Pending => "pending",
            NudgeState::Retrying => "retrying",
            NudgeState::Dead => "dead",
        }
    }

    fn of(one: &OpenNudge) -> NudgeState {
        match (one.nudge.dead, one.row.attempts) {
            (true, _) => NudgeState::Dead,
            (false, 0) => NudgeState::Pending,
            (false, _) => NudgeState::Retrying,
        }
    }
}

/// Of those among the agents that are nudged, in their order.
pub fn nudges(
    reader: &dyn Reader,
    agents: Vec<Agent>,
    viewer: &Viewer,
) -> Result<Vec<NudgeView>, StoreError> {
    let standing = standing(reader.effects()?);
    let mut views = Vec::new();
    for agent in agents {
        let hidden = limited_to(viewer).is_some_and(|own| *own != agent.name);
        let Some(how) = agent.profile.nudge.as_ref().filter(|_| !hidden) else { continue };
        let kind = How::read(how, agent.session()).map_or("unknown", |how| how.kind());
        let one = standing.get(&agent.name);
        let state = one.map_or(NudgeState::Idle, NudgeState::of);
        views.push(NudgeView {
            agent: agent.name,
            kind,
            state,
            attempts: one.map_or(0, |one| one.row.attempts),
            due: one.map(|one: &OpenNudge| one.row.due).filter(|_| state != NudgeState::Dead),
            reason: one.and_then(|one| one.nudge.reason.clone()),
            node: one.and_then(|one| one.row.node.clone()),
        });
    }
    Ok(views)
}

/// How a message's nudge stands with an agent: `pending`, `retrying`, `delivered`, `dead`, or none at all.
pub fn nudge_of(
    reader: &dyn Reader,
    agent: &Name,
    position: u64,
) -> Result<Option<&'static str>, StoreError> {
    let reached = reader.reached(agent, position)?;
    if reached.has(Reach::Nudged) {
        return Ok(Some("delivered"));
    }
    if reached.has(Reach::NudgeFailed) {
        return Ok(Some(NudgeState::Dead.word()));
    }
    // Nobody is nudged who did not ask for it, so the table is not looked at for others.
    let wants = reader.agent(agent)?.is_some_and(|agent| agent.profile.nudge.is_some());
    let rows: Vec<EffectRow> = if wants { reader.effects()? } else { Vec::new() };
    let covers = |one: &&OpenNudge| one.nudge.after < position && position <= one.nudge.through;
    Ok(standing(rows).get(agent).filter(covers).map(|one| NudgeState::of(one).word()))
}
