//! A task that is handed over to a replacement: its time stands still until that is settled.

use super::draft::Draft;
use crate::decision::Effect;
use crate::delegation::event::Event;
use crate::delegation::say::{CancelReason, Say, ToInitiator};
use crate::delegation::state::State;
use crate::escalation::Reason;
use crate::handoff;
use crate::name::{ExchangeId, Name};

/// The failed agent is told to stop; what it says from now on is evidence.
pub(super) fn hold(draft: &mut Draft<'_>, by: ExchangeId, initiator: Name) {
    draft.event(Event::Held { by, initiator });
    draft.say_to_assignee(Say::Cancel { because: CancelReason::HandedOver });
}

/// Whether what this agent says changes nothing any more.
pub(super) fn is_evidence(state: &State, by: &Name) -> bool {
    state.held.is_some() && state.is_open() && *by == state.assignee
}

/// Shown to whoever hands the task over, and to its initiator, who gets the message itself.
pub(super) fn evidence(draft: &mut Draft<'_>, agent: Name) {
    let Some(held) = draft.state.held.clone() else { return };
    draft.tell_initiator(ToInitiator::Evidence { agent: agent.clone() });
    if held.initiator != draft.state.initiator {
        draft.say(held.initiator, Say::ToInitiator(ToInitiator::Evidence { agent }));
    }
}

/// The replacement has it now, and acknowledges it anew, also a task that asked for no ACK before: its
/// instructions are verified. One that began the task itself cannot have it.
pub(super) fn hand_over(
    draft: &mut Draft<'_>,
    by: ExchangeId,
    to: Name,
    orchestrator: &Name,
    state_file: bool,
) {
    if draft.state.held.as_ref().map(|held| held.by) != Some(by) {
        return;
    }
    if to == draft.state.initiator {
        return release(draft, by);
    }
    let (from, until) = (draft.state.assignee.clone(), Some(draft.ack_deadline()));
    // Its initiator sent it the task once more: it hears again that it is not its own.
    if draft.state.held.as_ref().is_some_and(|held| held.asked_again) {
        draft.say_to_assignee(Say::Cancel { because: CancelReason::HandedOver });
    }
    draft.event(Event::HandedOver { to: to.clone(), by, state_file, until, requires_ack: true });
    draft.say_to_assignee(Say::Assignment { sole: true, spell_out: false });
    if draft.state.initiator != *orchestrator {
        draft.tell_initiator(ToInitiator::HandedOver { from, to });
    }
}

/// Nobody took it over: its initiator decides.
pub(super) fn release(draft: &mut Draft<'_>, by: ExchangeId) {
    if draft.state.held.as_ref().map(|held| held.by) == Some(by) {
        draft.event(Event::Released);
        draft.escalate(Reason::HandoffFailed);
    }
}

/// What the replacement acknowledges, and whether it was found right, is kept in the state file.
pub(super) fn repeated(draft: &mut Draft<'_>) {
    let kept = draft.state.handed.as_ref().is_some_and(|handed| handed.state_file);
    let said = |event: &Event| matches!(event, Event::Acknowledged { .. } | Event::Accepted { .. });
    if kept && draft.events().iter().any(said) {
        let (exchange, order) = (draft.state.id, handoff::Effect::UpdateStateFile);
        draft.effect(Effect::Handoff { exchange, order });
    }
}
