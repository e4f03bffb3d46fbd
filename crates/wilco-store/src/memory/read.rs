//! Answers from memory. Rows are copied out, as they would be from a database.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included, Unbounded};

use wilco_protocol::directory::Agent;
use wilco_protocol::{MessageId, Name, Protocol, Time};

use crate::batch::{
    EffectRow, ExchangeRow, IdempotencyRow, InboxStatus, JournalRow, MessageRow, PresenceRow, Reached,
};
use crate::error::StoreError;
use crate::reader::{ExchangeFilter, Head, InboxFilter, Reader, Walk};
use crate::search::{Found, SearchFilter, scan};

use super::Memory;

impl Reader for Memory {
    fn head(&self) -> Result<Head, StoreError> {
        Ok(self.tables.record.head(self.tables.at))
    }

    fn message(&self, id: &MessageId) -> Result<Option<MessageRow>, StoreError> {
        match self.tables.record.ids.get(id) {
            Some(position) => self.message_at(*position),
            None => Ok(None),
        }
    }

    fn message_at(&self, position: u64) -> Result<Option<MessageRow>, StoreError> {
        Ok(self.tables.record.messages.get(&position).cloned())
    }

    fn messages_of(&self, exchange: u64, after: u64, limit: usize) -> Result<Vec<MessageRow>, StoreError> {
        let record = &self.tables.record;
        let places = record.spoken.range((Excluded((exchange, after)), Included((exchange, u64::MAX))));
        let rows = places.filter_map(|(_, position)| record.messages.get(position));
        Ok(rows.take(limit).cloned().collect())
    }

    fn messages_before(&self, before: Option<u64>, limit: usize) -> Result<Vec<MessageRow>, StoreError> {
        let rows = self.tables.record.messages.range(..before.unwrap_or(u64::MAX));
        Ok(rows.rev().take(limit).map(|(_, row)| row.clone()).collect())
    }

    fn messages_after(&self, after: u64, limit: usize) -> Result<Vec<MessageRow>, StoreError> {
        let rows = self.tables.record.messages.range((Excluded(after), Unbounded));
        Ok(rows.take(limit).map(|(_, row)| row.clone()).collect())
    }

    fn search(&self, filter: &SearchFilter) -> Result<Found, StoreError> {
        let record = &self.tables.record;
        let Some(exchange) = filter.exchange else {
            return scan(filter, |before, most| self.messages_before(Some(before), most));
        };
        scan(filter, |before, most| {
            let places = record.spoken.range((exchange, 0)..(exchange, before)).rev();
            let rows = places.filter_map(|(_, position)| record.messages.get(position));
            Ok(rows.take(most).cloned().collect())
        })
    }

    fn inbox(&self, filter: &InboxFilter) -> Result<Vec<(InboxStatus, MessageRow)>, StoreError> {
        let Some(inbox) = self.tables.derived.inboxes.get(&filter.agent) else { return Ok(Vec::new()) };
        let row = |(position, status): (u64, InboxStatus)| {
            Some((status, self.tables.record.messages.get(&position)?.clone()))
        };
        let (range, newest_first) = match filter.walk {
            Walk::Behind(position) => ((Excluded(position), Unbounded), false),
            Walk::Before(position) => ((Unbounded, Excluded(position)), true),
        };
        if filter.statuses == [InboxStatus::Unread] {
            let places = inbox.unread.range(range).map(|position| (*position, InboxStatus::Unread));
            return Ok(walked(places, newest_first).filter_map(row).take(filter.limit).collect());
        }
        let places = inbox.messages.range(range).map(|(position, status)| (*position, *status));
        let wanted = walked(places, newest_first).filter(|(_, status)| filter.statuses.contains(status));
        Ok(wanted.filter_map(row).take(filter.limit).collect())
    }

    fn inbox_status(&self, agent: &Name, position: u64) -> Result<Option<InboxStatus>, StoreError> {
        let inbox = self.tables.derived.inboxes.get(agent);
        Ok(inbox.and_then(|inbox| inbox.messages.get(&position).copied()))
    }

    fn reached(&self, agent: &Name, position: u64) -> Result<Reached, StoreError> {
        Ok(self.tables.derived.reached.get(&(position, agent.clone())).copied().unwrap_or_default())
    }

    fn inbox_end(&self, agent: &Name) -> Result<u64, StoreError> {
        let inbox = self.tables.derived.inboxes.get(agent);
        Ok(inbox.and_then(|inbox| inbox.messages.last_key_value()).map_or(0, |(position, _)| *position))
    }

    fn unread(&self, agent: &Name, most: usize) -> Result<usize, StoreError> {
        let inbox = self.tables.derived.inboxes.get(agent);
        Ok(inbox.map_or(0, |inbox| inbox.unread.len().min(most)))
    }

