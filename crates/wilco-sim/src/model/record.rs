//! The journal as the model reads it: only what it needs, and not by the product's own types.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use wilco_protocol::{ExchangeId, MessageId, Name, Span, Time};

#[derive(Deserialize)]
pub(super) struct Record<'a> {
    pub(super) exchange: Option<ExchangeId>,
    pub(super) seq: Option<u64>,
    #[serde(borrow, rename = "type")]
    pub(super) kind: Cow<'a, str>,
    pub(super) at: Time,
    pub(super) by: Name,
    #[serde(borrow)]
    pub(super) data: &'a RawValue,
}

/// What an event of an exchange may say, all kinds together.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Particulars {
    pub(super) until: Option<Time>,
    pub(super) check: Option<Time>,
    pub(super) stop: Option<Time>,
    pub(super) judging: Option<Time>,
    pub(super) remind_at: Option<Time>,
    pub(super) expected_duration: Option<Span>,
    pub(super) to: Option<Name>,
    pub(super) because: String,
    pub(super) requires_ack: bool,
    /// The handoff that holds or moves it; of other events, whoever decided.
    #[serde(deserialize_with = "exchange")]
    pub(super) by: Option<ExchangeId>,
    pub(super) outcome: String,
    pub(super) escalation: Escalation,
}

/// An exchange; the name of somebody is none.
fn exchange<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ExchangeId>, D::Error> {
    let text = Option::<Cow<'de, str>>::deserialize(deserializer)?;
    Ok(text.and_then(|text| text.parse().ok()))
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Escalation {
    pub(super) remind_at: Option<Time>,
    pub(super) reason: String,
}

#[derive(Deserialize)]
pub(super) struct Assigned {
    pub(super) task_id: String,
    pub(super) task_uuid: String,
    pub(super) initiator: Name,
    pub(super) assignee: Name,
    pub(super) requires_ack: bool,
    pub(super) policy: Policy,
    pub(super) until: Option<Time>,
}

#[derive(Deserialize)]
pub(super) struct Policy {
    pub(super) ack_timeout: Span,
    pub(super) checkpoint_timeout: Option<Span>,
}

#[derive(Deserialize)]
pub(super) struct Accepted {
    pub(super) id: MessageId,
    pub(super) inboxes: Vec<Name>,
    pub(super) kind: String,
}

#[derive(Deserialize)]
pub(super) struct Marked {
    pub(super) id: MessageId,
    pub(super) agent: Name,
}

/// An acknowledgement, by the message that it stands in.
#[derive(Deserialize)]
pub(super) struct Acknowledged {
    pub(super) ack: MessageId,
}

/// A stored message, without its words.
#[derive(Deserialize)]
pub(super) struct Message<'a> {
    pub(super) id: MessageId,
    pub(super) from: Name,
    pub(super) to: Name,
    #[serde(default)]
    pub(super) exchange: Option<ExchangeId>,
    #[serde(borrow, default)]
    pub(super) broadcast_id: Option<Cow<'a, str>>,
    pub(super) timestamp: Time,
    #[serde(borrow, default)]
    pub(super) reading: Option<Reading<'a>>,
    #[serde(borrow)]
    pub(super) content: &'a RawValue,
}

#[derive(Deserialize)]
pub(super) struct Reading<'a> {
    pub(super) exchange: Option<ExchangeId>,
    #[serde(borrow)]
    pub(super) meaning: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) effect: Cow<'a, str>,
}

/// Whether a content brings a document.
#[derive(Deserialize)]
pub(super) struct Documented {
    pub(super) document: Option<String>,
}

/// The two ends of a handoff, as its first event names them.
#[derive(Deserialize)]
pub(super) struct Parties {
    pub(super) given_url: Option<String>,
    pub(super) failed: Option<Party>,
    pub(super) replacement: Party,
}

#[derive(Deserialize)]
pub(super) struct Party {
    pub(super) id: Name,
}

/// An order to the courier, and which exchange it is for.
#[derive(Deserialize)]
pub(super) struct Ordered {
    pub(super) effect: OrderedBy,
}

#[derive(Deserialize)]
pub(super) struct OrderedBy {
    pub(super) exchange: ExchangeId,
}
