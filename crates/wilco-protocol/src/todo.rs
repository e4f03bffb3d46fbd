//! What an exchange waits for from one agent, as values. Each protocol says it in its `describe.rs`; how it is asked
//! and answered in words is the language's.

use crate::time::Time;

/// One thing that waits for an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Todo {
    pub wanted: Wanted,
    /// Until when; none when no clock runs.
    pub due: Option<Time>,
}

/// What an agent is to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// Its ACK of a task.
    Acknowledgment,
    /// Answers to the questions about a task or a handoff.
    Answers,
    /// The wording of a task that could not be read.
    Amendment,
    /// What a replacement needs to set up its environment.
    Help,
    /// Its verdict on an understanding.
    Verdict,
    /// Its choice on the escalation of this number.
    Decision { escalation: u32 },
    /// Whether it is ready for an operation.
    Readiness,
    /// How an operation that it performs went.
    OperationResult,
    /// What came of the check in this phase of a validation.
    Check { phase: usize },
    /// The fix for this phase of a validation.
    Fix { phase: usize },
    /// Its ACK of a handoff.
    HandoffAcknowledgment,
    /// That it stopped.
    StopConfirmation,
    /// That it paused, or went on.
    PauseConfirmation { resume: bool },
    /// How far the work is that it began.
    Progress,
}

impl Wanted {
    pub fn due(self, due: impl Into<Option<Time>>) -> Todo {
        Todo { wanted: self, due: due.into() }
    }

    /// The word for it on the wire.
    pub fn kind(self) -> &'static str {
        match self {
            Wanted::Acknowledgment => "acknowledge",
            Wanted::Answers | Wanted::Amendment | Wanted::Help => "question",
            Wanted::Verdict => "review",
            Wanted::Decision { .. } => "escalation",
            Wanted::Readiness | Wanted::OperationResult => "operation",
            Wanted::Check { .. } => "check",
            Wanted::Fix { .. } => "fix",
            Wanted::HandoffAcknowledgment => "handoff",
            Wanted::StopConfirmation | Wanted::PauseConfirmation { .. } => "stop",
            Wanted::Progress => "report",
        }
    }
}