    fn exchange(&self, number: u64) -> Result<Option<ExchangeRow>, StoreError> {
        Ok(self.tables.derived.exchanges.get(&number).cloned())
    }

    fn exchanges(&self, filter: &ExchangeFilter) -> Result<Vec<ExchangeRow>, StoreError> {
        let derived = &self.tables.derived;
        let before = filter.before.unwrap_or(u64::MAX);
        if filter.keys.is_empty() {
            let rows = derived.exchanges.range(..before).rev().map(|(_, row)| row);
            return Ok(rows.filter(|row| fits(row, filter)).take(filter.limit).cloned().collect());
        }
        let sets: Option<Vec<_>> = filter.keys.iter().map(|key| derived.keys.get(key)).collect();
        // The rarest key leads, so that few exchanges are looked at.
        let Some(rarest) = sets.iter().flatten().min_by_key(|set| set.len()) else { return Ok(Vec::new()) };
        let in_all = |number: &&u64| sets.iter().flatten().all(|set| set.contains(number));
        let rows = rarest.range(..before).rev().filter(in_all);
        let rows = rows.filter_map(|number| derived.exchanges.get(number));
        Ok(rows.filter(|row| fits(row, filter)).take(filter.limit).cloned().collect())
    }

    fn open_exchanges(&self) -> Result<Vec<(Protocol, String, u64)>, StoreError> {
        let mut counts = BTreeMap::new();
        for row in self.tables.derived.exchanges.values().filter(|row| row.open) {
            let of =
                counts.entry((row.id.protocol.word(), row.state.clone())).or_insert((row.id.protocol, 0));
            of.1 += 1;
        }
        Ok(counts.into_iter().map(|((_, state), (protocol, count))| (protocol, state, count)).collect())
    }

    fn find(&self, key: &str, limit: usize) -> Result<Vec<u64>, StoreError> {
        let numbers = self.tables.derived.keys.get(key);
        Ok(numbers.map(|numbers| numbers.iter().rev().take(limit).copied().collect()).unwrap_or_default())
    }

    fn wakes(&self) -> Result<Vec<(Time, u64)>, StoreError> {
        let exchanges = self.tables.derived.exchanges.values();
        let mut wakes: Vec<_> = exchanges.filter_map(|row| Some((row.wake_at?, row.id.number))).collect();
        wakes.sort_unstable();
        Ok(wakes)
    }

    fn journal(&self, after: u64, limit: usize) -> Result<Vec<JournalRow>, StoreError> {
        Ok(self.events(after).iter().take(limit).cloned().collect())
    }

    fn journal_of(&self, exchange: u64, after_seq: u64, limit: usize) -> Result<Vec<JournalRow>, StoreError> {
        let record = &self.tables.record;
        let events = record.events.range((Excluded((exchange, after_seq)), Included((exchange, u64::MAX))));
        let rows = events.map(|(_, position)| &record.journal[*position as usize - 1]);
        Ok(rows.take(limit).cloned().collect())
    }

    fn agent(&self, name: &Name) -> Result<Option<Agent>, StoreError> {
        Ok(self.tables.derived.agents.get(name).cloned())
    }

    fn agents(&self) -> Result<Vec<Agent>, StoreError> {
        Ok(self.tables.derived.agents.values().cloned().collect())
    }

    fn presence(&self) -> Result<Vec<PresenceRow>, StoreError> {
        Ok(self.tables.operational.presence.values().cloned().collect())
    }

    fn effects(&self) -> Result<Vec<EffectRow>, StoreError> {
        Ok(self.tables.operational.effects.values().cloned().collect())
    }

    fn effect(&self, position: u64, index: u32) -> Result<Option<EffectRow>, StoreError> {
        Ok(self.tables.operational.effects.get(&(position, index)).cloned())
    }

    fn idempotent(&self, sender: &Name, key: &str) -> Result<Option<IdempotencyRow>, StoreError> {
        let found = self.tables.operational.idempotency.get(&(sender.clone(), key.to_owned()));
        Ok(found.cloned())
    }
}

/// A list in its order, or from its end.
fn walked<'a, T>(
    list: impl DoubleEndedIterator<Item = T> + 'a,
    from_end: bool,
) -> Box<dyn Iterator<Item = T> + 'a> {
    if from_end { Box::new(list.rev()) } else { Box::new(list) }
}

fn fits(row: &ExchangeRow, filter: &ExchangeFilter) -> bool {
    filter.protocol.is_none_or(|protocol| row.id.protocol == protocol)
        && filter.state.as_ref().is_none_or(|state| row.state == *state)
        && filter.open.is_none_or(|open| row.open == open)
}
