//! The world of one run: its time, its people, its queue of what will happen.

use std::collections::{BTreeMap, BTreeSet};

use wilco_engine::{Command, CommandRule, Engine, JudgeSettings, Nudge, Settings};
use wilco_protocol::{Name, Span, Time};
use wilco_store::EffectRow;

use crate::beginning::LINT;
use crate::bug::Bug;
use crate::cast::Cast;
use crate::courier::SimEffect;
use crate::disk::Disk;
use crate::door::Request;
use crate::fault_rates::FaultRates;
use crate::model::{Broken, Model, broken};
use crate::nudge::BELL;
use crate::realm::{Mend, Realm, SimCall};
use crate::replacement::Document;
use crate::rng::Rng;
use crate::run::Options;
use crate::speech::Speech;
use crate::step::StepOutcome;

pub(crate) struct World {
    pub(crate) now: Time,
    pub(crate) rng: Rng,
    pub(crate) fault_rates: FaultRates,
    pub(crate) cast: Cast,
    pub(crate) settings: Settings,
    /// None while the process is dead.
    pub(crate) engine: Option<Engine>,
    pub(crate) died: Time,
    pub(crate) disk: Disk,
    pub(crate) model: Model,
    pub(crate) bug: Option<Bug>,
    pub(crate) faulty: bool,
    /// The nodes, where there are several.
    pub(crate) realm: Realm,
    queue: BTreeMap<(Time, u64), Happening>,
    queued: u64,
    pub(crate) requests: Vec<Request>,
    /// The documents of handoffs that lie where they can be read.
    pub(crate) documents: BTreeMap<String, Document>,
    /// How far everybody has read, and who is about to look.
    pub(crate) read: BTreeMap<Name, u64>,
    pub(crate) looking: BTreeSet<Name>,
    pub(crate) tally: Tally,
    pub(crate) trace: Option<Vec<String>>,
}

/// What happens at an instant.
#[derive(Debug)]
pub(crate) enum Happening {
    Begin(Name),
    Say(Box<Speech>),
    Arrive(usize),
    Retry(usize),
    Look(Name),
    Report(Box<SimEffect>),
    Nudge(Box<(EffectRow, Nudge)>),
    Digest(EffectRow, Name),
    Restart,
    /// A call is tried once more, or looked after.
    Forward(Box<SimCall>),
    Await(u64),
    Mend(Mend),
}

#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Tally {
    pub(crate) steps: u64,
    pub(crate) deaths: u64,
    pub(crate) refusals: u64,
}

/// Any instant will do.
pub(crate) const START: i64 = 1_800_000_000_000;
/// People begin tasks for this long, and care about them for that long.
const BEGINNINGS: u64 = 3600;
const CARE: Span = Span::minutes(4 * 60);
/// More steps than this are a world that goes round in circles.
const MAX_STEPS: u64 = 100_000;

impl World {
    pub(crate) fn new(seed: u64, options: Options) -> World {
        let (bug, trace, realm) = (options.bug, options.trace, Realm::of(seed, options.alone));
        let mut rng = Rng::of(seed);
        let fault_rates = FaultRates::of(&mut rng);
        let cast = Cast::of(&fault_rates);
        // In every second world the judge is asked by itself too.
        let judge = JudgeSettings { named: true, auto: seed.is_multiple_of(2), ..JudgeSettings::default() };
        let mut settings = Settings { judge, ..Settings::default() };
        settings.operation_commands.insert("restart-agent".to_owned(), CommandRule::Open);
        settings.nudge.commands.insert(BELL.to_owned());
        settings.validation_commands.insert(LINT.to_owned(), CommandRule::Open);
        settings.handoff.state_file = rng.percent(50);
        settings.handoff.github = rng.percent(30);
        if let Some(controller) = cast.initiators.last().filter(|_| rng.percent(75)) {
            settings.handoff.controller = controller.clone();
        }
        settings.escalation.reaches_human = rng.percent(50);
        settings.escalation.controller = cast.initiators.last().filter(|_| rng.percent(25)).cloned();
        if rng.percent(10) {
            settings.inbox_limit = rng.between(1, 8) as usize;
        }
        let now = Time::from_millis(START);
        World {
            now,
            rng,
            fault_rates,
            cast,
            settings,
            engine: None,
            died: now,
            disk: Disk::new(bug, now, !realm.is_alone()),
            model: Model::new(),
            bug,
            faulty: false,
            realm,
            queue: BTreeMap::new(),
            queued: 0,
            requests: Vec::new(),
            documents: BTreeMap::new(),
            read: BTreeMap::new(),
            looking: BTreeSet::new(),
            tally: Tally::default(),
            trace: trace.then(Vec::new),
        }
    }

