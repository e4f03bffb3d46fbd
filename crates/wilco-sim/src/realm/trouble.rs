//! What befalls nodes, and how it ends.

use wilco_engine::Command;
use wilco_protocol::{Span, Time};

use super::View;
use crate::disk::Fate;
use crate::model::Broken;
use crate::world::{Happening, World};

/// The end of a fault.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Mend {
    GoOn(usize),
    Reconnect(usize),
    Relink(usize, usize),
    Promote,
    Start(usize),
}

impl World {
    /// Now and then something goes wrong.
    pub(super) fn trouble(&mut self) -> Result<(), Broken> {
        let index = self.rng.below(self.realm.nodes.len() as u64) as usize;
        let mut chance = self.rng.below(1000);
        let rates = &self.realm.rates;
        let faults = [
            rates.kills,
            rates.stops,
            rates.cuts,
            rates.links,
            rates.failovers,
            rates.calendars,
            rates.handovers,
        ];
        let fault = faults.iter().position(|rate| {
            let is_met = chance < *rate;
            chance = chance.saturating_sub(*rate);
            is_met
        });
        if fault.is_none() || !self.realm.nodes[index].is_alive {
            return Ok(());
        }
        self.unsettle();
        match fault {
            Some(0) => self.kill(index, "by a signal"),
            Some(1) => {
                let length = self.span(1, 30);
                self.stop(index, length);
            }
            Some(2) => {
                let length = self.span(1, 40);
                self.cut_off(index, length);
            }
            Some(3) => {
                let other = self.rng.below(self.realm.nodes.len() as u64) as usize;
                let length = self.span(1, 60);
                self.realm.cut.insert((index, other), self.now.plus(length));
                self.later(length, Happening::Mend(Mend::Relink(index, other)));
            }
            Some(4) => self.fail_over(),
            Some(5) => self.realm.nodes[index].calendar = self.rng.below(600_000) as i64 - 300_000,
            _ => self.hand_over()?,
        }
        Ok(())
    }

    fn span(&mut self, least: u64, most: u64) -> Span {
        Span::millis(self.rng.between(least * 1000, most * 1000))
    }

    /// Something changes: from now on every look at the row counts.
    pub(crate) fn unsettle(&mut self) {
        (self.realm.is_calm, self.realm.troubled) = (false, self.now);
        for node in &mut self.realm.nodes {
            node.next_tick = node.next_tick.max(self.now);
        }
    }

    pub(crate) fn kill(&mut self, index: usize, when: &str) {
        self.unsettle();
        self.end_term(index, when);
        self.tally.deaths += 1;
        let node = &mut self.realm.nodes[index];
        (node.is_alive, node.stopped) = (false, None);
        node.inbox.clear();
        let name = node.name.clone();
        // Whoever called it directly hears no more.
        self.realm.waiting.retain(|_, call| call.to.is_some() || call.node != index);
        for call in
            self.realm.waiting.values_mut().filter(|call| call.to == Some(index) || call.node == index)
        {
            call.is_lost = true;
        }
        self.note(|| format!("{name} dies {when}"));
        let away = if self.rng.percent(60) { self.span(1, 30) } else { self.span(30, 600) };
        self.later(away, Happening::Mend(Mend::Start(index)));
    }

    /// Stopped, as by SIGSTOP: it knows nothing of it.
    pub(super) fn stop(&mut self, index: usize, length: Span) {
        self.unsettle();
        if self.realm.acting == Some(index) {
            self.unseat();
            self.realm.vacant.get_or_insert(self.now);
        }
        let node = &mut self.realm.nodes[index];
        let until = self.now.plus(length);
        node.stopped = Some(node.stopped.map_or(until, |former| former.max(until)));
        let name = node.name.clone();
        self.note(|| format!("{name} is stopped for {length}"));
        self.later(length, Happening::Mend(Mend::GoOn(index)));
    }

    pub(super) fn cut_off(&mut self, index: usize, length: Span) {
        self.unsettle();
        self.realm.nodes[index].view = View::Cut;
        if self.realm.acting == Some(index) {
            self.realm.vacant.get_or_insert(self.now);
        }
        let name = self.realm.nodes[index].name.clone();
        self.note(|| format!("{name} is cut off from the database for {length}"));
        self.later(length, Happening::Mend(Mend::Reconnect(index)));
    }

    /// The primary is gone; a standby that has everything takes its place after longer than a lease. Some nodes still
    /// reach the one that was.
    fn fail_over(&mut self) {
        if self.realm.promoted_at.is_some() {
            return;
        }
        let length = self.span(8, 25);
        self.realm.promoted_at = Some(self.now.plus(length));
        self.realm.vacant.get_or_insert(self.now);
        self.note(|| format!("the database fails over within {length}"));
        self.later(length, Happening::Mend(Mend::Promote));
        for index in 0..self.realm.nodes.len() {
            if self.rng.percent(50) && self.realm.nodes[index].view == View::Whole {
                self.realm.nodes[index].view = View::Former(self.disk.database.row.clone());
                let longer = Span::millis(length.as_millis() + self.rng.below(40_000));
                self.later(longer, Happening::Mend(Mend::Reconnect(index)));
            }
        }
    }

