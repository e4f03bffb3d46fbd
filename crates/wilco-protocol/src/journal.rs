//! What stands in the journal: everything that somebody may be asked about later.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

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

#[expect(clippy::enum_variant_names, reason = "they stand in the journal under these names")]
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
    /// `unread`: nobody had read it.
    MessageArchived {
        id: MessageId,
        agent: Name,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unread: bool,
    },
    MessageDeleted {
        id: MessageId,
        agent: Name,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        unread: bool,
    },
    /// A nudge told the agent that it is there.
    MessageNudged {
        id: MessageId,
        agent: Name,
        kind: String,
    },
    /// Every try to nudge the agent failed.
    MessageNudgeFailed {
        id: MessageId,
        agent: Name,
        kind: String,
        reason: String,
    },
    /// It entered the agent's context.
    MessageInjected {
        id: MessageId,
        agent: Name,
    },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum ServerEvent {
    /// `downtime`: since the last sign of life; none at the very first start.
    ServerStarted { version: String, down_from: Option<Time>, downtime: Option<Span> },
    /// A copy took the place of the data: positions leap, so that none of what was lost is given out again. `follows`:
    /// the position before it; `replaced`: where the data ended whose place it took.
    ServerRestored { follows: u64, replaced: Option<u64> },
    /// Another node writes, from this epoch on; nobody did since `down_from`.
    WriterChanged { epoch: u64, node: String, down_from: Option<Time>, downtime: Option<Span> },
}

impl Entry {
    /// The exact bytes that are stored, hashed and exported.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut line = Vec::with_capacity(LINE_BYTES);
        // Writing to memory does not fail.
        let _ = self.write(&mut line);
        line
    }

    fn write(&self, line: &mut Vec<u8>) -> serde_json::Result<()> {
        // Every event comes through here: its data is written once, and copied as it is.
        let mut fact = Vec::with_capacity(LINE_BYTES);
        match &self.fact {
            Fact::Exchange(event) => event.write(&mut fact),
            Fact::Agent(event) => serde_json::to_writer(&mut fact, event),
            Fact::Message(event) => serde_json::to_writer(&mut fact, event),
            Fact::Server(event) => serde_json::to_writer(&mut fact, event),
        }?;
        let (kind, data) = apart(&fact);
        line.extend_from_slice(br#"{"exchange":"#);
        serde_json::to_writer(&mut *line, &self.exchange)?;
        line.extend_from_slice(br#","seq":"#);
        serde_json::to_writer(&mut *line, &self.seq)?;
        line.extend_from_slice(br#","type":""#);
        line.extend_from_slice(kind);
        line.extend_from_slice(br#"","at":"#);
        serde_json::to_writer(&mut *line, &self.at)?;
        line.extend_from_slice(br#","by":"#);
        serde_json::to_writer(&mut *line, &self.by)?;
        line.extend_from_slice(br#","data":"#);
        line.extend_from_slice(data);
        line.push(b'}');
        Ok(())
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Entry, serde_json::Error> {
        let record: Record<'_> = serde_json::from_slice(bytes)?;
        let fact = record.fact(bytes)?;
        Ok(Entry { exchange: record.exchange, seq: record.seq, at: record.at, by: record.by, fact })
    }
}

/// What most events need.
const LINE_BYTES: usize = 400;

/// The type and the data of a fact in its written form; an empty object where it has no data.
fn apart(fact: &[u8]) -> (&[u8], &[u8]) {
    let rest = fact.strip_prefix(br#"{"type":""#).unwrap_or_default();
    let (kind, rest) = rest.split_at(rest.iter().position(|byte| *byte == b'"').unwrap_or_default());
    let data = rest.strip_prefix(br#"","data":"#).and_then(|data| data.strip_suffix(b"}"));
    (kind, data.unwrap_or(b"{}"))
}

#[derive(Deserialize)]
struct Record<'a> {
    exchange: Option<ExchangeId>,
    seq: Option<u64>,
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    at: Time,
    by: Name,
    #[serde(borrow)]
    data: &'a RawValue,
}

impl Record<'_> {
    /// The fact that stands in a line: `{type, data}`, or `{type}` where there is no data. What else the line
    /// has is no part of it.
    fn fact(&self, line: &[u8]) -> Result<Fact, serde_json::Error> {
        let bare = (self.data.get() == "{}").then(|| json!({"type": self.kind}).to_string());
        let fact = bare.as_deref().map_or(line, str::as_bytes);
        if self.kind.starts_with("message-") {
            return serde_json::from_slice(fact).map(Fact::Message);
        }
        match self.exchange {
            Some(id) => exchange::Event::from_bytes(id.protocol, fact).map(Fact::Exchange),
            None if self.kind.starts_with("agent-") => serde_json::from_slice(fact).map(Fact::Agent),
            None => serde_json::from_slice(fact).map(Fact::Server),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Protocol, delegation};

    #[test]
    fn the_written_form_stands_for_ever() {
        let id = ExchangeId { protocol: Protocol::Delegation, number: 7 };
        let entry = |exchange: Option<(ExchangeId, u64)>, fact| Entry {
            exchange: exchange.map(|(id, _)| id),
            seq: exchange.map(|(_, seq)| seq),
            at: Time::from_millis(1_767_150_000_000),
            by: Name::new("bob"),
            fact,
        };
        let read = MessageEvent::MessageRead { id: MessageId::new("m\"1"), agent: Name::new("bob") };
        let stopped = exchange::Event::Delegation(delegation::Event::StopConfirmed);
        let cases = [
            (
                entry(None, Fact::Message(read)),
                r#"{"exchange":null,"seq":null,"type":"message-read","at":"2025-12-31T03:00:00.000Z","by":"bob","data":{"id":"m\"1","agent":"bob"}}"#,
            ),
            (
                entry(Some((id, 3)), Fact::Exchange(stopped)),
                r#"{"exchange":"del-7","seq":3,"type":"stop-confirmed","at":"2025-12-31T03:00:00.000Z","by":"bob","data":{}}"#,
            ),
        ];
        for (entry, written) in cases {
            assert_eq!(String::from_utf8_lossy(&entry.to_bytes()), written);
            assert_eq!(Entry::from_bytes(written.as_bytes()).unwrap(), entry);
        }
    }
}
