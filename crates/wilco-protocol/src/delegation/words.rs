//! The words of a delegation: what an ACK may say, how it may be judged, what made a text a task.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::meaning::Meaning;

/// What an agent answers to an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum AckStatus {
    Received,
    NeedsClarification,
    Confirmed,
    Rejected,
    Queued,
}

impl AckStatus {
    /// Every status, in the order in which people are told of them.
    pub const ALL: [AckStatus; 5] = [
        AckStatus::Received,
        AckStatus::NeedsClarification,
        AckStatus::Rejected,
        AckStatus::Queued,
        AckStatus::Confirmed,
    ];

    /// The word in JSON: `needs-clarification`.
    pub fn word(self) -> &'static str {
        self.into()
    }

    pub fn meaning(self) -> Meaning {
        match self {
            AckStatus::Received => Meaning::Received,
            AckStatus::NeedsClarification => Meaning::NeedsClarification,
            AckStatus::Confirmed => Meaning::Confirmed,
            AckStatus::Rejected => Meaning::Rejected,
            AckStatus::Queued => Meaning::Queued,
        }
    }
}

/// How an understanding was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Verdict {
    Correct,
    WrongTask,
    WrongSummary,
    Partial,
}

impl Verdict {
    /// The word in JSON: `wrong-summary`.
    pub fn word(self) -> &'static str {
        self.into()
    }

    pub fn meaning(self) -> Meaning {
        match self {
            Verdict::Correct => Meaning::Correct,
            Verdict::WrongTask => Meaning::WrongTask,
            Verdict::WrongSummary => Meaning::WrongSummary,
            Verdict::Partial => Meaning::Partial,
        }
    }
}

/// The sign by which a plain text was taken for a task delegation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Sign {
    TaskHeading,
    AcceptanceCriteria,
    GitWorkflow,
    VerificationCommands,
    RequiredOutputFormat,
    Checklist,
    Placeholders,
}

impl Sign {
    /// The word in JSON: `task-heading`.
    pub fn word(self) -> &'static str {
        self.into()
    }
}
