//! When an operation wants to be woken, and for what.

use super::state::{Phase, State, TrackState};
use crate::decision::Timer;
use crate::time::Time;

/// What a wake is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Alarm {
    Handshake,
    /// The track of this place in the list.
    Reminder(usize),
    Deadline,
    Result {
        reminded: bool,
    },
    /// The machine of the step of this place in the list is gone for too long.
    Step(usize),
    Escalation,
}

impl Alarm {
    fn name(&self) -> &'static str {
        match self {
            Alarm::Handshake => "handshake",
            Alarm::Reminder(_) => "reminder",
            Alarm::Deadline => "acknowledgment",
            Alarm::Result { .. } => "result",
            Alarm::Step(_) => "step",
            Alarm::Escalation => "escalation",
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

/// The alarm to handle now. Whose time is up is not reminded first, so deadlines come before reminders.
pub(super) fn due(state: &State, now: Time) -> Option<(Alarm, Time)> {
    let reminds = |alarm: &Alarm| matches!(alarm, Alarm::Reminder(_));
    let due = alarms(state).into_iter().filter(|(_, due)| *due <= now);
    due.min_by_key(|(alarm, due)| (reminds(alarm), *due))
}

fn alarms(state: &State) -> Vec<(Alarm, Time)> {
    let mut alarms = match &state.phase {
        Phase::Notifying { until } => vec![(Alarm::Handshake, *until)],
        Phase::Waiting => tracks(state),
        Phase::Authorized { until, reminded } => {
            until.iter().map(|until| (Alarm::Result { reminded: *reminded }, *until)).collect()
        }
        Phase::Executing => {
            let waits = state.steps.iter().enumerate();
            waits.filter_map(|(place, step)| Some((Alarm::Step(place), step.waits_until?))).collect()
        }
        Phase::Ended { .. } => return Vec::new(),
    };
    alarms.extend(state.escalation().map(|open| (Alarm::Escalation, open.remind_at)));
    alarms
}

fn tracks(state: &State) -> Vec<(Alarm, Time)> {
    let waiting = state.tracks.iter().enumerate().filter(|(_, track)| track.state == TrackState::Waiting);
    let mut alarms = Vec::new();
    for (place, track) in waiting {
        alarms.extend(track.reminders.first().map(|due| (Alarm::Reminder(place), *due)));
        alarms.extend(track.deadline.map(|due| (Alarm::Deadline, due)));
    }
    alarms
}
