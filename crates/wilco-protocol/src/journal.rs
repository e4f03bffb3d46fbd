//! What stands in the journal: everything that somebody may be asked about later.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::name::{ExchangeId, MessageId, Name};
use crate::time::{Span, Time};
use crate::{directory, exchange};

/// One event with when it happened, by whom, and to which exchange. Its position and hash are the
/// store's.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub exchange: Option<ExchangeId>,
    /// Counted from 1 within the exchange.
    pub seq: Option<u64>,
    pub at: Time,
    pub by: Name,
    pub fact: Fact,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Fact {
    Exchange(exchange::Event),
    Agent(directory::Event),
    Message(MessageEvent),
    Server(ServerEvent),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum MessageEvent {
    /// `hash`: of the stored message, original and delivered form. `inboxes`: where it was put.
    MessageAccepted {
        id: MessageId,
        to: Vec<Name>,
        inboxes: Vec<Name>,
        kind: String,
        hash: String,
    },
    MessageRead {
        id: MessageId,
        agent: Name,
    },
    MessageArchived {
        id: MessageId,
        agent: Name,
    },
    MessageDeleted {
        id: MessageId,
        agent: Name,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum ServerEvent {
    /// `downtime`: since the last sign of life; none at the very first start.
    ServerStarted { version: String, down_from: Option<Time>, downtime: Option<Span> },
}

impl Fact {
    /// `{type, data}`.
    pub fn to_json(&self) -> Value {
        let json = match self {
            Fact::Exchange(event) => Ok(event.to_json()),
            Fact::Agent(event) => serde_json::to_value(event),
            Fact::Message(event) => serde_json::to_value(event),
            Fact::Server(event) => serde_json::to_value(event),
        };
        json.unwrap_or(Value::Null)
    }
}

impl Entry {
    /// The exact bytes that are stored, hashed and exported.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut json = self.fact.to_json();
        let mut take = |key| json.get_mut(key).map(Value::take).unwrap_or(Value::Null);
        let (kind, data) = (take("type"), take("data"));
        let record = json!({
            "exchange": self.exchange,
            "seq": self.seq,
            "type": kind,
            "at": self.at,
            "by": self.by,
            "data": if data.is_null() { json!({}) } else { data },
        });
        record.to_string().into_bytes()
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Entry, serde_json::Error> {
        let record: Record = serde_json::from_slice(bytes)?;
        let fact = record.fact()?;
        Ok(Entry { exchange: record.exchange, seq: record.seq, at: record.at, by: record.by, fact })
    }
}

#[derive(Deserialize)]
struct Record {
    exchange: Option<ExchangeId>,
    seq: Option<u64>,
    #[serde(rename = "type")]
    kind: String,
    at: Time,
    by: Name,
    data: Value,
}

impl Record {
    fn fact(&self) -> Result<Fact, serde_json::Error> {
        let empty = self.data.as_object().is_some_and(|data| data.is_empty());
        let json =
            if empty { json!({"type": self.kind}) } else { json!({"type": self.kind, "data": self.data}) };
        if self.kind.starts_with("message-") {
            return serde_json::from_value(json).map(Fact::Message);
        }
        match self.exchange {
            Some(id) => exchange::Event::from_json(id.protocol, json).map(Fact::Exchange),
            None if self.kind.starts_with("agent-") => serde_json::from_value(json).map(Fact::Agent),
            None => serde_json::from_value(json).map(Fact::Server),
        }
    }
}
