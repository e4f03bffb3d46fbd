//! Calls reach any node: it does them as the writer, or takes them there, again if need be; and it reads for its callers.

use wilco_engine::{Answer, Command, Stepped};
use wilco_protocol::{Span, Time};
use wilco_store::{Forwarding, GivenUp, NextTry, Store, Tried, WayToWriter};

use super::{HeldCommit, View};
use crate::bug::Bug;
use crate::disk::Fate;
use crate::model::{Broken, broken};
use crate::step::StepOutcome;
use crate::world::{Happening, World};

/// As `store.patience` is by default.
const PATIENCE: Span = Span::seconds(10);
/// A writer that takes longer for its answer gives none.
const ANSWERS_WITHIN: Span = Span::seconds(60);

/// A request at the node that took it.
#[derive(Debug)]
pub(crate) struct SimCall {
    index: usize,
    pub(super) node: usize,
    /// The node that it was forwarded to.
    pub(super) to: Option<usize>,
    forwarding: Forwarding,
    until: Time,
    /// Who wrote when it was sent, and when that was.
    epoch: u64,
    sent: Time,
    /// Whether its connection broke.
    pub(super) is_lost: bool,
}

/// A request, and who waits for its answer if somebody still does.
type TakenCall = (usize, Option<SimCall>);

impl World {
    /// Requests arrive at nearly the same time, each at some node.
    pub(crate) fn arrive_at_nodes(&mut self, indexes: Vec<usize>) -> Result<(), Broken> {
        let mut ready: Vec<(usize, Vec<TakenCall>)> = Vec::new();
        for index in indexes {
            let node = self.some_node();
            if !self.realm.nodes[node].is_alive {
                continue;
            }
            let keyed = self.requests[index].key.is_some() || self.bug == Some(Bug::ResentWithoutKey);
            let (forwarding, until) = (Forwarding::new(keyed), self.now.plus(PATIENCE));
            let (epoch, sent) = (0, self.now);
            let call = SimCall { index, node, to: None, forwarding, until, epoch, sent, is_lost: false };
            if self.realm.nodes[node].stopped.is_some() {
                let id = self.wait_for(call);
                self.realm.nodes[node].inbox.push_back((id, index));
                continue;
            }
            let Some((writer, call)) = self.route(call)? else { continue };
            match ready.iter_mut().find(|(there, _)| *there == writer) {
                Some((_, asked)) => asked.push((index, Some(call))),
                None => ready.push((writer, vec![(index, Some(call))])),
            }
        }
        for (writer, asked) in ready {
            self.as_node(writer, |world| world.decide_calls(asked))?;
        }
        Ok(())
    }

    fn some_node(&mut self) -> usize {
        self.rng.below(self.realm.nodes.len() as u64) as usize
    }

    /// A call is tried once more.
    pub(crate) fn forward(&mut self, call: SimCall) -> Result<(), Broken> {
        let node = &self.realm.nodes[call.node];
        match (node.is_alive, node.stopped) {
            (false, _) => {}
            (true, Some(until)) => {
                let after = Span::millis(until.since(self.now).as_millis() + 1);
                self.later(after, Happening::Forward(Box::new(call)));
            }
            (true, None) => {
                let Some((writer, call)) = self.route(call)? else { return Ok(()) };
                let asked = vec![(call.index, Some(call))];
                self.as_node(writer, |world| world.decide_calls(asked))?;
            }
        }
        Ok(())
    }

    /// Takes a call to who writes as far as its node knows; returns who has it now, if somebody has.
    fn route(&mut self, mut call: SimCall) -> Result<Option<(usize, SimCall)>, Broken> {
        let node = &self.realm.nodes[call.node];
        if self.now >= call.until || !node.may_read(self.now) {
            return self.give_up(&call).map(|()| None);
        }
        let to = match node.known.way(&node.name) {
            WayToWriter::Here => return Ok(Some((call.node, call))),
            WayToWriter::Nowhere => None,
            WayToWriter::To(address) => {
                let row = &self.disk.database.row;
                if node.known.epoch == row.epoch && address != row.address {
                    return broken("PG-12", format!("{} sends a call to who wrote before", node.name));
                }
                self.realm.at_address(address)
            }
        };
        let reached = to.filter(|to| self.realm.nodes[*to].is_alive && self.realm.is_linked(call.node, *to));
        let Some(to) = reached else { return self.tried(call, Tried::NotTaken).map(|()| None) };
        (call.to, call.epoch, call.sent, call.is_lost) = (Some(to), node.known.epoch, self.now, false);
        if self.realm.nodes[to].stopped.is_some() {
            let index = call.index;
            let id = self.wait_for(call);
            self.realm.nodes[to].inbox.push_back((id, index));
            return Ok(None);
        }
        if self.rng.per_mille(self.realm.rates.lost) {
            return self.tried(call, Tried::Unknown).map(|()| None);
        }
        match self.realm.nodes[to].known.is_here {
            true => Ok(Some((to, call))),
            false => self.tried(call, Tried::NotTaken).map(|()| None),
        }
    }

