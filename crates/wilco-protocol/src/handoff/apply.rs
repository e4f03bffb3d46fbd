//! Folding events into the state. Total: every event of a log that `decide` wrote can be applied.

use super::effect::{TaskUpdate, Updated};
use super::event::{Event, Requested};
use super::order::Party;
use super::state::Failure;
use super::state::{Confirmation, FileStep, Former, IssueStep, Overridden, Phase, State, Step};
use crate::delegation::Questions;
use crate::escalation::{Closed, keep};
use crate::judgement::compare;
use crate::name::{MessageId, Name};
use crate::time::Time;
use crate::unread::UnreadLog;

/// States hold no text of unknown length: a longer reason stands in its event.
const MAX_REASON: usize = 500;

/// The handoff after its first event.
pub fn born(event: &Event, at: Time) -> Option<State> {
    let Event::Requested(first) = event else { return None };
    Some(requested(first, at))
}

/// The handoff as it was asked for.
pub(super) fn requested(first: &Requested, at: Time) -> State {
    State {
        asked: first.clone(),
        agent: Name::new(&first.replacement.id),
        former: Vec::new(),
        phase: Phase::Preparing,
        documents: 0,
        document_name: String::new(),
        document: None,
        document_failure: None,
        sent_at: None,
        last_attempt: None,
        reminders_sent: 0,
        ack: None,
        understanding: None,
        compared: Vec::new(),
        unseen: false,
        corrections: 0,
        malformed: false,
        questions: None,
        answers: Vec::new(),
        kept: Vec::new(),
        accepted_at: None,
        overridden: None,
        file_step: None,
        moved_at: None,
        issue_step: None,
        confirmation: None,
        audited: None,
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
        Event::Requested(first) => *state = requested(first, at),
        Event::DocumentOrdered { number, name } => ordered(state, *number, name),
        Event::DocumentPublished { document } => state.document = Some(document.clone()),
        Event::DocumentFailed { reason, .. } => {
            state.document_failure = Some(reason.chars().take(MAX_REASON).collect());
        }
        Event::JudgeFailed { .. } => {}
        Event::Delivered { until } => {
            (state.sent_at, state.last_attempt) = (Some(at), Some(at));
            awaiting(state, *until);
        }
        Event::Reminded { number, until, .. } => {
            (state.reminders_sent, state.last_attempt) = (*number, Some(at));
            postpone(state, *until);
        }
        Event::GraceGiven { until } => {
            state.last_attempt = Some(at);
            postpone(state, *until);
        }
        Event::Acknowledged { ack } => state.ack = Some(ack.clone()),
        Event::AckRequested { until, wrong, malformed } => {
            state.corrections += u32::from(*wrong);
            state.malformed |= malformed;
            if let Some(until) = until {
                awaiting(state, *until);
            }
        }
        Event::Judged { understanding, unseen, judge } => {
            compare(&mut state.compared, judge.as_deref(), understanding, &state.agent, at);
            (state.understanding, state.unseen) = (Some(understanding.clone()), *unseen);
        }
        Event::ReviewAwaited { until, judging, why } => {
            let why = why.clone();
            state.phase = Phase::InReview { until: *until, reminded: false, judging: *judging, why };
        }
        Event::Corrected { until, .. } => corrected(state, *until),
        Event::Asked { message, count, until } => {
            state.questions = Some(Questions { asked_in: message.clone(), count: *count, answered: 0, at });
            state.phase = Phase::Clarifying { until: *until, reminded: false, publishing: false };
        }
        Event::AnswersKept { message, answered: count } => {
            answered(state, count.unwrap_or(0));
            keep(&mut state.answers, message.clone());
            keep(&mut state.kept, message.clone());
        }
        Event::Clarified { message, until, answered } => clarified(state, message, *until, *answered),
        Event::Blocked { until } => state.phase = Phase::Blocked { until: *until, reminded: false },
        Event::InitiatorReminded { until } => reminded(state, *until),
        Event::Accepted => state.accepted_at = Some(at),
        Event::Overridden { by, message } => {
            state.accepted_at = Some(at);
            state.overridden = Some(Overridden { by: by.clone(), message: message.clone(), at });
        }
        Event::ReplacementChanged { replacement, handoff_id, .. } => {
            replaced(state, replacement, handoff_id);
        }
        Event::Retried => afresh(state),
        Event::StateFileOrdered => state.phase = Phase::Confirming { step: Step::StateFile },
        Event::StateFileUpdated { tasks } => file_updated(state, tasks, at),
        Event::StateFileFailed { reason } => state.file_step = Some(FileStep::failed(at, reason.clone())),
        Event::Moved { failures } => {
            state.moved_at = Some(at);
            fail(state, failures);
        }
        Event::IssuesOrdered => state.phase = Phase::Confirming { step: Step::Issues },
        Event::IssuesUpdated { issues, pulls, failures } => {
            let (issues, pulls) = (issues.clone(), pulls.clone());
            state.issue_step = Some(IssueStep { at, failure: None, issues, pulls });
            fail(state, failures);
        }
        Event::IssuesFailed { reason, failures } => {
            let failure = Some(reason.clone());
            state.issue_step = Some(IssueStep { at, failure, issues: Vec::new(), pulls: Vec::new() });
            fail(state, failures);
        }
        Event::Escalated { escalation } => {
            keep(&mut state.escalations, escalation.clone());
            let from = std::mem::replace(&mut state.phase, Phase::Preparing);
            state.phase = Phase::Escalated { from: Box::new(from) };
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
        Event::Ended { outcome, code } => {
            state.confirmation = Some(Confirmation { outcome: *outcome, code: *code, at });
            state.phase = Phase::Ended { outcome: *outcome };
        }
        Event::AuditAppended => state.audited = Some(true),
        Event::AuditFailed { .. } => state.audited = Some(false),
    }
}

fn ordered(state: &mut State, number: u32, name: &str) {
    (state.documents, state.document_name) = (number, name.to_owned());
    match state.phase.beneath_mut() {
        Phase::Clarifying { publishing, .. } => *publishing = true,
        // It goes with something that was said; what is waited for stays the same.
        _ if !state.kept.is_empty() => {}
        _ => state.phase = Phase::Preparing,
    }
}

fn corrected(state: &mut State, until: Option<Time>) {
    state.corrections += 1;
    if let Some(until) = until {
        state.reminders_sent = 0;
        state.phase = Phase::Correcting { until };
    }
}

fn replaced(state: &mut State, replacement: &Party, handoff_id: &str) {
    let document = state.document.take().map(|document| document.name);
    let former = std::mem::replace(&mut state.asked.handoff_id, handoff_id.to_owned());
    let agent = std::mem::replace(&mut state.agent, Name::new(&replacement.id));
    keep(&mut state.former, Former { agent, handoff_id: former, document });
    state.asked.replacement = replacement.clone();
    afresh(state);
}

fn file_updated(state: &mut State, tasks: &[TaskUpdate], at: Time) {
    let issue = |one: &TaskUpdate| Some((one.task.clone(), one.issue?));
    state.file_step = Some(FileStep {
        at,
        failure: None,
        progress: tasks.iter().find_map(|task| task.progress),
        issues: tasks.iter().filter_map(issue).collect(),
        moved: tasks.iter().filter(|one| one.updated == Updated::Moved).map(|one| one.task.clone()).collect(),
    });
}

/// The replacement owes an ACK, and is reminded from the start.
fn awaiting(state: &mut State, until: Time) {
    state.reminders_sent = 0;
    state.phase = Phase::AwaitingAck { until };
}

fn clarified(state: &mut State, message: &MessageId, until: Option<Time>, count: Option<u32>) {
    if !state.answers.contains(message) {
        keep(&mut state.answers, message.clone());
    }
    state.kept.retain(|kept| kept != message);
    // What was asked after these answers were given stays open.
    if until.is_some() || !state.is_asked() {
        answered(state, count.unwrap_or(u32::MAX));
    }
    until.into_iter().for_each(|until| awaiting(state, until));
}

/// So many more questions have their answer.
fn answered(state: &mut State, more: u32) {
    if let Some(questions) = &mut state.questions {
        questions.answered = questions.answered.saturating_add(more).min(questions.count);
    }
}

/// Everything that counts per delivery counts from the start.
fn afresh(state: &mut State) {
    state.phase = Phase::Preparing;
    (state.sent_at, state.last_attempt, state.reminders_sent) = (None, None, 0);
    (state.ack, state.understanding, state.questions) = (None, None, None);
    (state.corrections, state.malformed) = (0, false);
    state.answers.clear();
    state.kept.clear();
}

/// Moves the deadline of an answer.
fn postpone(state: &mut State, later: Time) {
    if let Phase::AwaitingAck { until } | Phase::Correcting { until } = &mut state.phase {
        *until = later;
    }
}

/// The initiator was reminded.
fn reminded(state: &mut State, later: Time) {
    if let Phase::InReview { until, reminded, .. }
    | Phase::Clarifying { until, reminded, .. }
    | Phase::Blocked { until, reminded } = &mut state.phase
    {
        (*until, *reminded) = (later, true);
    }
}

/// The first failure of a task is kept.
fn fail(state: &mut State, failures: &[(String, Failure)]) {
    for (task, failure) in failures {
        if let Some(failed) = state.asked.tasks.iter_mut().find(|one| one.task == *task) {
            failed.failure.get_or_insert_with(|| failure.clone());
        }
    }
}
