//! From values to what stands on the wire.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use wilco_engine::reads::{EscalationView, EventView, InboxEntry, NudgeView, TodoItem};
use wilco_engine::{Accepted, Summary, status};
use wilco_language::render::fence::is_word;
use wilco_protocol::decision::Stage;
use wilco_protocol::exchange::View;
use wilco_protocol::{ExchangeId, MessageId, Name, Time};
use wilco_runtime::NodeNow;
use wilco_store::{InboxStatus, Message, Priority, Reading};
use wilco_wire as wire;

use crate::agent_now::AgentNow;

/// The JSON of a content, passed on as it is stored.
pub(crate) type Content<'a> = Cow<'a, RawValue>;

/// The content as its reader gets it.
pub(crate) fn delivered_content(message: &Message) -> Content<'_> {
    content(message.delivered())
}

/// A content on one line, because an answer may be one line among others. Within texts line breaks are escaped, and
/// elsewhere they mean nothing.
pub(crate) fn content(raw: &RawValue) -> Content<'_> {
    let broken = memchr::memchr2(b'\n', b'\r', raw.get().as_bytes()).is_some();
    let joined = || RawValue::from_string(raw.get().replace(['\n', '\r'], "")).ok();
    broken.then(joined).flatten().map_or(Cow::Borrowed(raw), Cow::Owned)
}

/// The word for a value that serialises to one.
fn word<T: Serialize>(value: &T) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

/// A message as it stands on the wire, with its texts where they are. `wire::Message` is what reads it.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct MessageJson<'a> {
    id: &'a MessageId,
    from: &'a Name,
    #[serde(rename = "fromVerified")]
    from_verified: bool,
    #[serde(rename = "fromKnown", skip_serializing_if = "Option::is_none")]
    from_known: Option<bool>,
    #[serde(rename = "sentBy", skip_serializing_if = "Option::is_none")]
    sent_by: Option<&'a Name>,
    to: &'a Name,
    subject: &'a str,
    priority: &'static str,
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delivered: Option<Content<'a>>,
    in_reply_to: Option<&'a MessageId>,
    exchange: Option<ExchangeId>,
    broadcast_id: Option<&'a str>,
    timestamp: Time,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery: Option<Stage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nudge: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reading: Option<&'a Reading>,
    #[serde(skip_serializing_if = "Option::is_none")]
    teaching: Option<String>,
}

/// As it was sent.
pub(crate) fn original(message: &Message, status: InboxStatus) -> MessageJson<'_> {
    MessageJson {
        id: &message.id,
        from: &message.from,
        from_verified: message.from_verified,
        from_known: message.from_unknown.then_some(false),
        sent_by: message.sent_by.as_ref(),
        to: &message.to,
        subject: &message.subject,
        priority: priority_word(message.priority),
        content: content(&message.content),
        delivered: None,
        in_reply_to: message.in_reply_to.as_ref(),
        exchange: message.exchange,
        broadcast_id: message.broadcast_id.as_deref(),
        timestamp: message.timestamp,
        status: status_word(status),
        delivery: None,
        nudge: None,
        reading: message.reading.as_ref(),
        teaching: None,
    }
}

/// What Wilco added to a message: it made the delivered form, or the whole message. Ids that are not words are their
/// sender's words, and then nothing of the text is taken for Wilco's.
fn teaching(message: &Message) -> Option<String> {
    let made = message.delivered.is_some() || message.from.is_reserved();
    let content = message.delivered();
    // Most messages teach nothing and need not be parsed.
    if !made || memchr::memmem::find(content.get().as_bytes(), b"\"teaching\"").is_none() {
        return None;
    }
    let mut content: Map<String, Value> = serde_json::from_str(content.get()).ok()?;
    let named =
        ["task_id", "handoff_id", "operation_id", "operation", "issue", "message_id", "starting_from"];
    let ids = named.iter().filter_map(|key| content.get(*key)?.as_str());
    if !ids.into_iter().all(is_word) {
        return None;
    }
    match content.remove("teaching") {
        Some(Value::String(taught)) => Some(taught),
        _ => None,
    }
}

/// As its reader gets it.
pub(crate) fn delivered(letter: &InboxEntry) -> MessageJson<'_> {
    let content = delivered_content(&letter.message);
    let teaching = teaching(&letter.message);
    MessageJson { content, reading: None, teaching, ..original(&letter.message, letter.status) }
}

