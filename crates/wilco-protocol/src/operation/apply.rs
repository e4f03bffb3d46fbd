//! Folding events into the state. Total: every event of a log that `decide` wrote can be applied.

use super::event::{Announced, Begun, Event};
use super::execute::{Step, StepState};
use super::state::{Phase, State, Track, TrackState};
use crate::escalation::{Closed, keep};
use crate::name::Name;
use crate::time::Time;
use crate::unread::UnreadLog;

/// The operation after its first event.
pub fn born(event: &Event, at: Time) -> Option<State> {
    let Event::Announced(first) = event else { return None };
    Some(announced(first, at))
}

/// The operation as it was announced.
pub(super) fn announced(first: &Announced, at: Time) -> State {
    State {
        id: first.id,
        operation: first.operation.clone(),
        kind: first.kind,
        initiator: first.initiator.clone(),
        opening: first.opening.clone(),
        broadcast_id: first.broadcast_id.clone(),
        requires_acknowledgment: first.requires_acknowledgment,
        silence_foreseen: first.silence_foreseen,
        policy: first.policy.clone(),
        execute: first.execute.clone(),
        tracks: first.agents.iter().cloned().map(Track::new).collect(),
        phase: first.begins.map_or(Phase::Waiting, |until| Phase::Notifying { until }),
        asked_at: None,
        authorized_at: None,
        steps: Vec::new(),
        result: None,
        results: Vec::new(),
        escalations: Vec::new(),
        incidents: Vec::new(),
        unread: UnreadLog::default(),
        created: at,
        updated: at,
    }
}

pub fn apply(state: &mut State, event: &Event, at: Time) {
    state.updated = at;
    match event {
        Event::Announced(first) => *state = announced(first, at),
        Event::Asked(begun) => {
            state.phase = Phase::Waiting;
            state.asked_at.get_or_insert(at);
            begun.agents.iter().for_each(|agent| on(state, agent, |track| track.ask(begun, at)));
        }
        Event::Reminded { agent, past, due, .. } => {
            on(state, agent, |track| track.remind(*past, *due));
        }
        Event::Ready { agent, in_time } => {
            on(state, agent, |track| track.answer(TrackState::Ready, *in_time, at));
        }
        Event::Unready { agent, refused } => on(state, agent, |track| {
            let state = if track.state == TrackState::TimedOut { track.state } else { TrackState::Waiting };
            track.answer(state, false, at);
            track.refused |= *refused;
        }),
        Event::Cancelled { agent } => {
            on(state, agent, |track| track.answer(TrackState::Cancelled, false, at))
        }
        Event::Excluded { agent } => on(state, agent, |track| track.answer(TrackState::Excluded, false, at)),
        Event::Extended { agent, deadline, reminder, by_initiator } => on(state, agent, |track| {
            let answered_at = track.answered_at;
            track.answer(TrackState::Waiting, false, at);
            track.answered_at = if *by_initiator { answered_at } else { Some(at) };
            (track.deadline, track.reminders, track.extended) = (Some(*deadline), vec![*reminder], true);
        }),
        Event::TimedOut { agent, .. } => on(state, agent, |track| {
            (track.state, track.timeout_occurred) = (TrackState::TimedOut, true);
            track.reminders.clear();
        }),
        Event::GraceGiven { agent, deadline } => on(state, agent, |track| {
            (track.deadline, track.grace_given) = (Some(*deadline), true);
            track.reminders.clear();
            track.remind(track.reminders_past + 1, at);
        }),
        Event::Authorized { until, .. } => {
            state.authorized_at = Some(at);
            state.phase = Phase::Authorized { until: *until, reminded: false };
        }
        Event::ResultAwaited { until, reminded } => {
            state.phase = Phase::Authorized { until: Some(*until), reminded: *reminded };
        }
        Event::ResultGiven { message, results, .. } => {
            (state.result, state.results) = (Some(message.clone()), results.clone());
        }
        Event::ExecutionBegun { agents } => {
            state.phase = Phase::Executing;
            state.steps = agents.iter().cloned().map(Step::pending).collect();
        }
        Event::StepStarted { agent, run } => step(state, agent, |step| {
            (step.state, step.runs, step.accepted) = (StepState::Running, *run, false);
            (step.started, step.ended, step.exit_code) = (Some(at), None, None);
            step.waits_until = None;
        }),
        Event::StepWaits { agent, until } => step(state, agent, |step| {
            (step.state, step.waits_until) = (StepState::Waiting, Some(*until));
        }),
        Event::StepEnded { agent, end } => step(state, agent, |step| {
            step.state = if end.succeeded() { StepState::Succeeded } else { StepState::Failed };
            (step.ended, step.exit_code, step.waits_until) = (Some(at), end.exit_code, None);
        }),
        Event::StepInterrupted { agent } => step(state, agent, |step| {
            (step.state, step.ended, step.waits_until) = (StepState::Interrupted, Some(at), None);
        }),
        Event::StepsAccepted { agents } => {
            agents.iter().for_each(|agent| step(state, agent, |step| step.accepted = true));
        }
        Event::StepsSkipped { agents } => {
            agents.iter().for_each(|agent| step(state, agent, |step| step.state = StepState::Skipped));
        }
        Event::Escalated { escalation } => {
            keep(&mut state.escalations, escalation.clone());
            if let Phase::Authorized { until, .. } = &mut state.phase {
                *until = None;
            }
        }
        Event::EscalationReminded { remind_at } => {
            state.escalations.last_mut().into_iter().for_each(|open| open.remind_at = *remind_at);
        }
        Event::EscalationClosed { option, by } => {
            let closed = Closed { at, option: option.clone(), by: by.clone() };
            state.escalations.last_mut().into_iter().for_each(|open| open.closed = Some(closed.clone()));
        }
        Event::Recorded { incident } => keep(&mut state.incidents, incident.clone()),
        Event::NotUnderstood(unread) => state.unread.add(unread, at),
        Event::Ended { outcome, .. } => state.phase = Phase::Ended { outcome: *outcome },
    }
}

/// Changes the track of an agent.
fn on(state: &mut State, agent: &Name, change: impl FnOnce(&mut Track)) {
    if let Some(track) = state.tracks.iter_mut().find(|track| track.agent == *agent) {
        change(track);
    }
}

/// Changes the step of an agent.
fn step(state: &mut State, agent: &Name, change: impl FnOnce(&mut Step)) {
    if let Some(step) = state.steps.iter_mut().find(|step| step.agent == *agent) {
        change(step);
    }
}

impl Track {
    fn ask(&mut self, begun: &Begun, at: Time) {
        (self.state, self.asked_at) = (TrackState::Waiting, Some(at));
        (self.deadline, self.reminders) = (Some(begun.deadline), begun.reminders.clone());
        (self.reminders_past, self.last_reminder, self.refused) = (0, None, false);
    }

    fn remind(&mut self, past: u32, due: Time) {
        let passed = past.saturating_sub(self.reminders_past) as usize;
        self.reminders.drain(..passed.min(self.reminders.len()));
        (self.reminders_past, self.last_reminder) = (past, Some(due));
        self.reminders_sent += 1;
    }

    fn answer(&mut self, state: TrackState, ready_in_time: bool, at: Time) {
        (self.state, self.ready_in_time, self.answered_at) = (state, ready_in_time, Some(at));
        self.refused &= state != TrackState::Ready;
    }
}