    /// The writer is asked to end: it finishes, gives the lease back, and goes.
    fn hand_over(&mut self) -> Result<(), Broken> {
        let Some(acting) = self.realm.acting else { return Ok(()) };
        let _ = self.step(vec![Command::Alive])?;
        let node = &self.realm.nodes[acting];
        let epoch = node.term.as_ref().map(|term| term.term.epoch);
        let row = &mut self.disk.database.row;
        let is_reached = node.is_well() && self.realm.promoted_at.is_none();
        if is_reached && epoch == Some(row.epoch) {
            row.released = true;
        }
        if self.realm.nodes[acting].is_alive {
            self.kill(acting, "after it was asked to end");
        }
        Ok(())
    }

    pub(crate) fn mend(&mut self, mend: Mend) -> Result<(), Broken> {
        let is_over = |until: Option<Time>| until.is_some_and(|until| until <= self.now);
        match mend {
            Mend::GoOn(index) if is_over(self.realm.nodes[index].stopped) => {
                self.unsettle();
                self.go_on(index)?;
            }
            Mend::Reconnect(index) => {
                self.unsettle();
                self.realm.nodes[index].view = View::Whole;
            }
            Mend::Relink(one, other) => {
                self.unsettle();
                self.realm.cut.remove(&(one, other));
            }
            Mend::Promote if is_over(self.realm.promoted_at) => {
                self.unsettle();
                self.realm.promoted_at = None;
                self.note(|| "the database takes writes again".to_owned());
            }
            Mend::Start(index) if !self.realm.nodes[index].is_alive => {
                self.unsettle();
                self.realm.nodes[index].starts(&mut self.rng, self.now);
                let name = self.realm.nodes[index].name.clone();
                self.note(|| format!("{name} starts"));
            }
            Mend::GoOn(_) | Mend::Promote | Mend::Start(_) => {}
        }
        Ok(())
    }

    /// Goes on where it was stopped, and takes itself for what it was.
    fn go_on(&mut self, index: usize) -> Result<(), Broken> {
        let next = self.now.plus(Span::millis(self.rng.below(super::TICK)));
        let node = &mut self.realm.nodes[index];
        (node.stopped, node.next_tick) = (None, next);
        let name = node.name.clone();
        self.note(|| format!("{name} goes on"));
        if self.realm.nodes[index].term.as_ref().is_some_and(|term| term.begun) {
            self.as_node(index, |world| world.finish_held(index))?;
            let wakes = self.realm.nodes[index].term.is_some() && self.rng.percent(50);
            if wakes {
                self.as_node(index, |world| world.step(vec![Command::Wake]))?;
            }
        }
        self.take_inbox(index)?;
        let epoch = self.epoch();
        let is_writer = |term: &super::SimTerm| term.begun && term.term.epoch == epoch;
        let node = &self.realm.nodes[index];
        let is_writer = node.stopped.is_none() && node.term.as_ref().is_some_and(is_writer);
        if self.realm.acting.is_none() && is_writer {
            self.seat(index);
            if self.realm.nodes[index].leases(self.now) && self.realm.nodes[index].view == View::Whole {
                self.realm.vacant = None;
            }
        }
        Ok(())
    }

    pub(super) fn mend_all(&mut self) -> Result<(), Broken> {
        self.unsettle();
        self.realm.promoted_at = None;
        self.realm.cut.clear();
        self.realm.waiting.clear();
        for index in 0..self.realm.nodes.len() {
            self.realm.nodes[index].view = View::Whole;
            self.realm.nodes[index].inbox.clear();
            self.mend(Mend::Start(index))?;
            if self.realm.nodes[index].stopped.is_some() {
                self.go_on(index)?;
            }
        }
        Ok(())
    }

    /// What becomes of the next commit of the node that acts.
    pub(crate) fn fate_of_writer(&mut self) -> Fate {
        let Some(acting) = self.realm.acting else { return Fate::Failed };
        let is_failing_over = self.realm.promoted_at.is_some();
        match self.realm.nodes[acting].view {
            View::Cut => return Fate::Failed,
            View::Whole if !is_failing_over => {}
            View::Whole | View::Former(_) if self.rng.percent(50) => {
                // A standby may have got it before it was promoted.
                return Fate::Doubted { stored: is_failing_over && self.rng.percent(50) };
            }
            View::Whole | View::Former(_) => return Fate::Failed,
        }
        if self.faulty && self.rng.per_mille(self.realm.rates.doubts) {
            if self.rng.percent(30) {
                let length = self.span(1, 20);
                self.cut_off(acting, length);
            }
            return Fate::Doubted { stored: self.rng.percent(50) };
        }
        self.fate()
    }
}