    /// Lets everything happen, then leaves the world alone, then looks at the whole.
    pub(crate) fn live(&mut self) -> Result<(), Broken> {
        self.set_up()?;
        for _ in 0..self.fault_rates.tasks {
            let who = self.rng.pick(&self.cast.initiators).clone();
            let after = self.rng.seconds(0, BEGINNINGS);
            self.later(after, Happening::Begin(who));
        }
        let end = self.now.plus(CARE);
        self.faulty = true;
        while let Some(next) = self.next_instant().filter(|next| *next < end) {
            let jumps = self.rng.per_mille(self.fault_rates.jumps);
            if jumps {
                self.now = self.now.plus(self.rng.seconds(60, 3 * 3600));
                self.note(|| "the clock jumps".to_owned());
            }
            self.now = self.now.max(next);
            if jumps {
                self.unsettle();
            }
            self.turn()?;
        }
        self.leave_alone()?;
        self.model.whole(&self.disk.tables)?;
        if self.rng.percent(10) {
            self.model.readable(&self.disk.tables)?;
        }
        Ok(())
    }

    /// When something happens next, by somebody or by a timer.
    fn next_instant(&self) -> Option<Time> {
        let queued = self.queue.first_key_value().map(|((at, _), _)| *at);
        let wake = self.engine.as_ref().and_then(Engine::next_wake).map(|due| self.instant_of(due));
        [queued, wake, self.next_tick()].into_iter().flatten().min()
    }

    fn turn(&mut self) -> Result<(), Broken> {
        if !self.realm.is_alone() && self.among_nodes()? {
            return Ok(());
        }
        self.tally.steps += 1;
        if self.tally.steps > MAX_STEPS {
            return broken("G6", "the world goes round in circles");
        }
        if self.engine.is_some() && self.rng.per_mille(self.fault_rates.deaths / 8) {
            self.die("between two steps");
        }
        let is_due = |due: Option<Time>, now: Time| due.is_some_and(|due| due <= now);
        let woken = is_due(self.engine.as_ref().and_then(Engine::next_wake), self.time());
        let queued = is_due(self.queue.first_key_value().map(|((at, _), _)| *at), self.now);
        if woken && (!queued || self.rng.percent(50)) || self.rng.per_mille(5) {
            return self.wake();
        }
        if !queued {
            return Ok(());
        }
        let Some((_, happening)) = self.queue.pop_first() else { return Ok(()) };
        match happening {
            Happening::Begin(who) => self.begin(&who),
            Happening::Say(speech) => self.send(*speech),
            Happening::Arrive(first) => self.arrive(first)?,
            Happening::Retry(index) => self.retry(index),
            Happening::Look(who) => self.look(&who)?,
            Happening::Report(errand) => self.report(*errand)?,
            Happening::Nudge(nudge) => self.nudge(nudge.0, nudge.1)?,
            Happening::Digest(row, agent) => self.send_digest(row, agent)?,
            Happening::Restart => self.restart()?,
            Happening::Forward(call) => self.forward(*call)?,
            Happening::Await(id) => self.await_answer(id)?,
            Happening::Mend(mend) => self.mend(mend)?,
        }
        Ok(())
    }

    pub(crate) fn later(&mut self, after: Span, happening: Happening) {
        self.queued += 1;
        self.queue.insert((self.now.plus(after), self.queued), happening);
    }

    /// A request that arrives within this time, taken out of the queue.
    pub(crate) fn next_arrival(&mut self, within: Span) -> Option<usize> {
        let until = self.now.plus(within);
        let entry = self.queue.first_entry()?;
        match entry.get() {
            Happening::Arrive(index) if entry.key().0 <= until => {
                let index = *index;
                entry.remove();
                Some(index)
            }
            _ => None,
        }
    }

    /// What is due is done, and then nothing is.
    fn wake(&mut self) -> Result<(), Broken> {
        match self.step(vec![Command::Wake])? {
            StepOutcome::Done(stepped) => match stepped.answers.first() {
                Some(Err(refused)) => broken("G7", format!("a wake was refused: {refused:?}")),
                _ => self.model.nothing_due(self.time()),
            },
            StepOutcome::Refused => {
                self.now = self.now.plus(Span::millis(200));
                Ok(())
            }
            StepOutcome::Died => Ok(()),
        }
    }

    /// Nobody says anything any more: every exchange ends, rests, or somebody is asked to decide.
    fn leave_alone(&mut self) -> Result<(), Broken> {
        self.note(|| "everybody leaves".to_owned());
        self.faulty = false;
        self.queue.clear();
        match self.realm.is_alone() {
            true if self.engine.is_none() => self.restart()?,
            true => {}
            false => self.heal()?,
        }
        let most = self.tally.steps + 1000 + 100 * self.model.exchanges() as u64;
        while let Some(number) = self.model.unsettled() {
            self.tally.steps += 1;
            let next = self.engine.as_ref().and_then(Engine::next_wake);
            let Some(next) = next.filter(|_| self.tally.steps < most) else {
                return broken("G6", format!("exchange {number} never comes to rest when left alone"));
            };
            self.now = self.now.max(self.instant_of(next));
            if !self.realm.is_alone() {
                self.heal()?;
            }
            self.wake()?;
        }
        Ok(())
    }

    pub(crate) fn note(&mut self, line: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            let passed = Span::millis((self.now.millis() - START).unsigned_abs());
            trace.push(format!("{:>12}  {}", passed.to_string(), line()));
        }
    }
}
