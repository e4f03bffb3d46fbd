//! A digest: one message for many that inform only.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use wilco_protocol::{ExchangeId, MessageId, Name, Time};

use super::{MAY_OBJECT, Rendered, counted};
use crate::message::MessageType;
use crate::scene::summary;

/// A message that a digest tells of.
#[derive(Debug, Clone)]
pub struct DigestItem {
    pub id: MessageId,
    pub at: Time,
    pub from: Name,
    pub exchange: Option<ExchangeId>,
    pub content: Arc<Map<String, Value>>,
}

/// Lists them, one line each, the oldest first.
pub fn digest(items: &[DigestItem]) -> Rendered {
    let updates = counted(items.len(), "update");
    let lines: String = items.iter().map(|item| format!("- {}\n", line(item))).collect();
    let listed = |item: &DigestItem| {
        json!({"id": item.id, "at": item.at, "from": item.from, "exchange": item.exchange,
            "type": text(item, "type"), "text": said(item)})
    };
    let content = Map::from_iter([
        ("type".to_owned(), json!(MessageType::ProtocolNotice)),
        ("reason".to_owned(), json!("digest")),
        (
            "message".to_owned(),
            json!(format!("{updates}, gathered for you; nothing waits for an answer.\n{lines}")),
        ),
        ("items".to_owned(), items.iter().map(listed).collect()),
    ]);
    Rendered { subject: format!("Digest: {updates}"), priority: "low", content }
}

fn line(item: &DigestItem) -> String {
    let at = item.at.to_string().get(11..16).unwrap_or_default().to_owned();
    let about = match (text(item, "task_id"), item.exchange) {
        ("", None) => String::new(),
        ("", Some(exchange)) => format!(", {exchange}"),
        (task, _) => format!(", {task}"),
    };
    format!("{at} {}{about}: {} ({})", item.from, said(item), item.id)
}

/// In a line. How to object is said in full.
fn said(item: &DigestItem) -> String {
    if text(item, "reason") == MAY_OBJECT {
        let whole = text(item, "message").trim_end_matches(text(item, "teaching"));
        return whole.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    let kind = text(item, "type");
    match (MessageType::named(kind), text(item, "summary")) {
        (Some(MessageType::CheckpointAck), told) if !told.is_empty() => {
            let number = item.content.get("checkpoint").map(Value::to_string).unwrap_or_default();
            let told = json!(format!("checkpoint {number}: {told}"));
            summary(&Map::from_iter([("message".to_owned(), told)]), kind)
        }
        _ => summary(&item.content, kind),
    }
}

fn text<'a>(item: &'a DigestItem, key: &str) -> &'a str {
    item.content.get(key).and_then(Value::as_str).unwrap_or_default()
}
