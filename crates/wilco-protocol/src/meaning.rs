//! What a message was taken to mean: the word that is stored with it and shown to who asks how it was read.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// What a message means to its exchange, in the words of every protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Meaning {
    /// It belongs to no exchange.
    Conversation,

    // What begins an exchange.
    TaskAssignment,
    PreOperation,
    ReplacementRequest,
    ReplacementHandoff,
    ValidationStart,

    // In every protocol.
    Remark,
    Courtesy,
    Decision,

    // Delegation.
    Received,
    NeedsClarification,
    Confirmed,
    Rejected,
    Queued,
    Error,
    Checkpoint,
    Complete,
    StopConfirmed,
    PauseConfirmed,
    ResumeConfirmed,
    Answers,
    Correct,
    WrongTask,
    WrongSummary,
    Partial,
    UnfinishedVerdict,
    Contradiction,
    Amendment,
    Cancel,
    Pause,
    Resume,
    Extend,
    AssignedAgain,
    AckRequest,
    Progress,
    Doubtful,

    // Operation.
    Information,
    Ready,
    Wait,
    Result,
    Reminder,
    Timeout,
    Extension,

    // Handoff.
    #[serde(rename = "ready_to_proceed")]
    #[strum(serialize = "ready_to_proceed")]
    ReadyToProceed,
    #[serde(rename = "needs_clarification")]
    #[strum(serialize = "needs_clarification")]
    HandoffNeedsClarification,
    #[serde(rename = "environment_issue")]
    #[strum(serialize = "environment_issue")]
    EnvironmentIssue,
    MalformedAck,
    Override,

    // Validation.
    Pass,
    Fail,
    FixAcknowledgment,
    FixCompletion,
    CannotFix,
    Unreadable,
}

impl Meaning {
    /// The word that is stored and shown.
    pub fn word(self) -> &'static str {
        self.into()
    }
}
