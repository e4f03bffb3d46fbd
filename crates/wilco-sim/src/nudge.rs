//! Nudges: agents are told outside their inboxes, or not, or later, or never. Whatever comes of it, their
//! messages lie where they lie.

use wilco_engine::{Command, NEVER, Nudge, NudgeOutcome, NudgeTurn};
use wilco_protocol::Span;
use wilco_store::EffectRow;

use crate::model::Broken;
use crate::step::StepOutcome;
use crate::world::{Happening, World};

/// A nudge is tried this often at the most.
const MAX_ATTEMPTS: u32 = 3;
/// The program that the configuration has for nudges.
pub(crate) const BELL: &str = "bell";

/// A dead letter waits for nothing.
pub(crate) fn waits(row: &EffectRow) -> bool {
    row.due < NEVER
}

impl World {
    /// A nudge is due. While the process is dead nobody carries it out; it is resumed with the rest.
    pub(crate) fn nudge(&mut self, row: EffectRow, nudge: Nudge) -> Result<(), Broken> {
        let Some(engine) = &self.engine else { return Ok(()) };
        let outcome = match engine.nudge_turn(&nudge, &row, self.time(), &self.disk)? {
            NudgeTurn::Moot => NudgeOutcome::Moot,
            NudgeTurn::Later(due) => NudgeOutcome::Later { due },
            NudgeTurn::Wrong(reason) | NudgeTurn::Missed(reason) => NudgeOutcome::Dead { reason },
            NudgeTurn::Nudge(_) if !self.rng.percent(self.fault_rates.deafness) => NudgeOutcome::Delivered,
            NudgeTurn::Nudge(_) if row.attempts < MAX_ATTEMPTS => {
                let due = self.now.plus(self.rng.seconds(2, 300));
                NudgeOutcome::Again { due, reason: "nobody is there".to_owned() }
            }
            NudgeTurn::Nudge(_) => NudgeOutcome::Dead { reason: "nobody is there".to_owned() },
        };
        self.note(|| format!("{} is nudged: {outcome:?}", nudge.agent));
        let (position, index, agent, through) = (row.position, row.index, nudge.agent.clone(), nudge.through);
        match self.step(vec![Command::Nudged { position, index, agent, through, outcome }])? {
            StepOutcome::Done(_) | StepOutcome::Died => {}
            StepOutcome::Refused => self.later(Span::seconds(1), Happening::Nudge(Box::new((row, nudge)))),
        }
        Ok(())
    }
}
