//! Doing what is due, and taking in what effects brought back.

use wilco_protocol::decision::{Effect, Report};
use wilco_protocol::{Name, Time};
use wilco_store::EffectRow;

use crate::checks::checked;
use crate::command::{Order, Refused};
use crate::execute::{decide, execute, refused};
use crate::workspace::Workspace;

/// Exchanges woken in one step; the next step goes on.
pub(crate) const MAX_WOKEN: usize = 256;
/// Timers of one exchange handled in one step.
const MAX_WAKES: usize = 32;

/// Wakes every exchange that is due, in the order of due time and number. Each is done whole or not
/// at all, and one that cannot be done does not hold up the others.
pub(crate) fn wake(workspace: &mut Workspace<'_>) -> Result<(), Refused> {
    for number in workspace.due(MAX_WOKEN) {
        match workspace.command(|workspace| wake_one(workspace, number)) {
            Ok(()) => {}
            Err(Refused::Store(error)) => return Err(Refused::Store(error)),
            Err(refused) => debug_assert!(false, "a wake was refused: {refused:?}"),
        }
    }
    Ok(())
}

/// Handles the due timers of one exchange.
fn wake_one(workspace: &mut Workspace<'_>, number: u64) -> Result<(), Refused> {
    let now = workspace.now();
    for _ in 0..MAX_WAKES {
        let Some(live) = workspace.live(number)? else { break };
        let Some(due) = live.exchange.wake_at().filter(|due| *due <= now) else { break };
        workspace.woke(now.since(due));
        let exchange = live.exchange.clone();
        let decided = decide(workspace, |facts| exchange.wake(facts, now))?;
        let decision = decided.map_err(|refusal| refused(&refusal, Some(exchange.id())))?;
        execute(workspace, live, decision, &Name::wilco(), None)?;
    }
    Ok(())
}

pub(crate) fn reported(
    workspace: &mut Workspace<'_>,
    position: u64,
    index: u32,
    report: Report,
) -> Result<(), Refused> {
    let Some(row) = workspace.lookup().effect((position, index))? else { return Ok(()) };
    workspace.settle(position, index);
    let Ok(order) = serde_json::from_slice::<Order>(&row.body) else { return Ok(()) };
    bring(workspace, &order, report)
}

/// Brings a report on an order to the exchange that ordered it.
pub(crate) fn bring(workspace: &mut Workspace<'_>, order: &Order, report: Report) -> Result<(), Refused> {
    let Some(live) = workspace.live(order.effect.exchange().number)? else { return Ok(()) };
    if let Effect::RunCheck { .. } = order.effect {
        return checked(workspace, live, &report);
    }
    let (exchange, now) = (live.exchange.clone(), workspace.now());
    let decided = decide(workspace, |facts| exchange.reported(report, facts, now))?;
    let decision = decided.map_err(|refusal| refused(&refusal, Some(exchange.id())))?;
    execute(workspace, live, decision, &Name::wilco(), None)?;
    Ok(())
}

pub(crate) fn postpone(
    workspace: &mut Workspace<'_>,
    position: u64,
    index: u32,
    due: Time,
) -> Result<(), Refused> {
    if let Some(row) = workspace.lookup().effect((position, index))? {
        let attempts = row.attempts + 1;
        workspace.order(EffectRow { due, attempts, ..row });
    }
    Ok(())
}
