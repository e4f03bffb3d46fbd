//! Who writes: nodes look at the row, renew, take over, begin, and step down.

use wilco_engine::{Command, Engine, Stepped};
use wilco_protocol::{Span, Time};
use wilco_store::{Fence, LeaseTurn, Reader, StoreError, Tenure, Tried, WriterRow};

use super::{LEAP, LEASE, SimTerm, TICK, View};
use crate::bug::Bug;
use crate::disk::Fate;
use crate::model::{Broken, broken};
use crate::step::StepOutcome;
use crate::world::World;

/// After the lease has run out, the next one writes within this time.
const BEGINS_WITHIN: Span = Span::seconds(2);
/// In milliseconds: what a calendar that is set while its machine sleeps may do.
const CLOCK_MAY_BE_OFF: u64 = 5_000;

impl World {
    /// What nodes do by themselves at this instant; whether that was all that was due.
    pub(crate) fn among_nodes(&mut self) -> Result<bool, Broken> {
        self.disk.database.now = self.now;
        if self.realm.is_calm {
            self.leap();
        } else if let Some(node) = self.due_to_look() {
            self.tick(node)?;
            self.seat_who_writes();
            self.realm.is_calm = self.realm.settles(self.now, self.epoch());
            return self.is_served().map(|()| true);
        }
        if self.faulty {
            self.trouble()?;
        }
        Ok(false)
    }

    /// The epoch as the database has it.
    pub(super) fn epoch(&self) -> u64 {
        self.disk.database.row.epoch
    }

    fn due_to_look(&self) -> Option<usize> {
        let awake = self.realm.nodes.iter().enumerate();
        let awake = awake.filter(|(_, node)| node.is_alive && node.stopped.is_none());
        let (index, node) = awake.min_by_key(|(_, node)| node.next_tick)?;
        (node.next_tick <= self.now).then_some(index)
    }

    /// All was well for a while: the last of all those looks at the row.
    fn leap(&mut self) {
        if self.now.since(self.realm.leapt) < LEAP {
            return;
        }
        self.realm.leapt = self.now;
        if let Some(acting) = self.realm.acting {
            let ago = self.rng.between(2, LEASE.as_millis() / 3);
            let node = &mut self.realm.nodes[acting];
            let sent = node.clock(self.now) - ago as i64;
            node.lease.renewed(sent);
            let at = Time::from_millis(self.now.millis() - ago as i64);
            self.disk.database.touch(at);
        }
        let row = self.disk.database.row.clone();
        for node in self.realm.nodes.iter_mut().filter(|node| node.is_alive) {
            let clock = node.clock(self.now);
            node.beaten(clock - self.rng.between(2, 1000) as i64, self.now);
            // Nothing is to be done: otherwise it would not be calm.
            let _ = node.lease.turn(&row, clock - self.rng.between(0, 2) as i64);
            let is_here = node.term.is_some();
            let _ = node.known.hear(&row, is_here);
            node.next_tick = self.now.plus(Span::millis(self.rng.below(TICK)));
        }
    }

    /// A node looks at the row, and does what follows from it.
    fn tick(&mut self, index: usize) -> Result<(), Broken> {
        let next = self.now.plus(Span::millis(self.rng.between(TICK / 2, TICK)));
        let node = &mut self.realm.nodes[index];
        node.next_tick = next;
        if node.term.as_ref().is_some_and(|term| !term.begun && term.loads_at <= self.now) {
            return self.begin_term(index);
        }
        self.look_at_row(index)?;
        let node = &self.realm.nodes[index];
        if node.term.is_some() && !node.leases(self.now) {
            self.end_term(index, "the lease ran out");
        }
        Ok(())
    }

