//! Generations of a journal: where a copy took the place of the data, positions leap.
//!
//! What was committed after the copy was made is gone, and somebody may still hold its positions and ids. None of them
//! is given out again: they lie in the gap.

use serde::Deserialize;
use wilco_protocol::journal::{Entry, Fact, ServerEvent};
use wilco_protocol::{Name, Time};

use crate::batch::JournalRow;
use crate::chain::link;
use crate::reader::Head;

/// So far a new generation begins above the newest position that is known.
pub const LEAP: u64 = 1_000_000_000;

/// The event that begins a generation behind this head.
pub(crate) fn beginning(head: &Head, replaced: Option<u64>) -> JournalRow {
    let position = head.position.max(replaced.unwrap_or(0)) + LEAP;
    let fact = Fact::Server(ServerEvent::ServerRestored { follows: head.position, replaced });
    let at = head.at.unwrap_or(Time::from_millis(0));
    let bytes = Entry { exchange: None, seq: None, at, by: Name::wilco(), fact }.to_bytes();
    let hash = link(&head.hash, position, &bytes);
    JournalRow { position, exchange: None, seq: None, bytes, hash }
}

/// Whether an event may stand behind this position: it is the next one, or begins a generation there.
pub(crate) fn continues(before: u64, position: u64, bytes: &[u8]) -> bool {
    position == before + 1 || (position > before && follows(bytes) == Some(before))
}

/// The position that an event says it follows, if it begins a generation.
pub fn follows(bytes: &[u8]) -> Option<u64> {
    #[derive(Deserialize)]
    struct Restored {
        #[serde(rename = "type")]
        kind: String,
        exchange: Option<String>,
        data: Data,
    }
    #[derive(Deserialize)]
    struct Data {
        follows: u64,
    }
    let restored: Restored = serde_json::from_slice(bytes).ok()?;
    (restored.kind == "server-restored" && restored.exchange.is_none()).then_some(restored.data.follows)
}
