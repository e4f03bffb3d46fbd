//! Everything that a store says, as one value: what golden journals are compared by.

use anyhow::Context;
use serde_json::{Map, Value, json};
use wilco_engine::{StoredEffect, Viewer, reads};
use wilco_protocol::Exchange;
use wilco_protocol::journal::{Entry, Fact};
use wilco_store::{
    ExchangeFilter, ExchangeRow, InboxFilter, InboxStatus, Message, Reach, Reader, Walk, verify,
};

use super::tags::tag;

/// More of anything than a golden journal has.
const ALL: usize = 100_000;

pub fn record(reader: &dyn Reader) -> anyhow::Result<Value> {
    let head = verify(reader, None)?;
    let filter = ExchangeFilter { limit: ALL, ..ExchangeFilter::default() };
    let mut exchanges = Map::new();
    for row in reader.exchanges(&filter)? {
        exchanges.insert(row.id.to_string(), exchange(reader, &row)?);
    }
    Ok(json!({
        "position": head.position,
        "exchanges": exchanges,
        "agents": reader.agents()?,
        "messages": messages(reader)?,
        "inboxes": inboxes(reader)?,
        "effects": effects(reader)?,
        "events": events(reader)?,
    }))
}

/// The stored state, what it shows, how it is found, and the name of the state after each event.
fn exchange(reader: &dyn Reader, row: &ExchangeRow) -> anyhow::Result<Value> {
    let state: Exchange = serde_json::from_slice(&row.body)?;
    let view = reads::exchange(reader, &Viewer::Operator, row.id)?.context("a view")?;
    let (mut folded, mut course): (Option<Exchange>, _) = (None, Vec::new());
    for event in reader.journal_of(row.id.number, 0, ALL)? {
        let entry = Entry::from_bytes(&event.bytes)?;
        if let Fact::Exchange(fact) = &entry.fact {
            match &mut folded {
                Some(exchange) => exchange.apply(fact, entry.at),
                None => folded = Exchange::born(fact, entry.at),
            }
            let exchange = folded.as_ref().context("an exchange begins with its first event")?;
            course.push(format!("{}: {}", tag(&entry, &event.bytes)?, exchange.state_name()));
        }
    }
    Ok(json!({
        "state": row.state, "open": row.open, "seq": row.seq, "wake_at": row.wake_at,
        "keys": state.keys(), "body": state, "view": view, "course": course,
    }))
}

fn messages(reader: &dyn Reader) -> anyhow::Result<Vec<Value>> {
    let rows = reader.messages_after(0, ALL)?;
    let read = |row: wilco_store::MessageRow| {
        let message: Message = serde_json::from_slice(&row.body)?;
        Ok(json!({"position": row.position, "message": message}))
    };
    rows.into_iter().map(read).collect()
}

fn inboxes(reader: &dyn Reader) -> anyhow::Result<Map<String, Value>> {
    let statuses = vec![InboxStatus::Unread, InboxStatus::Read, InboxStatus::Archived, InboxStatus::Deleted];
    let mut inboxes = Map::new();
    for agent in reader.agents()? {
        let filter = InboxFilter {
            agent: agent.name.clone(),
            statuses: statuses.clone(),
            walk: Walk::Behind(0),
            limit: ALL,
        };
        let mut entries = Vec::new();
        for (status, row) in reader.inbox(&filter)? {
            let reached = reader.reached(&agent.name, row.position)?;
            let reaches =
                [Reach::Nudged, Reach::NudgeFailed, Reach::Injected, Reach::Answered, Reach::PutAwayUnread];
            let reaches: String = reaches
                .into_iter()
                .filter(|reach| reached.has(*reach))
                .map(|reach| format!(", {}", reach_word(reach)))
                .collect();
            entries.push(json!(format!("{} {}{reaches}", row.position, status_word(status))));
        }
        inboxes.insert(agent.name.to_string(), Value::Array(entries));
    }
    Ok(inboxes)
}

fn effects(reader: &dyn Reader) -> anyhow::Result<Vec<Value>> {
    let read = |row: wilco_store::EffectRow| {
        let effect: StoredEffect = serde_json::from_slice(&row.body)?;
        let order = json!({"position": row.position, "index": row.index, "due": row.due});
        Ok(json!({"order": order, "attempts": row.attempts, "effect": effect}))
    };
    reader.effects()?.into_iter().map(read).collect()
}

/// Every event as it is read, and written again.
fn events(reader: &dyn Reader) -> anyhow::Result<Vec<Value>> {
    let rows = reader.journal(0, ALL)?;
    let again = |row: wilco_store::JournalRow| {
        Ok(serde_json::from_slice(&Entry::from_bytes(&row.bytes)?.to_bytes())?)
    };
    rows.into_iter().map(again).collect()
}

fn status_word(status: InboxStatus) -> &'static str {
    match status {
        InboxStatus::Unread => "unread",
        InboxStatus::Read => "read",
        InboxStatus::Archived => "archived",
        InboxStatus::Deleted => "deleted",
    }
}

fn reach_word(reach: Reach) -> &'static str {
    match reach {
        Reach::Nudged => "nudged",
        Reach::NudgeFailed => "nudge failed",
        Reach::Injected => "injected",
        Reach::Answered => "answered",
        Reach::PutAwayUnread => "put away unread",
    }
}
