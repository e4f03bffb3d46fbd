//! What the courier needs to carry out a handoff's orders, as it travels beside them in JSON. Texts in
//! here were rendered by the language.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use strum::{EnumString, IntoStaticStr, VariantNames};

use crate::time::Time;

/// How a document reaches its reader.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    IntoStaticStr,
    EnumString,
    VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Publish {
    /// Served by Wilco itself.
    Local,
    GithubIssue,
    GithubGist,
}

impl Publish {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// With `Effect::PublishDocument`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentOrder {
    pub handoff_id: String,
    /// Its file name, without a folder.
    pub name: String,
    pub body: Body,
    pub publish: Publish,
    /// Where it is commented on.
    pub issue: Option<u64>,
    /// What a gist says it is.
    pub description: String,
    /// Where Wilco serves it.
    pub local_url: String,
    pub at: Time,
}

/// What stands in a document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Body {
    /// Byte for byte.
    Given(String),
    /// Variables for the template: `handoff_id`, `failed_agent{id, session}`, `replacement_agent{id, session}`,
    /// `orchestrator`, `controller`, `reason`, `urgency`, `ack_required_within`, `created`, `starting_from` (or null),
    /// `tasks[{task_id, task_uuid, exchange, title, description, initiator, state, acceptance_criteria[],
    /// checkpoint (the last, or null), checkpoints[{checkpoint, name, status, summary, at}], questions[] (open),
    /// answers[] (texts)}]` (a task that only the state file knows has its `task_uuid` and nulls),
    /// `issues[]`, `pulls[]` (numbers), `links[]`, `history[{at, by, text}]`,
    /// `messages[{at, from, to, subject, text}]`, `first_step`, `acknowledge` (Markdown).
    Template(Value),
}

/// An agent as the state file and the audit name it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Party {
    pub id: String,
    pub session: String,
    /// Its login at GitHub.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub github: Option<String>,
}

/// With `Effect::UpdateStateFile`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StateFileOrder {
    Replace(Box<Replacement>),
    Repeat(Repetition),
}

/// Assignments move to the replacement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacement {
    pub failed: Party,
    pub replacement: Party,
    pub reason: String,
    pub at: Time,
    pub handoff_id: String,
    pub handoff_url: String,
    /// The `task_uuid`s to move.
    pub tasks: Vec<String>,
    /// `replacement_info.replacement_status`, after an override.
    pub replacement_status: Option<String>,
    /// For `progress.notes`.
    pub note: String,
}

/// The replacement said in its own words what a task is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repetition {
    pub task: String,
    /// How often by now.
    pub attempts: u32,
    pub at: Time,
    pub verified: bool,
}

/// With `Effect::UpdateIssues`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct IssuesOrder {
    pub handoff_id: String,
    pub issues: Vec<u64>,
    pub pulls: Vec<u64>,
    pub failed: Party,
    pub replacement: Party,
    /// The audit comment; the marker with the handoff id is added to it.
    pub comment: String,
    /// When it was ordered: a while after that it is tried no more.
    #[serde(default)]
    pub at: Option<Time>,
}

/// With `Effect::AppendAudit`: the entry as it stands in the file, its fields in this order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    pub timestamp: Time,
    /// `agent_replacement`.
    pub event: String,
    pub orchestrator: String,
    pub ecos_notification: AuditNotification,
    pub failed_agent: AuditFailed,
    pub replacement_agent: Party,
    pub handoff: AuditDocument,
    pub github: AuditGithub,
    pub ack: AuditAck,
    pub ecos_confirmation: AuditConfirmation,
    pub total_duration: String,
    /// `success`, `partial` or `failed`.
    pub outcome: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditNotification {
    pub received_at: Time,
    pub notification_id: String,
    pub urgency: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditFailed {
    pub id: String,
    pub session: String,
    pub reason: String,
    pub tasks_assigned: Vec<String>,
    pub last_known_progress: Option<Progress>,
}

/// How far somebody got.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Progress {
    Percent(u32),
    /// The checkpoint that was reached, where nobody said how many there are.
    Checkpoint(String),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditDocument {
    pub id: String,
    pub url: Option<String>,
    pub generated_at: Option<Time>,
    pub size_bytes: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditGithub {
    pub issues_updated: Vec<String>,
    pub labels_changed: Vec<String>,
    pub comments_added: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditAck {
    pub received_at: Option<Time>,
    pub status: Option<String>,
    pub understanding_verified: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditConfirmation {
    pub sent_at: Time,
    pub status: String,
}
