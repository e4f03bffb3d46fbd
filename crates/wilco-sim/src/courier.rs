//! The courier: carries orders out, reports on them, fails, reports twice.

use wilco_engine::{Command, Order};
use wilco_protocol::decision::{Effect, Report};
use wilco_protocol::delegation::Verdict;
use wilco_protocol::operation::StepEnd;
use wilco_store::EffectRow;

use crate::model::Broken;
use crate::step::Outcome;
use crate::world::{Happening, World};

/// An order on its way.
#[derive(Debug, Clone)]
pub(crate) struct Errand {
    row: EffectRow,
}

/// An order is put off this often at the most.
const MAX_ATTEMPTS: u32 = 4;

impl World {
    pub(crate) fn run_errands(&mut self, orders: &[EffectRow]) {
        for row in orders {
            let wait = self.chance.seconds(0, 90);
            let due = row.due.since(self.now);
            let after = wilco_protocol::Span::millis(due.as_millis() + wait.as_millis());
            self.later(after, Happening::Report(Box::new(Errand { row: row.clone() })));
        }
    }

    pub(crate) fn report(&mut self, errand: Errand) -> Result<(), Broken> {
        let EffectRow { position, index, attempts, .. } = errand.row;
        let order: Order = serde_json::from_slice(&errand.row.body)?;
        if attempts < MAX_ATTEMPTS && self.chance.percent(15) {
            let due = self.now.plus(self.chance.seconds(5, 60));
            return self.step(vec![Command::Postpone { position, index, due }]).map(|_| ());
        }
        let report = self.came_of_it(&order.effect);
        self.note(|| format!("the courier reports on {position}/{index}: {report:?}"));
        match self.step(vec![Command::Report { position, index, report }])? {
            Outcome::Done(_) => self.model.reported(position, index),
            Outcome::Refused => self.run_errands(&[errand.row]),
            Outcome::Died => {}
        }
        Ok(())
    }

    fn came_of_it(&mut self, effect: &Effect) -> Report {
        match effect {
            Effect::CallHuman { escalation, .. } => {
                Report::HumanCalled { escalation: *escalation, reached: self.chance.percent(80) }
            }
            Effect::Judge { ack, .. } if self.chance.percent(20) => {
                Report::JudgeFailed { ack: ack.clone(), reason: "it crashed".to_owned() }
            }
            Effect::Judge { ack, .. } => {
                let verdicts = [
                    Verdict::Correct,
                    Verdict::Correct,
                    Verdict::WrongTask,
                    Verdict::WrongSummary,
                    Verdict::Partial,
                ];
                let missing = vec!["no order is lost".to_owned()];
                let verdict = *self.chance.pick(&verdicts);
                Report::Judged { ack: ack.clone(), verdict, correction: Some("Read it.".to_owned()), missing }
            }
            Effect::RunStep { agent, run, .. } => {
                let exit_code = Some(i32::from(self.chance.percent(15)));
                let (stdout, stderr) = ("restarted".to_owned(), String::new());
                let end = StepEnd { exit_code, stdout, stderr, failure: None };
                Report::StepEnded { agent: agent.clone(), run: *run, end }
            }
        }
    }
}
