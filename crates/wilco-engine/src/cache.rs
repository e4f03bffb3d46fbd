//! Exchanges, messages and lookups that were used lately, bounded by their bytes.

use std::collections::BTreeMap;
use std::sync::Arc;

use lru::LruCache;
use wilco_protocol::MessageId;
use wilco_store::Message;

use crate::layer::Live;
use crate::lookup::MAX_FOUND;

/// What everything cached may take together.
const MAX_BYTES: usize = 64 << 20;
/// What an entry costs besides its own bytes.
const OVERHEAD: usize = 512;
/// A message that is cited is held as text and as values: so many times its text.
const AS_VALUES: usize = 3;

#[derive(Debug)]
pub(crate) struct Cache {
    exchanges: LruCache<u64, (usize, Live)>,
    messages: LruCache<MessageId, (usize, u64, Arc<Message>)>,
    /// Which exchanges the store has under a key, newest first. Nobody else writes, so it stays true.
    found: LruCache<String, Vec<u64>>,
    bytes: usize,
}

impl Cache {
    pub(crate) fn new() -> Cache {
        // Bounded by bytes in `trim`, so their number needs no bound of its own.
        Cache {
            exchanges: LruCache::unbounded(),
            messages: LruCache::unbounded(),
            found: LruCache::unbounded(),
            bytes: 0,
        }
    }

    pub(crate) fn exchange(&mut self, number: u64) -> Option<&Live> {
        self.exchanges.get(&number).map(|(_, live)| live)
    }

    pub(crate) fn message(&mut self, id: &MessageId) -> Option<(u64, Arc<Message>)> {
        self.messages.get(id).map(|(_, position, message)| (*position, message.clone()))
    }

    pub(crate) fn put_exchange(&mut self, number: u64, bytes: usize, live: Live) {
        self.bytes += bytes + OVERHEAD;
        if let Some((old, _)) = self.exchanges.put(number, (bytes, live)) {
            self.bytes -= old + OVERHEAD;
        }
        self.trim();
    }

    pub(crate) fn put_message(&mut self, position: u64, bytes: usize, message: Arc<Message>) {
        let bytes = bytes * AS_VALUES;
        self.bytes += bytes + OVERHEAD;
        if let Some((old, ..)) = self.messages.put(message.id.clone(), (bytes, position, message)) {
            self.bytes -= old + OVERHEAD;
        }
        self.trim();
    }

    pub(crate) fn found(&mut self, key: &str) -> Option<&Vec<u64>> {
        self.found.get(key)
    }

    pub(crate) fn put_found(&mut self, key: &str, numbers: Vec<u64>) {
        self.bytes += cost(key, &numbers) + OVERHEAD;
        if let Some(old) = self.found.put(key.to_owned(), numbers) {
            self.bytes -= cost(key, &old) + OVERHEAD;
        }
        self.trim();
    }

    /// Follows a commit that added (true) or removed exchanges under a key.
    pub(crate) fn change_found(&mut self, key: &str, changes: &BTreeMap<u64, bool>) {
        let Some(mut numbers) = self.found.pop(key) else { return };
        self.bytes -= cost(key, &numbers) + OVERHEAD;
        // A list that is cut off at its end cannot tell what moves up.
        if numbers.len() < MAX_FOUND {
            merge(&mut numbers, changes);
            numbers.truncate(MAX_FOUND);
            self.put_found(key, numbers);
        }
    }

    /// Lets go of what was not used for longest: messages first, because they are immutable and cheap to
    /// reload, then lookups.
    fn trim(&mut self) {
        while self.bytes > MAX_BYTES {
            let message = self.messages.pop_lru().map(|(_, (bytes, ..))| bytes);
            let freed = message
                .or_else(|| self.found.pop_lru().map(|(key, numbers)| cost(&key, &numbers)))
                .or_else(|| self.exchanges.pop_lru().map(|(_, (bytes, _))| bytes));
            let Some(freed) = freed else { return };
            self.bytes -= freed + OVERHEAD;
        }
    }
}

fn cost(key: &str, numbers: &[u64]) -> usize {
    key.len() + size_of_val(numbers)
}

/// Brings a list of exchanges, newest first, up to date.
pub(crate) fn merge(numbers: &mut Vec<u64>, changes: &BTreeMap<u64, bool>) {
    numbers.retain(|number| !changes.contains_key(number));
    numbers.extend(changes.iter().filter(|(_, added)| **added).map(|(number, _)| *number));
    numbers.sort_unstable_by(|a, b| b.cmp(a));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lookup_follows_what_is_committed() {
        let mut cache = Cache::new();
        cache.put_found("works:bob", vec![9, 4]);
        cache.change_found("works:bob", &BTreeMap::from([(4, false), (7, true), (12, true)]));
        assert_eq!(cache.found("works:bob"), Some(&vec![12, 9, 7]));
        cache.change_found("works:eve", &BTreeMap::from([(1, true)]));
        assert_eq!(cache.found("works:eve"), None, "what was never looked up is not known");
        cache.put_found("full", (1..=MAX_FOUND as u64).rev().collect());
        cache.change_found("full", &BTreeMap::from([(5, false)]));
        assert_eq!(cache.found("full"), None, "what moves up into the list is not known");
        cache.change_found("works:bob", &BTreeMap::from([(12, false), (9, false), (7, false)]));
        assert_eq!(cache.found("works:bob"), Some(&Vec::new()));
        assert_eq!(cache.bytes, OVERHEAD + "works:bob".len());
    }
}
