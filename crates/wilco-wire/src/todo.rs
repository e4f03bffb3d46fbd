//! What waits for an agent, on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Everything that waits for an agent, most urgent first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct TodoList {
    pub items: Vec<TodoEntry>,
}

/// One thing that waits for an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TodoEntry {
    /// `acknowledge`, `question`, `review`, `escalation`, `operation`, `check`, `fix`, `handoff`, `stop` or `report`.
    pub kind: String,
    pub exchange: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
    /// Who asks.
    pub from: String,
    /// Until when, or null.
    pub due: Option<String>,
    pub asked: String,
    /// The command that answers it; what stands in capitals is to be filled in.
    pub answer: String,
}
