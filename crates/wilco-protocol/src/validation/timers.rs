//! When a validation wants to be woken, and for what.

use super::state::State;
use super::words::Duty;
use crate::decision::Timer;
use crate::time::Time;

/// What a wake is for. In the order in which those of the same instant are handled: who is out of time is not
/// reminded first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Alarm {
    /// The iteration of this phase takes too long.
    Iteration(usize),
    /// Whoever is awaited in this phase has not answered.
    Awaited(usize, Duty),
    /// The notice of this escalation is repeated.
    Escalation(u32),
}

impl Alarm {
    fn name(self) -> &'static str {
        match self {
            Alarm::Iteration(_) => "iteration",
            Alarm::Awaited(_, duty) => duty.word(),
            Alarm::Escalation(_) => "escalation",
        }
    }
}

/// The timers, earliest first.
pub fn timers(state: &State) -> Vec<Timer> {
    let mut timers: Vec<_> =
        alarms(state).into_iter().map(|(alarm, due)| Timer { name: alarm.name(), due }).collect();
    timers.sort_by_key(|timer| (timer.due, timer.name));
    timers
}

/// The alarm to handle now.
pub(super) fn due(state: &State, now: Time) -> Option<(Alarm, Time)> {
    alarms(state).into_iter().filter(|(_, due)| *due <= now).min_by_key(|(alarm, due)| (*due, *alarm))
}

fn alarms(state: &State) -> Vec<(Alarm, Time)> {
    let mut alarms = Vec::new();
    if !state.is_open() {
        return alarms;
    }
    for (place, phase) in state.phases.iter().enumerate() {
        alarms.extend(phase.iteration_until.map(|due| (Alarm::Iteration(place), due)));
        if let Some(awaited) = &phase.awaited {
            alarms.extend(awaited.until.map(|due| (Alarm::Awaited(place, awaited.duty), due)));
        }
    }
    let open = state.escalations.iter().filter(|escalation| escalation.closed.is_none());
    alarms.extend(open.map(|escalation| (Alarm::Escalation(escalation.number), escalation.remind_at)));
    alarms
}
