//! Work: checkpoints, completion, pauses, and work that was begun too early.

use super::ack::review;
use super::draft::Draft;
use crate::decision::Refusal;
use crate::delegation::event::Event;
use crate::delegation::say::{Notice, Say, ToInitiator};
use crate::delegation::state::{Checkpoint, MAX_CHECKPOINTS, Outcome, Phase, Unconfirmed};
use crate::name::MessageId;
use crate::time::Span;

/// Checkpoints may skip and repeat, and never go back.
pub(super) fn checkpoint(draft: &mut Draft<'_>, message: MessageId, number: u32) {
    let last = draft.state.last_checkpoint();
    if number < last {
        return draft.say_to_assignee(Say::Notice(Notice::CheckpointBack { last }));
    }
    if number == last {
        return;
    }
    let planned = draft.state.checkpoints.iter().any(|checkpoint| checkpoint.number == number);
    if !planned && draft.state.checkpoints.len() >= MAX_CHECKPOINTS as usize {
        return draft.say_to_assignee(Say::Notice(Notice::TooManyCheckpoints));
    }
    let check = draft.next_check();
    let by = draft.state.assignee.clone();
    let checkpoint = Checkpoint { number, by, message, reached: Some(draft.now), planned_in: None };
    draft.event(Event::CheckpointReached { checkpoint, check });
}

/// Any word of the agent at work is a sign of life: its time without word begins anew, if what it said did not
/// move that already. While it is handed over, its time stands still.
pub(super) fn heard(draft: &mut Draft<'_>, before: &Phase) {
    let Phase::Working { check: Some(due), .. } = *before else { return };
    if draft.state.phase != *before || draft.state.held.is_some() {
        return;
    }
    let counted = |message: &MessageId| draft.state.checkpoints.iter().any(|point| point.message == *message);
    let message = draft.said.clone().filter(|message| !counted(message));
    if let (Some(check), Some(message)) = (draft.next_check(), message) {
        // A deadline that was put off stays where it is.
        draft.event(Event::Heard { check: check.max(due), message: Some(message) });
    }
}

pub(super) fn complete(draft: &mut Draft<'_>) {
    draft.end(Outcome::Completed);
    draft.tell_initiator(ToInitiator::Completed);
}

/// Work shown before any accepted ACK: asked for the ACK once, then the initiator looks at it.
pub(super) fn too_early(draft: &mut Draft<'_>, message: MessageId, complete: bool) {
    let first = draft.state.early_work == 0;
    let restarts = matches!(draft.state.phase, Phase::AwaitingAck { .. });
    let until = restarts.then(|| draft.ack_deadline());
    draft.event(Event::EarlyWorkShown { message, until, complete });
    if !first && !in_review(&draft.state.phase) {
        review(draft, ToInitiator::ReviewEarlyWork);
    } else {
        draft.say_to_assignee(Say::Notice(Notice::AckFirst));
    }
}

/// Whether the initiator is asked for a verdict already.
fn in_review(phase: &Phase) -> bool {
    match phase {
        Phase::Escalated { from } => in_review(from),
        phase => matches!(phase, Phase::InReview { .. }),
    }
}

pub(super) fn pause(draft: &mut Draft<'_>, expected_duration: Option<Span>) {
    let until = draft.ack_deadline();
    draft.event(Event::PauseRequested { until, expected_duration });
    draft.pass_to_assignee(false);
}

pub(super) fn pause_confirmed(draft: &mut Draft<'_>) {
    match draft.state.unconfirmed.clone() {
        Some(Unconfirmed { resume: false, expected_duration, .. }) => {
            let expected = expected_duration.filter(|span| !span.is_zero());
            let until = expected.map(|span| draft.after(span));
            // However short it was to be, nobody is reminded of it all the time.
            let again = expected.map(|span| span.max(draft.state.policy.clarification_timeout));
            draft.event(Event::Paused { until, again });
        }
        Some(Unconfirmed { resume: true, .. }) | None => {
            draft.say_to_assignee(Say::Notice(Notice::NothingToConfirm { what: "pause" }));
        }
    }
}

/// Resuming before the pause was confirmed takes the pause back.
pub(super) fn resume(draft: &mut Draft<'_>) -> Result<(), Refusal> {
    let paused = matches!(draft.state.phase, Phase::Paused { .. });
    let pausing = matches!(draft.state.unconfirmed, Some(Unconfirmed { resume: false, .. }));
    if !paused && !pausing {
        return Err(Refusal::State { expected: "paused", got: draft.state.name() });
    }
    if paused {
        let until = draft.ack_deadline();
        draft.event(Event::ResumeRequested { until });
    } else {
        let check = draft.next_check();
        draft.event(Event::Resumed { check });
    }
    draft.pass_to_assignee(false);
    Ok(())
}

pub(super) fn resume_confirmed(draft: &mut Draft<'_>) {
    match draft.state.unconfirmed {
        Some(Unconfirmed { resume: true, .. }) => {
            let check = draft.next_check();
            draft.event(Event::Resumed { check });
        }
        Some(Unconfirmed { resume: false, .. }) | None => {
            draft.say_to_assignee(Say::Notice(Notice::NothingToConfirm { what: "resume" }));
        }
    }
}

pub(super) fn stopped(draft: &mut Draft<'_>) {
    draft.event(Event::StopConfirmed);
}
