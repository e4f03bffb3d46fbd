//! What a batch must satisfy before any of it is applied, so that a refused one leaves no trace.

use std::collections::BTreeSet;

use crate::batch::Batch;
use crate::error::StoreError;

use super::Tables;

pub(super) fn batch(tables: &Tables, batch: &Batch) -> Result<(), StoreError> {
    batch.follows(tables.record.journal.len() as u64)?;
    let mut events = BTreeSet::new();
    for row in &batch.journal {
        if let (Some(exchange), Some(seq)) = (row.exchange, row.seq) {
            let event = (exchange, seq);
            once(!tables.record.events.contains_key(&event) && events.insert(event), "seq of an exchange")?;
        }
    }
    let (mut positions, mut ids) = (BTreeSet::new(), BTreeSet::new());
    for row in &batch.messages {
        let known = tables.record.messages.contains_key(&row.position);
        once(!known && positions.insert(row.position), "message position")?;
        once(!tables.record.ids.contains_key(&row.id) && ids.insert(&row.id), "message id")?;
    }
    let mut places = BTreeSet::new();
    for row in &batch.inbox {
        let inbox = tables.derived.inboxes.get(&row.agent);
        let known = inbox.is_some_and(|inbox| inbox.messages.contains_key(&row.position));
        once(!known && places.insert((&row.agent, row.position)), "message in an inbox")?;
    }
    Ok(())
}

fn once(first: bool, what: &str) -> Result<(), StoreError> {
    if first { Ok(()) } else { Err(StoreError::NotStored(format!("the {what} is there already").into())) }
}
