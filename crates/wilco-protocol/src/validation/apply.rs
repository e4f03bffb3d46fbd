//! Folding events into the state. Total: every event of a log that `decide` wrote can be applied.

use super::event::{Asked, Clock, Event, Started};
use super::state::{Awaited, Open, Phase, Round, State};
use super::words::{Duty, Status};
use crate::escalation::{Closed, Escalation, KEPT, keep};
use crate::time::Time;
use crate::unread::UnreadLog;

/// How many rounds of a phase are remembered; the journal has them all.
const KEPT_ROUNDS: usize = 100;

/// The validation after its first event.
pub fn born(event: &Event, at: Time) -> Option<State> {
    let Event::Started(first) = event else { return None };
    Some(started(first, at))
}

/// The validation as it was asked for.
pub(super) fn started(first: &Started, at: Time) -> State {
    let mut phases: Vec<Phase> = Vec::new();
    let mut parallel = false;
    for planned in &first.phases {
        let group =
            phases.last().map_or(0, |before| before.group + u32::from(!(parallel && planned.parallel)));
        parallel = planned.parallel;
        phases.push(Phase {
            name: planned.name.clone(),
            specialist: planned.specialist.clone(),
            arguments: planned.arguments.clone(),
            group,
            status: Status::Pending,
            iteration: 0,
            max_iterations: first.policy.max_iterations,
            rounds: Vec::new(),
            awaited: None,
            iteration_until: None,
            same: 0,
            runs: 0,
            started: None,
            ended: None,
            escalation: None,
            stopped_at: None,
        });
    }
    State {
        id: first.id,
        issue: first.issue.clone(),
        feature: first.feature.clone(),
        initiator: first.initiator.clone(),
        main_agent: first.main_agent.clone(),
        watchers: first.watchers.clone(),
        opening: first.opening.clone(),
        policy: first.policy.clone(),
        phases,
        outcome: None,
        escalations: Vec::new(),
        incidents: Vec::new(),
        unread: UnreadLog::default(),
        created: at,
        updated: at,
    }
}

pub fn apply(state: &mut State, event: &Event, at: Time) {
    state.updated = at;
    settle(state, event);
    match event {
        Event::Started(first) => *state = started(first, at),
        Event::Requested { phase, because, clock } => on(state, *phase, |phase| {
            phase.status = Status::InProgress;
            phase.ask(Duty::Validation, *because, clock, at);
        }),
        Event::Triggered { phase, because, clock } => on(state, *phase, |phase| {
            phase.status = Status::ReChecking;
            phase.ask(Duty::Revalidation, *because, clock, at);
        }),
        Event::Passed { phase, .. } => on(state, *phase, |phase| phase.end(Status::Pass, at)),
        Event::Failed { phase, message, failures, same } => on(state, *phase, |phase| {
            (phase.status, phase.same, phase.awaited) = (Status::Fail, *same, None);
            if let Some(round) = phase.rounds.last_mut() {
                (round.failed, round.failures) = (Some(message.clone()), failures.clone());
            }
        }),
        Event::FixRequested { phase, clock } => on(state, *phase, |phase| {
            phase.status = Status::AwaitingFix;
            phase.begin(Duty::Fix, clock, at);
            phase.rounds.last_mut().into_iter().for_each(|round| round.asked = true);
        }),
        Event::FixAcknowledged { phase } => on(state, *phase, |phase| phase.status = Status::Fixing),
        Event::FixCompleted { phase, message } => on(state, *phase, |phase| {
            phase.rounds.last_mut().into_iter().for_each(|round| round.fixed = Some(message.clone()));
        }),
        Event::Reminded { phase, until } => on_awaited(state, *phase, |awaited| {
            (awaited.reminded, awaited.until) = (true, Some(*until));
        }),
        Event::GraceMoved { phase, until } => on_awaited(state, *phase, |awaited| {
            (awaited.moved, awaited.until) = (true, Some(*until));
        }),
        Event::Spared { phase, until } => on(state, *phase, |phase| phase.spare(*until)),
        Event::Troubled { phase, trouble, message } => on_awaited(state, *phase, |awaited| {
            awaited.troubles.push(Open { trouble: *trouble, since: at, message: message.clone() });
        }),
        Event::Recovered { phase } => on_awaited(state, *phase, |awaited| awaited.troubles.clear()),
        Event::Recorded { incident } => keep(&mut state.incidents, incident.clone()),
        Event::NotUnderstood(unread) => state.unread.add(unread, at),
        Event::Extended { phase, iterations } => on(state, *phase, |phase| {
            phase.max_iterations = phase.max_iterations.saturating_add(*iterations);
            phase.same = 0;
        }),
        Event::Skipped { phase } => on(state, *phase, |phase| phase.end(Status::Skipped, at)),
        Event::Ended { outcome } => {
            state.outcome = Some(*outcome);
            for phase in &mut state.phases {
                (phase.awaited, phase.iteration_until) = (None, None);
            }
        }
        Event::Escalated { phase, escalation } => escalated(state, *phase, escalation),
        Event::EvidenceAdded { phase, message } => {
            let number = state.phases.get(*phase).and_then(|phase| phase.escalation);
            on_escalation(state, number, |open| {
                open.evidence.stuck.iter_mut().for_each(|stuck| keep(&mut stuck.arrived, message.clone()));
            });
        }
        Event::EscalationReminded { number, remind_at } => {
            on_escalation(state, Some(*number), |open| open.remind_at = *remind_at);
        }
        Event::EscalationClosed { number, option, by } => {
            let closed = Closed { at, option: option.clone(), by: by.clone() };
            on_escalation(state, Some(*number), |open| open.closed = Some(closed));
            let about = state.phases.iter_mut().filter(|phase| phase.escalation == Some(*number));
            about.for_each(|phase| phase.escalation = None);
        }
    }
}

