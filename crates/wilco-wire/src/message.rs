//! Messages on the wire.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// A message. `content` is what was sent; where a reader gets more, `delivered` is that, and in an
/// inbox `content` itself is the delivered form.
// `C` is the JSON of a content: whoever only passes it on need not parse it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Message {
    pub id: String,
    pub from: String,
    #[serde(rename = "fromVerified")]
    pub from_verified: bool,
    /// False when nobody of this name was known and somebody of nearly this name was; else it is missing.
    #[serde(rename = "fromKnown", default, skip_serializing_if = "Option::is_none")]
    pub from_known: Option<bool>,
    /// The operator who sent it in the sender's name.
    #[serde(rename = "sentBy", default, skip_serializing_if = "Option::is_none")]
    pub sent_by: Option<String>,
    pub to: String,
    pub subject: String,
    pub priority: String,
    pub content: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered: Option<Value>,
    pub in_reply_to: Option<String>,
    pub exchange: Option<String>,
    pub broadcast_id: Option<String>,
    pub timestamp: String,
    pub status: String,
    /// How far it got: `stored`, `nudged`, `injected`, `read`, `acknowledged` or `acted`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<String>,
    /// How its nudge stands: `pending`, `retrying`, `delivered` or `dead`; missing when nobody is nudged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nudge: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
    /// What Wilco added to the end of the delivered text, to say how to answer it. Only Wilco can set this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub teaching: Option<String>,
}

impl Message {
    /// The content as its recipient gets it.
    pub fn as_delivered(&self) -> &Value {
        self.delivered.as_ref().unwrap_or(&self.content)
    }
}

/// A message as it is sent. Without `from` the caller is meant, without `to` the exchange says to whom it goes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
pub struct NewMessage {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// A name, or a list of names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
    /// `low`, `normal`, `high` or `urgent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<String>,
    /// An object with a `type` and its fields; with a `message`, unless the type is a known one.
    pub content: Value,
}

/// How Wilco understood a message, and what followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Reading {
    pub exchange: Option<String>,
    pub rule: Option<String>,
    pub meaning: String,
    pub effect: String,
}

/// The answer to a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Posted {
    pub message: Message,
    /// All of them, when there were several recipients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<Vec<BroadcastCopy>>,
    pub exchange: Option<Summary>,
}

/// One of the messages that a broadcast became.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BroadcastCopy {
    pub id: String,
    pub to: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Summary {
    pub id: String,
    pub protocol: String,
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}
