//! Is the record still what was written? Walks the journal and names the first place that is not.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::value::RawValue;
use wilco_protocol::{ExchangeId, MessageId};

use crate::batch::{JournalRow, MessageRow};
use crate::chain::{Hash, genesis, link};
use crate::error::StoreError;
use crate::generation::continues;
use crate::reader::{Head, Reader};

/// Events that are held in memory at a time.
pub(crate) const PAGE: usize = 256;

/// Checks the journal from its beginning, or from behind a position whose hash is known, up to the head
/// as it was at the start: positions without gaps but for those of restores, the chain of hashes, and for every
/// accepted message that the stored one is the same, and none besides. Gives the head it arrived at.
pub fn verify(reader: &dyn Reader, from: Option<(u64, Hash)>) -> Result<Head, StoreError> {
    verify_counting(reader, from).map(|(head, _)| head)
}

/// The same, and how many events were walked over.
pub fn verify_counting(reader: &dyn Reader, from: Option<(u64, Hash)>) -> Result<(Head, u64), StoreError> {
    let (position, hash) = from.unwrap_or((0, genesis()));
    let (mut reached, mut events) = (Head { position, hash, at: None }, 0);
    if position > 0 {
        known(reader, position, &hash)?;
    }
    match reader.head() {
        Ok(end) => {
            reached.at = end.at;
            while reached.position < end.position {
                events += page(reader, &mut reached, end.position)?;
            }
            nothing_behind(reader, end.position)?;
            Ok((reached, events))
        }
        // Where it ends is not known; how far it is whole can be.
        Err(StoreError::Damaged { reason, .. }) => {
            while page(reader, &mut reached, u64::MAX).is_ok() {}
            Err(damaged(reached.position + 1, &reason))
        }
        Err(other) => Err(other),
    }
}

/// No message lies behind the last event. One that came meanwhile came with its event.
fn nothing_behind(reader: &dyn Reader, end: u64) -> Result<(), StoreError> {
    match reader.messages_after(end, 1)?.first() {
        Some(message) if reader.head()?.position == end => {
            Err(damaged(message.position, "there is a message, and no event that accepted it"))
        }
        Some(_) | None => Ok(()),
    }
}

/// Brings it forward by at least one event, whatever a damaged database answers; by how many.
fn page(reader: &dyn Reader, reached: &mut Head, end: u64) -> Result<u64, StoreError> {
    let rows = match reader.journal(reached.position, PAGE) {
        // Somewhere in this page; one by one it is found where.
        Err(StoreError::Damaged { .. }) => at(reader.journal(reached.position, 1), reached.position + 1)?,
        other => other?,
    };
    if rows.first().is_none_or(|row| !continues(reached.position, row.position, &row.bytes)) {
        return Err(damaged(reached.position + 1, "the event is missing"));
    }
    let (before, mut accepted, mut events) = (reached.position, BTreeSet::new(), 0);
    for row in rows.iter().take_while(|row| row.position <= end) {
        if !continues(reached.position, row.position, &row.bytes) {
            return Err(damaged(reached.position + 1, "the event is missing"));
        }
        let hash = link(&reached.hash, row.position, &row.bytes);
        if hash != row.hash {
            return Err(damaged(row.position, "the event does not match its hash"));
        }
        if at(message_of(reader, row), row.position)?.is_some() {
            accepted.insert(row.position);
        }
        (reached.position, reached.hash) = (row.position, hash);
        events += 1;
    }
    nothing_between(reader, before, reached.position, &accepted)?;
    Ok(events)
}

/// No message lies among these events that none of them accepted.
fn nothing_between(
    reader: &dyn Reader,
    before: u64,
    end: u64,
    accepted: &BTreeSet<u64>,
) -> Result<(), StoreError> {
    let stored = at(reader.messages_after(before, accepted.len() + 1), before + 1)?;
    let forged =
        stored.iter().find(|message| message.position <= end && !accepted.contains(&message.position));
    match forged {
        Some(message) => Err(damaged(message.position, "there is a message, and no event that accepted it")),
        None => Ok(()),
    }
}

