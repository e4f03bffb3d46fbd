//! The transition table: who may say what, and what it means in each phase.

use super::draft::Draft;
use super::{ack, choice, handover, initiator, trouble, work};
use crate::decision::Refusal;
use crate::delegation::input::{Said, Statement};
use crate::delegation::say::{CancelReason, Notice, Say, ToInitiator};
use crate::delegation::state::{Phase, State, Stop};
use crate::name::Name;
use crate::unread::UnreadKind;

pub(super) fn said(draft: &mut Draft<'_>, said: Said) -> Result<(), Refusal> {
    match may_say(&draft.state, &said)? {
        Standing::Current if handover::is_evidence(&draft.state, &said.by) => {
            handover::evidence(draft, said.by);
            Ok(())
        }
        Standing::Current => current(draft, said),
        Standing::Former => {
            former(draft, said);
            Ok(())
        }
    }
}

/// What could not be read. Progress is news, unless something else is asked.
pub(super) fn unread(state: &State, said: &Said) -> Option<UnreadKind> {
    match said.what {
        Statement::Remark => Some(UnreadKind::Words),
        Statement::Doubtful => Some(UnreadKind::Doubtful),
        Statement::Contradiction => Some(UnreadKind::Contradiction),
        Statement::Progress => (state.unconfirmed.is_some() || !state.is_open()).then_some(UnreadKind::Words),
        Statement::Ack(_)
        | Statement::Error(_)
        | Statement::Checkpoint { .. }
        | Statement::Complete
        | Statement::StopAck
        | Statement::PauseAck
        | Statement::ResumeAck
        | Statement::Clarify { .. }
        | Statement::Verdict { .. }
        | Statement::HalfVerdict { .. }
        | Statement::UnclearVerdict
        | Statement::Amend
        | Statement::Cancel
        | Statement::Pause { .. }
        | Statement::Resume
        | Statement::Extend { .. }
        | Statement::Again
        | Statement::AskAgain
        | Statement::Decide(_)
        | Statement::Courtesy => None,
    }
}

enum Standing {
    Current,
    /// It was assigned this task once, and is not any more.
    Former,
}

/// Only a participant moves an exchange, and only in its role.
fn may_say(state: &State, said: &Said) -> Result<Standing, Refusal> {
    let is_initiator = said.by == state.initiator;
    let is_assignee = said.by == state.assignee;
    let is_former = !is_assignee && state.former_assignees.contains(&said.by);
    match said.what {
        Statement::Ack(_)
        | Statement::Error(_)
        | Statement::Checkpoint { .. }
        | Statement::Complete
        | Statement::StopAck
        | Statement::PauseAck
        | Statement::ResumeAck
        | Statement::Contradiction => match (is_assignee, is_former) {
            (true, _) => Ok(Standing::Current),
            (false, true) => Ok(Standing::Former),
            (false, false) => Err(Refusal::Role { expected: "assignee" }),
        },
        Statement::Clarify { .. }
        | Statement::Verdict { .. }
        | Statement::HalfVerdict { .. }
        | Statement::UnclearVerdict
        | Statement::Amend
        | Statement::Cancel
        | Statement::Pause { .. }
        | Statement::Resume
        | Statement::Extend { .. }
        | Statement::Again
        | Statement::AskAgain => {
            if is_initiator {
                Ok(Standing::Current)
            } else {
                Err(Refusal::Role { expected: "initiator" })
            }
        }
        Statement::Decide(_) => {
            let is_addressee = state.escalations.last().is_some_and(|last| last.addressee == said.by);
            if is_initiator || is_addressee || said.operator {
                Ok(Standing::Current)
            } else {
                Err(Refusal::Role { expected: "initiator, addressee or operator" })
            }
        }
        Statement::Remark | Statement::Progress | Statement::Doubtful | Statement::Courtesy => {
            match (is_initiator || is_assignee || said.operator, is_former) {
                (true, _) | (false, true) => Ok(Standing::Current),
                (false, false) => Err(Refusal::Role { expected: "participant" }),
            }
        }
    }
}

