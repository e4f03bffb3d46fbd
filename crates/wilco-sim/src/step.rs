//! One step of the engine, with whatever happens to its commit, and the model's look at what came of it.

use wilco_engine::{Command, Committed, Engine, Stepped};
use wilco_protocol::Time;
use wilco_store::{Batch, Reader, Store, StoreError};

use crate::bug::Bug;
use crate::disk::{Disk, Fate};
use crate::model::{Broken, broken};
use crate::world::World;

pub(crate) enum StepOutcome {
    Done(Stepped),
    /// The disk refused: nothing happened, and the callers are told so.
    Refused,
    /// The process is dead, and nobody was answered.
    Died,
}

/// As a server does it under load: some of the commands are decided while the batch of those before them
/// is being committed. What the disk does meets the first batch, and with it whatever stands on it. Where
/// the commands are divided follows from the time, so that a seed plays the same world as ever.
fn overlapping(
    engine: &mut Engine,
    mut commands: Vec<Command>,
    now: Time,
    disk: &mut Disk,
) -> Result<Stepped, StoreError> {
    let later = commands.split_off(now.millis() as usize % (commands.len() + 1));
    let mut answers = engine.decide(commands, now, disk);
    let first = engine.submit(now)?;
    answers.extend(engine.decide(later, now, disk));
    let first = first.map(|batch| commit(engine, batch, disk)).transpose()?;
    if first.is_some() {
        disk.fate = Fate::Stored;
    }
    let second = engine.submit(now)?.map(|batch| commit(engine, batch, disk)).transpose()?;
    let committed = match (first, second) {
        (Some(mut first), Some(second)) => {
            first.reached.extend(second.reached);
            first.effects.extend(second.effects);
            Some(Committed { head: second.head, ..first })
        }
        (first, second) => first.or(second),
    };
    Ok(Stepped { answers, committed })
}

fn commit(engine: &mut Engine, batch: Batch, disk: &mut Disk) -> Result<Committed, StoreError> {
    match disk.commit(&batch) {
        Ok(()) => Ok(engine.committed(batch)),
        Err(error) => {
            engine.failed(&batch);
            Err(error)
        }
    }
}

impl World {
    pub(crate) fn step(&mut self, commands: Vec<Command>) -> Result<StepOutcome, Broken> {
        if !self.realm.is_alone() {
            return self.step_of_writer(commands);
        }
        let fate = self.fate();
        let Some(engine) = &mut self.engine else { return Ok(StepOutcome::Died) };
        if self.bug == Some(Bug::EarlyAnswer) && fate == Fate::DiesBefore {
            let mut imagined = self.disk.clone();
            let stepped = engine.step(commands, self.now, &mut imagined)?;
            self.die("after it answered, before it committed");
            return Ok(StepOutcome::Done(stepped));
        }
        let at = self.bug.map_or(self.now, |bug| bug.clock(self.now));
        self.disk.fate = fate;
        let stepped = overlapping(engine, commands, at, &mut self.disk);
        self.disk.fate = Fate::Stored;
        match (stepped, fate) {
            (Ok(stepped), Fate::Stored) => self.done(stepped, self.now),
            (Ok(stepped), _) if stepped.committed.is_none() => self.done(stepped, self.now),
            (Ok(_), _) if self.bug == Some(Bug::StaleCache) => Ok(StepOutcome::Refused),
            (Ok(_), _) => broken("G9", format!("a commit that was {fate:?} counts as stored")),
            (Err(error), Fate::Stored) => broken("G9", format!("a commit failed by itself: {error}")),
            (Err(_), Fate::Full | Fate::Failed | Fate::Doubted { .. }) => {
                self.tally.refusals += 1;
                self.model.was_refused();
                self.note(|| format!("           the disk refuses a commit: {fate:?}"));
                self.observe(self.now)?;
                Ok(StepOutcome::Refused)
            }
            (Err(_), Fate::DiesBefore | Fate::DiesAfter) => {
                self.die(if fate == Fate::DiesBefore { "before a commit" } else { "after a commit" });
                self.observe(self.now)?;
                Ok(StepOutcome::Died)
            }
        }
    }

    /// The same as one of several nodes.
    fn step_of_writer(&mut self, commands: Vec<Command>) -> Result<StepOutcome, Broken> {
        let (fate, at) = (self.fate_of_writer(), self.time());
        let Some(engine) = &mut self.engine else { return Ok(StepOutcome::Died) };
        self.disk.fate = fate;
        let stepped = overlapping(engine, commands, at, &mut self.disk);
        self.disk.fate = Fate::Stored;
        self.settled(stepped, fate, at)
    }

    pub(crate) fn done(&mut self, stepped: Stepped, at: Time) -> Result<StepOutcome, Broken> {
        self.observe(at)?;
        if let Some(committed) = &stepped.committed {
            self.model.ordered(&committed.effects)?;
            self.run_errands(&committed.effects);
            for agent in &committed.reached {
                self.will_look(agent);
            }
        }
        Ok(StepOutcome::Done(stepped))
    }

    /// The model sees what is stored, and that the engine remembers the same.
    pub(crate) fn observe(&mut self, at: Time) -> Result<(), Broken> {
        let before = self.model.head().0;
        if self.trace.is_some() {
            self.tell_events(before)?;
        }
        self.model.observe(&self.disk, at)?;
        match &self.engine {
            Some(engine) if self.is_in_office() => self.model.compare(engine, &self.disk),
            Some(_) | None => Ok(()),
        }
    }

    /// The new events, for the trace.
    fn tell_events(&mut self, after: u64) -> Result<(), Broken> {
        for row in self.disk.journal(after, 1000)? {
            let event: serde_json::Value = serde_json::from_slice(&row.bytes)?;
            let text = |key: &str| event[key].as_str().unwrap_or("").to_owned();
            let mut what = event["data"].to_string();
            what.truncate(
                what.char_indices().map(|(at, _)| at).take_while(|at| *at <= 160).last().unwrap_or(0),
            );
            self.note(|| {
                let seq = event["seq"].as_u64().map_or(String::new(), |seq| format!("#{seq}"));
                let place = format!("{}{seq}", text("exchange"));
                format!("  {:>5} {place:<10} {} by {} {what}", row.position, text("type"), text("by"))
            });
        }
        Ok(())
    }

    pub(crate) fn fate(&mut self) -> Fate {
        if !self.faulty {
            return Fate::Stored;
        }
        if self.rng.per_mille(self.fault_rates.deaths) {
            return *self.rng.pick(&[Fate::DiesBefore, Fate::DiesAfter]);
        }
        if self.rng.per_mille(self.fault_rates.refusals) {
            return *self.rng.pick(&[Fate::Full, Fate::Failed]);
        }
        Fate::Stored
    }
}
