//! Exchanges, messages and lookups that were used lately, each bounded by its bytes: many of one kind leave the others
//! their room.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;

use lru::LruCache;
use wilco_protocol::MessageId;
use wilco_store::Message;

use crate::layer::Live;
use crate::lookup::MAX_FOUND;

/// What each kind may take.
const EXCHANGE_BYTES: usize = 32 << 20;
const MESSAGE_BYTES: usize = 24 << 20;
const FOUND_BYTES: usize = 8 << 20;
/// What an entry costs besides its own bytes.
const OVERHEAD: usize = 512;
/// A message that is cited is held as text and as values: so many times its text.
const AS_VALUES: usize = 3;

/// Entries of one kind; those that were not used for longest go first.
#[derive(Debug)]
struct Recent<K: Hash + Eq, V> {
    entries: LruCache<K, (usize, V)>,
    bytes: usize,
    most: usize,
}

impl<K: Hash + Eq, V> Recent<K, V> {
    fn new(most: usize) -> Recent<K, V> {
        // Bounded by bytes, so their number needs no bound of its own.
        Recent { entries: LruCache::unbounded(), bytes: 0, most }
    }

    fn get<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.entries.get(key).map(|(_, value)| value)
    }

    fn put(&mut self, key: K, bytes: usize, value: V) {
        self.bytes += bytes + OVERHEAD;
        if let Some((old, _)) = self.entries.put(key, (bytes, value)) {
            self.bytes -= old + OVERHEAD;
        }
        while self.bytes > self.most {
            let Some((_, (freed, _))) = self.entries.pop_lru() else { return };
            self.bytes -= freed + OVERHEAD;
        }
    }

    fn take<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let (freed, value) = self.entries.pop(key)?;
        self.bytes -= freed + OVERHEAD;
        Some(value)
    }
}

#[derive(Debug)]
pub(crate) struct Cache {
    exchanges: Recent<u64, Live>,
    messages: Recent<MessageId, (u64, Arc<Message>)>,
    /// Which exchanges the store has under a key, newest first. Nobody else writes, so it stays true.
    found: Recent<String, Vec<u64>>,
}

impl Cache {
    pub(crate) fn new() -> Cache {
        Cache {
            exchanges: Recent::new(EXCHANGE_BYTES),
            messages: Recent::new(MESSAGE_BYTES),
            found: Recent::new(FOUND_BYTES),
        }
    }

    /// One that keeps nothing.
    #[cfg(test)]
    pub(crate) fn without_room() -> Cache {
        Cache { exchanges: Recent::new(0), messages: Recent::new(0), found: Recent::new(0) }
    }

    pub(crate) fn exchange(&mut self, number: u64) -> Option<&Live> {
        self.exchanges.get(&number)
    }

    pub(crate) fn message(&mut self, id: &MessageId) -> Option<(u64, Arc<Message>)> {
        self.messages.get(id).cloned()
    }

    pub(crate) fn put_exchange(&mut self, number: u64, bytes: usize, live: Live) {
        self.exchanges.put(number, bytes, live);
    }

    pub(crate) fn put_message(&mut self, position: u64, bytes: usize, message: Arc<Message>) {
        self.messages.put(message.id.clone(), bytes * AS_VALUES, (position, message));
    }

    pub(crate) fn found(&mut self, key: &str) -> Option<&Vec<u64>> {
        self.found.get(key)
    }

    pub(crate) fn put_found(&mut self, key: &str, numbers: Vec<u64>) {
        self.found.put(key.to_owned(), cost(key, &numbers), numbers);
    }

    /// Follows a commit that added (true) or removed exchanges under a key.
    pub(crate) fn change_found(&mut self, key: &str, changes: &BTreeMap<u64, bool>) {
        let Some(mut numbers) = self.found.take(key) else { return };
        // A list that is cut off at its end cannot tell what moves up.
        if numbers.len() < MAX_FOUND {
            merge(&mut numbers, changes);
            numbers.truncate(MAX_FOUND);
            self.put_found(key, numbers);
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
        assert_eq!(cache.found.bytes, OVERHEAD + "works:bob".len());
    }

    #[test]
    fn many_of_one_kind_leave_the_others_their_room() {
        let mut cache = Cache::new();
        cache.put_found("works:bob", vec![1]);
        let mut kept = Recent::new(10 * (OVERHEAD + 100));
        (0..1000u64).for_each(|number| kept.put(number, 100, ()));
        assert_eq!((kept.entries.len(), kept.get(&999).is_some()), (10, true));
        assert!(kept.get(&0).is_none());
        assert_eq!(cache.found("works:bob"), Some(&vec![1]));
    }
}
