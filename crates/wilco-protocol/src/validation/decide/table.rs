//! Who may say what to a validation, and who carries it out.

use super::draft::Draft;
use super::fix::Word;
use super::{check, choice, fix, silence};
use crate::decision::Refusal;
use crate::unread::UnreadKind;
use crate::validation::input::{Said, Statement};
use crate::validation::say::Notice;
use crate::validation::state::State;

pub(super) fn said(draft: &mut Draft<'_>, said: Said) -> Result<(), Refusal> {
    may_say(&draft.state, &said)?;
    let Said { by, message, what, .. } = said;
    if !draft.state.is_open() {
        return over(draft, by, what);
    }
    match what {
        Statement::Result { named, finding, failures } => {
            check::found(draft, by, message, named, finding, failures);
        }
        Statement::Acknowledged { named } => fix::heard(draft, by, message, named, Word::Acknowledged),
        Statement::Fixed { named } => fix::heard(draft, by, message, named, Word::Done),
        Statement::CannotFix { named } => fix::heard(draft, by, message, named, Word::Cannot),
        Statement::Unreadable { named } => silence::unreadable(draft, &by, &message, named),
        Statement::Decide(choice) => return choice::decide(draft, by, choice),
        Statement::Remark | Statement::Courtesy => {
            silence::alive(draft, &by);
            silence::evidence(draft, &by, &message);
        }
    }
    Ok(())
}

/// What could not be read; an answer in the form that could not be has an answer of its own.
pub(super) fn unread(_state: &State, said: &Said) -> Option<UnreadKind> {
    match said.what {
        Statement::Remark => Some(UnreadKind::Words),
        Statement::Result { .. }
        | Statement::Acknowledged { .. }
        | Statement::Fixed { .. }
        | Statement::CannotFix { .. }
        | Statement::Unreadable { .. }
        | Statement::Decide(_)
        | Statement::Courtesy => None,
    }
}

/// What comes after the end changes nothing.
fn over(draft: &mut Draft<'_>, by: crate::Name, what: Statement) -> Result<(), Refusal> {
    match what {
        Statement::Decide(_) => {
            return Err(Refusal::State { expected: "an open escalation", got: draft.state.name() });
        }
        Statement::Remark | Statement::Courtesy => {}
        Statement::Result { .. }
        | Statement::Acknowledged { .. }
        | Statement::Fixed { .. }
        | Statement::CannotFix { .. }
        | Statement::Unreadable { .. } => draft.notice(by, Notice::Over),
    }
    Ok(())
}

/// Only a participant moves an exchange, and only in its role.
fn may_say(state: &State, said: &Said) -> Result<(), Refusal> {
    let is_initiator = said.by == state.initiator;
    let checks = state.phases.iter().any(|phase| phase.specialist == said.by);
    let fixes = state.main_agent == said.by;
    let (allowed, expected) = match said.what {
        Statement::Result { .. } => (checks, "specialists"),
        Statement::Acknowledged { .. } | Statement::Fixed { .. } | Statement::CannotFix { .. } => {
            (fixes, "main agent")
        }
        Statement::Decide(_) => (is_initiator || said.operator, "initiator or operator"),
        Statement::Unreadable { .. } | Statement::Remark | Statement::Courtesy => (
            is_initiator || checks || fixes || said.operator || state.watchers.contains(&said.by),
            "participants",
        ),
    };
    if allowed { Ok(()) } else { Err(Refusal::Role { expected }) }
}
