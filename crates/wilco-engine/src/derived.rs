//! Whether exchanges, their keys, inboxes and agents are what the journal makes of them.
//!
//! Hashes tell that of the record alone; a derived table that was changed by another hand is found by folding
//! everything again and looking at each row. What to do about it is `rebuild`.

use std::collections::BTreeMap;

use serde_json::Value;
use wilco_protocol::journal::Entry;
use wilco_protocol::{Exchange, Name};
use wilco_store::{Batch, ExchangeFilter, InboxStatus, Reader, StoreError};

use crate::lookup::damaged;
use crate::rebuild::Fold;

/// Rows read at once.
const PAGE: usize = 1000;
/// How often it is looked again when others wrote meanwhile.
const TRIES: usize = 5;

/// The first derived row that is not what the journal says, in words.
pub fn differs(reader: &dyn Reader) -> Result<Option<String>, StoreError> {
    for _ in 0..TRIES {
        let before = reader.head()?.position;
        let difference = compared(reader)?;
        // Where others write too, the tables may be younger than what was read of the journal.
        if difference.is_none() || reader.head()?.position == before {
            return Ok(difference);
        }
    }
    let moving =
        "others wrote whenever the tables were compared with the journal; ask again when less is sent";
    Err(StoreError::NotStored(moving.into()))
}

fn compared(reader: &dyn Reader) -> Result<Option<String>, StoreError> {
    let mut fold = Fold::default();
    let mut inboxes = BTreeMap::new();
    let mut after = 0;
    loop {
        let page = reader.journal(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.position;
        for row in &page {
            let entry = Entry::from_bytes(&row.bytes).map_err(|error| damaged(row.position, error))?;
            let mut batch = Batch::default();
            fold.take(row.position, &entry, reader, &mut batch)?;
            let arrived = batch.inbox.into_iter().map(|row| ((row.position, row.agent), row.status));
            inboxes.extend(arrived);
            inboxes.extend(batch.marks.into_iter().map(|mark| ((mark.position, mark.agent), mark.status)));
        }
    }
    if let Some(difference) = misplaced(reader, &inboxes)? {
        return Ok(Some(difference));
    }
    for (number, (exchange, seq)) in &fold.exchanges {
        if let Some(difference) = other(reader, *number, exchange, *seq)? {
            return Ok(Some(difference));
        }
    }
    let (stored, folded) = (count(reader)?, fold.exchanges.len());
    if stored != folded {
        return Ok(Some(format!("there are {stored} exchanges, and {folded} in the journal")));
    }
    let mut agents = reader.agents()?;
    let mut known: Vec<_> = fold.directory.iter().cloned().collect();
    agents.sort_by(|one, two| one.name.cmp(&two.name));
    known.sort_by(|one, two| one.name.cmp(&two.name));
    let odd = agents.iter().find(|agent| !known.contains(agent));
    let odd = odd.or_else(|| known.iter().find(|agent| !agents.contains(agent)));
    Ok(odd.map(|agent| format!("the agent {} is not as the journal has it", agent.name)))
}

/// An inbox that lacks a message which was put into it, or has it otherwise than the journal.
fn misplaced(
    reader: &dyn Reader,
    inboxes: &BTreeMap<(u64, Name), InboxStatus>,
) -> Result<Option<String>, StoreError> {
    for ((position, agent), status) in inboxes {
        let wrong = match reader.inbox_status(agent, *position)? {
            Some(stored) if stored == *status => continue,
            Some(_) => "is not as the journal has it",
            None => "is missing",
        };
        return Ok(Some(format!("the message at position {position} {wrong} in the inbox of {agent}")));
    }
    Ok(None)
}

fn other(
    reader: &dyn Reader,
    number: u64,
    exchange: &Exchange,
    seq: u64,
) -> Result<Option<String>, StoreError> {
    let id = exchange.id();
    let Some(row) = reader.exchange(number)? else { return Ok(Some(format!("{id} is missing"))) };
    let stored: Option<Exchange> = serde_json::from_slice(&row.body).ok();
    let as_value = |exchange: &Exchange| serde_json::to_value(exchange).unwrap_or(Value::Null);
    let same = stored.is_some_and(|stored| as_value(&stored) == as_value(exchange));
    let listed = (row.id, row.state.as_str(), row.open, row.seq, row.wake_at);
    if !same || listed != (id, exchange.state_name(), exchange.is_open(), seq, exchange.wake_at()) {
        return Ok(Some(format!("{id} is not as the journal has it")));
    }
    if events(reader, number)? != seq {
        return Ok(Some(format!("the events of {id} are not listed as the journal has them")));
    }
    for key in exchange.keys() {
        if !reader.find(&key, usize::MAX)?.contains(&number) {
            return Ok(Some(format!("{id} is not found under {key:?}")));
        }
    }
    Ok(None)
}

/// The newest of an exchange's events that is listed.
fn events(reader: &dyn Reader, number: u64) -> Result<u64, StoreError> {
    let mut seq = 0;
    loop {
        match reader.journal_of(number, seq, PAGE) {
            Ok(rows) if rows.is_empty() => return Ok(seq),
            Ok(rows) => seq = rows.last().and_then(|row| row.seq).unwrap_or(seq),
            Err(StoreError::Damaged { .. }) => return Ok(0),
            Err(other) => return Err(other),
        }
    }
}

fn count(reader: &dyn Reader) -> Result<usize, StoreError> {
    let mut filter = ExchangeFilter { limit: PAGE, ..ExchangeFilter::default() };
    let mut count = 0;
    loop {
        let rows = reader.exchanges(&filter)?;
        count += rows.len();
        match rows.last() {
            Some(last) if rows.len() == PAGE => filter.before = Some(last.id.number),
            _ => return Ok(count),
        }
    }
}