/// Damage that names no position is at the one that was asked for.
fn at<T>(answer: Result<T, StoreError>, asked: u64) -> Result<T, StoreError> {
    answer.map_err(|error| match error {
        StoreError::Damaged { position: 0, reason } => StoreError::Damaged { position: asked, reason },
        other => other,
    })
}

/// A known position must still be there, as it was.
fn known(reader: &dyn Reader, position: u64, hash: &Hash) -> Result<(), StoreError> {
    match at(reader.journal(position - 1, 1), position)?.first() {
        Some(row) if row.position == position && row.hash == *hash => Ok(()),
        Some(row) if row.position == position => Err(damaged(position, "the hash is not the known one")),
        Some(_) | None => Err(damaged(position, "the event is missing")),
    }
}

/// What an event says of its place and of its message. Its bytes are covered by the chain; the columns
/// beside them, and the message, only by what the bytes say.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(default)]
    exchange: Option<ExchangeId>,
    #[serde(default)]
    seq: Option<u64>,
    #[serde(rename = "type")]
    kind: String,
    #[serde(borrow)]
    data: &'a RawValue,
}

#[derive(Deserialize)]
struct Accepted {
    id: MessageId,
    hash: String,
}

/// The message of an event that accepted one.
pub(crate) fn message_of(reader: &dyn Reader, row: &JournalRow) -> Result<Option<MessageRow>, StoreError> {
    // The chain says that these are the bytes that were written; to understand them is not asked here.
    let Ok(event) = serde_json::from_slice::<Event<'_>>(&row.bytes) else { return Ok(None) };
    if event.exchange.map(|id| id.number) != row.exchange || event.seq != row.seq {
        return Err(damaged(row.position, "the event stands at another place of its exchange than it says"));
    }
    if event.kind != "message-accepted" {
        return Ok(None);
    }
    let Ok(accepted) = serde_json::from_str::<Accepted>(event.data.get()) else { return Ok(None) };
    let Some(message) = reader.message_at(row.position)? else {
        return Err(damaged(row.position, "the message is missing"));
    };
    if message.id != accepted.id {
        return Err(damaged(row.position, "the message has another id than was accepted"));
    }
    if blake3::hash(&message.body).to_hex().as_str() != accepted.hash {
        return Err(damaged(row.position, "the message does not match its hash"));
    }
    Ok(Some(message))
}

fn damaged(position: u64, reason: &str) -> StoreError {
    StoreError::Damaged { position, reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;
    use crate::conformance::Author;
    use crate::memory::Memory;

    /// It would be served, and the next event would take its place.
    #[test]
    fn g8_a_message_behind_the_last_event_is_found() {
        let (mut store, mut author) = (Memory::default(), Author::default());
        author.message("first", None, "{}");
        store.commit(&author.take(1)).unwrap();
        assert_eq!(verify(&store, None).unwrap().position, 1);
        let id = MessageId::new("forged");
        author.batch.messages.push(MessageRow { position: 2, id, exchange: None, body: b"{}".to_vec() });
        store.commit(&author.take(2)).unwrap();
        let found = verify(&store, None).unwrap_err();
        assert!(matches!(found, StoreError::Damaged { position: 2, .. }), "{found}");
    }

    /// Where an event stands that is about something else.
    #[test]
    fn g8_a_message_between_events_that_none_of_them_accepted_is_found() {
        let (mut store, mut author) = (Memory::default(), Author::default());
        author.message("first", None, "{}");
        author.event(None, "{}");
        let id = MessageId::new("forged");
        author.batch.messages.push(MessageRow { position: 2, id, exchange: None, body: b"{}".to_vec() });
        author.message("third", None, "{}");
        store.commit(&author.take(1)).unwrap();
        let found = verify(&store, None).unwrap_err();
        assert!(matches!(found, StoreError::Damaged { position: 2, .. }), "{found}");
    }
}
