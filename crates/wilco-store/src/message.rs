//! A message as it is kept: the original, and the delivered form where it differs.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use wilco_protocol::{ExchangeId, MessageId, Name, Time};

/// Immutable once accepted. One recipient each: a message to several is several.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Message {
    pub id: MessageId,
    pub from: Name,
    pub from_verified: bool,
    pub to: Name,
    pub subject: String,
    pub priority: Priority,
    /// As it was sent, to the byte.
    pub content: Box<RawValue>,
    /// The content as its reader gets it, where Wilco added something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivered: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_reply_to: Option<MessageId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exchange: Option<ExchangeId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub broadcast_id: Option<String>,
    pub timestamp: Time,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reading: Option<Reading>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Priority {
    Low,
    #[default]
    Normal,
    High,
    Urgent,
}

/// How Wilco understood a message, and what followed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    pub exchange: Option<ExchangeId>,
    /// The rule by which it was taken to belong to the exchange.
    pub rule: Option<String>,
    pub meaning: String,
    pub effect: String,
}

impl Message {
    /// The content as its reader gets it.
    pub fn delivered(&self) -> &RawValue {
        self.delivered.as_deref().unwrap_or(&self.content)
    }
}
