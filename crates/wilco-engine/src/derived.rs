//! Whether exchanges, their keys, inboxes and agents are what the journal makes of them.
//!
//! Hashes tell that of the record alone; a derived table that was changed by another hand is found by folding
//! everything again and looking at each row. What to do about it is `rebuild`.

use serde_json::Value;
use wilco_protocol::Exchange;
use wilco_protocol::journal::{Entry, Fact, MessageEvent};
use wilco_store::{ExchangeFilter, Reader, StoreError};

use crate::rebuild::Fold;
use crate::work::damaged;

/// Rows read at once.
const PAGE: usize = 1000;

/// The first derived row that is not what the journal says, in words. Nobody may write meanwhile.
pub fn differs(reader: &dyn Reader) -> Result<Option<String>, StoreError> {
    let mut fold = Fold::default();
    let mut after = 0;
    loop {
        let page = reader.journal(after, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.position;
        for row in &page {
            let entry = Entry::from_bytes(&row.bytes).map_err(|error| damaged(row.position, error))?;
            if let Some(missing) = unseen(reader, row.position, &entry)? {
                return Ok(Some(missing));
            }
            fold.apply(row.position, &entry)?;
        }
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

/// An inbox that lacks a message which was put into it.
fn unseen(reader: &dyn Reader, position: u64, entry: &Entry) -> Result<Option<String>, StoreError> {
    let Fact::Message(MessageEvent::MessageAccepted { inboxes, .. }) = &entry.fact else { return Ok(None) };
    for agent in inboxes {
        if reader.inbox_status(agent, position)?.is_none() {
            return Ok(Some(format!(
                "the message at position {position} is missing in the inbox of {agent}"
            )));
        }
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
    for key in exchange.keys() {
        if !reader.find(&key, usize::MAX)?.contains(&number) {
            return Ok(Some(format!("{id} is not found under {key:?}")));
        }
    }
    Ok(None)
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
