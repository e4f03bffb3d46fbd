//! Agents on the wire.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Agent {
    pub id: String,
    pub name: String,
    pub alias: Option<String>,
    #[serde(default)]
    pub session: String,
    pub host: Option<String>,
    pub program: Option<String>,
    pub role: String,
    pub capabilities: Vec<String>,
    pub nudge: Option<Value>,
    pub github: Option<String>,
    pub labels: BTreeMap<String, String>,
    /// What it is taught to answer by, if that was set: `text`, `cli`, `http`, `api` or `mcp`.
    #[serde(default)]
    pub speaks: Option<String>,
    /// How long what only informs is gathered for it, if that was set: `5m`.
    #[serde(default)]
    pub digest: Option<String>,
    /// `active`, `idle`, `offline`, `unresponsive`, `hibernated` or `inactive`.
    pub status: String,
    pub last_seen: Option<String>,
}

/// What may be said about an agent when it is registered.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AgentSpec {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alias: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nudge: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub github: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<BTreeMap<String, String>>,
    /// What it is taught to answer by; without it, what it spoke by last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speaks: Option<String>,
    /// What only informs (changes of status, progress) is gathered this long and told as one message: `5m`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
}

/// What a hook of the client that an agent works in says of its session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct HookCall {
    /// The client: `codex`.
    pub client: String,
    /// The client's own id of the session.
    pub session: String,
    /// `works`, `rests` when its turn is over, or `ends`.
    pub moment: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The tmux session that it runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tmux_session: Option<String>,
    /// A nudge that wakes the agent when it rests, unless a person set one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake: Option<Value>,
}
