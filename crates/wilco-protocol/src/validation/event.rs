//! What happened in a validation, in the past tense. Events carry the instants that were computed, so that folding
//! them needs neither policy nor clock. `phase` is the place of the phase in the list.

use serde::{Deserialize, Serialize};

use super::input::{Fingerprint, Planned};
use super::policy::Policy;
use super::say::Cause;
use super::state::Outcome;
use super::words::Trouble;
use crate::escalation::{Escalation, Incident};
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::{Span, Time};
use crate::unread::UnreadWords;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Event {
    /// Always the first; carries the policy.
    Started(Box<Started>),
    /// The specialist was asked for its first check.
    Requested {
        phase: usize,
        because: Asked,
        clock: Clock,
    },
    /// The specialist was asked to check a fix.
    Triggered {
        phase: usize,
        because: Asked,
        clock: Clock,
    },
    Passed {
        phase: usize,
        message: MessageId,
    },
    /// `same`: how often in a row the failures were the same by now.
    Failed {
        phase: usize,
        message: MessageId,
        failures: Fingerprint,
        same: u32,
    },
    FixRequested {
        phase: usize,
        clock: Clock,
    },
    FixAcknowledged {
        phase: usize,
    },
    FixCompleted {
        phase: usize,
        message: MessageId,
    },
    /// Whoever is awaited was reminded; silence until then is escalated.
    Reminded {
        phase: usize,
        until: Time,
    },
    /// It showed life within the grace.
    GraceMoved {
        phase: usize,
        until: Time,
    },
    /// The server was down when its time ran out.
    Spared {
        phase: usize,
        until: Time,
    },
    /// Something went wrong besides a failed check.
    Troubled {
        phase: usize,
        trouble: Trouble,
        message: Option<MessageId>,
    },
    /// What went wrong is over.
    Recovered {
        phase: usize,
    },
    Escalated {
        phase: usize,
        escalation: Box<Escalation>,
    },
    /// It arrived while somebody is to decide.
    EvidenceAdded {
        phase: usize,
        message: MessageId,
    },
    EscalationReminded {
        number: u32,
        remind_at: Time,
    },
    EscalationClosed {
        number: u32,
        option: Option<String>,
        by: Option<Name>,
    },
    /// By decision: more iterations, and failures are compared anew.
    Extended {
        phase: usize,
        iterations: u32,
    },
    /// By decision.
    Skipped {
        phase: usize,
    },
    Recorded {
        incident: Incident,
    },
    Ended {
        outcome: Outcome,
    },
    /// Something was said that could not be read.
    NotUnderstood(UnreadWords),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Started {
    pub id: ExchangeId,
    pub issue: String,
    pub feature: Option<String>,
    pub initiator: Name,
    pub main_agent: Name,
    pub watchers: Vec<Name>,
    pub opening: MessageId,
    pub phases: Vec<Planned>,
    pub policy: Policy,
}

/// Why a specialist is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Asked {
    /// It is its turn: an iteration begins.
    Turn,
    /// It could not check: once more, in the same iteration.
    Error,
    /// Somebody decided to go on: once more, in the same iteration.
    Decision,
}

/// How long somebody has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    pub timeout: Span,
    /// None for a command, which has a limit of its own.
    pub until: Option<Time>,
    /// None: as it was.
    pub iteration_until: Option<Time>,
}

impl Event {
    /// The phase whose status it changes, and why.
    pub(super) fn changes(&self) -> Option<(usize, Cause)> {
        match self {
            Event::Requested { phase, because, .. } | Event::Triggered { phase, because, .. } => {
                Some((*phase, because.cause()))
            }
            Event::Passed { phase, .. } => Some((*phase, Cause::Passed)),
            Event::Failed { phase, .. } => Some((*phase, Cause::Failed)),
            Event::FixRequested { phase, .. } => Some((*phase, Cause::FixRequested)),
            Event::FixAcknowledged { phase } => Some((*phase, Cause::Acknowledged)),
            Event::Escalated { phase, .. } => Some((*phase, Cause::Escalated)),
            Event::Skipped { phase } => Some((*phase, Cause::Decided)),
            Event::Started(_)
            | Event::FixCompleted { .. }
            | Event::Reminded { .. }
            | Event::GraceMoved { .. }
            | Event::Spared { .. }
            | Event::Troubled { .. }
            | Event::Recovered { .. }
            | Event::EvidenceAdded { .. }
            | Event::EscalationReminded { .. }
            | Event::EscalationClosed { .. }
            | Event::Extended { .. }
            | Event::Recorded { .. }
            | Event::NotUnderstood(_)
            | Event::Ended { .. } => None,
        }
    }
}

impl Asked {
    fn cause(self) -> Cause {
        match self {
            Asked::Turn => Cause::Requested,
            Asked::Error => Cause::Requested,
            Asked::Decision => Cause::Decided,
        }
    }
}
