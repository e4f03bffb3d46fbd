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

impl TodoEntry {
    /// The tool of MCP that answers something of this kind.
    pub fn tool(kind: &str) -> &'static str {
        match kind {
            "acknowledge" => "acknowledge_task",
            "review" => "give_verdict",
            "escalation" => "decide",
            "operation" => "answer_operation",
            "check" | "fix" => "report_validation",
            "handoff" => "acknowledge_handoff",
            "report" => "checkpoint or complete_task",
            _ => "send_message",
        }
    }

    /// The same, if it is among the tools that agents have who work for others.
    pub fn agents_tool(&self) -> Option<&'static str> {
        Some(TodoEntry::tool(&self.kind)).filter(|tool| !matches!(*tool, "give_verdict" | "decide"))
    }
}
