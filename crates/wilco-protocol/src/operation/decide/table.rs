//! Who may say what to an operation, and who carries it out.

use super::draft::Draft;
use super::{answer, choice, own, perform};
use crate::decision::Refusal;
use crate::operation::input::{Said, Statement};
use crate::operation::state::{State, TrackState};
use crate::operation::words::Answer;
use crate::unread::UnreadKind;

pub(super) fn said(draft: &mut Draft<'_>, said: Said) -> Result<(), Refusal> {
    may_say(&draft.state, &said)?;
    let Said { by, message, what, .. } = said;
    match what {
        Statement::Answer { answer } => answer::heard(draft, by, answer),
        Statement::Own { step, agents } => own::taken(draft, step, &agents),
        Statement::Result { done, results } => return perform::result(draft, message, done, results),
        Statement::Withdraw => return perform::withdraw(draft),
        Statement::Decide(choice) => return choice::decide(draft, by, choice),
        Statement::Remark | Statement::Courtesy => {}
    }
    Ok(())
}

/// What could not be read. Whoever was heard before may add what it likes.
pub(super) fn unread(state: &State, said: &Said) -> Option<UnreadKind> {
    let heard = || state.track(&said.by).is_some_and(|track| track.state == TrackState::Ready);
    match said.what {
        Statement::Answer { answer: Answer::Information } => {
            (state.undecided() && !heard()).then_some(UnreadKind::Words)
        }
        Statement::Remark => Some(UnreadKind::Words),
        Statement::Answer { answer: Answer::Ready | Answer::Wait | Answer::Refuse | Answer::Cancel }
        | Statement::Own { .. }
        | Statement::Result { .. }
        | Statement::Withdraw
        | Statement::Decide(_)
        | Statement::Courtesy => None,
    }
}

/// Only a participant moves an exchange, and only in its role.
fn may_say(state: &State, said: &Said) -> Result<(), Refusal> {
    let is_initiator = said.by == state.initiator;
    let takes_part = state.track(&said.by).is_some();
    let (allowed, expected) = match said.what {
        Statement::Answer { .. } => (takes_part, "agents"),
        Statement::Result { .. } | Statement::Withdraw | Statement::Own { .. } => (is_initiator, "initiator"),
        Statement::Decide(_) => {
            let is_addressee = state.escalations.last().is_some_and(|last| last.addressee == said.by);
            (is_initiator || is_addressee || said.operator, "initiator, addressee or operator")
        }
        Statement::Remark | Statement::Courtesy => {
            (is_initiator || takes_part || said.operator, "participants")
        }
    };
    if allowed { Ok(()) } else { Err(Refusal::Role { expected }) }
}
