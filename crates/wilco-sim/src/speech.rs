//! What somebody says, as the JSON text that arrives at the door; and letters, as their reader sees them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol};

/// A message to be sent. The content is what the protocol reads; the rest says where it belongs.
#[derive(Debug, Clone)]
pub(crate) struct Speech {
    pub(crate) from: Name,
    pub(crate) to: Vec<Name>,
    pub(crate) exchange: Option<ExchangeId>,
    pub(crate) in_reply_to: Option<MessageId>,
    pub(crate) content: Value,
}

impl Speech {
    /// The request body. The mark stands in the stored message too, and tells it from all others.
    pub(crate) fn body(&self, mark: &str, id: Option<&str>) -> String {
        let to = match self.to.as_slice() {
            [] => None,
            [one] => Some(To::One(one)),
            several => Some(To::Several(several)),
        };
        let (exchange, in_reply_to) = (self.exchange, self.in_reply_to.as_ref());
        let (from, content) = (&self.from, &self.content);
        let body = Body { from, broadcast_id: mark, content, to, exchange, in_reply_to, id };
        serde_json::to_string(&body).unwrap_or_default()
    }

    /// How many copies of it are stored.
    pub(crate) fn copies(&self) -> usize {
        self.to.len().max(1)
    }

    pub(crate) fn kind(&self) -> &str {
        self.content.get("type").and_then(Value::as_str).unwrap_or("text")
    }
}

#[derive(Serialize)]
struct Body<'a> {
    from: &'a Name,
    broadcast_id: &'a str,
    content: &'a Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    to: Option<To<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exchange: Option<ExchangeId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_reply_to: Option<&'a MessageId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum To<'a> {
    One(&'a Name),
    Several(&'a [Name]),
}

/// A message in somebody's inbox.
#[derive(Debug)]
pub(crate) struct SimMessage<'a> {
    pub(crate) id: MessageId,
    pub(crate) from: Name,
    pub(crate) exchange: Option<ExchangeId>,
    pub(crate) kind: Cow<'a, str>,
    pub(crate) reason: Cow<'a, str>,
    pub(crate) task_id: Cow<'a, str>,
    pub(crate) revision: Option<u32>,
    pub(crate) escalation: Option<Cow<'a, str>>,
    /// Of a validation: the id that an answer repeats, and what it is about.
    pub(crate) message_id: Cow<'a, str>,
    pub(crate) issue: Cow<'a, str>,
    pub(crate) phase: Cow<'a, str>,
    pub(crate) operation: Cow<'a, str>,
    /// Of a handoff.
    pub(crate) handoff_id: Cow<'a, str>,
    pub(crate) starting_from: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Envelope<'a> {
    id: MessageId,
    from: Name,
    #[serde(default)]
    exchange: Option<ExchangeId>,
    #[serde(borrow)]
    content: &'a RawValue,
    #[serde(borrow, default)]
    delivered: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    reason: Cow<'a, str>,
    #[serde(borrow, default)]
    task_id: Cow<'a, str>,
    #[serde(default)]
    revision: Option<u32>,
    #[serde(borrow, default)]
    escalation: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    message_id: Cow<'a, str>,
    #[serde(borrow, default)]
    issue: Cow<'a, str>,
    #[serde(borrow, default)]
    phase: Cow<'a, str>,
    #[serde(borrow, default)]
    operation: Cow<'a, str>,
    #[serde(borrow, default)]
    handoff_id: Cow<'a, str>,
    #[serde(borrow, default)]
    starting_from: Option<Cow<'a, str>>,
}

impl SimMessage<'_> {
    /// Reads a stored message as its reader gets it.
    pub(crate) fn read(body: &[u8]) -> Result<SimMessage<'_>, serde_json::Error> {
        let envelope: Envelope<'_> = serde_json::from_slice(body)?;
        let shown = envelope.delivered.unwrap_or(envelope.content);
        let content: Content<'_> = serde_json::from_str(shown.get())?;
        Ok(SimMessage {
            id: envelope.id,
            from: envelope.from,
            exchange: envelope.exchange,
            kind: content.kind,
            reason: content.reason,
            task_id: content.task_id,
            revision: content.revision,
            escalation: content.escalation,
            message_id: content.message_id,
            issue: content.issue,
            phase: content.phase,
            operation: content.operation,
            handoff_id: content.handoff_id,
            starting_from: content.starting_from,
        })
    }

    pub(crate) fn protocol(&self) -> Option<Protocol> {
        self.exchange.map(|id| id.protocol)
    }
}
