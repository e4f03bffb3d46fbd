//! What Wilco says in a delegation, without the words: the language renders them.

use super::event::Why;
use super::state::Outcome;
use super::words::Verdict;
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::Time;
use crate::unread::UnreadWords;

/// To the assignee unless the name says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Say {
    /// The task itself, again or to a new agent, with how to acknowledge it.
    Assignment {
        sole: bool,
        spell_out: bool,
    },
    /// Of a queued task: nothing blocks it any more.
    AckRequest,
    Correction {
        judged_by: Option<MessageId>,
    },
    Supplement {
        judged_by: Option<MessageId>,
    },
    /// The judge's own words.
    Judgement {
        verdict: Verdict,
        correction: Option<String>,
        missing: Vec<String>,
    },
    WhichCriterion,
    StatusCheck {
        other_tasks: Vec<String>,
    },
    /// The task is its own: its ACK was accepted, or none was asked for.
    BeginNow,
    Cancel {
        because: CancelReason,
    },
    Notice(Notice),
    /// To the initiator.
    ToInitiator(ToInitiator),
    /// To the addressee of the open escalation; `again`: its reminder.
    Escalation {
        number: u32,
        again: bool,
    },
    /// To whoever said something that could not be read.
    NotUnderstood(UnreadWords),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CancelReason {
    Reassigned,
    Superseded {
        by: ExchangeId,
    },
    GivenUp,
    NotYours,
    /// Somebody else is to take it over.
    HandedOver,
}

/// A `protocol-notice` to whoever sent something that moved nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    AckFirst,
    /// Somebody looks at its ACK: the task is not its own yet.
    UnderReview,
    AlreadyWorking,
    WhichRevision {
        current: u32,
    },
    StaleRevision {
        current: u32,
    },
    CheckpointBack {
        last: u32,
    },
    TooManyCheckpoints,
    NothingToConfirm {
        what: &'static str,
    },
    Paused,
    /// To the initiator: its verdict lacks what it needs.
    HalfVerdict {
        verdict: Verdict,
    },
    /// To the initiator: its verdicts contradict each other.
    UnclearVerdict,
    Ended {
        outcome: Outcome,
    },
    /// An earlier assignment of this task was cancelled: nobody else has it now.
    SoleAssignee,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToInitiator {
    Questions {
        vague: bool,
    },
    StillOpen {
        from: u32,
        count: u32,
    },
    ReviewAck,
    /// An understanding was accepted, and until then it may be objected to.
    MayObject {
        until: Time,
    },
    /// The judge took the understanding for right, so nobody was asked.
    AcceptedByJudge,
    ReviewEarlyWork,
    AmendNeeded,
    Reminder {
        of: Owed,
    },
    Blocked {
        tasks: Vec<String>,
    },
    Reassigned {
        from: Name,
        to: Name,
        because: Why,
    },
    WaitingForAgent,
    Completed,
    StopUnconfirmed,
    PauseUnconfirmed {
        resume: bool,
    },
    PauseOver,
    SameTaskElsewhere {
        exchange: ExchangeId,
    },
    EnrolledByWeakSign,
    FormerAgentSpoke {
        agent: Name,
    },
    /// The agent whose task is being handed over said something; kept, without effect.
    Evidence {
        agent: Name,
    },
    HandedOver {
        from: Name,
        to: Name,
    },
    /// Its amendment goes to whoever takes over.
    AmendedMeanwhile,
}

/// What the initiator owes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owed {
    Answers,
    Verdict,
    Amendment,
}
