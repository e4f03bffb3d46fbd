//! Folding events into state. Total on every log that `decide` wrote.

use super::event::{Assigned, Event, Resend};
use super::state::{
    Checkpoint, FirstAck, Handed, Held, LastWord, MAX_AMENDMENTS, Outcome, Phase, Questions, State,
    Unconfirmed,
};
use super::words::AckStatus;
use crate::escalation::{Closed, Escalation, keep};
use crate::judgement::compare;
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::Time;
use crate::unread::UnreadLog;

/// The state after the first event of a delegation; none if it is another event.
pub fn born(event: &Event, at: Time) -> Option<State> {
    match event {
        Event::Assigned(first) => Some(assigned(first, at)),
        _ => None,
    }
}

/// The delegation as it was asked for.
pub(super) fn assigned(assigned: &Assigned, at: Time) -> State {
    let phase = match (assigned.requires_ack, assigned.until) {
        (true, until) => Phase::AwaitingAck { until: until.unwrap_or(at), backing_off: false },
        (false, check) => Phase::Working { check, checks: 0 },
    };
    State {
        id: assigned.id,
        task_id: assigned.task_id.clone(),
        task_uuid: assigned.task_uuid.clone(),
        sign: assigned.sign,
        title: assigned.title.clone(),
        initiator: assigned.initiator.clone(),
        requires_ack: assigned.requires_ack,
        policy: assigned.policy.clone(),
        assignment: assigned.assignment.clone(),
        amendments: Vec::new(),
        assignee: assigned.assignee.clone(),
        former_assignees: Vec::new(),
        candidates: assigned.candidates.clone(),
        capabilities: assigned.capabilities.clone(),
        revision: 1,
        attempt: 1,
        corrections: 0,
        phase,
        unconfirmed: None,
        ack: None,
        understanding: None,
        compared: Vec::new(),
        questions: None,
        answers: Vec::new(),
        answered: Vec::new(),
        earlier_answers: Vec::new(),
        earlier_answered: Vec::new(),
        asked_to_be_specific: false,
        early_work: 0,
        early_completion: false,
        busy_resends: 0,
        network_resends: 0,
        checkpoints: Vec::new(),
        acknowledged_at: None,
        heard: None,
        objection: None,
        objected: false,
        escalations: Vec::new(),
        incidents: Vec::new(),
        unread: UnreadLog::default(),
        stop_confirmed: None,
        superseded_by: None,
        held: None,
        handed: None,
        sent_at: at,
        first_ack: None,
        created: at,
        updated: at,
    }
}

