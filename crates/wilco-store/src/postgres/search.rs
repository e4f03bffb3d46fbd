//! Looking for messages: what is newer than the index is looked through, the rest is found with it.
//!
//! The index holds the words that our own splitter finds; the server only keeps them. It says where to look, and each
//! message decides whether it fits.

use crate::batch::MessageRow;
use crate::error::StoreError;
use crate::reader::{PAGE_BYTES, Reader, Room, within};
use crate::search::{Found, MAX_LOOKED, SearchFilter, index_terms, scan, term, terms};

use super::Postgres;
use super::rows::{self, int, limit};

/// Messages taken in at once.
const AT_ONCE: usize = 256;
/// Bytes of terms that the index takes for one message; PostgreSQL ends at a mebibyte.
const TERM_BYTES: usize = 900_000;
/// Letters of a term that count.
const TERM_LETTERS: usize = 128;

pub(super) fn search(store: &Postgres, filter: &SearchFilter) -> Result<Found, StoreError> {
    let Some(question) = question(filter) else {
        return scan(filter, |before, most| newest(store, filter, 0, before, most));
    };
    let end = end(store)?;
    let mut found = scan(filter, |before, most| newest(store, filter, end, before, most))?;
    if found.next.is_some() {
        return Ok(found);
    }
    let before = filter.before.unwrap_or(u64::MAX).min(end + 1);
    let places = places(store, &question, before)?;
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
        let row = store.message_at(place)?.filter(|row| filter.fits(row));
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

fn end(store: &Postgres) -> Result<u64, StoreError> {
    let end = store.one("SELECT position FROM search_end", &[], |row| rows::number(row, 0, 0))?;
    Ok(end.unwrap_or(0))
}

/// Candidates, newest first; also those that the index does not know the words of.
fn places(store: &Postgres, question: &str, before: u64) -> Result<Vec<u64>, StoreError> {
    let sql = "SELECT position FROM (
                   (SELECT position FROM search WHERE terms @@ $1::text::tsquery AND position < $2
                    ORDER BY position DESC LIMIT $3)
                   UNION ALL
                   (SELECT position FROM search WHERE terms IS NULL AND position < $2 ORDER BY position DESC LIMIT $3)
               ) AS candidate ORDER BY position DESC LIMIT $3";
    store.list(sql, &[&question, &int(before), &limit(MAX_LOOKED)], |row| rows::number(row, 0, 0))
}

/// Messages between two positions, newest first.
fn newest(
    store: &Postgres,
    filter: &SearchFilter,
    after: u64,
    before: u64,
    most: usize,
) -> Result<Vec<MessageRow>, StoreError> {
    let (exchange, clause) = match filter.exchange {
        Some(number) => (int(number), "exchange = $4"),
        None => (0, "$4::bigint IS NOT NULL"),
    };
    let sql = format!(
        "SELECT position, id, exchange, body FROM message
         WHERE position > $1 AND position < $2 AND {clause} ORDER BY position DESC LIMIT $3"
    );
    let found = store.list(&sql, &[&int(after), &int(before), &limit(most), &exchange], rows::message)?;
    Ok(within(found, PAGE_BYTES, |row| row.body.len()))
}

/// Takes in the next messages, not many at once; up to where they are in it, and whether there are more.
pub(super) fn follow(store: &Postgres) -> Result<(u64, bool), StoreError> {
    let from = end(store)?;
    let messages = within(store.messages_after(from, AT_ONCE)?, PAGE_BYTES, |row| row.body.len());
    let Some(last) = messages.last().map(|message| message.position) else { return Ok((from, false)) };
    let (mut places, mut lists) = (Vec::new(), Vec::new());
    for message in &messages {
        places.push(int(message.position));
        lists.push(listed(message));
    }
    // In one statement: either all of them are in it up to there, or none. Somebody else may have come first.
    let sql = "WITH moved AS (UPDATE search_end SET position = $3 WHERE position = $4 RETURNING 1)
               INSERT INTO search (position, terms)
               SELECT place, array_to_tsvector(string_to_array(list, ' '))
               FROM unnest($1::bigint[], $2::text[]) AS taken (place, list) WHERE EXISTS (SELECT 1 FROM moved)
               ON CONFLICT (position) DO NOTHING";
    store.ask(|session| session.execute(sql, &[&places, &lists, &int(last), &int(from)]))?;
    Ok((last, messages.len() > 1))
}

/// The terms of a message with spaces between; none when they are too many.
fn listed(message: &MessageRow) -> Option<String> {
    let list: Vec<String> = match terms(message) {
        Some(terms) => index_terms(terms, message.exchange).iter().map(|term| short(term)).collect(),
        None => Vec::new(),
    };
    let list = list.join(" ");
    (list.len() <= TERM_BYTES).then_some(list)
}

fn short(term: &str) -> String {
    term.chars().take(TERM_LETTERS).collect()
}

/// The question in the language of the index: only quoted terms and operators of ours, whatever was asked.
/// None when everything is wanted.
fn question(filter: &SearchFilter) -> Option<String> {
    use crate::search::{EXCHANGE, FROM, KIND, TO};
    let exact = |term: String| format!("'{}'", short(&term));
    let mut parts: Vec<String> = filter.words.iter().map(|word| format!("'{}':*", short(word))).collect();
    parts.extend(filter.from.as_ref().map(|from| exact(term(FROM, from.as_str()))));
    parts.extend(filter.to.as_ref().map(|to| exact(term(TO, to.as_str()))));
    parts.extend(filter.agent.as_ref().map(|agent| {
        format!("({} | {})", exact(term(FROM, agent.as_str())), exact(term(TO, agent.as_str())))
    }));
    parts.extend(filter.kind.as_ref().map(|kind| exact(term(KIND, kind))));
    parts.extend(filter.exchange.map(|number| exact(term(EXCHANGE, &number.to_string()))));
    (!parts.is_empty()).then(|| parts.join(" & "))
}
