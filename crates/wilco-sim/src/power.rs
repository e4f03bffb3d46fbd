//! The process: it dies, stays away for a while, and starts again from what is stored.

use wilco_engine::{Command, Engine};
use wilco_protocol::{Name, Span};
use wilco_store::Reader;

use crate::bug::Bug;
use crate::model::Broken;
use crate::step::StepOutcome;
use crate::world::{Happening, World};

impl World {
    pub(crate) fn die(&mut self, when: &str) {
        if let Some(acting) = self.realm.acting() {
            return self.kill(acting, when);
        }
        if !self.realm.is_alone() {
            // No node is there that could.
            return;
        }
        self.note(|| format!("the process dies {when}"));
        self.tally.deaths += 1;
        self.engine = None;
        self.died = self.now;
        let away =
            if self.rng.percent(50) { self.rng.seconds(1, 30) } else { self.rng.seconds(30, 2 * 3600) };
        self.later(away, Happening::Restart);
    }

    pub(crate) fn restart(&mut self) -> Result<(), Broken> {
        if self.engine.is_some() {
            return Ok(());
        }
        self.model.was_down(self.died, self.now);
        self.note(|| "the process starts again".to_owned());
        match self.start()? {
            StepOutcome::Done(_) => {}
            StepOutcome::Refused => {
                self.engine = None;
                self.later(Span::seconds(5), Happening::Restart);
                return Ok(());
            }
            StepOutcome::Died => return Ok(()),
        }
        self.take_up_work()
    }

    /// What was ordered before is done, and everybody looks at what it has.
    pub(crate) fn take_up_work(&mut self) -> Result<(), Broken> {
        let orders = self.disk.effects()?;
        self.model.ordered(&orders)?;
        self.resume_errands(&orders)?;
        let everybody: Vec<Name> = self.cast.everybody().cloned().collect();
        everybody.iter().for_each(|who| self.will_look(who));
        Ok(())
    }

    /// Loads what is stored, and says that it is there again.
    pub(crate) fn start(&mut self) -> Result<StepOutcome, Broken> {
        self.engine = Some(Engine::load(self.settings.clone(), &self.disk)?);
        let down_from = self.disk.head()?.at.map(|last| last.min(self.now));
        let down_from = down_from.filter(|_| self.bug != Some(Bug::ForgottenDowntime));
        let downtime = down_from.map(|last| self.now.since(last));
        self.step(vec![Command::Started { version: "sim".to_owned(), down_from, downtime }])
    }
}
