//! What a session has not heard yet: asked for at the last moment, so that nothing is told that is read or settled.

use wilco_client::InboxParameters;
use wilco_language::message::MessageType;
use wilco_wire::{Message, TodoEntry};

use super::place::SessionPlace;
use super::session::{Session, key};
use super::telling::Telling;

/// As many messages are looked at; what is behind them comes another time.
const PAGE: u32 = 100;

/// What is unread, and what waits for an answer.
pub(super) fn all(place: &SessionPlace, session: &Session, telling: &mut Telling) -> Option<()> {
    let mut messages = untold(place, session)?;
    let mut entries = waiting(place, |_| true)?;
    messages.retain(|message| !is_settled(message, &entries));
    entries.retain(|(_, key)| !session.has_told(key));
    tell(&messages, &entries, telling);
    Some(())
}

/// What came since the last hook.
pub(super) fn since(place: &SessionPlace, session: &Session, telling: &mut Telling) -> Option<()> {
    let mut messages = untold(place, session)?;
    let mut entries = Vec::new();
    if messages.iter().any(|message| message.exchange.is_some()) {
        entries = waiting(place, |_| true)?;
        messages.retain(|message| !is_settled(message, &entries));
        entries.retain(|(entry, key)| {
            !session.has_told(key) && messages.iter().any(|message| is_about(message, entry))
        });
    }
    tell(&messages, &entries, telling);
    Some(())
}

/// What waits for an answer and never held up a stop. After a stop that was held up only what was not told before.
pub(super) fn owed(
    place: &SessionPlace,
    session: &Session,
    again: bool,
    telling: &mut Telling,
) -> Option<()> {
    let wants = |key: &str| !(session.has_blocked(key) || again && session.has_told(key));
    let entries = waiting(place, wants)?;
    if entries.is_empty() {
        return Some(());
    }
    let mut messages = untold(place, session)?;
    messages.retain(|message| entries.iter().any(|(entry, _)| is_about(message, entry)));
    tell(&messages, &entries, telling);
    Some(())
}

/// Messages with the answer that they wait for, then what waits without a message that is new.
fn tell(messages: &[Message], entries: &[(TodoEntry, String)], telling: &mut Telling) {
    let last = |entry: &TodoEntry| messages.iter().rev().find(|message| is_about(message, entry));
    for message in messages {
        let asks = entries.iter().find(|(entry, _)| last(entry).is_some_and(|last| last.id == message.id));
        telling.message(message, asks);
    }
    for (entry, key) in entries.iter().filter(|(entry, _)| last(entry).is_none()) {
        telling.owed(entry, key);
    }
}

fn is_about(message: &Message, entry: &TodoEntry) -> bool {
    message.exchange.as_deref() == Some(entry.exchange.as_str())
}

pub(super) fn kind(message: &Message) -> Option<MessageType> {
    message.content["type"].as_str().and_then(MessageType::named)
}

/// A task that waits for nothing any more is no news to the one who did it.
fn is_settled(message: &Message, waiting: &[(TodoEntry, String)]) -> bool {
    matches!(
        kind(message),
        Some(MessageType::TaskAssignment | MessageType::AckRequest | MessageType::BeginNow)
    ) && !waiting.iter().any(|(entry, _)| is_about(message, entry))
}

fn untold(place: &SessionPlace, session: &Session) -> Option<Vec<Message>> {
    let mut messages = unread(&place.server, &place.agent)?;
    messages.retain(|message| !session.has_told(&message.id));
    Some(messages)
}

pub(super) fn unread(server: &wilco_client::Client, agent: &str) -> Option<Vec<Message>> {
    let query =
        InboxParameters { status: Some("unread".to_owned()), after: None, limit: Some(PAGE), wait: None };
    Some(server.inbox(agent, &query).ok()?.value.items)
}

fn waiting(place: &SessionPlace, wants: impl Fn(&str) -> bool) -> Option<Vec<(TodoEntry, String)>> {
    let entries = place.server.todo(&place.agent).ok()?.value.items.into_iter();
    Some(entries.map(|entry| (entry.clone(), key(&entry))).filter(|(_, key)| wants(key)).collect())
}
