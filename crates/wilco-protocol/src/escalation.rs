//! An escalation: an exchange waits for somebody's choice. Every protocol opens and closes them alike.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strum::IntoStaticStr;

use crate::decision::{Facts, Stage};
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::{Span, Time};

/// How many closed escalations and incidents an exchange remembers; the journal has them all.
pub const KEPT: usize = 16;

/// Why an exchange could not go on by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Reason {
    /// The agent did not acknowledge, and there is nobody else, or nobody else is asked for that alone.
    NoAcknowledgment,
    /// The agent refused or failed, and there is nobody else.
    NoCandidate,
    /// The agent keeps misunderstanding.
    CapabilityMismatch,
    /// The initiator did not answer the agent's questions.
    NoClarification,
    /// The initiator did not judge an acknowledgement.
    NoVerdict,
    /// The initiator did not amend a task that the agent could not read.
    NotAmended,
    /// The agent queued the task and never began.
    QueueStuck,
    /// The agent stopped reporting checkpoints.
    NoCheckpoint,
    /// A command would be run on an agent that never saw what was coming.
    NotReached,
    /// An agent said no to an operation, and was not ready when its time was up.
    Refused,
    /// The initiator did not say how its operation went.
    NoResult,
    /// The server stopped while a command ran.
    Interrupted,
    /// A phase failed as often as it may.
    MaxIterations,
    /// Whoever was awaited in a phase did not answer.
    Timeout,
    /// An iteration of a phase took too long.
    IterationTimeout,
    /// A phase failed in the same way again and again.
    Deadlock,
    /// A specialist could not check, twice.
    SpecialistError,
    /// Nothing reached whoever is awaited.
    DeliveryFailed,
    /// Answers could not be read, twice.
    InvalidAnswer,
    /// Whoever was awaited answered, and the answer could not be read.
    Unreadable,
    /// The main agent says that it cannot fix it.
    CannotFix,
    /// The document of a handoff could not be written.
    NoDocument,
    /// A replacement cannot set up its environment, and nobody helped.
    EnvironmentIssue,
    /// The task was to be handed over, and that failed.
    HandoffFailed,
    /// The agent was replaced, and this task was not handed over.
    AgentReplaced,
}

impl Reason {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// One escalation, open until somebody decides or the exchange goes on by itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Escalation {
    /// Counted from 1 within the exchange.
    pub number: u32,
    pub reason: Reason,
    pub addressee: Name,
    pub evidence: Evidence,
    pub opened: Time,
    /// When the notice is repeated.
    pub remind_at: Time,
    pub remind_every: Span,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Closed>,
}

/// Whom an exchange asks: its initiator, or the operators when that is registered no more.
pub(crate) fn addressee(initiator: &Name, facts: &dyn Facts) -> Name {
    if facts.is_registered(initiator) { initiator.clone() } else { facts.operators() }
}

impl Escalation {
    /// The next after these, opened now.
    pub(crate) fn next(
        before: &[Escalation],
        reason: Reason,
        addressee: Name,
        evidence: Evidence,
        facts: &dyn Facts,
        now: Time,
    ) -> Escalation {
        let number = before.iter().map(|one| one.number).max().unwrap_or(0) + 1;
        let remind_every = facts.escalation_reminder();
        let remind_at = now.plus(remind_every);
        Escalation { number, reason, addressee, evidence, opened: now, remind_at, remind_every, closed: None }
    }

    /// The message that an open one quotes.
    pub(crate) fn quotes(&self) -> Option<&MessageId> {
        self.evidence.said.as_ref().filter(|_| self.closed.is_none())
    }
}

/// What was seen before it was opened.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Evidence {
    pub agent: Name,
    /// Others were left to ask, and its silence alone was no reason to ask them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spared: bool,
    pub attempts: u32,
    pub corrections: u32,
    pub delivery: Stage,
    /// The agent's message that led to it, or that nobody answered; it is quoted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<MessageId>,
    /// Of an agent at work: when it last said something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub silent_since: Option<Time>,
    /// Of a validation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stuck: Option<Box<Stuck>>,
}

/// The phase of a validation that could not go on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Stuck {
    pub phase: String,
    pub iterations: u32,
    /// When the phase began.
    pub since: Time,
    /// What was said since it was opened.
    pub arrived: Vec<MessageId>,
}

/// How an escalation ended. `option` is missing when the exchange went on by itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Closed {
    pub at: Time,
    pub option: Option<String>,
    pub by: Option<Name>,
}

/// Something that went wrong and that somebody may ask about later.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Incident {
    pub at: Time,
    pub kind: String,
    pub agent: Name,
    pub attempts: u32,
    pub delivery: Stage,
}

impl Incident {
    /// As it is shown: with the exchange that it happened in.
    pub fn shown(&self, exchange: ExchangeId) -> Value {
        json!({
            "at": self.at,
            "kind": self.kind,
            "agent": self.agent,
            "exchange": exchange,
            "attempts": self.attempts,
            "delivery": self.delivery,
        })
    }
}

/// Adds to a list that keeps only its newest entries.
pub(crate) fn keep<T>(list: &mut Vec<T>, entry: T) {
    if list.len() >= KEPT {
        list.remove(0);
    }
    list.push(entry);
}
