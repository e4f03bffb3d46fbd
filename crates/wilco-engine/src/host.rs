//! Effects that are bound to a machine: each names the node that carries it out. Everything else is the writer's.

use wilco_protocol::decision::{Effect, Report};
use wilco_protocol::{Exchange, Name, Span, handoff};
use wilco_store::EffectRow;

use crate::command::{Order, Refused};
use crate::how::How;
use crate::wake::bring;
use crate::workspace::Workspace;

/// How long an answer of the store counts: nodes join seldom, and none ever stops having been one.
const KNOWN_FOR: Span = Span::seconds(1);

/// The node of this name; none if there never was one. A store that cannot say takes no commit either.
pub(crate) fn node_named(workspace: &mut Workspace<'_>, host: &str) -> Option<String> {
    let (key, now) = (host.to_ascii_lowercase(), workspace.now());
    if let Some((node, asked)) = workspace.hosts().get(&key)
        && now.since(*asked) < KNOWN_FOR
    {
        return node.clone();
    }
    let node = workspace.store().node_named(host).ok().flatten();
    workspace.hosts().insert(key, (node.clone(), now));
    node
}

/// The node that is an agent's host.
fn host_of(workspace: &mut Workspace<'_>, agent: &Name) -> Option<String> {
    let host = workspace.directory().get(agent)?.profile.host.clone()?;
    node_named(workspace, &host)
}

/// The node that nudges an agent.
pub(crate) fn nudged_by(workspace: &mut Workspace<'_>, agent: &Name) -> Option<String> {
    let how = How::of(workspace.directory().get(agent)?)?.ok()?;
    host_of(workspace, agent).filter(|_| how.is_local())
}

/// The node that carries out what an exchange orders. A check runs where the work that it checks is done.
pub(crate) fn carried_out_by(
    workspace: &mut Workspace<'_>,
    exchange: &Exchange,
    effect: &Effect,
) -> Option<String> {
    match effect {
        Effect::RunStep { agent, .. } => host_of(workspace, agent),
        Effect::RunCheck { .. } => match exchange {
            Exchange::Validation(state) => host_of(workspace, &state.main_agent),
            Exchange::Delegation(_) | Exchange::Operation(_) | Exchange::Handoff(_) => None,
        },
        Effect::Handoff { order: handoff::Effect::UpdateStateFile, .. } => {
            let host = workspace.settings().handoff.host.clone()?;
            node_named(workspace, &host)
        }
        Effect::Judge { .. } | Effect::CallHuman { .. } | Effect::Handoff { .. } => None,
    }
}

/// Marks what must run only once as begun, for the node that is about to run it. From then on it runs there, or was
/// interrupted.
pub(crate) fn begin_once(
    workspace: &mut Workspace<'_>,
    (position, index): (u64, u32),
    node: &str,
) -> Result<(), Refused> {
    let row = workspace.lookup().effect((position, index))?;
    let conflict = |detail: &str| Refused::Conflict {
        detail: format!("the order {position}/{index} {detail}"),
        exchange: None,
    };
    let row = row.ok_or_else(|| conflict("is settled"))?;
    if row.node.as_deref() != Some(node) {
        return Err(conflict("names another node"));
    }
    if is_begun(&row) {
        return Err(conflict("was begun before"));
    }
    let order: Order = serde_json::from_slice(&row.body).map_err(|_| conflict("cannot be read"))?;
    if !is_awaited(workspace, &order.effect)? {
        return Err(conflict("is not waited for any more"));
    }
    workspace.order(EffectRow { attempts: 1, ..row });
    match &order.effect {
        Effect::RunStep { agent, run, .. } => {
            bring(workspace, &order, Report::StepBegins { agent: agent.clone(), run: *run })
        }
        _ => Ok(()),
    }
}

/// Whether the exchange still waits for this run.
fn is_awaited(workspace: &mut Workspace<'_>, effect: &Effect) -> Result<bool, Refused> {
    let live = workspace.live(effect.exchange().number)?;
    Ok(match (effect, live.as_ref().map(|live| &*live.exchange)) {
        (Effect::RunStep { agent, run, .. }, Some(Exchange::Operation(state))) => {
            state.awaited_step(agent, *run).is_some()
        }
        (Effect::RunCheck { phase, run, .. }, Some(Exchange::Validation(state))) => {
            state.phases.get(*phase).is_some_and(|phase| phase.runs_now(*run))
        }
        _ => false,
    })
}

/// The node of an order is gone: a step waits for it, and not for ever. A check has its deadline already.
pub(crate) fn unreached(workspace: &mut Workspace<'_>, place: (u64, u32)) -> Result<(), Refused> {
    let row = workspace.lookup().effect(place)?;
    let order = row.and_then(|row| serde_json::from_slice::<Order>(&row.body).ok());
    let Some(order) = order else { return Ok(()) };
    match &order.effect {
        Effect::RunStep { agent, run, .. } => {
            bring(workspace, &order, Report::StepWaits { agent: agent.clone(), run: *run })
        }
        _ => Ok(()),
    }
}

/// Whether its node has begun it. What must run only once is never tried again, so its tries say that.
pub fn is_begun(row: &EffectRow) -> bool {
    row.attempts > 0
}

/// What a row orders, if it must run only once.
pub fn runs_once(row: &EffectRow) -> Option<Effect> {
    let order: Order = serde_json::from_slice(&row.body).ok()?;
    Some(order.effect).filter(|effect| effect.interrupted().is_some())
}
