//! What laws and model look at: a world of a few agents, and what holds in every state.

use wilco_protocol::Exchange;
use wilco_protocol::delegation::{Event, Input, Phase, State, apply, decide, timers};
use wilco_protocol::exchange::Describe;
use wilco_testkit::delegation::World;

/// G5: whoever has the task never had it before without getting it back, and never delegated it.
pub(crate) fn one_assignee(state: &State) -> bool {
    let former = &state.former_assignees;
    let twice = former.iter().enumerate().any(|(n, agent)| former[..n].contains(agent));
    state.assignee != state.initiator && !former.contains(&state.assignee) && !twice
}

/// G6: an open exchange has a timer, an open escalation included, or is one of the two exceptions.
pub(crate) fn never_stuck(state: &State) -> bool {
    let reminded = match state.phase {
        Phase::Paused { until, again } => until.is_some() == again.is_some(),
        _ => true,
    };
    reminded && (!state.is_open() || !timers(state).is_empty() || excepted(state))
}

/// At work when no checkpoints are asked for, or paused for nobody knows how long; and shown as such.
fn excepted(state: &State) -> bool {
    let excepted = match state.phase {
        Phase::Working { check: None, .. } => state.policy.checkpoint_timeout.is_none(),
        Phase::Paused { until: None, again: None } => true,
        _ => false,
    };
    excepted && Exchange::Delegation(state.clone()).rests()
}

/// G6 in full: left alone, an exchange comes to an end, to somebody's decision, to one of the two exceptions, or to
/// a pause of which its initiator is reminded, and will be again.
pub(crate) fn silence_leads_somewhere(state: &State) -> bool {
    const MOST_STEPS: usize = 60;
    let world = World { down: None, away: Vec::new() };
    let mut state = state.clone();
    for _ in 0..MOST_STEPS {
        let settled = !state.is_open() || state.escalation().is_some() || excepted(&state);
        let Some(timer) = timers(&state).first().copied() else { return settled };
        if settled {
            return true;
        }
        let now = timer.due.max(state.updated);
        let Ok(decision) = decide(&state, Input::Wake, &world, now) else { return false };
        decision.events.iter().for_each(|event| apply(&mut state, event, now));
        if decision.events.iter().any(|event| matches!(event, Event::PauseReminded { .. })) {
            let signal = decision.says.iter().any(|spoken| spoken.to == state.initiator);
            let again = matches!(state.phase, Phase::Paused { until: Some(until), .. } if until > now);
            return signal && again;
        }
    }
    false
}

pub(crate) fn escalation_fits_the_phase(state: &State) -> bool {
    state.escalation().is_some() == matches!(state.phase, Phase::Escalated { .. })
        && state.escalations.iter().rev().skip(1).all(|earlier| earlier.closed.is_some())
}

pub(crate) fn keys_are_sorted_and_unique(state: &State) -> bool {
    state.keys().is_sorted_by(|a, b| a < b)
}