/// How far a message got, and how its nudge stands.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DeliveryStatus {
    pub(crate) stage: Stage,
    pub(crate) nudge: Option<&'static str>,
}

/// Both forms, where they differ.
pub(crate) fn whole(letter: &InboxEntry) -> MessageJson<'_> {
    let delivered = letter.message.delivered.as_deref().map(content);
    let teaching = teaching(&letter.message);
    MessageJson { delivered, teaching, ..original(&letter.message, letter.status) }
}

/// The same, and how far it got.
pub(crate) fn followed(letter: &InboxEntry, way: DeliveryStatus) -> MessageJson<'_> {
    MessageJson { delivery: Some(way.stage), nudge: way.nudge, ..whole(letter) }
}

pub(crate) fn node(now: NodeNow) -> wire::Node {
    let NodeNow { row, role, lag } = now;
    wire::Node {
        name: row.name,
        address: row.address,
        version: row.version,
        role: role.word().to_owned(),
        epoch: row.epoch,
        last_seen: row.last_seen.to_string(),
        lag,
        clock: row.clock,
        waiting: row.waiting,
    }
}

pub(crate) fn nudge(view: NudgeView) -> wire::Nudge {
    wire::Nudge {
        agent: view.agent.to_string(),
        kind: view.kind.to_owned(),
        state: view.state.word().to_owned(),
        attempts: view.attempts,
        next_attempt: view.due.map(|due| due.to_string()),
        reason: view.reason,
        node: view.node,
    }
}

pub(crate) fn todo(item: TodoItem) -> wire::TodoEntry {
    wire::TodoEntry {
        kind: item.kind.to_owned(),
        exchange: item.exchange.to_string(),
        task_id: item.task_id,
        from: item.text.from.to_string(),
        due: item.due.map(|due| due.to_string()),
        asked: item.text.asked,
        answer: item.text.answer,
    }
}

pub(crate) fn priority_word(priority: Priority) -> &'static str {
    match priority {
        Priority::Low => "low",
        Priority::Normal => "normal",
        Priority::High => "high",
        Priority::Urgent => "urgent",
    }
}

pub(crate) fn status_word(status: InboxStatus) -> &'static str {
    match status {
        InboxStatus::Unread => "unread",
        InboxStatus::Read => "read",
        InboxStatus::Archived => "archived",
        InboxStatus::Deleted => "deleted",
    }
}

/// The answer to a message; a line of a batch has the status too. `wire::Posted` is what reads it.
#[derive(Debug, Serialize)]
pub(crate) struct Posted<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    message: MessageJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<Vec<CopyJson<'a>>>,
    exchange: Option<wire::Summary>,
}

/// One of the messages that a broadcast became: its text was said once already.
#[derive(Debug, Serialize)]
struct CopyJson<'a> {
    id: &'a MessageId,
    to: &'a Name,
}

pub(crate) fn posted(accepted: &Accepted, status: Option<u16>) -> Option<Posted<'_>> {
    let message = original(accepted.messages.first()?, InboxStatus::Unread);
    let copies = accepted.messages.iter().map(|message| CopyJson { id: &message.id, to: &message.to });
    let messages = (accepted.messages.len() > 1).then(|| copies.collect());
    Some(Posted { status, message, messages, exchange: accepted.exchange.as_ref().map(summary) })
}

pub(crate) fn summary(summary: &Summary) -> wire::Summary {
    wire::Summary {
        id: summary.id.to_string(),
        protocol: summary.protocol.word().to_owned(),
        state: summary.state.clone(),
        task_id: summary.task_id.clone(),
    }
}

pub(crate) fn agent(now: &AgentNow, at: Time) -> wire::Agent {
    let AgentNow { agent, last_seen, has_left } = now;
    let profile = agent.profile.clone();
    wire::Agent {
        id: agent.id.clone(),
        name: agent.name.to_string(),
        session: agent.session().to_owned(),
        alias: profile.alias,
        host: profile.host,
        program: profile.program,
        role: word(&profile.role),
        capabilities: profile.capabilities,
        nudge: profile.nudge,
        github: profile.github,
        labels: profile.labels,
        digest: agent.profile.digest_period().map(|period| period.to_string()),
        speaks: profile.speaks.map(|set| set.word().to_owned()),
        status: status(agent.mark, *last_seen, *has_left, at).to_owned(),
        last_seen: last_seen.map(|seen| seen.to_string()),
    }
}

