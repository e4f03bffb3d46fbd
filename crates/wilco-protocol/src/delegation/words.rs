//! The words of a delegation: what an ACK may say, how it may be judged, what made a text a task.

use serde::{Deserialize, Serialize};

/// What an agent answers to an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
        match self {
            AckStatus::Received => "received",
            AckStatus::NeedsClarification => "needs-clarification",
            AckStatus::Confirmed => "confirmed",
            AckStatus::Rejected => "rejected",
            AckStatus::Queued => "queued",
        }
    }
}

/// How an understanding was judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Correct,
    WrongTask,
    WrongSummary,
    Partial,
}

impl Verdict {
    /// The word in JSON: `wrong-summary`.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Correct => "correct",
            Verdict::WrongTask => "wrong-task",
            Verdict::WrongSummary => "wrong-summary",
            Verdict::Partial => "partial",
        }
    }
}

/// The sign by which a plain text was taken for a task delegation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
        match self {
            Sign::TaskHeading => "task-heading",
            Sign::AcceptanceCriteria => "acceptance-criteria",
            Sign::GitWorkflow => "git-workflow",
            Sign::VerificationCommands => "verification-commands",
            Sign::RequiredOutputFormat => "required-output-format",
            Sign::Checklist => "checklist",
            Sign::Placeholders => "placeholders",
        }
    }
}