/// Applies an event that happened at this instant.
pub fn apply(state: &mut State, event: &Event, at: Time) {
    state.updated = at;
    match event {
        Event::Assigned(_) | Event::JudgeFailed { .. } => {}
        Event::BackedOff { until } => state.phase = Phase::AwaitingAck { until: *until, backing_off: true },
        Event::AckRequested { attempt, until } => {
            state.attempt = *attempt;
            awaiting(state, Some(*until));
        }
        Event::Resent { because, attempt, until } => resent(state, *because, *attempt, *until),
        Event::GraceGiven { until } | Event::Extended { until } => postpone(state, *until),
        Event::Acknowledged { ack, status, in_time } => acknowledged(state, ack, *status, *in_time, at),
        Event::Judged { understanding, judge } => {
            compare(&mut state.compared, judge.as_deref(), understanding, &state.assignee, at);
            state.understanding = Some(understanding.clone());
        }
        Event::ReviewAwaited { until, judging, why } => {
            let why = why.clone();
            state.phase = Phase::InReview { until: *until, reminded: false, judging: *judging, why };
        }
        Event::Corrected { until, .. } => corrected(state, *until),
        Event::Asked { message, count, until } => {
            state.questions = Some(Questions { asked_in: message.clone(), count: *count, answered: 0, at });
            enter(state, Phase::Clarifying { until: *until, reminded: false });
        }
        Event::SpecificsAsked { until } => specifics_asked(state, *until),
        Event::Answered { message, count } => answered(state, message, *count),
        Event::Clarified { until } => awaiting_first(state, *until),
        Event::Queued { until } => {
            state.phase = Phase::Queued { until: *until, checks: 0, behind: Vec::new() };
        }
        Event::QueueChecked { checks, until, behind } => {
            state.phase = Phase::Queued { until: *until, checks: *checks, behind: behind.clone() };
        }
        Event::Waiting { because, until } => wait(state, *because, *until),
        Event::Returned { until } => enter(state, Phase::Returned { until: *until, reminded: false }),
        Event::Reminded { until } => reminded(state, *until),
        Event::Accepted { check, objection } => {
            state.acknowledged_at = Some(at);
            (state.objection, state.objected) = (*objection, false);
            state.phase = Phase::Working { check: *check, checks: 0 };
        }
        Event::CheckpointsPlanned { planned } => plan(state, planned),
        Event::EarlyWorkShown { until, complete, .. } => {
            state.early_work += 1;
            state.early_completion = *complete;
            if until.is_some() {
                awaiting(state, *until);
            }
        }
        Event::CheckpointReached { checkpoint, check } => reached(state, checkpoint, *check),
        Event::CheckpointMissed { checks, check } => {
            state.phase = Phase::Working { check: Some(*check), checks: *checks };
        }
        Event::Reassigned { to, until, .. } => given_to(state, to, *until),
        Event::Held { by, initiator } => hold(state, *by, initiator),
        Event::HandedOver { to, by, state_file, until, requires_ack } => {
            handed_over(state, to, (*by, *state_file), *until, *requires_ack);
        }
        Event::Released => state.held = None,
        Event::CandidatesAdded { agents } => state.candidates.extend(agents.iter().cloned()),
        Event::Amended { message, revision, until } => amended(state, message, *revision, *until),
        Event::PauseRequested { until, expected_duration } => {
            let (until, expected_duration) = (Some(*until), *expected_duration);
            state.unconfirmed = Some(Unconfirmed { resume: false, until, expected_duration });
        }
        Event::ResumeRequested { until } => {
            let until = Some(*until);
            state.unconfirmed = Some(Unconfirmed { resume: true, until, expected_duration: None });
        }
        Event::Unconfirmed => told_of_silence(state),
        Event::Paused { until, again } => {
            enter(state, Phase::Paused { until: *until, again: *again });
        }
        Event::PauseReminded { until } => postpone(state, *until),
        Event::Heard { check, message } => {
            state.heard = message.clone().map(|message| LastWord { message, at });
            state.phase = Phase::Working { check: Some(*check), checks: 0 };
        }
        Event::Resumed { check } => enter(state, Phase::Working { check: *check, checks: 0 }),
        Event::Escalated { escalation } => escalated(state, escalation),
        Event::EscalationReminded { remind_at } => {
            if let Some(open) = state.escalations.last_mut() {
                open.remind_at = *remind_at;
            }
        }
        Event::EscalationClosed { option, by } => {
            if let Some(open) = state.escalations.last_mut() {
                open.closed = Some(Closed { at, option: option.clone(), by: by.clone() });
            }
        }
        Event::Recorded { incident } => keep(&mut state.incidents, incident.clone()),
        Event::NotUnderstood(unread) => state.unread.add(unread, at),
        Event::StopConfirmed => stop_answered(state, true),
        Event::StopUnconfirmed => stop_answered(state, false),
        Event::Ended { outcome, stop } => enter(state, Phase::Ended { outcome: *outcome, stop: *stop }),
        Event::Superseded { by } => state.superseded_by = Some(*by),
    }
}

fn corrected(state: &mut State, until: Option<Time>) {
    state.corrections += 1;
    // Who had begun is to stop.
    state.objected = state.phase.at_work() && state.objection.is_some();
    state.objection = None;
    awaiting_first(state, until);
}

