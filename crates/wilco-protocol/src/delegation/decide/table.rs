//! The transition table: who may say what, and what it means in each phase.

use super::draft::Draft;
use super::{ack, choice, handover, initiator, trouble, work};
use crate::decision::Refusal;
use crate::delegation::input::{Said, What};
use crate::delegation::say::{CancelReason, Notice, Say, ToInitiator};
use crate::delegation::state::{Phase, State};
use crate::name::Name;

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
        What::Ack(_)
        | What::Error(_)
        | What::Checkpoint { .. }
        | What::Complete
        | What::StopAck
        | What::PauseAck
        | What::ResumeAck
        | What::Contradiction => match (is_assignee, is_former) {
            (true, _) => Ok(Standing::Current),
            (false, true) => Ok(Standing::Former),
            (false, false) => Err(Refusal::Role { expected: "assignee" }),
        },
        What::Clarify { .. }
        | What::Verdict { .. }
        | What::HalfVerdict { .. }
        | What::UnclearVerdict
        | What::Amend
        | What::Cancel
        | What::Pause { .. }
        | What::Resume
        | What::Extend { .. }
        | What::Again
        | What::AskAgain => {
            if is_initiator {
                Ok(Standing::Current)
            } else {
                Err(Refusal::Role { expected: "initiator" })
            }
        }
        What::Decide(_) => {
            let is_addressee = state.escalations.last().is_some_and(|last| last.addressee == said.by);
            if is_initiator || is_addressee || said.operator {
                Ok(Standing::Current)
            } else {
                Err(Refusal::Role { expected: "initiator, addressee or operator" })
            }
        }
        What::Remark { .. } => match (is_initiator || is_assignee || said.operator, is_former) {
            (true, _) | (false, true) => Ok(Standing::Current),
            (false, false) => Err(Refusal::Role { expected: "participant" }),
        },
    }
}

fn current(draft: &mut Draft<'_>, said: Said) -> Result<(), Refusal> {
    let Said { by, message, what, .. } = said;
    let phase = draft.state.phase.clone();
    match (&phase, what) {
        // Late it is good to know too.
        (Phase::Ended { .. }, What::StopAck) if draft.state.stop_of(&by).is_some() => work::stopped(draft),
        (
            Phase::Ended { .. },
            What::Cancel
            | What::Amend
            | What::Verdict { .. }
            | What::HalfVerdict { .. }
            | What::UnclearVerdict
            | What::Decide(_),
        ) => {
            return Err(Refusal::State { expected: "an open exchange", got: phase.name() });
        }
        (Phase::Ended { .. }, What::Remark { to_notice: true }) => {}
        (Phase::Ended { .. }, What::Ack(_) | What::Checkpoint { .. } | What::Complete)
            if draft.state.superseded_by.is_some() =>
        {
            superseded(draft, by);
        }
        (Phase::Ended { outcome, .. }, _) => draft.say(by, Say::Notice(Notice::Ended { outcome: *outcome })),

        (open, What::Ack(ack)) if open.at_work() => ack::at_work(draft, message, ack),
        (_, What::Ack(ack)) => ack::before_work(draft, message, ack),
        (_, What::Contradiction) => draft.say(by, Say::Notice(Notice::Contradiction)),
        (_, What::Error(error)) => trouble::error(draft, error),

        (open, What::Checkpoint { number }) if may_report(draft, open) => {
            work::checkpoint(draft, message, number);
        }
        (open, What::Complete) if may_report(draft, open) => work::complete(draft),
        (_, What::Checkpoint { .. }) => work::too_early(draft, message, false),
        (_, What::Complete) => work::too_early(draft, message, true),

        (Phase::InReview { .. }, What::Verdict { verdict, missing }) => {
            ack::judged(draft, message, verdict, missing);
        }
        (Phase::InReview { .. }, What::HalfVerdict { verdict }) => {
            draft.withhold();
            draft.say(by, Say::Notice(Notice::HalfVerdict { verdict }));
        }
        (Phase::InReview { .. }, What::UnclearVerdict) => {
            draft.withhold();
            draft.say(by, Say::Notice(Notice::UnclearVerdict));
        }
        (_, What::Verdict { .. } | What::HalfVerdict { .. } | What::UnclearVerdict) => {
            return Err(Refusal::State { expected: "in-review", got: phase.name() });
        }
        (_, What::Clarify { answers }) if draft.state.is_asked() => {
            initiator::clarify(draft, message, answers);
        }
        (_, What::Clarify { .. }) => draft.pass_to_assignee(false),

        (_, What::Amend) => initiator::amend(draft, message),
        (_, What::Cancel) => initiator::cancel(draft),
        (open, What::Again) if to_be_answered(open) => initiator::again(draft),
        (_, What::Again) => draft.pass_to_assignee(false),
        (_, What::AskAgain) => initiator::asks_again(draft),
        (_, What::Extend { time }) => return initiator::extend(draft, time),

        (Phase::Working { .. }, What::Pause { expected_duration }) => work::pause(draft, expected_duration),
        (_, What::Pause { .. }) => {
            return Err(Refusal::State { expected: "working", got: phase.name() });
        }
        (Phase::Working { .. } | Phase::Paused { .. }, What::Resume) => return work::resume(draft),
        (_, What::Resume) => {
            return Err(Refusal::State { expected: "paused", got: phase.name() });
        }
        (open, What::PauseAck) if open.at_work() => work::pause_confirmed(draft),
        (Phase::Paused { .. }, What::ResumeAck) => work::resume_confirmed(draft),
        (_, What::PauseAck) => nothing_to_confirm(draft, "pause"),
        (_, What::ResumeAck) => nothing_to_confirm(draft, "resume"),
        (_, What::StopAck) => nothing_to_confirm(draft, "stop"),

        (Phase::Escalated { .. }, What::Decide(choice)) => return choice::decide(draft, by, choice),
        (_, What::Decide(choice)) => return Err(choice::not_asked(&draft.state, &choice)),
        (_, What::Remark { .. }) => {}
    }
    Ok(())
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
        What::Ack(_) | What::Checkpoint { .. } | What::Complete => {
            not_yours(draft, said.by, CancelReason::NotYours);
        }
        What::Error(_)
        | What::StopAck
        | What::PauseAck
        | What::ResumeAck
        | What::Contradiction
        | What::Clarify { .. }
        | What::Verdict { .. }
        | What::HalfVerdict { .. }
        | What::UnclearVerdict
        | What::Amend
        | What::Cancel
        | What::Pause { .. }
        | What::Resume
        | What::Extend { .. }
        | What::Again
        | What::AskAgain
        | What::Decide(_)
        | What::Remark { .. } => {}
    }
}
