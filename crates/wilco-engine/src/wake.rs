//! Doing what is due, and taking in what effects brought back.

use wilco_protocol::decision::{Effect, Report};
use wilco_protocol::{Name, Time};
use wilco_store::{EffectChange, EffectRow};

use crate::command::{Order, Refused};
use crate::execute::refused;
use crate::workspace::Workspace;

/// Exchanges woken in one step; the next step goes on.
const MAX_WOKEN: usize = 256;
/// Timers of one exchange handled in one step.
const MAX_WAKES: usize = 32;

impl Workspace<'_> {
    /// Wakes every exchange that is due, in the order of due time and number. Each is done whole or not
    /// at all, and one that cannot be done does not hold up the others.
    pub(crate) fn wake(&mut self) -> Result<(), Refused> {
        for number in self.due() {
            match self.command(|workspace| workspace.wake_one(number)) {
                Ok(()) => {}
                Err(Refused::Store(error)) => return Err(Refused::Store(error)),
                Err(refused) => debug_assert!(false, "a wake was refused: {refused:?}"),
            }
        }
        Ok(())
    }

    /// Exchanges that are due now.
    pub(crate) fn due(&self) -> Vec<u64> {
        let due = self.state.wakes.iter().take_while(|(due, _)| *due <= self.now).map(|(_, number)| *number);
        // What was decided lately is looked at again when it is committed, and its next wake is known.
        let new = |number: &u64| !self.layers().any(|layer| layer.exchanges.contains_key(number));
        due.filter(new).take(MAX_WOKEN).collect()
    }

    /// Handles the due timers of one exchange.
    fn wake_one(&mut self, number: u64) -> Result<(), Refused> {
        let now = self.now;
        for _ in 0..MAX_WAKES {
            let Some(live) = self.live(number)? else { break };
            let Some(due) = live.exchange.wake_at().filter(|due| *due <= now) else { break };
            self.changes.woken.push(now.since(due));
            let exchange = live.exchange.clone();
            let decided = self.decide(|facts| exchange.wake(facts, now))?;
            let decision = decided.map_err(|refusal| refused(&refusal, Some(exchange.id())))?;
            self.execute(live, decision, &Name::wilco(), None)?;
        }
        Ok(())
    }

    pub(crate) fn reported(&mut self, position: u64, index: u32, report: Report) -> Result<(), Refused> {
        let Some(row) = self.lookup.effect((position, index))? else { return Ok(()) };
        self.changes.effects.push(EffectChange::Settled { position, index });
        let Ok(order) = serde_json::from_slice::<Order>(&row.body) else { return Ok(()) };
        let Some(live) = self.live(order.effect.exchange().number)? else { return Ok(()) };
        if let Effect::RunCheck { .. } = order.effect {
            return self.checked(live, &report);
        }
        let (exchange, now) = (live.exchange.clone(), self.now);
        let decided = self.decide(|facts| exchange.reported(report, facts, now))?;
        let decision = decided.map_err(|refusal| refused(&refusal, Some(exchange.id())))?;
        self.execute(live, decision, &Name::wilco(), None)?;
        Ok(())
    }

    pub(crate) fn postpone(&mut self, position: u64, index: u32, due: Time) -> Result<(), Refused> {
        if let Some(row) = self.lookup.effect((position, index))? {
            let attempts = row.attempts + 1;
            self.changes.effects.push(EffectChange::Put(EffectRow { due, attempts, ..row }));
        }
        Ok(())
    }
}