fn current(draft: &mut Draft<'_>, said: Said) -> Result<(), Refusal> {
    let Said { by, message, what, to_notice, .. } = said;
    let phase = draft.state.phase.clone();
    match (&phase, what) {
        // Late it is good to know too.
        (Phase::Ended { .. }, Statement::StopAck) if draft.state.stop_of(&by).is_some() => {
            work::stopped(draft)
        }
        (
            Phase::Ended { .. },
            Statement::Cancel
            | Statement::Amend
            | Statement::Verdict { .. }
            | Statement::HalfVerdict { .. }
            | Statement::UnclearVerdict
            | Statement::Decide(_),
        ) => {
            return Err(Refusal::State { expected: "an open exchange", got: phase.name() });
        }
        (Phase::Ended { .. }, Statement::Courtesy) => {}
        (Phase::Ended { .. }, Statement::Remark) if to_notice => {}
        // It is asked to confirm that it stopped, and is told how.
        (Phase::Ended { .. }, Statement::Remark | Statement::Progress | Statement::Doubtful)
            if draft.state.stop_of(&by) == Some(Stop::Awaited) => {}
        (Phase::Ended { .. }, Statement::Ack(_) | Statement::Checkpoint { .. } | Statement::Complete)
            if draft.state.superseded_by.is_some() =>
        {
            superseded(draft, by);
        }
        (Phase::Ended { outcome, .. }, _) => draft.say(by, Say::Notice(Notice::Ended { outcome: *outcome })),

        (open, Statement::Ack(ack)) if open.at_work() => ack::at_work(draft, message, ack),
        (_, Statement::Ack(ack)) => ack::before_work(draft, message, ack),
        (_, Statement::Contradiction) => {}
        (_, Statement::Error(error)) => trouble::error(draft, error),

        (open, Statement::Checkpoint { number }) if may_report(draft, open) => {
            work::checkpoint(draft, message, number);
        }
        (open, Statement::Complete) if may_report(draft, open) => work::complete(draft),
        (_, Statement::Checkpoint { .. }) => work::too_early(draft, message, false),
        (_, Statement::Complete) => work::too_early(draft, message, true),

        (Phase::InReview { .. }, Statement::Verdict { verdict, missing }) => {
            ack::judged(draft, message, verdict, missing);
        }
        (Phase::Working { .. }, Statement::Verdict { verdict, missing }) if may_object(draft) => {
            ack::objected(draft, message, verdict, missing);
        }
        (Phase::InReview { .. } | Phase::Working { .. }, Statement::HalfVerdict { verdict })
            if is_judged(draft) =>
        {
            draft.withhold();
            draft.say(by, Say::Notice(Notice::HalfVerdict { verdict }));
        }
        (Phase::InReview { .. } | Phase::Working { .. }, Statement::UnclearVerdict) if is_judged(draft) => {
            draft.withhold();
            draft.say(by, Say::Notice(Notice::UnclearVerdict));
        }
        (_, Statement::Verdict { .. } | Statement::HalfVerdict { .. } | Statement::UnclearVerdict) => {
            return Err(Refusal::State { expected: "in-review", got: phase.name() });
        }
        (_, Statement::Clarify { answers }) if draft.state.is_asked() => {
            initiator::clarify(draft, message, answers);
        }
        (_, Statement::Clarify { .. }) => draft.pass_to_assignee(false),

        (_, Statement::Amend) => initiator::amend(draft, message),
        (_, Statement::Cancel) => initiator::cancel(draft),
        (open, Statement::Again) if to_be_answered(open) => initiator::again(draft),
        (_, Statement::Again) => draft.pass_to_assignee(false),
        (_, Statement::AskAgain) => initiator::asks_again(draft),
        (_, Statement::Extend { time }) => return initiator::extend(draft, time),

        (Phase::Working { .. }, Statement::Pause { expected_duration }) => {
            work::pause(draft, expected_duration)
        }
        (_, Statement::Pause { .. }) => {
            return Err(Refusal::State { expected: "working", got: phase.name() });
        }
        (Phase::Working { .. } | Phase::Paused { .. }, Statement::Resume) => return work::resume(draft),
        (_, Statement::Resume) => {
            return Err(Refusal::State { expected: "paused", got: phase.name() });
        }
        (open, Statement::PauseAck) if open.at_work() => work::pause_confirmed(draft),
        (Phase::Paused { .. }, Statement::ResumeAck) => work::resume_confirmed(draft),
        (_, Statement::PauseAck) => nothing_to_confirm(draft, "pause"),
        (_, Statement::ResumeAck) => nothing_to_confirm(draft, "resume"),
        (_, Statement::StopAck) => nothing_to_confirm(draft, "stop"),

        (Phase::Escalated { .. }, Statement::Decide(choice)) => return choice::decide(draft, by, choice),
        (_, Statement::Decide(choice)) => return Err(choice::not_asked(&draft.state, &choice)),
        (_, Statement::Remark | Statement::Progress | Statement::Doubtful | Statement::Courtesy) => {}
    }
    Ok(())
}

