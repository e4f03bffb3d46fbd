//! The courier: carries orders out, reports on them, fails, reports twice.

use wilco_engine::{Command, Order, StoredEffect};
use wilco_protocol::decision::{Effect, Report};
use wilco_protocol::operation::StepEnd;
use wilco_protocol::{Name, Span};
use wilco_store::EffectRow;

use crate::bug::Bug;
use crate::judge;
use crate::model::Broken;
use crate::nudge;
use crate::step::StepOutcome;
use crate::world::{Happening, World};

/// An order on its way.
#[derive(Debug, Clone)]
pub(crate) struct SimEffect {
    row: EffectRow,
    /// What came of it, when that could not be brought home yet.
    came: Option<Report>,
}

/// An order is put off this often at the most.
const MAX_ATTEMPTS: u32 = 4;

impl World {
    pub(crate) fn run_errands(&mut self, orders: &[EffectRow]) {
        for row in orders.iter().filter(|row| nudge::waits(row)) {
            let wait = self.rng.seconds(0, 90);
            let due = row.due.since(self.now);
            let after = wilco_protocol::Span::millis(due.as_millis() + wait.as_millis());
            let errand = match serde_json::from_slice(&row.body) {
                Ok(StoredEffect::Nudge { nudge }) => Happening::Nudge(Box::new((row.clone(), nudge))),
                Ok(StoredEffect::Digest { digest }) => Happening::Digest(row.clone(), digest.agent),
                Ok(StoredEffect::Order(_)) | Err(_) => {
                    Happening::Report(Box::new(SimEffect { row: row.clone(), came: None }))
                }
            };
            self.later(after, errand);
        }
    }

    pub(crate) fn report(&mut self, errand: SimEffect) -> Result<(), Broken> {
        let EffectRow { position, index, attempts, .. } = errand.row;
        let order: Order = serde_json::from_slice(&errand.row.body)?;
        let once = order.effect.interrupted().is_some();
        if !once && attempts < MAX_ATTEMPTS && self.rng.percent(15) {
            let due = self.now.plus(self.rng.seconds(5, 60));
            return self.step(vec![Command::Postpone { position, index, due }]).map(|_| ());
        }
        let report = match errand.came {
            Some(report) => report,
            None => self.came_of_it(&order)?,
        };
        if once && self.faulty && self.fault_rates.deaths > 0 && self.rng.percent(10) {
            self.die("while a command runs");
            return Ok(());
        }
        self.note(|| format!("the courier reports on {position}/{index}: {report:?}"));
        match self.step(vec![Command::Report { position, index, report: report.clone() }])? {
            StepOutcome::Done(_) => self.model.reported(position, index),
            StepOutcome::Refused => {
                let again = SimEffect { row: errand.row, came: Some(report) };
                self.later(Span::seconds(1), Happening::Report(Box::new(again)));
            }
            StepOutcome::Died => {}
        }
        Ok(())
    }

    /// What was gathered for an agent is due. While the process is dead it waits, and is resumed with the rest.
    pub(crate) fn send_digest(&mut self, row: EffectRow, agent: Name) -> Result<(), Broken> {
        if self.engine.is_none() {
            return Ok(());
        }
        let (position, index) = (row.position, row.index);
        match self.step(vec![Command::Digest { position, index, agent: agent.clone() }])? {
            StepOutcome::Done(_) | StepOutcome::Died => {}
            StepOutcome::Refused => self.later(Span::seconds(1), Happening::Digest(row, agent)),
        }
        Ok(())
    }

    fn came_of_it(&mut self, order: &Order) -> Result<Report, Broken> {
        Ok(match &order.effect {
            Effect::CallHuman { escalation, .. } => {
                Report::HumanCalled { escalation: *escalation, reached: self.rng.percent(80) }
            }
            Effect::Judge { ack, .. } => judge::judged(&mut self.rng, ack, &order.payload)?,
            Effect::Handoff { order: handed, .. } => {
                Report::Handoff(self.came_of_handoff(handed, &order.payload))
            }
            Effect::RunStep { exchange, agent, run } => {
                self.model.performs(*exchange, agent, *run)?;
                let exit_code = Some(i32::from(self.rng.percent(15)));
                let (stdout, stderr) = ("restarted".to_owned(), String::new());
                let end = StepEnd { exit_code, stdout, stderr, failure: None };
                Report::StepEnded { agent: agent.clone(), run: *run, end }
            }
            Effect::RunCheck { exchange, phase, run } => {
                self.model.checks(*exchange, *phase, *run)?;
                let exit_code = Some(*self.rng.pick(&[0, 0, 1, 1, 127]));
                let stdout = format!("src/a{}.rs:3 - wrong\n", self.rng.percent(50));
                let end = StepEnd { exit_code, stdout, stderr: String::new(), failure: None };
                Report::CheckEnded { phase: *phase, run: *run, end }
            }
        })
    }

    /// Orders that were under way when the process died: what must not be repeated is reported so.
    pub(crate) fn resume_errands(&mut self, orders: &[EffectRow]) -> Result<(), Broken> {
        for row in orders {
            let order = match serde_json::from_slice(&row.body)? {
                StoredEffect::Order(order) => order,
                StoredEffect::Nudge { .. } | StoredEffect::Digest { .. } => {
                    self.run_errands(std::slice::from_ref(row));
                    continue;
                }
            };
            match order.effect.interrupted().filter(|_| !self.is_repeated(&order.effect)) {
                None => self.run_errands(std::slice::from_ref(row)),
                Some(report) => {
                    let (position, index) = (row.position, row.index);
                    match self.step(vec![Command::Report { position, index, report: report.clone() }])? {
                        StepOutcome::Done(_) => self.model.reported(position, index),
                        StepOutcome::Refused => {
                            let again = SimEffect { row: row.clone(), came: Some(report) };
                            self.later(Span::seconds(1), Happening::Report(Box::new(again)));
                        }
                        StepOutcome::Died => return Ok(()),
                    }
                }
            }
        }
        Ok(())
    }

    /// A planted defect: what must not be repeated is.
    fn is_repeated(&self, effect: &Effect) -> bool {
        match effect {
            Effect::RunCheck { .. } => self.bug == Some(Bug::RepeatedCheck),
            _ => self.bug == Some(Bug::RepeatedCommand),
        }
    }
}
