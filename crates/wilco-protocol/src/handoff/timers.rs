//! When a handoff wants to be woken: a function of its state, nothing to arm or cancel.

use strum::IntoStaticStr;

use super::state::{Phase, State};
use crate::decision::Timer;
use crate::time::Time;

/// What a wake is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum Alarm {
    Ack,
    Judge,
    Review { reminded: bool },
    Clarification { reminded: bool },
    Help { reminded: bool },
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

fn alarms(state: &State) -> Vec<(Alarm, Time)> {
    let mut alarms = match state.phase {
        Phase::AwaitingAck { until } | Phase::Correcting { until } => vec![(Alarm::Ack, until)],
        // The initiator has not been asked yet: its own time runs from when it is.
        Phase::InReview { judging: Some(due), .. } => vec![(Alarm::Judge, due)],
        Phase::InReview { until, reminded, judging: None, .. } => vec![(Alarm::Review { reminded }, until)],
        Phase::Clarifying { publishing: true, .. } => Vec::new(),
        Phase::Clarifying { until, reminded, .. } => vec![(Alarm::Clarification { reminded }, until)],
        Phase::Blocked { until, reminded } => vec![(Alarm::Help { reminded }, until)],
        Phase::Preparing | Phase::Confirming { .. } | Phase::Escalated { .. } => Vec::new(),
        Phase::Ended { .. } => return Vec::new(),
    };
    alarms.extend(state.escalation().map(|open| (Alarm::Escalation, open.remind_at)));
    alarms
}
