//! What Wilco says in an operation, without the words: the language renders them.

use super::event::Why;
use super::state::Outcome;
use super::words::{Answer, Tone};
use crate::name::Name;
use crate::unread::UnreadWords;

/// To one agent unless the name says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Say {
    /// The handshake will begin later.
    Announcement,
    /// What will happen, and how to answer; the opening message, or again.
    Ask,
    Reminder {
        number: u32,
        total: u32,
        tone: Tone,
        /// It had no chance to answer before.
        grace: bool,
    },
    Extension,
    /// `proceeding`: none while that is not decided.
    Timeout {
        proceeding: Option<bool>,
    },
    /// It goes on; to the initiator, and with several agents to each.
    Authorized {
        because: Why,
    },
    /// It was performed.
    Performed {
        outcome: Outcome,
    },
    Cancelled {
        by: Name,
    },
    Aborted {
        because: Why,
        /// The agent that cancelled it.
        by: Option<Name>,
    },
    Notice(Notice),
    ToInitiator(ToInitiator),
    /// To the addressee of the open escalation; `again`: its reminder.
    Escalation {
        number: u32,
        again: bool,
    },
    /// To whoever said something that could not be read.
    NotUnderstood(UnreadWords),
}

/// A `protocol-notice` to an agent about its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// How its answer was read.
    Read { answer: Answer },
    /// It asked for more time, and there is none.
    NoMoreTime,
    /// It is decided already.
    TooLate { answer: Answer },
    /// It will be asked later.
    NotYetAsked,
}

/// A `protocol-notice` to the initiator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToInitiator {
    /// An agent did not answer in time.
    TimedOut {
        agent: Name,
        after_seconds: u64,
        proceeding: Option<bool>,
    },
    Excluded {
        agent: Name,
    },
    ResultDue,
    Executed {
        outcome: Outcome,
    },
}