    /// The node waits for an answer; one that was forwarded is looked after.
    fn wait_for(&mut self, call: SimCall) -> u64 {
        self.realm.called += 1;
        let id = self.realm.called;
        if call.to.is_some() {
            self.later(Span::millis(500), Happening::Await(id));
        }
        self.realm.waiting.insert(id, call);
        id
    }

    /// Whether an answer is still waited for: not from a writer that is none any more.
    pub(crate) fn await_answer(&mut self, id: u64) -> Result<(), Broken> {
        let Some(call) = self.realm.waiting.get(&id) else { return Ok(()) };
        let node = &self.realm.nodes[call.node];
        let is_over = call.is_lost
            || node.known.epoch != call.epoch
            || !node.may_read(self.now)
            || self.now.since(call.sent) > ANSWERS_WITHIN;
        let is_gone = !node.is_alive;
        if !is_gone && (!is_over || node.stopped.is_some()) {
            self.later(Span::millis(500), Happening::Await(id));
            return Ok(());
        }
        match self.realm.waiting.remove(&id).filter(|_| !is_gone) {
            Some(call) => self.tried(call, Tried::Unknown),
            None => Ok(()),
        }
    }

    /// Decides as the writer, and answers after the commit.
    fn decide_calls(&mut self, asked: Vec<TakenCall>) -> Result<(), Broken> {
        let (mut commands, mut read) = (Vec::new(), Vec::new());
        for (index, call) in asked {
            if let Some(post) = self.post(index) {
                commands.push(Command::Post(Box::new(post)));
                read.push((index, call));
            }
        }
        if self.faulty && self.rng.per_mille(self.realm.rates.holds) {
            return self.hold(commands, read);
        }
        let after = self.model.head().0;
        let outcome = self.step(commands)?;
        self.answer_calls(read, outcome, after)
    }

    fn answer_calls(
        &mut self,
        asked: Vec<TakenCall>,
        outcome: StepOutcome,
        after: u64,
    ) -> Result<(), Broken> {
        let tried = match outcome {
            StepOutcome::Done(stepped) => {
                let indexes: Vec<usize> = asked.iter().map(|(index, _)| *index).collect();
                self.verify(&indexes, &stepped.answers, after)?;
                for ((index, call), answer) in asked.into_iter().zip(&stepped.answers) {
                    self.pass_on(index, call, answer)?;
                }
                return Ok(());
            }
            // Its caller hears that nothing was stored.
            StepOutcome::Refused => Tried::Answered(()),
            StepOutcome::Died => std::mem::replace(&mut self.realm.tried, Tried::NotTaken),
        };
        for (_, call) in asked {
            if let Some(call) = call {
                self.tried(call, tried.clone())?;
            }
        }
        Ok(())
    }

