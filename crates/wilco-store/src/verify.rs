//! Is the record still what was written? Walks the journal and names the first place that is not.

use serde::Deserialize;
use serde_json::value::RawValue;
use wilco_protocol::{ExchangeId, MessageId};

use crate::batch::JournalRow;
use crate::chain::{Hash, genesis, link};
use crate::error::StoreError;
use crate::reader::{Head, Reader};

/// Events that are held in memory at a time.
const PAGE: usize = 256;

/// Checks the journal from its beginning, or from behind a position whose hash is known, up to the head
/// as it was at the start: positions without gaps, the chain of hashes, and for every accepted message
/// that the stored one is the same. Gives the head it arrived at.
pub fn verify(reader: &dyn Reader, from: Option<(u64, Hash)>) -> Result<Head, StoreError> {
    let head = reader.head()?;
    let (mut position, mut hash) = from.unwrap_or((0, genesis()));
    if position > 0 {
        known(reader, position, &hash)?;
    }
    while position < head.position {
        let page = reader.journal(position, PAGE)?;
        // Each page brings it forward, whatever a damaged database answers.
        if page.first().is_none_or(|row| row.position != position + 1) {
            return Err(damaged(position + 1, "the event is missing"));
        }
        for row in page.iter().take_while(|row| row.position <= head.position) {
            if row.position != position + 1 {
                return Err(damaged(position + 1, "the event is missing"));
            }
            position = row.position;
            hash = link(&hash, position, &row.bytes);
            if hash != row.hash {
                return Err(damaged(position, "the event does not match its hash"));
            }
            event(reader, row)?;
        }
    }
    Ok(Head { position, hash, at: head.at })
}

/// A known position must still be there, as it was.
fn known(reader: &dyn Reader, position: u64, hash: &Hash) -> Result<(), StoreError> {
    match reader.journal(position - 1, 1)?.first() {
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

fn event(reader: &dyn Reader, row: &JournalRow) -> Result<(), StoreError> {
    // The chain says that these are the bytes that were written; to understand them is not asked here.
    let Ok(event) = serde_json::from_slice::<Event<'_>>(&row.bytes) else { return Ok(()) };
    if event.exchange.map(|id| id.number) != row.exchange || event.seq != row.seq {
        return Err(damaged(row.position, "the event stands at another place of its exchange than it says"));
    }
    if event.kind != "message-accepted" {
        return Ok(());
    }
    let Ok(accepted) = serde_json::from_str::<Accepted>(event.data.get()) else { return Ok(()) };
    let Some(message) = reader.message_at(row.position)? else {
        return Err(damaged(row.position, "the message is missing"));
    };
    if message.id != accepted.id {
        return Err(damaged(row.position, "the message has another id than was accepted"));
    }
    if blake3::hash(&message.body).to_hex().as_str() != accepted.hash {
        return Err(damaged(row.position, "the message does not match its hash"));
    }
    Ok(())
}

fn damaged(position: u64, reason: &str) -> StoreError {
    StoreError::Damaged { position, reason: reason.to_owned() }
}