fn acknowledged(state: &mut State, ack: &MessageId, status: AckStatus, in_time: bool, at: Time) {
    // A rejection is no understanding that somebody could accept later.
    if status != AckStatus::Rejected {
        state.ack = Some(ack.clone());
    }
    state.unread.settle(&state.assignee);
    state.handed.iter_mut().for_each(|handed| handed.repetitions += 1);
    state.network_resends = 0;
    state.early_completion = false;
    state.first_ack.get_or_insert(FirstAck { at, in_time, status });
}

fn wait(state: &mut State, because: Resend, until: Time) {
    if because == Resend::Busy {
        state.network_resends = 0;
    }
    enter(state, Phase::Waiting { because, until });
}

fn answered(state: &mut State, message: &MessageId, count: u32) {
    keep(&mut state.answers, message.clone());
    if let Some(questions) = &mut state.questions {
        questions.answered += count;
        if !state.answered.contains(&questions.asked_in) {
            keep(&mut state.answered, questions.asked_in.clone());
        }
    }
}

/// The initiator knows that nothing was confirmed; a late confirmation still counts.
fn told_of_silence(state: &mut State) {
    if let Some(unconfirmed) = &mut state.unconfirmed {
        unconfirmed.until = None;
    }
}

/// A new plan replaces what was planned and not reached.
fn plan(state: &mut State, planned: &[Checkpoint]) {
    state.checkpoints.retain(|checkpoint| checkpoint.reached.is_some());
    let last = state.last_checkpoint();
    state.checkpoints.extend(planned.iter().filter(|plan| plan.number > last).cloned());
}

fn reached(state: &mut State, checkpoint: &Checkpoint, check: Option<Time>) {
    let planned = |plan: &&mut Checkpoint| plan.number == checkpoint.number && plan.reached.is_none();
    match state.checkpoints.iter_mut().find(planned) {
        Some(plan) => {
            let planned_in = Some(plan.message.clone());
            *plan = Checkpoint { planned_in, ..checkpoint.clone() };
        }
        None => state.checkpoints.push(checkpoint.clone()),
    }
    state.checkpoints.sort_by_key(|checkpoint| checkpoint.number);
    // While it is paused, or the initiator owes something, a report changes nothing of that.
    let waits = matches!(
        state.phase,
        Phase::Paused { .. } | Phase::Clarifying { .. } | Phase::InReview { .. } | Phase::Returned { .. }
    );
    if !waits {
        state.phase = Phase::Working { check, checks: 0 };
    }
}

fn amended(state: &mut State, message: &MessageId, revision: u32, until: Option<Time>) {
    state.amendments.push(message.clone());
    let over = state.amendments.len().saturating_sub(MAX_AMENDMENTS);
    state.amendments.drain(..over);
    state.revision = revision;
    // A new wording answers for itself; what was said before is only remembered.
    std::mem::take(&mut state.answers).into_iter().for_each(|one| keep(&mut state.earlier_answers, one));
    std::mem::take(&mut state.answered).into_iter().for_each(|one| keep(&mut state.earlier_answered, one));
    anew(state, until);
}

/// A handoff waits to move it.
fn hold(state: &mut State, by: ExchangeId, initiator: &Name) {
    state.held = Some(Held { by, initiator: initiator.clone(), asked_again: false });
}

/// Whoever decided so moved it past any handoff.
fn given_to(state: &mut State, to: &Name, until: Option<Time>) {
    (state.held, state.handed) = (None, None);
    reassigned(state, to, until);
}

fn handed_over(
    state: &mut State,
    to: &Name,
    (by, state_file): (ExchangeId, bool),
    until: Option<Time>,
    requires_ack: bool,
) {
    state.requires_ack |= requires_ack;
    (state.held, state.handed) = (None, Some(Handed { by, state_file, repetitions: 0 }));
    reassigned(state, to, until);
}

fn reassigned(state: &mut State, to: &Name, until: Option<Time>) {
    let former = std::mem::replace(&mut state.assignee, to.clone());
    state.former_assignees.retain(|agent| agent != to);
    state.former_assignees.push(former);
    anew(state, until);
}

