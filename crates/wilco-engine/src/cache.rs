//! Exchanges and messages that were used lately, bounded by their bytes.

use std::sync::Arc;

use lru::LruCache;
use wilco_protocol::MessageId;
use wilco_store::Message;

use crate::layer::Live;

/// What all cached exchanges and messages may take together.
const MAX_BYTES: usize = 64 << 20;
/// What an entry costs besides its own bytes.
const OVERHEAD: usize = 512;

#[derive(Debug)]
pub(crate) struct Cache {
    exchanges: LruCache<u64, (usize, Live)>,
    messages: LruCache<MessageId, (usize, u64, Arc<Message>)>,
    bytes: usize,
}

impl Cache {
    pub(crate) fn new() -> Cache {
        // Bounded by bytes in `trim`, so their number needs no bound of its own.
        Cache { exchanges: LruCache::unbounded(), messages: LruCache::unbounded(), bytes: 0 }
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
        self.bytes += bytes + OVERHEAD;
        if let Some((old, ..)) = self.messages.put(message.id.clone(), (bytes, position, message)) {
            self.bytes -= old + OVERHEAD;
        }
        self.trim();
    }

    /// Lets go of what was not used for longest, messages first: they are immutable and cheap to reload.
    fn trim(&mut self) {
        while self.bytes > MAX_BYTES {
            let freed = match self.messages.pop_lru() {
                Some((_, (bytes, ..))) => bytes,
                None => match self.exchanges.pop_lru() {
                    Some((_, (bytes, _))) => bytes,
                    None => return,
                },
            };
            self.bytes -= freed + OVERHEAD;
        }
    }
}