pub(crate) fn exchange(view: View) -> wire::Exchange {
    wire::Exchange {
        id: view.id.to_string(),
        protocol: view.id.protocol.word().to_owned(),
        state: view.state.to_owned(),
        outcome: view.outcome.map(str::to_owned),
        initiator: view.initiator.to_string(),
        participants: view
            .participants
            .iter()
            .map(|one| wire::Participant { agent: one.agent.to_string(), role: one.role.to_owned() })
            .collect(),
        subject: view.subject,
        policy: view.policy,
        timers: view
            .timers
            .iter()
            .map(|timer| wire::Timer { name: timer.name.to_owned(), due: timer.due.to_string() })
            .collect(),
        checklist: view
            .checklist
            .iter()
            .map(|item| wire::ChecklistItem {
                section: item.section.map(str::to_owned),
                item: item.item.to_owned(),
                done: item.done,
                at: item.at.map(|at| at.to_string()),
                evidence: item.section.map(|_| item.evidence.clone()),
            })
            .collect(),
        created: view.created.to_string(),
        updated: view.updated.to_string(),
        data: view.data,
    }
}

/// The stored bytes with their position and hash.
pub(crate) fn event(event: &EventView) -> Value {
    let mut value: Value = serde_json::from_slice(&event.bytes).unwrap_or(Value::Null);
    if let Value::Object(map) = &mut value {
        map.insert("position".to_owned(), event.position.into());
        map.insert("hash".to_owned(), wilco_store::hex(&event.hash).into());
    }
    value
}

pub(crate) fn escalation(view: EscalationView) -> wire::Escalation {
    wire::Escalation {
        id: view.id.to_string(),
        exchange: view.id.exchange.to_string(),
        reason: view.escalation.reason.word().to_owned(),
        text: view.text,
        evidence: view.evidence,
        options: view.options.iter().map(|option| (*option).to_owned()).collect(),
        addressee: view.escalation.addressee.to_string(),
        opened: view.escalation.opened.to_string(),
        closed: view.escalation.closed.as_ref().map(|closed| closed.at.to_string()),
        decision: view.escalation.closed.as_ref().and_then(|closed| {
            let option = closed.option.as_ref()?;
            Some(serde_json::json!({"option": option, "by": closed.by}))
        }),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;

    /// What is written is what clients read, field by field and in this order.
    #[test]
    fn msg_1_a_message_is_written_as_it_is_read() {
        let stored = |more: Value| -> Message {
            let mut message = json!({
                "id": "msg-1-abcdefg", "from": "ann", "from_verified": true, "to": "bob", "subject": "a \"b\"",
                "priority": "high", "content": {"type": "text", "message": "hi"}, "timestamp": "2026-01-31T14:36:00.007Z",
            });
            message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            serde_json::from_str(&message.to_string()).unwrap()
        };
        let plain = stored(json!({}));
        let full = stored(json!({
            "delivered": {"type": "text", "message": "hi\n---"}, "in_reply_to": "m-1", "exchange": "del-4",
            "broadcast_id": "b-1",
            "reading": {"exchange": "del-4", "rule": "exchange", "meaning": "an ACK", "effect": "working"},
        }));
        for message in [plain, full] {
            let letter = InboxEntry { message, position: 1, status: InboxStatus::Read };
            let way = DeliveryStatus { stage: Stage::Read, nudge: Some("dead") };
            let forms =
                [original(&letter.message, letter.status), delivered(&letter), followed(&letter, way)];
            for form in forms {
                let written = serde_json::to_string(&form).unwrap();
                let read: wire::Message = serde_json::from_str(&written).unwrap();
                assert_eq!(serde_json::to_string(&read).unwrap(), written);
            }
            let exchange = letter.message.exchange.map(|id| Summary {
                id,
                protocol: id.protocol,
                state: "working".to_owned(),
                task_id: None,
            });
            let message = Arc::new(letter.message.clone());
            let accepted = Accepted { messages: vec![message; 2], exchange, nudged: false, again: false };
            let written = serde_json::to_string(&posted(&accepted, None)).unwrap();
            let read: wire::Posted = serde_json::from_str(&written).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), written);
            let line = serde_json::to_string(&posted(&accepted, Some(201))).unwrap();
            assert_eq!(line, written.replacen('{', r#"{"status":201,"#, 1));
        }
    }
}