    fn look_at_row(&mut self, index: usize) -> Result<(), Broken> {
        // It was sent before it was stored.
        let took = self.rng.between(2, 20) as i64;
        let is_writable = self.realm.promoted_at.is_none();
        let node = &mut self.realm.nodes[index];
        let (clock, sent) = (node.clock(self.now), node.clock(self.now) - took);
        let (row, is_writable) = match &node.view {
            View::Whole if is_writable => (self.disk.database.row.clone(), true),
            View::Former(row) if !node.lease.is_beat_due(clock) => (row.clone(), false),
            View::Whole | View::Cut | View::Former(_) => return Ok(()),
        };
        if is_writable && node.lease.is_beat_due(clock) {
            node.beaten(sent, self.now);
        }
        let is_here = node.term.as_ref().is_some_and(|term| term.begun);
        if let Err(reason) = node.known.hear(&row, is_here) {
            return broken("PG-11", format!("{} serves nothing: {reason}", node.name));
        }
        let mut turn = node.lease.turn(&row, clock);
        if self.bug == Some(Bug::TrustedClock) && turn == LeaseTurn::Wait && node.term.is_none() {
            let age = self.now.millis() + node.calendar - row.renewed;
            turn = if age >= LEASE.as_millis() as i64 { LeaseTurn::TakeOver } else { turn };
        }
        match turn {
            LeaseTurn::Wait => {}
            // What is sent to a server that takes no commits any more has no answer.
            LeaseTurn::Renew | LeaseTurn::TakeOver if !is_writable => {}
            LeaseTurn::Renew => {
                let renews =
                    node.lease.epoch().is_some_and(|epoch| self.disk.database.renews(epoch, self.now));
                match renews {
                    true => node.lease.renewed(sent),
                    false => self.end_term(index, "another node took over"),
                }
            }
            LeaseTurn::End => self.end_term(index, "another node took over"),
            LeaseTurn::TakeOver => {
                let racing = std::mem::take(&mut node.racing);
                match racing {
                    Some(seen) => self.take_over(index, &seen, sent)?,
                    // Others may be as quick.
                    None if self.rng.percent(30) => self.realm.nodes[index].racing = Some(row),
                    None => self.take_over(index, &row, sent)?,
                }
            }
        }
        Ok(())
    }

