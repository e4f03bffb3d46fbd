//! What happens when nobody says anything, or what is said cannot be read. Every handled wake removes its timer or
//! moves it past now.

use super::draft::Draft;
use crate::escalation::Reason;
use crate::name::{MessageId, Name};
use crate::time::Time;
use crate::validation::event::Event;
use crate::validation::input::Named;
use crate::validation::say::{Notice, Say};
use crate::validation::timers::{Alarm, due};
use crate::validation::words::Trouble;

pub(super) fn wake(draft: &mut Draft<'_>) {
    let Some((alarm, due)) = due(&draft.state, draft.now) else { return };
    match alarm {
        Alarm::Iteration(place) => {
            if !spare(draft, place, due) {
                draft.escalate(place, Reason::IterationTimeout, None);
            }
        }
        Alarm::Awaited(place, _) => {
            let reminded = draft.phase(place).awaited.as_ref().is_some_and(|awaited| awaited.reminded);
            if !reminded {
                let until = draft.after(draft.state.policy.reminder_grace);
                draft.event(Event::Reminded { phase: place, until });
                remind(draft, place);
                // An answer that could not be read is no silence.
                if draft.state.unread_answer(place).is_none() {
                    draft.trouble(place, Trouble::Unresponsive, None);
                }
            } else if !spare(draft, place, due) {
                match draft.state.unread_answer(place) {
                    Some(said) => draft.escalate(place, Reason::Unreadable, Some(said)),
                    None => draft.escalate(place, Reason::Timeout, None),
                }
            }
        }
        Alarm::Escalation(number) => remind_of_escalation(draft, number),
    }
}

fn remind(draft: &mut Draft<'_>, place: usize) {
    let Some(awaited) = draft.phase(place).awaited.clone() else { return };
    let to = draft.doer(place, awaited.duty);
    let grace = awaited.until.map(|until| until.since(draft.now)).unwrap_or_default();
    let (duty, since, timeout) = (awaited.duty, awaited.since, awaited.timeout);
    draft.say(to, Say::Reminder { phase: place, duty, since, timeout, grace });
}

/// Nobody could hear its answer while the server was down: it gets a little more time, once. Who was reminded a moment
/// ago is not reminded again.
fn spare(draft: &mut Draft<'_>, place: usize, due: Time) -> bool {
    let asked = draft.phase(place).awaited.as_ref().is_some_and(|awaited| !awaited.spared);
    let just_reminded = is_just_reminded(draft, place);
    if !asked || !draft.facts.down_across(due) {
        return false;
    }
    let until = draft.after(draft.state.policy.downtime_grace);
    draft.event(Event::Spared { phase: place, until });
    let waits = draft.phase(place).awaited.as_ref().is_some_and(|awaited| awaited.until.is_some());
    if waits && !just_reminded {
        remind(draft, place);
    }
    true
}

/// Whether the reminder was sent at this very instant: then all of its grace is left.
fn is_just_reminded(draft: &Draft<'_>, place: usize) -> bool {
    let grace = draft.state.policy.reminder_grace;
    let Some(awaited) = &draft.phase(place).awaited else { return false };
    let whole = draft.after(grace);
    let whole = if awaited.moved { whole.plus(grace) } else { whole };
    awaited.reminded && awaited.until == Some(whole)
}

/// The phases in which this agent is awaited.
fn awaited_of(draft: &Draft<'_>, agent: &Name) -> Vec<usize> {
    let state = &draft.state;
    let waits = |place: &usize| {
        let phase = &state.phases[*place];
        phase.awaited.as_ref().is_some_and(|awaited| state.doer(phase, awaited.duty) == *agent)
    };
    (0..state.phases.len()).filter(waits).collect()
}

/// Whoever was reminded shows life: it gets one more grace, once.
pub(super) fn alive(draft: &mut Draft<'_>, agent: &Name) {
    for place in awaited_of(draft, agent) {
        let Some(awaited) = draft.phase(place).awaited.clone() else { continue };
        if let (Some(until), true, false) = (awaited.until, awaited.reminded, awaited.moved) {
            let until = until.plus(draft.state.policy.reminder_grace);
            draft.event(Event::GraceMoved { phase: place, until });
        }
    }
}

/// What those of a phase say while somebody is to decide about it.
pub(super) fn evidence(draft: &mut Draft<'_>, by: &Name, message: &MessageId) {
    for place in 0..draft.state.phases.len() {
        let phase = draft.phase(place);
        if phase.escalation.is_some() && (phase.specialist == *by || draft.state.main_agent == *by) {
            draft.event(Event::EvidenceAdded { phase: place, message: message.clone() });
        }
    }
}

/// An answer that cannot be read. Whoever is not awaited hears that nothing is.
pub(super) fn unreadable(draft: &mut Draft<'_>, by: &Name, message: &MessageId, named: Named) {
    let places = awaited_of(draft, by);
    let place = match named {
        Named::Round { phase: Some(place), .. } if places.contains(&place) => Some(place),
        Named::Round { .. } | Named::Nothing | Named::Elsewhere => places.first().copied(),
    };
    let Some((place, awaited)) = place.and_then(|place| Some((place, draft.phase(place).awaited.clone()?)))
    else {
        return unawaited(draft, by, message);
    };
    alive(draft, by);
    draft.say(by.clone(), Say::Unreadable { phase: place, duty: awaited.duty });
    if awaited.troubles.iter().any(|open| open.trouble == Trouble::InvalidResponse) {
        draft.escalate(place, Reason::InvalidAnswer, Some(message.clone()));
    } else {
        draft.trouble(place, Trouble::InvalidResponse, Some(message.clone()));
    }
}

/// Words out of turn: evidence where somebody is to decide, and else nothing.
fn unawaited(draft: &mut Draft<'_>, by: &Name, message: &MessageId) {
    evidence(draft, by, message);
    let phases = &draft.state.phases;
    let own = phases.iter().position(|phase| phase.specialist == *by);
    let paused = phases.iter().position(|phase| {
        phase.escalation.is_some() && (phase.specialist == *by || draft.state.main_agent == *by)
    });
    let out_of_turn = Notice::OutOfTurn { phase: own };
    draft.notice(by.clone(), paused.map_or(out_of_turn, |phase| Notice::Paused { phase }));
}

/// What was sent to this agent did not reach it.
pub(super) fn unreached(draft: &mut Draft<'_>, agent: &Name) {
    for place in awaited_of(draft, agent) {
        draft.trouble(place, Trouble::Communication, None);
        draft.escalate(place, Reason::DeliveryFailed, None);
    }
}

fn remind_of_escalation(draft: &mut Draft<'_>, number: u32) {
    let Some(open) = draft.state.escalations.iter().find(|one| one.number == number).cloned() else { return };
    draft.event(Event::EscalationReminded { number, remind_at: draft.after(open.remind_every) });
    draft.say(open.addressee, Say::Escalation { number, again: true });
}
