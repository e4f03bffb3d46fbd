//! Exchanges, their events and their escalations on the wire.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Exchange {
    pub id: String,
    pub protocol: String,
    pub state: String,
    pub outcome: Option<String>,
    pub initiator: String,
    pub participants: Vec<Participant>,
    pub subject: String,
    pub policy: Value,
    pub timers: Vec<Timer>,
    pub checklist: Vec<ChecklistItem>,
    pub created: String,
    pub updated: String,
    pub data: Value,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Participant {
    pub agent: String,
    pub role: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Timer {
    pub name: String,
    pub due: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ChecklistItem {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    pub item: String,
    pub done: Option<bool>,
    pub at: Option<String>,
    /// What shows it, or null; a list without sections has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub evidence: Option<Option<String>>,
}

/// One event of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Event {
    pub position: u64,
    pub exchange: Option<String>,
    pub seq: Option<u64>,
    #[serde(rename = "type")]
    pub kind: String,
    pub at: String,
    pub by: String,
    pub data: Value,
    pub hash: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Escalation {
    pub id: String,
    pub exchange: String,
    pub reason: String,
    pub text: String,
    pub evidence: Value,
    pub options: Vec<String>,
    pub addressee: String,
    pub opened: String,
    pub closed: Option<String>,
    /// What was decided, and by whom; null while it is open, or when it went on by itself.
    pub decision: Option<Value>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Incident {
    pub at: String,
    pub kind: String,
    pub agent: String,
    pub exchange: String,
    pub attempts: u32,
    pub delivery: String,
}

/// A row of the operation log: one agent's part in one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationRow {
    pub exchange: String,
    pub operation: String,
    pub kind: String,
    pub agent: String,
    pub acknowledgment_received: bool,
    pub timeout_occurred: bool,
    pub proceeded_anyway: bool,
    pub reminders_sent: u32,
    pub extended: bool,
    pub answered_at: Option<String>,
    pub result: Option<String>,
}

/// A row of the report on delegations: one task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelegationRow {
    pub exchange: String,
    pub task_id: String,
    pub title: String,
    pub initiator: String,
    pub assignee: String,
    pub state: String,
    pub outcome: Option<String>,
    pub attempt: u32,
    pub revision: u32,
    pub corrections: u32,
    pub incidents: u32,
    pub created: String,
    pub acknowledged_at: Option<String>,
    pub updated: String,
}

/// A row of the report on the judge: one ACK that it was asked about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgementRow {
    pub at: String,
    pub exchange: String,
    pub task_id: String,
    pub agent: String,
    pub judge: String,
    pub shadow: bool,
    pub initiator: Option<String>,
    /// Unknown until the initiator said something too.
    pub agree: Option<bool>,
}

/// A row of the report on validations: one loop.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ValidationRow {
    pub exchange: String,
    pub issue: String,
    pub feature: Option<String>,
    pub initiator: String,
    pub main_agent: String,
    pub status: String,
    pub outcome: Option<String>,
    /// Each with its status and how often it went round.
    pub phases: Vec<String>,
    pub iterations: u32,
    pub escalations: u32,
    /// The most frequent ones, and how often each came up.
    pub failures: Vec<FrequentFailure>,
    pub created: String,
    pub updated: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FrequentFailure {
    pub location: String,
    pub error: String,
    pub count: u32,
}

/// How agents were replaced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacements {
    pub total: u64,
    pub successful: u64,
    pub failed: u64,
    pub partial: u64,
    /// The newest first.
    pub recent: Vec<ReplacementRow>,
}

/// One replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplacementRow {
    pub timestamp: String,
    pub failed_agent: String,
    pub replacement_agent: String,
    pub outcome: String,
}
