//! What happened to a handoff, in the past tense. Events carry the instants that were computed, so that
//! folding them needs neither policy nor clock.

use serde::{Deserialize, Serialize};

use super::effect::{IssueUpdate, TaskUpdate};
use super::order::{Party, Progress};
use super::policy::Policy;
use super::state::{AckSeen, Document, Failure, StartingFrom, Task};
use super::words::{Code, Outcome, Urgency};
use crate::delegation::Understanding;
use crate::escalation::{Escalation, Incident};
use crate::judgement::JudgeRecord;
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::Time;
use crate::unread::UnreadWords;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Event {
    /// Always the first; carries the policy.
    Requested(Box<Requested>),
    DocumentOrdered {
        number: u32,
        name: String,
    },
    DocumentPublished {
        document: Document,
    },
    DocumentFailed {
        number: u32,
        reason: String,
    },
    /// The replacement was handed the work.
    Delivered {
        until: Time,
    },
    /// By Wilco, or by the initiator itself.
    Reminded {
        number: u32,
        until: Time,
        by_initiator: bool,
    },
    /// The server was down when the last step was due: one more request, a little more time.
    GraceGiven {
        until: Time,
    },
    Acknowledged {
        ack: AckSeen,
    },
    /// An ACK was asked for again. `wrong`: it counts as a wrong one; `malformed`: it could not be read.
    AckRequested {
        until: Option<Time>,
        wrong: bool,
        malformed: bool,
    },
    /// The understanding was scored or judged. `unseen`: the policy accepts any, so nobody compared it.
    Judged {
        understanding: Understanding,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unseen: bool,
        /// What the judge said, when one was asked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        judge: Option<Box<JudgeRecord>>,
    },
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
    /// `until`: none while somebody is asked to decide.
    Corrected {
        understanding: bool,
        starting_from: bool,
        until: Option<Time>,
    },
    Asked {
        message: MessageId,
        count: u32,
        until: Time,
    },
    /// The answers come with a document, which is being written.
    /// `answered`: how many questions they answer.
    AnswersKept {
        message: MessageId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answered: Option<u32>,
    },
    /// `answered`: how many more questions have their answer now; none: all.
    Clarified {
        message: MessageId,
        until: Option<Time>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        answered: Option<u32>,
    },
    Blocked {
        until: Time,
    },
    /// The initiator was reminded of what it owes.
    InitiatorReminded {
        until: Time,
    },
    /// The ACK was verified.
    Accepted,
    Overridden {
        by: Name,
        message: MessageId,
    },
    /// Somebody else is asked.
    ReplacementChanged {
        replacement: Party,
        handoff_id: String,
        because: Why,
    },
    /// Delivery begins again with the same agent.
    Retried,
    StateFileOrdered,
    StateFileUpdated {
        tasks: Vec<TaskUpdate>,
    },
    StateFileFailed {
        reason: String,
    },
    /// The delegations and the registry moved.
    Moved {
        failures: Vec<(String, Failure)>,
    },
    IssuesOrdered,
    IssuesUpdated {
        issues: Vec<IssueUpdate>,
        pulls: Vec<IssueUpdate>,
        failures: Vec<(String, Failure)>,
    },
    IssuesFailed {
        reason: String,
        failures: Vec<(String, Failure)>,
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
    Ended {
        outcome: Outcome,
        code: Option<Code>,
    },
    AuditAppended,
    AuditFailed {
        reason: String,
    },
    /// Something was said that could not be read.
    NotUnderstood(UnreadWords),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Requested {
    pub id: ExchangeId,
    pub initiator: Name,
    /// Is told how it went, and decides.
    pub controller: Name,
    /// Stand in for a controller that nobody knows.
    pub operators: Name,
    /// The request, or the message that handed over by itself.
    pub opening: MessageId,
    /// It handed over by itself: the address it gave.
    pub given_url: Option<String>,
    /// The request brought its own document.
    pub own_document: bool,
    pub notification_id: String,
    pub failed: Option<Party>,
    pub urgency: Urgency,
    pub policy: Policy,
    pub tasks: Vec<Task>,
    pub issues: Vec<u64>,
    pub pulls: Vec<u64>,
    pub candidates: Vec<Name>,
    /// The documented checkpoint.
    pub starting_from: Option<StartingFrom>,
    /// How far the failed agent got, as far as Wilco knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
    /// Whether there are a state file and issues to change.
    pub state_file: bool,
    pub github: bool,
    /// Only its tasks move: the failed agent stays what it is, and its other tasks with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_failed: bool,
    pub handoff_id: String,
    pub replacement: Party,
}

/// Why somebody else is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    Rejected,
    Decision,
}
