//! Whose turn it is: asking specialists and the main agent, and going on to the next phase.

use super::draft::Draft;
use crate::decision::Effect;
use crate::time::Span;
use crate::validation::event::{Asked, Event};
use crate::validation::say::{Notice, Say};
use crate::validation::state::Outcome;
use crate::validation::words::{Duty, Status};

/// The phases that would begin now.
fn upcoming(draft: &Draft<'_>) -> Vec<usize> {
    let waiting = draft.state.current().filter(|(_, phase)| phase.status == Status::Pending);
    waiting.map(|(place, _)| place).collect()
}

/// Begins the phases whose turn it is, or ends the loop when none is left.
pub(super) fn start(draft: &mut Draft<'_>) {
    if draft.state.phases.iter().all(|phase| phase.is_over()) {
        return draft.end(Outcome::Completed);
    }
    for place in upcoming(draft) {
        ask(draft, place, Duty::Validation, Asked::Turn, None);
    }
}

/// The phase passed: its main agent hears of it, and the next one begins.
pub(super) fn passed(draft: &mut Draft<'_>, place: usize) {
    let started = draft.phase(place).started;
    let took = started.map_or(Span::ZERO, |started| draft.now.since(started));
    let next = upcoming(draft);
    draft.say(draft.state.main_agent.clone(), Say::Success { phase: place, took, next });
    start(draft);
}

/// Asks the specialist to check; a command is run.
pub(super) fn ask(draft: &mut Draft<'_>, place: usize, duty: Duty, because: Asked, time: Option<Span>) {
    let fresh = match because {
        Asked::Turn | Asked::Decision => true,
        Asked::Error => false,
    };
    let (clock, again) = (draft.clock(place, duty, time, fresh), because != Asked::Turn);
    let (event, say) = match duty {
        Duty::Validation | Duty::Fix => {
            (Event::Requested { phase: place, because, clock }, Say::Request { phase: place, again })
        }
        Duty::Revalidation => {
            (Event::Triggered { phase: place, because, clock }, Say::Trigger { phase: place, again })
        }
    };
    draft.event(event);
    draft.say(draft.phase(place).specialist.clone(), say);
    let phase = draft.phase(place);
    if phase.command().is_some() {
        let effect = Effect::RunCheck { exchange: draft.state.id, phase: place, run: phase.runs };
        draft.effect(effect);
    }
}

/// Asks the main agent to fix what failed.
pub(super) fn ask_fix(draft: &mut Draft<'_>, place: usize, time: Option<Span>, fresh: bool) {
    let again = draft.phase(place).rounds.last().is_some_and(|round| round.asked);
    let clock = draft.clock(place, Duty::Fix, time, fresh);
    draft.event(Event::FixRequested { phase: place, clock });
    let main_agent = draft.state.main_agent.clone();
    if !again {
        draft.say(main_agent.clone(), Say::FailureReport { phase: place });
    }
    draft.say(main_agent, Say::FixRequest { phase: place, again });
}

/// Tells whoever was awaited in a phase that it need not go on.
pub(super) fn release(draft: &mut Draft<'_>, place: usize) {
    let phase = draft.phase(place);
    let awaited = phase.awaited.as_ref().map(|awaited| awaited.duty).or(phase.stopped_at);
    let Some(duty) = awaited else { return };
    if duty == Duty::Fix || phase.command().is_none() {
        draft.notice(draft.doer(place, duty), Notice::NotNeeded { phase: place });
    }
}
