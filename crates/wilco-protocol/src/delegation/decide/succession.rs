//! Who gets the task when its agent cannot have it. At any time it has one assignee.

use super::draft::Draft;
use crate::delegation::event::{Event, Why};
use crate::delegation::say::{CancelReason, Say, ToInitiator};
use crate::escalation::Reason;
use crate::name::Name;

/// Gives the task to the next agent; when there is none, somebody must decide.
pub(super) fn next_agent(draft: &mut Draft<'_>, because: Why, or_else: Reason) {
    match successor(draft) {
        Some(agent) => reassign(draft, agent, because),
        None => draft.escalate(or_else),
    }
}

/// Candidates first, then whoever is able; never the initiator, never somebody who had it before.
pub(super) fn successor(draft: &Draft<'_>) -> Option<Name> {
    let state = &draft.state;
    let fits = |agent: &Name| {
        *agent != state.initiator
            && *agent != state.assignee
            && !state.former_assignees.contains(agent)
            && draft.facts.can_take(agent)
    };
    if let Some(candidate) = state.candidates.iter().find(|agent| fits(agent)) {
        return Some(candidate.clone());
    }
    if state.capabilities.is_empty() {
        return None;
    }
    draft.facts.able(&state.capabilities).into_iter().find(fits)
}

pub(super) fn reassign(draft: &mut Draft<'_>, to: Name, because: Why) {
    let from = draft.state.assignee.clone();
    draft.say(from.clone(), Say::Cancel { because: CancelReason::Reassigned });
    let until = draft.answer_deadline();
    draft.event(Event::Reassigned { to: to.clone(), because, until });
    draft.say_to_assignee(Say::Assignment { sole: true, spell_out: false });
    draft.tell_initiator(ToInitiator::Reassigned { from, to, because });
}