    fn take_over(&mut self, index: usize, seen: &WriterRow, sent: i64) -> Result<(), Broken> {
        let (now, doubts) = (self.now, self.faulty && self.rng.per_mille(self.realm.rates.doubts));
        let loads_at = now.plus(Span::millis(self.rng.below(1000)));
        let node = &mut self.realm.nodes[index];
        let Some(term) = self.disk.database.take_over(seen, &node.name, &node.address, now) else {
            return Ok(());
        };
        self.realm.troubled = now;
        self.realm.takeovers += 1;
        if !doubts {
            node.lease.took_over(term.epoch, sent);
            node.known.took_over(term.epoch, &node.name, &node.address);
            let (fence, tenure) = (Fence::default(), Tenure::default());
            let epoch = term.epoch;
            node.term =
                Some(SimTerm { term, loads_at, begun: false, engine: None, fence, tenure, held: None });
            let name = node.name.clone();
            self.note(|| format!("{name} takes epoch {epoch}"));
        }
        let others = self.realm.nodes.iter().enumerate().filter(|(other, _)| *other != index);
        let mut lasting = others.filter(|(_, other)| other.is_alive && other.leases(now));
        match lasting.next() {
            Some((_, other)) if !seen.released => {
                let name = &self.realm.nodes[index].name;
                broken("PG-11", format!("{name} takes over while the lease of {} lasts", other.name))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Everything is loaded: it says so in the journal, and then takes calls.
    fn begin_term(&mut self, index: usize) -> Result<(), Broken> {
        if self.realm.nodes[index].view != View::Whole || self.realm.promoted_at.is_some() {
            self.end_term(index, "it could not begin");
            return Ok(());
        }
        let head = self.disk.head()?;
        let engine = Engine::load(self.settings.clone(), &self.disk)?;
        let node = &mut self.realm.nodes[index];
        let (name, is_first) = (node.name.clone(), node.is_first);
        let Some(begun) = &mut node.term else { return Ok(()) };
        begun.fence.begin(begun.term.clone(), head.clone());
        (begun.engine, begun.begun) = (Some(engine), true);
        let (epoch, last_renewed) = (begun.term.epoch, begun.term.last_renewed);
        let former = self.realm.acting;
        self.seat(index);
        self.realm.nodes[index].not_before(head.at);
        let at = self.time();
        let down_from = head.at.max(last_renewed).map(|last| last.min(at));
        let downtime = down_from.map(|last| at.since(last));
        if let Some(vacant) = self.realm.vacant {
            self.model.was_down(head.at.map_or(vacant, |last| vacant.max(last)), at);
        }
        let mut commands = Vec::new();
        if is_first {
            commands.push(Command::Started { version: "sim".to_owned(), down_from, downtime });
        }
        commands.push(Command::TookOver { epoch, node: name, down_from, downtime });
        match self.step(commands)? {
            StepOutcome::Done(_) => {}
            StepOutcome::Refused | StepOutcome::Died => {
                self.end_term(index, "it could not begin");
                former.into_iter().for_each(|former| self.seat(former));
                return Ok(());
            }
        }
        let node = &mut self.realm.nodes[index];
        (node.is_first, node.known.is_here) = (false, true);
        (self.realm.vacant, self.realm.troubled) = (None, self.now);
        self.take_up_work()
    }

    /// It does not write any more, and follows.
    pub(super) fn end_term(&mut self, index: usize, why: &str) {
        if self.realm.acting == Some(index) {
            self.unseat();
        }
        let node = &mut self.realm.nodes[index];
        if node.term.take().is_none() {
            return;
        }
        node.lease.end();
        node.known.is_here = false;
        (self.realm.is_calm, self.realm.troubled) = (false, self.now);
        self.realm.vacant.get_or_insert(self.now);
        let name = self.realm.nodes[index].name.clone();
        self.note(|| format!("{name} does not write any more: {why}"));
    }

    /// Puts the engine of this node into the world's hands.
    pub(super) fn seat(&mut self, index: usize) {
        self.unseat();
        let Some(term) = self.realm.nodes[index].term.as_mut().filter(|term| term.begun) else { return };
        self.engine = term.engine.take();
        self.disk.database.session = std::mem::take(&mut term.fence);
        self.realm.acting = Some(index);
    }

    /// The one before it in the world's hands has ended its term: the writer that waits there is next.
    fn seat_who_writes(&mut self) {
        let epoch = self.epoch();
        let writes = |node: &super::SimNode| {
            let term = node.term.as_ref().filter(|term| term.begun && term.term.epoch == epoch);
            node.is_alive && node.stopped.is_none() && term.is_some()
        };
        if self.realm.acting.is_none()
            && let Some(index) = self.realm.nodes.iter().position(writes)
        {
            self.seat(index);
        }
    }

    pub(super) fn unseat(&mut self) {
        let engine = self.engine.take();
        let fence = std::mem::take(&mut self.disk.database.session);
        if let Some(acting) = self.realm.acting.take()
            && let Some(term) = &mut self.realm.nodes[acting].term
        {
            (term.engine, term.fence) = (engine, fence);
        }
    }

    /// Lets a node do something that takes itself for the writer, whoever else does.
    pub(super) fn as_node<T>(&mut self, index: usize, work: impl FnOnce(&mut World) -> T) -> T {
        let former = self.realm.acting.filter(|acting| *acting != index);
        if self.realm.acting != Some(index) {
            self.seat(index);
        }
        let done = work(self);
        if let Some(former) = former {
            self.seat(former);
        }
        done
    }

    /// PG-11: as soon as a node is well that could write, one does, and everybody finds it.
    fn is_served(&mut self) -> Result<(), Broken> {
        let limit = Span::millis(LEASE.as_millis() + BEGINS_WITHIN.as_millis());
        let well = |node: &super::SimNode| node.is_well();
        if self.now.since(self.realm.troubled) <= limit
            || self.realm.promoted_at.is_some()
            || !self.realm.nodes.iter().any(well)
        {
            return Ok(());
        }
        if !self.realm.is_held(self.now, self.epoch()) {
            return broken("PG-11", format!("nobody writes, {limit} after the last fault"));
        }
        let epoch = self.epoch();
        match self.realm.nodes.iter().find(|node| node.is_well() && node.known.epoch != epoch) {
            Some(node) => broken("PG-12", format!("{} does not know who writes", node.name)),
            None => Ok(()),
        }
    }

    /// Every fault ends: in time somebody writes, and everybody is there.
    pub(crate) fn heal(&mut self) -> Result<(), Broken> {
        self.disk.database.now = self.now;
        if self.realm.is_calm {
            self.leap();
            return Ok(());
        }
        self.mend_all()?;
        while let Some(next) = self.realm.next_tick() {
            self.now = self.now.max(next);
            self.among_nodes()?;
        }
        Ok(())
    }
}

impl World {
    /// Whether the engine in the world's hands is that of who writes.
    pub(crate) fn is_in_office(&self) -> bool {
        let epoch = |acting: usize| self.realm.nodes[acting].term.as_ref().map(|term| term.term.epoch);
        self.realm.is_alone() || self.realm.acting.and_then(epoch) == Some(self.epoch())
    }

    /// What time it is to who acts.
    pub(crate) fn time(&self) -> Time {
        match self.realm.acting {
            Some(acting) if self.bug == Some(Bug::TrustedCalendar) => {
                Time::from_millis(self.now.millis() + self.realm.nodes[acting].calendar)
            }
            Some(acting) => self.realm.nodes[acting].time(self.now),
            None => self.now,
        }
    }

    /// When that comes to who acts.
    pub(crate) fn instant_of(&self, due: Time) -> Time {
        if self.realm.is_alone() { due } else { self.now.plus(due.since(self.time())) }
    }

    /// When a node looks at the row next.
    pub(crate) fn next_tick(&self) -> Option<Time> {
        self.realm.next_tick()
    }

    /// What a step of a node comes to, by what became of its commit.
    pub(crate) fn settled(
        &mut self,
        stepped: Result<Stepped, StoreError>,
        fate: Fate,
        at: Time,
    ) -> Result<StepOutcome, Broken> {
        if let Some(what) = self.disk.database.doubled.take() {
            return broken("PG-11", what);
        }
        if self.time().millis().abs_diff(self.now.millis()) > CLOCK_MAY_BE_OFF {
            return broken("PG-16", format!("it is {}, and a node thinks {}", self.now, self.time()));
        }
        let Some(acting) = self.realm.acting else { return Ok(StepOutcome::Died) };
        let node = &mut self.realm.nodes[acting];
        let (leases, name) = (node.leases(self.now), node.name.clone());
        let Some(term) = &mut node.term else { return Ok(StepOutcome::Died) };
        let error = match stepped {
            Ok(stepped) if stepped.committed.is_some() && fate == Fate::Stored => {
                self.realm.acknowledged = self.disk.database.row.position;
                return self.done(stepped, at);
            }
            Ok(stepped) if stepped.committed.is_some() => {
                return broken(
                    "G9",
                    format!("a commit that was {fate:?} counts as stored: {:?}", stepped.answers),
                );
            }
            Ok(stepped) if term.tenure.may_answer(leases) || self.bug == Some(Bug::AnsweredLate) => {
                return match self.is_in_office() {
                    true => self.done(stepped, at),
                    false => broken("PG-11", format!("{name} answers from memory, and another writes")),
                };
            }
            Ok(_) => StoreError::Fenced { reason: "the lease has run out".to_owned() },
            Err(error) => error,
        };
        term.tenure.failed(&error);
        let is_over = term.tenure.is_over();
        // Whoever waits hears that it is not known, or that nothing was stored.
        let is_unknown = matches!(error, StoreError::Unknown(_)) && self.bug != Some(Bug::DoubtDenied);
        self.realm.tried = if is_unknown { Tried::Answered(()) } else { Tried::NotTaken };
        if matches!(fate, Fate::DiesBefore | Fate::DiesAfter) && is_unknown {
            self.realm.tried = Tried::Unknown;
            self.kill(acting, "at a commit");
        } else {
            self.tally.refusals += 1;
            self.model.was_refused();
            self.note(|| format!("           {name} cannot commit: {error}"));
        }
        if is_over {
            self.end_term(acting, "its term is over");
        }
        self.observe(at)?;
        Ok(if is_over { StepOutcome::Died } else { StepOutcome::Refused })
    }
}
