//! Nudges on the wire.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// How the nudge of an agent stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Nudge {
    pub agent: String,
    pub kind: String,
    /// `idle`, `pending`, `retrying` or `dead`; `waiting` while the node that is to give it is gone.
    pub state: String,
    pub attempts: u32,
    pub next_attempt: Option<String>,
    pub reason: Option<String>,
    /// The node that gives it, where it can be given on one machine only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
}

/// What came of a nudge that somebody asked for to see whether it works.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct NudgeTest {
    pub agent: String,
    pub kind: String,
    pub delivered: bool,
    pub reason: Option<String>,
}