/// Whether the initiator may still object to an understanding that was accepted without it.
fn may_object(draft: &Draft<'_>) -> bool {
    draft.state.objection.is_some_and(|until| draft.now <= until)
}

/// Whether a verdict is awaited, or an objection possible.
fn is_judged(draft: &Draft<'_>) -> bool {
    matches!(draft.state.phase, Phase::InReview { .. }) || may_object(draft)
}

/// Whether a report of work counts: the task is assigned, or was without any ACK.
fn may_report(draft: &Draft<'_>, phase: &Phase) -> bool {
    phase.at_work() || !draft.state.requires_ack
}

/// Whether the agent still owes its answer to the assignment.
fn to_be_answered(phase: &Phase) -> bool {
    match phase {
        Phase::Escalated { from } => to_be_answered(from),
        phase => matches!(phase, Phase::AwaitingAck { .. } | Phase::Waiting { .. }),
    }
}

fn nothing_to_confirm(draft: &mut Draft<'_>, what: &'static str) {
    draft.say_to_assignee(Say::Notice(Notice::NothingToConfirm { what }));
}

/// The task is another exchange's now.
fn superseded(draft: &mut Draft<'_>, by: Name) {
    if let Some(exchange) = draft.state.superseded_by {
        not_yours(draft, by, CancelReason::Superseded { by: exchange });
    }
}

fn not_yours(draft: &mut Draft<'_>, agent: Name, because: CancelReason) {
    draft.say(agent.clone(), Say::Cancel { because });
    draft.tell_initiator(ToInitiator::FormerAgentSpoke { agent });
}

/// A task keeps one assignee: whoever had it before is told again that it is not theirs.
fn former(draft: &mut Draft<'_>, said: Said) {
    match said.what {
        Statement::Ack(_) | Statement::Checkpoint { .. } | Statement::Complete => {
            not_yours(draft, said.by, CancelReason::NotYours);
        }
        Statement::Error(_)
        | Statement::StopAck
        | Statement::PauseAck
        | Statement::ResumeAck
        | Statement::Contradiction
        | Statement::Clarify { .. }
        | Statement::Verdict { .. }
        | Statement::HalfVerdict { .. }
        | Statement::UnclearVerdict
        | Statement::Amend
        | Statement::Cancel
        | Statement::Pause { .. }
        | Statement::Resume
        | Statement::Extend { .. }
        | Statement::Again
        | Statement::AskAgain
        | Statement::Decide(_)
        | Statement::Progress
        | Statement::Doubtful
        | Statement::Courtesy
        | Statement::Remark => {}
    }
}
