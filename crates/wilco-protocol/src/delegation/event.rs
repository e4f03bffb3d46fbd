//! What happened to a delegation, in the past tense. Events carry the instants that were computed, so
//! that folding them needs neither policy nor clock.

use serde::{Deserialize, Serialize};

use super::policy::Policy;
use super::state::{Checkpoint, Outcome, Understanding};
use super::words::{AckStatus, Sign, Verdict};
use crate::escalation::{Escalation, Incident};
use crate::judgement::JudgeRecord;
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::{Span, Time};
use crate::unread::UnreadWords;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Event {
    /// Always the first; carries the policy.
    Assigned(Box<Assigned>),
    /// An attempt timed out; the next begins at `until`.
    BackedOff {
        until: Time,
    },
    /// The agent was asked for its ACK again.
    AckRequested {
        attempt: u32,
        until: Time,
    },
    /// The task was sent to the same agent again.
    /// `until`, here and below: as in `Assigned`.
    Resent {
        because: Resend,
        attempt: u32,
        until: Option<Time>,
    },
    /// The server was down when the last step was due: one more request, a little more time.
    GraceGiven {
        until: Time,
    },
    Acknowledged {
        ack: MessageId,
        status: AckStatus,
        in_time: bool,
    },
    /// The understanding was scored or judged.
    Judged {
        understanding: Understanding,
        /// What the judge said, when one was asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        judge: Option<Box<JudgeRecord>>,
    },
    /// The initiator, or first the judge until `judging`, is to give a verdict.
    ReviewAwaited {
        until: Time,
        judging: Option<Time>,
        /// What the initiator is told of the judge that could not settle it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    JudgeFailed {
        reason: String,
    },
    /// The agent was corrected and owes a new ACK.
    Corrected {
        verdict: Verdict,
        until: Option<Time>,
    },
    /// The agent asked; the initiator owes answers.
    Asked {
        message: MessageId,
        count: u32,
        until: Time,
    },
    /// Vague questions went back. `until` is none where nothing else changes: who works goes on.
    SpecificsAsked {
        until: Option<Time>,
    },
    Answered {
        message: MessageId,
        count: u32,
    },
    /// All questions are answered: the agent owes an ACK again.
    Clarified {
        until: Option<Time>,
    },
    Queued {
        until: Time,
    },
    /// `behind`: the exchanges that the agent was found to do first.
    QueueChecked {
        checks: u8,
        until: Time,
        behind: Vec<ExchangeId>,
    },
    /// The agent could not take the task now.
    Waiting {
        because: Resend,
        until: Time,
    },
    Returned {
        until: Time,
    },
    /// The initiator was reminded.
    Reminded {
        until: Time,
    },
    /// An understanding was accepted: the task is assigned. `objection`: until when its initiator may object.
    Accepted {
        check: Option<Time>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        objection: Option<Time>,
    },
    /// An ACK announced checkpoints.
    CheckpointsPlanned {
        planned: Vec<Checkpoint>,
    },
    /// `complete`: the work is said to be done.
    EarlyWorkShown {
        message: MessageId,
        until: Option<Time>,
        #[serde(default)]
        complete: bool,
    },
    CheckpointReached {
        checkpoint: Checkpoint,
        check: Option<Time>,
    },
    CheckpointMissed {
        checks: u8,
        check: Time,
    },
    /// The agent at work said something: its time without word begins anew.
    Heard {
        check: Time,
        #[serde(default)]
        message: Option<MessageId>,
    },
    Reassigned {
        to: Name,
        because: Why,
        until: Option<Time>,
    },
    CandidatesAdded {
        agents: Vec<Name>,
    },
    Amended {
        message: MessageId,
        revision: u32,
        until: Option<Time>,
    },
    PauseRequested {
        until: Time,
        expected_duration: Option<Span>,
    },
    ResumeRequested {
        until: Time,
    },
    Unconfirmed,
    Paused {
        until: Option<Time>,
        #[serde(default)]
        again: Option<Span>,
    },
    PauseReminded {
        until: Time,
    },
    Resumed {
        check: Option<Time>,
    },
    Extended {
        until: Time,
    },
    Escalated {
        escalation: Escalation,
    },
    EscalationReminded {
        remind_at: Time,
    },
    /// Somebody decided, or the exchange went on by itself.
    EscalationClosed {
        option: Option<String>,
        by: Option<Name>,
    },
    Recorded {
        incident: Incident,
    },
    StopConfirmed,
    StopUnconfirmed,
    Ended {
        outcome: Outcome,
        stop: Option<Time>,
    },
    /// It is to be handed over: its time stands still.
    Held {
        by: ExchangeId,
        initiator: Name,
    },
    /// The replacement has it now.
    HandedOver {
        to: Name,
        by: ExchangeId,
        state_file: bool,
        until: Option<Time>,
        /// From now on an ACK is asked for, whatever the task said before.
        #[serde(default)]
        requires_ack: bool,
    },
    /// Nobody took it over.
    Released,
    /// It ended because its initiator assigned the task anew.
    Superseded {
        by: ExchangeId,
    },
    /// Something was said that could not be read.
    NotUnderstood(UnreadWords),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assigned {
    pub id: ExchangeId,
    pub task_id: String,
    pub task_uuid: String,
    pub sign: Option<Sign>,
    pub title: String,
    pub initiator: Name,
    pub assignee: Name,
    pub assignment: MessageId,
    pub requires_ack: bool,
    pub candidates: Vec<Name>,
    pub capabilities: Vec<String>,
    pub policy: Policy,
    /// The ACK deadline; with `requires_ack: false` the first checkpoint's, if any.
    pub until: Option<Time>,
}

/// Why a task goes to the same agent once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resend {
    Busy,
    Network,
    /// The initiator sent the same assignment again.
    Again,
    /// By decision.
    Retry,
}

/// Why a task went to another agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    Unresponsive,
    Rejected,
    Busy,
    CapabilityMismatch,
    ShuttingDown,
    NetworkError,
    Decision,
}
