//! What a handoff orders from the courier, and what comes back. All of it is repeatable: an order that
//! was carried out already is found done, by its content, by the marker with its handoff id, or by the
//! handoff id in the file.
//!
//! The order itself only says which; what it needs travels beside it, as one of the types in `order`.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::order::Publish;
use crate::time::Time;

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, IntoStaticStr)]
#[serde(tag = "do", rename_all = "kebab-case", rename_all_fields = "snake_case")]
#[strum(serialize_all = "kebab-case")]
pub enum Effect {
    /// Save the document, then publish it. Needs a `DocumentOrder`.
    /// `number`: which document of the exchange, from 1.
    PublishDocument { number: u32 },
    /// Change the state file. Needs a `StateFileOrder`.
    UpdateStateFile,
    /// Change assignees and labels, and comment. Needs an `IssuesOrder`.
    UpdateIssues,
    /// Append an entry to the audit file. Needs an `AuditEntry`.
    AppendAudit,
}

impl Effect {
    /// What is ordered, in a word.
    pub fn word(&self) -> &'static str {
        self.into()
    }

    /// What is reported when it failed for good.
    pub fn failed(&self, reason: String) -> Report {
        match self {
            Effect::PublishDocument { number } => Report::DocumentFailed { number: *number, reason },
            Effect::UpdateStateFile => Report::StateFileFailed { reason },
            Effect::UpdateIssues => Report::IssuesFailed { reason },
            Effect::AppendAudit => Report::AuditFailed { reason },
        }
    }
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "did", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Report {
    /// `name`: that of its file, which has a number behind it when another document has the ordered name.
    DocumentPublished {
        number: u32,
        name: String,
        published: Published,
    },
    /// It could not even be saved.
    DocumentFailed {
        number: u32,
        reason: String,
    },
    /// The file as it is now, for every task that was named.
    StateFileUpdated {
        tasks: Vec<TaskUpdate>,
    },
    /// It could not be read or written, and is as it was.
    StateFileFailed {
        reason: String,
    },
    IssuesUpdated {
        issues: Vec<IssueUpdate>,
        pulls: Vec<IssueUpdate>,
    },
    /// Nothing could be tried at all.
    IssuesFailed {
        reason: String,
    },
    AuditAppended,
    AuditFailed {
        reason: String,
    },
}

/// Where a document lies.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Published {
    pub url: String,
    pub bytes: u64,
    pub published_as: Publish,
    /// What was tried before, and why it failed.
    pub failures: Vec<String>,
    pub at: Time,
}

/// What became of one task in the state file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct TaskUpdate {
    /// As it was named in the order.
    pub task: String,
    pub updated: Updated,
    /// The issue that the file names for it.
    pub issue: Option<u64>,
    /// Its last known progress, in percent.
    pub progress: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Updated {
    /// It is assigned to the replacement now.
    Moved,
    /// The file does not know it.
    Absent,
    /// It is assigned to this agent, neither the failed one nor the replacement: left alone.
    Foreign { agent: String },
}

/// What became of one issue or pull request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IssueUpdate {
    pub number: u64,
    pub assignee_changed: bool,
    pub labels_changed: bool,
    /// The address of the audit comment.
    pub comment: Option<String>,
    /// Why it is not whole.
    pub failure: Option<String>,
}