/// Whoever is asked anew, or was read, has said nothing unread since.
fn settle(state: &mut State, event: &Event) {
    let specialist = |place: &usize| state.phases.get(*place).map(|phase| phase.specialist.clone());
    let agent = match event {
        Event::Requested { phase, .. }
        | Event::Triggered { phase, .. }
        | Event::Passed { phase, .. }
        | Event::Failed { phase, .. } => specialist(phase),
        Event::FixRequested { .. } | Event::FixAcknowledged { .. } | Event::FixCompleted { .. } => {
            Some(state.main_agent.clone())
        }
        Event::Started(_)
        | Event::Reminded { .. }
        | Event::GraceMoved { .. }
        | Event::Spared { .. }
        | Event::Troubled { .. }
        | Event::Recovered { .. }
        | Event::Escalated { .. }
        | Event::EvidenceAdded { .. }
        | Event::EscalationReminded { .. }
        | Event::EscalationClosed { .. }
        | Event::Extended { .. }
        | Event::Skipped { .. }
        | Event::Recorded { .. }
        | Event::NotUnderstood(_)
        | Event::Ended { .. } => None,
    };
    agent.into_iter().for_each(|agent| state.unread.settle(&agent));
}

/// The phase stops. What is forgotten is the oldest that was decided.
fn escalated(state: &mut State, place: usize, escalation: &Escalation) {
    if state.escalations.len() >= KEPT
        && let Some(oldest) = state.escalations.iter().position(|one| one.closed.is_some())
    {
        state.escalations.remove(oldest);
    }
    state.escalations.push(escalation.clone());
    on(state, place, |phase| {
        let duty = phase.awaited.as_ref().map_or(Duty::Fix, |awaited| awaited.duty);
        (phase.escalation, phase.stopped_at) = (Some(escalation.number), Some(duty));
        (phase.status, phase.awaited, phase.iteration_until) = (Status::Escalated, None, None);
    });
}

fn on(state: &mut State, place: usize, change: impl FnOnce(&mut Phase)) {
    if let Some(phase) = state.phases.get_mut(place) {
        change(phase);
    }
}

fn on_awaited(state: &mut State, place: usize, change: impl FnOnce(&mut Awaited)) {
    if let Some(awaited) = state.phases.get_mut(place).and_then(|phase| phase.awaited.as_mut()) {
        change(awaited);
    }
}

fn on_escalation(state: &mut State, number: Option<u32>, change: impl FnOnce(&mut Escalation)) {
    if let Some(escalation) = state.escalations.iter_mut().find(|one| Some(one.number) == number) {
        change(escalation);
    }
}

impl Phase {
    /// The specialist is asked: in a new iteration, or again.
    fn ask(&mut self, duty: Duty, because: Asked, clock: &Clock, at: Time) {
        match because {
            Asked::Turn => {
                self.iteration += 1;
                self.started.get_or_insert(at);
                if self.rounds.len() >= KEPT_ROUNDS {
                    self.rounds.remove(0);
                }
                self.rounds.push(Round::new(self.iteration, at));
                self.begin(duty, clock, at);
            }
            Asked::Decision => self.begin(duty, clock, at),
            Asked::Error => {
                let troubles = self.awaited.take().map(|before| before.troubles).unwrap_or_default();
                self.begin(duty, clock, at);
                if let Some(awaited) = &mut self.awaited {
                    (awaited.retried, awaited.troubles) = (true, troubles);
                }
            }
        }
        self.runs += u32::from(self.command().is_some());
    }

    fn begin(&mut self, duty: Duty, clock: &Clock, at: Time) {
        self.stopped_at = None;
        self.iteration_until = clock.iteration_until.or(self.iteration_until);
        self.awaited = Some(Awaited {
            duty,
            since: at,
            timeout: clock.timeout,
            until: clock.until,
            reminded: false,
            moved: false,
            spared: false,
            retried: false,
            troubles: Vec::new(),
        });
    }

    fn end(&mut self, status: Status, at: Time) {
        (self.status, self.ended) = (status, Some(at));
        (self.awaited, self.iteration_until, self.stopped_at) = (None, None, None);
    }

    /// Whatever is due sooner is due then.
    fn spare(&mut self, until: Time) {
        self.iteration_until = self.iteration_until.map(|due| due.max(until));
        if let Some(awaited) = &mut self.awaited {
            awaited.spared = true;
            awaited.until = awaited.until.map(|due| due.max(until));
        }
    }
}

impl Round {
    fn new(iteration: u32, began: Time) -> Round {
        Round { iteration, began, failed: None, failures: Default::default(), asked: false, fixed: None }
    }
}
