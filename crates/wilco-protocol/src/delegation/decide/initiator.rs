//! What the initiator says to its delegation: answers, amendments, more time, the end.

use super::draft::Draft;
use crate::decision::{Problem, Refusal};
use crate::delegation::event::{Event, Resend};
use crate::delegation::say::ToInitiator;
use crate::delegation::state::{Outcome, Phase};
use crate::delegation::timers::deadline;
use crate::name::MessageId;
use crate::time::Span;

/// Answers to the agent's questions. A text without a list answers them all.
pub(super) fn clarify(draft: &mut Draft<'_>, message: MessageId, answers: Option<u32>) {
    let Some(questions) = draft.state.questions.clone() else { return };
    let open = questions.count - questions.answered;
    let count = answers.unwrap_or(open).min(open);
    draft.event(Event::Answered { message, count });
    if count < open {
        draft.pass_to_assignee(false);
        let (from, count) = (questions.answered + count, questions.count);
        return draft.tell_initiator(ToInitiator::StillOpen { from, count });
    }
    let until = draft.answer_deadline();
    draft.event(Event::Clarified { until });
    draft.pass_to_assignee(true);
}

/// Changed instructions: the agent must acknowledge anew.
pub(super) fn amend(draft: &mut Draft<'_>, message: MessageId) {
    let (revision, until) = (draft.state.revision + 1, draft.answer_deadline());
    draft.event(Event::Amended { message, revision, until });
    if draft.state.held.is_some() {
        // Its agent was told to stop: the replacement gets the task as it is then.
        draft.withhold();
        return draft.tell_initiator(ToInitiator::AmendedMeanwhile);
    }
    draft.pass_to_assignee(true);
}

pub(super) fn cancel(draft: &mut Draft<'_>) {
    draft.pass_to_assignee(false);
    draft.end(Outcome::Cancelled);
}

/// The same assignment again: the next attempt begins now.
pub(super) fn again(draft: &mut Draft<'_>) {
    let attempt = draft.state.attempt + 1;
    let policy = &draft.state.policy;
    let timeout = policy.timeout_of(attempt).or(policy.retry_timeouts.last().copied());
    let until = draft.after(timeout.unwrap_or(policy.ack_timeout));
    let until = if draft.state.requires_ack { Some(until) } else { draft.next_check() };
    draft.event(Event::Resent { because: Resend::Again, attempt, until });
    draft.pass_to_assignee(true);
}

/// It asks for the ACK itself. That counts for Wilco's next request, which is not sent again, unless it comes nearer
/// to the one that was sent last. Deadlines stay as they were.
pub(super) fn asks_again(draft: &mut Draft<'_>) {
    let Phase::AwaitingAck { until, backing_off } = draft.state.phase else {
        return draft.pass_to_assignee(false);
    };
    draft.pass_to_assignee(true);
    let (attempt, policy) = (draft.state.attempt, &draft.state.policy);
    let Some(timeout) = policy.timeout_of(attempt + 1) else { return };
    let next = if backing_off { until } else { until.plus(policy.wait_after(attempt)) };
    let waited = policy.timeout_of(attempt).unwrap_or(policy.ack_timeout).as_millis();
    let since_last = waited.saturating_sub(until.since(draft.now).as_millis());
    if attempt == 1 || backing_off || since_last >= next.since(draft.now).as_millis() {
        draft.event(Event::AckRequested { attempt: attempt + 1, until: next.plus(timeout) });
    }
}

/// More time for whatever deadline runs now.
pub(super) fn extend(draft: &mut Draft<'_>, time: Span) -> Result<(), Refusal> {
    let running = match &draft.state.phase {
        Phase::Escalated { .. } | Phase::Ended { .. } => None,
        phase => deadline(phase),
    };
    let Some(due) = running else {
        return Err(Refusal::Field { pointer: "/content/time".into(), problem: Problem::NoDeadlineRuns });
    };
    draft.event(Event::Extended { until: due.plus(time) });
    Ok(())
}
