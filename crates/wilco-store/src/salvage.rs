//! Everything of a damaged journal that is whole, wherever it stands.
//!
//! An event is whole when its hash follows from its bytes and from the hash that stands before it. So one that is
//! damaged takes at most the next with it, and those behind can be trusted again.

use std::ops::RangeInclusive;

use crate::batch::{JournalRow, MessageRow};
use crate::chain::{Hash, genesis, link};
use crate::error::StoreError;
use crate::generation::continues;
use crate::reader::{Head, Reader};
use crate::verify::{PAGE, message_of};

/// Takes an event that is whole, with the message that it accepted.
pub type EachEvent<'a> = dyn FnMut(&JournalRow, Option<&MessageRow>) -> Result<(), StoreError> + 'a;

/// What is left.
#[derive(Debug)]
pub struct Salvaged {
    /// How many events are whole.
    pub events: u64,
    /// The newest of them.
    pub newest: Head,
    /// The first damage, if there is any.
    pub damage: Option<StoreError>,
    /// Positions whose events are lost, or cannot be trusted.
    pub lost: Vec<RangeInclusive<u64>>,
    /// Positions whose events are whole, and whose messages are not.
    pub without_message: Vec<RangeInclusive<u64>>,
}

/// After so many positions in a row that cannot be read, the rest is given up.
const MOST_UNREADABLE: u64 = 100_000;

/// Hands over each event that is whole, up to the newest position that is known to have been there; if none is, up to the
/// first that cannot be read. The message is left out where it is not the one that was accepted.
pub(crate) fn salvage(
    reader: &dyn Reader,
    known: Option<u64>,
    each: &mut EachEvent<'_>,
) -> Result<Salvaged, StoreError> {
    let mut found = Salvaged::nothing();
    let (mut at, mut unreadable, mut before) = (0, 0, Some(genesis()));
    while known.is_none_or(|known| at < known) && unreadable < MOST_UNREADABLE {
        let asked = at;
        let rows = match reader.journal(at, PAGE).or_else(|_| reader.journal(at, 1)) {
            Ok(rows) if rows.is_empty() => break,
            Ok(rows) => rows,
            Err(error) => {
                found.note(at + 1, &reason(error));
                Vec::new()
            }
        };
        for row in rows {
            // A damaged table may give anything.
            if row.position <= at || known.is_some_and(|known| row.position > known) {
                break;
            }
            if !continues(at, row.position, &row.bytes) {
                found.lose(at + 1..=row.position - 1, "the event is missing");
                before = None;
            }
            at = row.position;
            let fits = |before: &Hash| link(before, at, &row.bytes) == row.hash;
            match before {
                Some(before) if fits(&before) => {
                    let message = message_of(reader, &row);
                    each(&row, message.as_ref().ok().and_then(Option::as_ref))?;
                    found.events += 1;
                    found.newest = Head { position: at, hash: row.hash, at: None };
                    if let Err(error) = message {
                        found.note(at, &reason(error));
                        add(&mut found.without_message, at..=at);
                    }
                }
                Some(_) => found.lose(at..=at, "the event does not match its hash"),
                None => found.lose(at..=at, "the event that it is linked to is lost"),
            }
            before = Some(row.hash);
        }
        if at > asked {
            unreadable = 0;
        } else if known.is_none() {
            break;
        } else {
            (at, before) = (asked + 1, None);
            found.lose(at..=at, "the event cannot be read");
            unreadable += 1;
        }
    }
    if let Some(known) = known.filter(|known| *known > at) {
        let reason = format!("the journal ends before it, but position {known} had been committed");
        found.lose(at + 1..=known, &reason);
    }
    Ok(found)
}

impl Salvaged {
    fn nothing() -> Salvaged {
        let newest = Head { position: 0, hash: genesis(), at: None };
        Salvaged { events: 0, newest, damage: None, lost: Vec::new(), without_message: Vec::new() }
    }

    /// The database cannot even be opened.
    pub(crate) fn unreadable(known: u64, reason: &str) -> Salvaged {
        let mut found = Salvaged::nothing();
        match known {
            0 => found.note(1, reason),
            known => found.lose(1..=known, reason),
        }
        found
    }

    fn lose(&mut self, positions: RangeInclusive<u64>, reason: &str) {
        self.note(*positions.start(), reason);
        add(&mut self.lost, positions);
    }

    fn note(&mut self, position: u64, reason: &str) {
        self.damage.get_or_insert_with(|| StoreError::Damaged { position, reason: reason.to_owned() });
    }
}

fn add(ranges: &mut Vec<RangeInclusive<u64>>, more: RangeInclusive<u64>) {
    match ranges.last_mut() {
        Some(last) if *more.start() <= last.end() + 1 => {
            *last = *last.start()..=*more.end().max(last.end());
        }
        Some(_) | None => ranges.push(more),
    }
}

fn reason(error: StoreError) -> String {
    match error {
        StoreError::Damaged { reason, .. } => reason,
        other => other.to_string(),
    }
}
