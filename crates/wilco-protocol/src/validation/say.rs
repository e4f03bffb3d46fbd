//! What Wilco says in a validation, without the words: the language renders them.
//!
//! `phase` is always the place of the phase in the list. What is said is rendered when everything that was decided
//! with it has been folded: the state knows the iteration, the results and the fixes.

use strum::IntoStaticStr;

use super::words::{Duty, Relief, Status, Trouble};
use crate::name::{MessageId, Name};
use crate::time::{Span, Time};
use crate::unread::UnreadWords;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Say {
    /// `validation-request` to the specialist; `again`: it was sent before.
    Request {
        phase: usize,
        again: bool,
    },
    /// `revalidation-trigger` to the specialist.
    Trigger {
        phase: usize,
        again: bool,
    },
    /// `failure-report` to the main agent.
    FailureReport {
        phase: usize,
    },
    /// `fix-request` to the main agent.
    FixRequest {
        phase: usize,
        again: bool,
    },
    /// `success-notification` to the main agent. `next`: the phases that begin now.
    Success {
        phase: usize,
        took: Span,
        next: Vec<usize>,
    },
    /// `timeout-reminder` to whoever is awaited.
    Reminder {
        phase: usize,
        duty: Duty,
        since: Time,
        timeout: Span,
        grace: Span,
    },
    /// `error-notification` to the initiator.
    Error {
        phase: usize,
        duty: Duty,
        trouble: Trouble,
        agent: Name,
        since: Time,
        /// What the trouble came with, if a message.
        message: Option<MessageId>,
        relief: Relief,
    },
    /// `error-notification` with the expected form to whoever wrote what cannot be read.
    Unreadable {
        phase: usize,
        duty: Duty,
    },
    /// `status-change` to a watcher; no phase: the whole loop.
    Change {
        phase: Option<usize>,
        before: Status,
        after: Status,
        because: Cause,
    },
    Notice(Notice),
    /// To the initiator; `again`: its reminder.
    Escalation {
        number: u32,
        again: bool,
    },
    /// To whoever said something that could not be read.
    NotUnderstood(UnreadWords),
}

/// A `protocol-notice` about a message that changed nothing, or to somebody who need not go on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// Its id names another iteration than the current one.
    OtherIteration { phase: usize, named: u32, current: u32 },
    /// Its id is of another loop.
    OtherLoop,
    /// Nothing of the kind is awaited of the sender now.
    OutOfTurn { phase: Option<usize> },
    /// Several phases wait for it, and it names none of them.
    WhichPhase { phases: Vec<usize> },
    /// The phase waits for a decision: kept as evidence.
    Paused { phase: usize },
    /// The loop has ended.
    Over,
    /// The phase is not waited for any more: somebody decided otherwise.
    NotNeeded { phase: usize },
}

/// Why a status changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum Cause {
    Requested,
    Passed,
    Failed,
    FixRequested,
    Acknowledged,
    Fixed,
    Escalated,
    Decided,
    Finished,
}

impl Cause {
    pub fn word(self) -> &'static str {
        self.into()
    }
}
