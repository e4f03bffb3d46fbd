//! The words of a handoff: how soon it is needed, what an ACK may say, how it may end.

use serde::{Deserialize, Serialize};

use crate::time::Span;

/// How soon the replacement is needed. Sets priority and timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Urgency {
    #[default]
    Immediate,
    Prepare,
    WhenAvailable,
}

impl Urgency {
    pub const ALL: [Urgency; 3] = [Urgency::Immediate, Urgency::Prepare, Urgency::WhenAvailable];

    pub fn word(self) -> &'static str {
        match self {
            Urgency::Immediate => "immediate",
            Urgency::Prepare => "prepare",
            Urgency::WhenAvailable => "when_available",
        }
    }

    /// How long the first answer may take, unless the policy says.
    pub fn timeout(self) -> Span {
        match self {
            Urgency::Immediate => Span::minutes(5),
            Urgency::Prepare => Span::minutes(15),
            Urgency::WhenAvailable => Span::minutes(30),
        }
    }

    /// The priority of the message that hands over.
    pub fn priority(self) -> &'static str {
        match self {
            Urgency::Immediate => "urgent",
            Urgency::Prepare => "high",
            Urgency::WhenAvailable => "normal",
        }
    }
}

/// What a replacement answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AckStatus {
    ReadyToProceed,
    NeedsClarification,
    EnvironmentIssue,
    Rejected,
}

impl AckStatus {
    pub const ALL: [AckStatus; 4] = [
        AckStatus::ReadyToProceed,
        AckStatus::NeedsClarification,
        AckStatus::EnvironmentIssue,
        AckStatus::Rejected,
    ];

    pub fn word(self) -> &'static str {
        match self {
            AckStatus::ReadyToProceed => "ready_to_proceed",
            AckStatus::NeedsClarification => "needs_clarification",
            AckStatus::EnvironmentIssue => "environment_issue",
            AckStatus::Rejected => "rejected",
        }
    }
}

/// How a handoff ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Complete,
    Partial,
    Failed,
}

impl Outcome {
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Complete => "complete",
            Outcome::Partial => "partial",
            Outcome::Failed => "failed",
        }
    }

    /// The word in a confirmation and in the audit.
    pub fn status(self) -> &'static str {
        match self {
            Outcome::Complete => "success",
            Outcome::Partial | Outcome::Failed => self.word(),
        }
    }
}

/// Why a handoff failed as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    NoAckReceived,
    UnderstandingNotVerified,
    ReplacementRejected,
    NoClarification,
    NoVerdict,
    EnvironmentIssue,
    DocumentNotWritten,
    /// Every task failed.
    TasksNotMoved,
    Aborted,
}

impl Code {
    pub fn word(self) -> &'static str {
        match self {
            Code::NoAckReceived => "NO_ACK_RECEIVED",
            Code::UnderstandingNotVerified => "UNDERSTANDING_NOT_VERIFIED",
            Code::ReplacementRejected => "REPLACEMENT_REJECTED",
            Code::NoClarification => "NO_CLARIFICATION",
            Code::NoVerdict => "NO_VERDICT",
            Code::EnvironmentIssue => "ENVIRONMENT_ISSUE",
            Code::DocumentNotWritten => "DOCUMENT_NOT_WRITTEN",
            Code::TasksNotMoved => "TASKS_NOT_MOVED",
            Code::Aborted => "ABORTED",
        }
    }
}
