//! Asking: what is newer than the index is looked through, the rest is found with it.

use rusqlite::{Connection, Result};

use crate::batch::MessageRow;
use crate::error::StoreError;
use crate::reader::{PAGE_BYTES, Room};
use crate::search::{Found, MAX_LOOKED, SearchFilter, scan};

use super::super::query::{first, list, list_within};
use super::super::rows::{self, int, limit};
use super::index::watermark;
use super::question;

/// `index`: the database beside the main one, if there is one. Without it, or when it fails, everything is
/// looked through: the answer is the same.
pub(in super::super) fn search(
    connection: &Connection,
    index: Option<&Connection>,
    filter: &SearchFilter,
) -> Result<Found, StoreError> {
    let everything = || scan(filter, |before, most| newest(connection, filter, 0, before, most));
    let known = index.and_then(|index| Some((index, watermark(index).ok()?)));
    let (Some((index, watermark)), Some(question)) = (known, question(filter)) else { return everything() };
    let mut found = scan(filter, |before, most| newest(connection, filter, watermark, before, most))?;
    if found.next.is_some() {
        return Ok(found);
    }
    // Only what the watermark covers: the index may have grown since.
    let before = filter.before.unwrap_or(u64::MAX).min(watermark + 1);
    let Ok(places) = places(index, &question, before) else { return everything() };
    let all = places.len() < MAX_LOOKED;
    let (mut looked, mut room) = (before, Room::new(PAGE_BYTES));
    for row in &found.rows {
        room.takes(row.body.len());
    }
    for place in places {
        if found.rows.len() >= filter.limit {
            found.next = Some(looked);
            return Ok(found);
        }
        let sql = "SELECT position, id, exchange, body FROM message WHERE position = ?1";
        let row = first(connection, sql, [int(place)], rows::message)?.filter(|row| filter.fits(row));
        if row.as_ref().is_some_and(|row| !room.takes(row.body.len())) {
            found.next = Some(looked);
            return Ok(found);
        }
        looked = place;
        found.rows.extend(row);
    }
    found.next = (!all).then_some(looked);
    Ok(found)
}

/// Candidates, newest first.
fn places(index: &Connection, question: &str, before: u64) -> Result<Vec<u64>, StoreError> {
    let sql = "SELECT rowid FROM search WHERE search MATCH ?1 AND rowid < ?2 ORDER BY rowid DESC LIMIT ?3";
    list(index, sql, (question, int(before), limit(MAX_LOOKED)), |row| rows::number(row, 0, 0))
}

/// Messages between two positions, newest first.
fn newest(
    connection: &Connection,
    filter: &SearchFilter,
    after: u64,
    before: u64,
    most: usize,
) -> Result<Vec<MessageRow>, StoreError> {
    let (after, before, most) = (int(after), int(before), limit(most));
    match filter.exchange.map(int) {
        None => {
            let sql = "SELECT position, id, exchange, body FROM message
                       WHERE position > ?1 AND position < ?2 ORDER BY position DESC LIMIT ?3";
            list_within(connection, sql, (after, before, most), rows::message, PAGE_BYTES, |row| {
                row.body.len()
            })
        }
        Some(number) => {
            let sql = "SELECT position, id, exchange, body FROM message
                       WHERE exchange = ?1 AND position > ?2 AND position < ?3 ORDER BY position DESC LIMIT ?4";
            let params = (number, after, before, most);
            list_within(connection, sql, params, rows::message, PAGE_BYTES, |row| row.body.len())
        }
    }
}
