//! What Wilco says in a handoff, without the words: the language renders them.

use crate::name::{MessageId, Name};
use crate::unread::UnreadWords;

/// To the replacement unless the name says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Say {
    /// The work, with how to acknowledge it.
    Handoff,
    /// `grace`: it had no chance to answer before.
    Reminder {
        number: u32,
        grace: bool,
    },
    /// What was wrong: its understanding, where it begins. `judged_by`: the initiator's verdict.
    Correction {
        understanding: bool,
        starting_from: bool,
        judged_by: Option<MessageId>,
    },
    /// The judge's own words.
    Judgement {
        correction: Option<String>,
        missing: Vec<String>,
    },
    /// The initiator's answers. `updated`: there is a new document.
    Clarification {
        message: MessageId,
        updated: bool,
    },
    /// To the failed agent, about what Wilco has no delegation of.
    Cancel {
        tasks: Vec<String>,
    },
    Notice(Notice),
    /// To the initiator.
    ToInitiator(ToInitiator),
    /// To the controller.
    Confirmation,
    /// To the addressee of the open escalation; `again`: its reminder.
    Escalation {
        number: u32,
        again: bool,
    },
    /// To whoever said something that could not be read.
    NotUnderstood(UnreadWords),
}

/// A `protocol-notice` to whoever sent something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The ACK names another handoff.
    WrongId,
    Malformed,
    /// Its ACK was verified: it begins.
    Begin,
    /// Somebody else has the work now.
    Superseded,
    /// To the initiator: its verdict cannot be used.
    UnclearVerdict,
    Ended,
}

/// A `protocol-notice` to the initiator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToInitiator {
    /// The failed agent has nothing open that could be handed over.
    NoTasks,
    /// The document could not be written: why, and the escalation that settles it. None: answers went without it.
    NoDocument {
        reason: String,
        escalation: Option<u32>,
    },
    Questions,
    ReviewAck,
    /// The second answer that could not be read.
    ReviewMalformed,
    Blocked,
    Reminder {
        of: Owed,
    },
    ReplacementChanged {
        from: Name,
        to: Name,
    },
    Ended,
}

/// What the initiator owes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owed {
    Answers,
    Verdict,
    Help,
}
