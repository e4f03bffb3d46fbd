//! Who may say what to a handoff, and what it means in each phase.

use super::draft::Draft;
use super::{ack, choice, confirm, delivery, silence};
use crate::decision::Refusal;
use crate::handoff::event::Event;
use crate::handoff::input::{Said, Statement};
use crate::handoff::say::Notice;
use crate::handoff::state::{Phase, State};
use crate::name::Name;
use crate::unread::UnreadKind;

pub(super) fn said(draft: &mut Draft<'_>, said: Said) -> Result<(), Refusal> {
    let standing = may_say(&draft.state, &said)?;
    let Said { by, message, what, .. } = said;
    if matches!(standing, Standing::Former) {
        if matches!(what, Statement::Ack(_) | Statement::Malformed) {
            draft.notice(by, Notice::Superseded);
        }
        return Ok(());
    }
    let got = draft.state.name();
    match (what, draft.state.is_delivered()) {
        (Statement::Remark | Statement::Courtesy, _) => {}
        (Statement::Decide(choice), _) => return choice::decide(draft, by, message, choice),
        (Statement::Ack(ack), true) => ack::heard(draft, message, ack),
        (Statement::Malformed, true) if owes_ack(&draft.state) => ack::malformed(draft, message),
        (Statement::Malformed, true) => {}
        (Statement::Ack(_), false) if !draft.state.is_open() => draft.notice(by, Notice::Ended),
        (Statement::Ack(_) | Statement::Malformed, false) => {}
        (Statement::Clarify { document, answered }, true) => {
            delivery::clarify(draft, message, document, answered);
        }
        (Statement::Verdict { verdict }, true) if in_review(&draft.state) => {
            ack::judged(draft, message, verdict)
        }
        (Statement::UnclearVerdict, true) if in_review(&draft.state) => {
            draft.withhold();
            draft.notice(by, Notice::UnclearVerdict);
        }
        (Statement::Override, true) => {
            draft.withhold();
            overridden(draft, by, message);
        }
        (Statement::OwnReminder, true) => silence::reminded_by_initiator(draft),
        (Statement::OwnReminder, false) => {}
        (Statement::Verdict { .. } | Statement::UnclearVerdict, _) => {
            return Err(Refusal::State { expected: "in-review", got });
        }
        (Statement::Clarify { .. } | Statement::Override, false) => {
            return Err(Refusal::State { expected: "waiting for its replacement", got });
        }
    }
    Ok(())
}

/// What could not be read. Where its ACK is awaited, whatever the replacement says is one.
pub(super) fn unread(state: &State, said: &Said) -> Option<UnreadKind> {
    match said.what {
        Statement::Remark => Some(UnreadKind::Words),
        Statement::Malformed => (!(state.is_delivered() && owes_ack(state))).then_some(UnreadKind::Words),
        Statement::Ack(_)
        | Statement::Clarify { .. }
        | Statement::Verdict { .. }
        | Statement::UnclearVerdict
        | Statement::Override
        | Statement::OwnReminder
        | Statement::Decide(_)
        | Statement::Courtesy => None,
    }
}

enum Standing {
    Current,
    /// It was asked to take over, and is not any more.
    Former,
}

/// Only a participant moves an exchange, and only in its role.
fn may_say(state: &State, said: &Said) -> Result<Standing, Refusal> {
    let is_initiator = said.by == state.initiator;
    let is_replacement = said.by == state.agent();
    let is_former = !is_replacement && state.former.iter().any(|one| one.agent == said.by);
    let is_failed = state.failed_agent().as_ref() == Some(&said.by);
    let is_controller = said.by == state.controller;
    let (allowed, expected) = match said.what {
        Statement::Ack(_) | Statement::Malformed if is_former => return Ok(Standing::Former),
        // Whoever failed does not take over, whatever it answers to.
        Statement::Ack(_) | Statement::Malformed if is_failed => {
            return Err(Refusal::Barred { expected: "replacement" });
        }
        Statement::Ack(_) | Statement::Malformed => (is_replacement, "replacement"),
        Statement::Clarify { .. }
        | Statement::Verdict { .. }
        | Statement::UnclearVerdict
        | Statement::Override
        | Statement::OwnReminder => (is_initiator, "initiator"),
        Statement::Decide(_) => {
            let is_addressee = state.escalations.last().is_some_and(|last| last.addressee == said.by);
            let may = is_initiator || is_addressee || is_controller || said.operator;
            (may, "initiator, addressee or operator")
        }
        Statement::Remark | Statement::Courtesy => {
            let takes_part = is_initiator || is_replacement || is_former || is_failed || is_controller;
            (takes_part || said.operator, "participants")
        }
    };
    if allowed { Ok(Standing::Current) } else { Err(Refusal::Role { expected }) }
}

/// Whether any words of the replacement are its answer.
fn owes_ack(state: &State) -> bool {
    match &state.phase {
        Phase::AwaitingAck { .. } | Phase::Correcting { .. } => true,
        Phase::Escalated { from } => matches!(**from, Phase::AwaitingAck { .. } | Phase::Correcting { .. }),
        Phase::Preparing
        | Phase::InReview { .. }
        | Phase::Clarifying { .. }
        | Phase::Blocked { .. }
        | Phase::Confirming { .. }
        | Phase::Ended { .. } => false,
    }
}

fn in_review(state: &State) -> bool {
    matches!(state.phase, Phase::InReview { .. })
}

/// Somebody knows that the replacement is there, and goes on without its ACK.
pub(super) fn overridden(draft: &mut Draft<'_>, by: Name, message: crate::name::MessageId) {
    draft.event(Event::Overridden { by, message });
    draft.notice(draft.state.agent(), Notice::Begin);
    confirm::begin(draft);
}
