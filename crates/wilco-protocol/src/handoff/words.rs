//! The words of a handoff: how soon it is needed, what an ACK may say, how it may end.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::meaning::Meaning;
use crate::time::Span;

/// How soon the replacement is needed. Sets priority and timeout.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Urgency {
    #[default]
    Immediate,
    Prepare,
    WhenAvailable,
}

impl Urgency {
    pub const ALL: [Urgency; 3] = [Urgency::Immediate, Urgency::Prepare, Urgency::WhenAvailable];

    pub fn word(self) -> &'static str {
        self.into()
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
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
        self.into()
    }

    pub fn meaning(self) -> Meaning {
        match self {
            AckStatus::ReadyToProceed => Meaning::ReadyToProceed,
            AckStatus::NeedsClarification => Meaning::HandoffNeedsClarification,
            AckStatus::EnvironmentIssue => Meaning::EnvironmentIssue,
            AckStatus::Rejected => Meaning::Rejected,
        }
    }
}

/// How a handoff ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Outcome {
    Complete,
    Partial,
    Failed,
}

impl Outcome {
    pub fn word(self) -> &'static str {
        self.into()
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
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
        self.into()
    }
}