fn escalated(state: &mut State, escalation: &Escalation) {
    keep(&mut state.escalations, escalation.clone());
    let from = match std::mem::replace(&mut state.phase, ended()) {
        // One decision led to the next: what it came from stays.
        Phase::Escalated { from } => from,
        phase => Box::new(phase),
    };
    state.phase = Phase::Escalated { from };
}

fn stop_answered(state: &mut State, confirmed: bool) {
    state.stop_confirmed = Some(confirmed);
    if let Phase::Ended { stop, .. } = &mut state.phase {
        *stop = None;
    }
}

/// A placeholder while a phase is moved out of its place.
fn ended() -> Phase {
    Phase::Ended { outcome: Outcome::Failed, stop: None }
}

/// Goes into a phase in which no pause or resumption is waited for any more.
fn enter(state: &mut State, phase: Phase) {
    state.unconfirmed = None;
    state.phase = phase;
}

/// The agent owes its ACK; where none is required it works at once. One that is being replaced was told to stop.
fn awaiting(state: &mut State, until: Option<Time>) {
    state.held.iter_mut().for_each(|held| held.asked_again = true);
    let phase = match (state.requires_ack, until) {
        (true, until) => Phase::AwaitingAck { until: until.unwrap_or(state.updated), backing_off: false },
        (false, check) => Phase::Working { check, checks: 0 },
    };
    enter(state, phase);
}

fn awaiting_first(state: &mut State, until: Option<Time>) {
    state.attempt = 1;
    awaiting(state, until);
}

/// Who works goes on; nothing is awaited of it.
fn specifics_asked(state: &mut State, until: Option<Time>) {
    state.asked_to_be_specific = true;
    if until.is_some() {
        awaiting_first(state, until);
    }
}

/// Everything that counts per assignee and revision counts from the start.
fn anew(state: &mut State, until: Option<Time>) {
    state.unread.settle(&state.assignee);
    state.corrections = 0;
    state.early_work = 0;
    state.early_completion = false;
    state.busy_resends = 0;
    state.network_resends = 0;
    state.ack = None;
    state.understanding = None;
    state.questions = None;
    state.asked_to_be_specific = false;
    state.first_ack = None;
    state.acknowledged_at = None;
    state.heard = None;
    (state.objection, state.objected) = (None, false);
    state.checkpoints.retain(|checkpoint| checkpoint.reached.is_some());
    awaiting_first(state, until);
}

fn resent(state: &mut State, because: Resend, attempt: u32, until: Option<Time>) {
    match because {
        Resend::Busy => state.busy_resends += 1,
        Resend::Network => state.network_resends += 1,
        Resend::Again => {}
        Resend::Retry => {
            state.corrections = 0;
            state.busy_resends = 0;
            state.network_resends = 0;
        }
    }
    state.attempt = attempt;
    state.unread.settle(&state.assignee);
    awaiting(state, until);
}

/// Moves the running deadline; out of an escalation, back to where it came from.
fn postpone(state: &mut State, later: Time) {
    if let Phase::Escalated { from } = &state.phase {
        state.phase = (**from).clone();
    }
    match &mut state.phase {
        Phase::AwaitingAck { until, .. }
        | Phase::Clarifying { until, .. }
        | Phase::InReview { until, .. }
        | Phase::Queued { until, .. }
        | Phase::Waiting { until, .. }
        | Phase::Returned { until, .. } => *until = later,
        Phase::Working { check, .. } => *check = Some(later),
        Phase::Paused { until, .. } => *until = Some(later),
        Phase::Escalated { .. } | Phase::Ended { .. } => {}
    }
}

fn reminded(state: &mut State, later: Time) {
    match &mut state.phase {
        Phase::Clarifying { until, reminded }
        | Phase::InReview { until, reminded, .. }
        | Phase::Returned { until, reminded } => {
            *until = later;
            *reminded = true;
        }
        Phase::AwaitingAck { .. }
        | Phase::Queued { .. }
        | Phase::Waiting { .. }
        | Phase::Working { .. }
        | Phase::Paused { .. }
        | Phase::Escalated { .. }
        | Phase::Ended { .. } => {}
    }
}
