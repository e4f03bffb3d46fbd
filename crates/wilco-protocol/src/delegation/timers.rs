//! When a delegation wants to be woken: a function of its state, nothing to arm or cancel.

use strum::IntoStaticStr;

use super::event::Resend;
use super::state::{Phase, State};
use crate::decision::Timer;
use crate::time::Time;

/// Which timer it is, with what its handling needs to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Alarm {
    Ack,
    Retry,
    Clarification { reminded: bool },
    Review { reminded: bool },
    Judge,
    Queued { checks: u8 },
    Resend { because: Resend },
    Amendment { reminded: bool },
    Checkpoint { checks: u8 },
    Pause,
    Confirmation { resume: bool },
    Stop,
    Escalation,
}

/// Every timer that runs, earliest first.
pub fn timers(state: &State) -> Vec<Timer> {
    let mut alarms = alarms(state);
    alarms.sort_by_key(|(alarm, due)| (*due, *alarm));
    alarms.into_iter().map(|(alarm, due)| Timer { name: alarm.into(), due }).collect()
}

pub(super) fn earliest(state: &State) -> Option<(Alarm, Time)> {
    alarms(state).into_iter().min_by_key(|(alarm, due)| (*due, *alarm))
}

/// The deadline of a phase, if one runs in it.
pub(super) fn deadline(phase: &Phase) -> Option<Time> {
    match phase {
        Phase::AwaitingAck { until, .. }
        | Phase::Clarifying { until, .. }
        | Phase::InReview { until, .. }
        | Phase::Queued { until, .. }
        | Phase::Waiting { until, .. }
        | Phase::Returned { until, .. } => Some(*until),
        Phase::Working { check, .. } => *check,
        Phase::Paused { until, .. } => *until,
        Phase::Ended { stop, .. } => *stop,
        Phase::Escalated { .. } => None,
    }
}

fn alarms(state: &State) -> Vec<(Alarm, Time)> {
    let mut alarms = Vec::new();
    // While it is handed over, time stands still.
    if state.held.is_some() && state.is_open() {
        return alarms;
    }
    if let Phase::InReview { judging: Some(due), .. } = state.phase {
        // The initiator has not been asked yet: its own time runs from when it is.
        alarms.push((Alarm::Judge, due));
    } else if let Some(due) = deadline(&state.phase) {
        alarms.extend(alarm(&state.phase).map(|alarm| (alarm, due)));
    }
    if let Some(unconfirmed) = &state.unconfirmed {
        alarms.extend(unconfirmed.until.map(|due| (Alarm::Confirmation { resume: unconfirmed.resume }, due)));
    }
    alarms.extend(state.escalation().map(|open| (Alarm::Escalation, open.remind_at)));
    alarms
}

fn alarm(phase: &Phase) -> Option<Alarm> {
    match *phase {
        Phase::AwaitingAck { backing_off: true, .. } => Some(Alarm::Retry),
        Phase::AwaitingAck { backing_off: false, .. } => Some(Alarm::Ack),
        Phase::Clarifying { reminded, .. } => Some(Alarm::Clarification { reminded }),
        Phase::InReview { reminded, .. } => Some(Alarm::Review { reminded }),
        Phase::Queued { checks, .. } => Some(Alarm::Queued { checks }),
        Phase::Waiting { because, .. } => Some(Alarm::Resend { because }),
        Phase::Returned { reminded, .. } => Some(Alarm::Amendment { reminded }),
        Phase::Working { checks, .. } => Some(Alarm::Checkpoint { checks }),
        Phase::Paused { .. } => Some(Alarm::Pause),
        Phase::Ended { .. } => Some(Alarm::Stop),
        Phase::Escalated { .. } => None,
    }
}
