//! Who may say what to an operation, and who carries it out.

use super::draft::Draft;
use super::{answer, choice, own, perform};
use crate::decision::Refusal;
use crate::operation::input::{Said, Statement};
use crate::operation::state::State;

pub(super) fn said(draft: &mut Draft<'_>, said: Said) -> Result<(), Refusal> {
    may_say(&draft.state, &said)?;
    let Said { by, message, what, .. } = said;
    match what {
        Statement::Answer { answer, to_notice } => answer::heard(draft, by, answer, to_notice),
        Statement::Own { step, agents } => own::taken(draft, step, &agents),
        Statement::Result { done, results } => return perform::result(draft, message, done, results),
        Statement::Withdraw => return perform::withdraw(draft),
        Statement::Decide(choice) => return choice::decide(draft, by, choice),
        Statement::Remark => {}
    }
    Ok(())
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
        Statement::Remark => (is_initiator || takes_part || said.operator, "participants"),
    };
    if allowed { Ok(()) } else { Err(Refusal::Role { expected }) }
}
