//! The ids of the messages in a loop. They are matched against what is open, never split: an issue and a
//! specialist may contain `-`.

use super::input::Named;
use super::state::{Phase, State};
use super::words::{Duty, Trouble};
use crate::time::Time;

/// What an id stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    Request,
    Result,
    Report,
    FixRequest,
    FixDone,
    Trigger,
    TriggerResult,
    Success,
}

impl Label {
    pub const ALL: [Label; 8] = [
        Label::Request,
        Label::Result,
        Label::Report,
        Label::FixRequest,
        Label::FixDone,
        Label::Trigger,
        Label::TriggerResult,
        Label::Success,
    ];

    pub fn prefix(self) -> &'static str {
        match self {
            Label::Request => "VALREQ",
            Label::Result => "VALRES",
            Label::Report => "VFR",
            Label::FixRequest => "FIXREQ",
            Label::FixDone => "FIXDONE",
            Label::Trigger => "REVAL",
            Label::TriggerResult => "REVALRES",
            Label::Success => "SUCCESS",
        }
    }

    /// Whether this is such an id, of whatever loop.
    pub fn is_of(self, id: &str) -> bool {
        let rest = folded(id.trim()).strip_prefix(&folded(self.prefix())).map(str::to_owned);
        rest.is_some_and(|rest| rest.starts_with('-'))
    }

    /// Whether a loop of one phase leaves the specialist out.
    fn may_be_short(self) -> bool {
        match self {
            Label::FixRequest | Label::FixDone => true,
            Label::Request
            | Label::Result
            | Label::Report
            | Label::Trigger
            | Label::TriggerResult
            | Label::Success => false,
        }
    }
}

/// The id of a message about a phase, in its current iteration.
pub fn id(state: &State, phase: &Phase, label: Label) -> String {
    let (prefix, issue, iteration) = (label.prefix(), &state.issue, phase.iteration);
    if label.may_be_short() && !state.several() {
        return format!("{prefix}-{issue}-{iteration}");
    }
    format!("{prefix}-{issue}-{}-{iteration}", phase.specialist)
}

pub fn escalation_id(state: &State, phase: &Phase, at: Time) -> String {
    format!("ESC-{}-{}-{}", state.issue, phase.specialist, stamp(at))
}

pub fn timeout_id(state: &State, duty: Duty, at: Time) -> String {
    format!("TIMEOUT-{}-{}-{}", state.issue, duty.word(), stamp(at))
}

pub fn error_id(state: &State, trouble: Trouble, at: Time) -> String {
    format!("ERR-{}-{}-{}", state.issue, trouble.word(), stamp(at))
}

/// The id of the entry of the log that is the `count`th.
pub fn log_id(issue: &str, iteration: u32, count: usize) -> String {
    format!("LOG-{issue}-{iteration}-{count}")
}

/// `20260131T235959Z`.
pub fn stamp(at: Time) -> String {
    let written = at.to_string();
    let seconds = written.split('.').next().unwrap_or("").chars();
    let digits: String = seconds.filter(|c| c.is_ascii_digit() || *c == 'T').collect();
    format!("{digits}Z")
}

/// What an id says about where its message belongs in this loop.
pub fn named(state: &State, id: &str) -> Named {
    let id = folded(id.trim());
    for label in Label::ALL {
        for (place, phase) in state.phases.iter().enumerate() {
            let long = folded(&format!("{}-{}-{}-", label.prefix(), state.issue, phase.specialist));
            if let Some(iteration) = id.strip_prefix(&long).and_then(counted) {
                return Named::Round { phase: Some(place), iteration };
            }
        }
        let short = folded(&format!("{}-{}-", label.prefix(), state.issue));
        if let Some(iteration) = id.strip_prefix(&short).and_then(counted) {
            return Named::Round { phase: None, iteration };
        }
    }
    if is_id(&id) { Named::Elsewhere } else { Named::Nothing }
}

/// Whether a text is an id of this kind, of whatever loop.
pub fn is_id(text: &str) -> bool {
    let text = folded(text.trim());
    let of = |label: &Label| {
        let rest = text.strip_prefix(&folded(label.prefix())).and_then(|rest| rest.strip_prefix('-'));
        rest.and_then(|rest| rest.rsplit_once('-')).is_some_and(|(_, number)| counted(number).is_some())
    };
    Label::ALL.iter().any(of)
}

/// `_` stands for `-`, and letter case does not matter.
fn folded(text: &str) -> String {
    text.to_lowercase().replace('_', "-")
}

/// A number from 1 in its only spelling.
fn counted(text: &str) -> Option<u32> {
    let plain = !text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}