    /// The answer goes back the way the call came.
    fn pass_on(&mut self, index: usize, call: Option<SimCall>, answer: &Answer) -> Result<(), Broken> {
        match call {
            Some(call) if call.to.is_some() && self.rng.per_mille(self.realm.rates.lost) => {
                self.tried(call, Tried::Unknown)
            }
            Some(_) => {
                self.told(index, answer);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn tried(&mut self, mut call: SimCall, tried: Tried<()>) -> Result<(), Broken> {
        match call.forwarding.tried(tried) {
            NextTry::Answer(()) | NextTry::NotKnown => {}
            NextTry::Again => {
                let after = Span::millis(self.rng.between(50, 500));
                call.to = None;
                self.later(after, Happening::Forward(Box::new(call)));
            }
        }
        Ok(())
    }

    /// The caller's patience is at an end. What it is told not to be stored is not.
    fn give_up(&mut self, call: &SimCall) -> Result<(), Broken> {
        let may_read = self.realm.nodes[call.node].may_read(self.now);
        match call.forwarding.given_up(may_read) {
            GivenUp::NotKnown => return Ok(()),
            GivenUp::CutOff | GivenUp::NoWriter => {}
        }
        let request = &mut self.requests[call.index];
        if !request.is_bare {
            return Ok(());
        }
        request.may_repeat = true;
        match self.model.copies(&request.mark) {
            0 => Ok(()),
            _ => broken("PG-12", format!("{} is stored, and its sender hears that it is not", request.mark)),
        }
    }

    /// Stopped between deciding and committing.
    fn hold(&mut self, commands: Vec<Command>, asked: Vec<TakenCall>) -> Result<(), Broken> {
        let at = self.time();
        let (Some(acting), Some(engine)) = (self.realm.acting, &mut self.engine) else { return Ok(()) };
        let answers = engine.decide(commands, at, &self.disk);
        let batch = engine.submit(at)?;
        let mut held = HeldCommit { asked: Vec::new(), answers, batch, at };
        for (index, call) in asked {
            held.asked.push((call.map(|call| self.wait_for(call)), index));
        }
        if let Some(term) = &mut self.realm.nodes[acting].term {
            term.held = Some(held);
        }
        let length = Span::millis(self.rng.between(100, 20_000));
        self.stop(acting, length);
        Ok(())
    }

    /// What was held is committed, if it can be.
    pub(super) fn finish_held(&mut self, index: usize) -> Result<(), Broken> {
        let held = self.realm.nodes[index].term.as_mut().and_then(|term| term.held.take());
        let Some(HeldCommit { asked, answers, batch, at }) = held else { return Ok(()) };
        let fate = match self.fate_of_writer() {
            Fate::DiesBefore | Fate::DiesAfter => Fate::Stored,
            fate => fate,
        };
        let after = self.model.head().0;
        let Some(engine) = &mut self.engine else { return Ok(()) };
        self.disk.fate = fate;
        let committed = match batch {
            None => Ok(None),
            Some(batch) => match self.disk.commit(&batch) {
                Ok(()) => Ok(Some(engine.committed(batch))),
                Err(error) => {
                    engine.failed(&batch);
                    Err(error)
                }
            },
        };
        self.disk.fate = Fate::Stored;
        let stepped = committed.map(|committed| Stepped { answers, committed });
        let outcome = self.settled(stepped, fate, at)?;
        let asked: Vec<TakenCall> = asked
            .into_iter()
            .map(|(id, index)| (index, id.and_then(|id| self.realm.waiting.remove(&id))))
            .collect();
        self.answer_calls(asked, outcome, after)
    }

    /// What arrived while the node was stopped.
    pub(super) fn take_inbox(&mut self, index: usize) -> Result<(), Broken> {
        while self.realm.nodes[index].stopped.is_none() {
            let Some((id, request)) = self.realm.nodes[index].inbox.pop_front() else { break };
            let call = self.realm.waiting.remove(&id);
            if self.realm.nodes[index].known.is_here {
                self.as_node(index, |world| world.decide_calls(vec![(request, call)]))?;
                continue;
            }
            match call {
                Some(call) if call.to.is_some() => self.tried(call, Tried::NotTaken)?,
                Some(call) => self.forward(call)?,
                None => {}
            }
        }
        Ok(())
    }

    /// Asks some node to read. PG-13: one that does sees every write that was acknowledged before.
    pub(crate) fn is_read(&mut self) -> Result<Option<usize>, Broken> {
        let index = self.some_node();
        let node = &self.realm.nodes[index];
        let cut_off = self.bug == Some(Bug::ServedCutOff);
        if !node.is_alive || node.stopped.is_some() || !(node.may_read(self.now) || cut_off) {
            return Ok(None);
        }
        let position = match &node.view {
            View::Whole if self.realm.promoted_at.is_none() => self.disk.database.row.position,
            View::Former(row) => row.position,
            View::Cut | View::Whole if cut_off => node.known.position,
            View::Cut | View::Whole => return Ok(None),
        };
        if position < self.realm.acknowledged {
            let acknowledged = self.realm.acknowledged;
            return broken(
                "PG-13",
                format!("{} reads up to {position}, acknowledged is {acknowledged}", node.name),
            );
        }
        Ok(Some(index))
    }

    /// Commands without a key from a caller of this node: done at once, or not.
    pub(crate) fn step_from(&mut self, index: usize, commands: Vec<Command>) -> Result<(), Broken> {
        let node = &self.realm.nodes[index];
        let to = match node.known.way(&node.name) {
            WayToWriter::Here => Some(index),
            WayToWriter::Nowhere => None,
            WayToWriter::To(address) => self.realm.at_address(address),
        };
        let is_there = |to: usize| {
            let there = &self.realm.nodes[to];
            let is_linked = to == index || self.realm.is_linked(index, to);
            is_linked && there.is_alive && there.stopped.is_none() && there.known.is_here
        };
        match to.filter(|to| is_there(*to)) {
            Some(to) => self.as_node(to, |world| world.step(commands).map(|_| ())),
            None => Ok(()),
        }
    }
}
