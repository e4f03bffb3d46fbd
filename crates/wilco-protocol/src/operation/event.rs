//! What happened to an operation, in the past tense. Events carry the instants that were computed, so
//! that folding them needs neither policy nor clock.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::execute::{Execute, StepEnd};
use super::policy::Policy;
use super::state::Outcome;
use super::words::Kind;
use crate::escalation::{Escalation, Incident};
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::Time;
use crate::unread::UnreadWords;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Event {
    /// Always the first; carries the policy.
    Announced(Box<Announced>),
    /// The agents were asked for their "ok".
    Asked(Begun),
    /// An agent was reminded, by Wilco or by the initiator itself. `past`: how many were due by now; `due`: when the
    /// last of them was.
    Reminded {
        agent: Name,
        past: u32,
        due: Time,
        by_initiator: bool,
    },
    /// It is ready. `in_time`: before its deadline.
    Ready {
        agent: Name,
        in_time: bool,
    },
    /// It is not ready, or not any more. `refused`: it said no.
    Unready {
        agent: Name,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        refused: bool,
    },
    Extended {
        agent: Name,
        deadline: Time,
        reminder: Time,
        by_initiator: bool,
    },
    Cancelled {
        agent: Name,
    },
    Excluded {
        agent: Name,
    },
    TimedOut {
        agent: Name,
        after_seconds: u64,
    },
    /// It had no chance to answer.
    GraceGiven {
        agent: Name,
        deadline: Time,
    },
    /// It goes on. `until`: when the initiator's result is due, if it is to give one.
    Authorized {
        because: Why,
        until: Option<Time>,
    },
    ExecutionBegun {
        agents: Vec<Name>,
    },
    /// Durable before the command is run.
    StepStarted {
        agent: Name,
        run: u32,
    },
    /// The machine of the agent is gone. `until`: how long it is waited for; then somebody decides.
    StepWaits {
        agent: Name,
        until: Time,
    },
    StepEnded {
        agent: Name,
        end: StepEnd,
    },
    /// Its server stopped while it ran, or was gone for too long: nobody knows how far it came.
    StepInterrupted {
        agent: Name,
    },
    /// Interrupted steps count as done, by decision.
    StepsAccepted {
        agents: Vec<Name>,
    },
    StepsSkipped {
        agents: Vec<Name>,
    },
    /// The initiator was reminded of its result.
    ResultAwaited {
        until: Time,
        reminded: bool,
    },
    ResultGiven {
        message: MessageId,
        done: bool,
        results: Vec<(Name, bool)>,
    },
    Escalated {
        escalation: Escalation,
    },
    EscalationReminded {
        remind_at: Time,
    },
    /// Somebody decided, or the exchange went on by itself.
    EscalationClosed {
        option: Option<String>,
        by: Option<Name>,
    },
    Recorded {
        incident: Incident,
    },
    Ended {
        outcome: Outcome,
        because: Why,
    },
    /// Something was said that could not be read.
    NotUnderstood(UnreadWords),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Announced {
    pub id: ExchangeId,
    pub operation: String,
    pub kind: Kind,
    pub initiator: Name,
    pub agents: Vec<Name>,
    pub opening: MessageId,
    pub broadcast_id: Option<String>,
    pub requires_acknowledgment: bool,
    pub silence_foreseen: bool,
    pub policy: Policy,
    pub execute: Execute,
    /// When the handshake begins, if not at once.
    pub begins: Option<Time>,
}

/// Who was asked, until when, and when they are reminded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Begun {
    pub agents: Vec<Name>,
    pub deadline: Time,
    pub reminders: Vec<Time>,
}

/// Why it goes on, or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Why {
    AllReady,
    Quorum,
    /// Without the answers of some.
    Timeout,
    NotRequired,
    Decision,
    /// An agent said so.
    AgentCancelled,
    InitiatorCancelled,
    NobodyLeft,
    TooFewReady,
    Performed,
}

impl Why {
    pub fn word(self) -> &'static str {
        self.into()
    }
}
