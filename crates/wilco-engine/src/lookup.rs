//! What is stored, as one batch sees it: the cache before the store, and for this batch also what is not there.
//!
//! Questions are best asked many at a time, before anything is decided (`gather`): a store across a network then answers
//! them in one go. What nobody foresaw is read singly, and counted.

use std::collections::{HashMap, HashSet}; // order never observed: only looked up
use std::hash::Hash;
use std::sync::Arc;

use wilco_protocol::{Exchange, MessageId, Name};
use wilco_store::{EffectRow, IdempotencyRow, InboxStatus, Message, Reached, Reader, StoreError};

use crate::cache::Cache;
use crate::layer::Live;

/// More exchanges under one key than this are never looked at together.
pub(crate) const MAX_FOUND: usize = 1000;

pub(crate) struct Lookup<'a> {
    store: &'a dyn Reader,
    cache: &'a mut Cache,
    // What this batch read: the cache may let go of it at any time.
    messages: HashMap<MessageId, (u64, Arc<Message>)>,
    exchanges: HashMap<u64, Live>,
    found: HashMap<String, Vec<u64>>,
    no_messages: HashSet<MessageId>,
    no_exchanges: HashSet<u64>,
    answers: HashMap<(Name, String), Option<IdempotencyRow>>,
    effects: HashMap<(u64, u32), Option<EffectRow>>,
    statuses: HashMap<(Name, u64), Option<InboxStatus>>,
    reached: HashMap<(Name, u64), Reached>,
    unread: HashMap<Name, usize>,
    single: u64,
}

/// The answers to those questions that have none yet.
fn learn<Q: Hash + Eq + Clone, A>(
    known: &mut HashMap<Q, A>,
    questions: impl IntoIterator<Item = Q>,
    ask: impl FnOnce(&[Q]) -> Result<Vec<A>, StoreError>,
) -> Result<(), StoreError> {
    let new: Vec<Q> = questions.into_iter().filter(|question| !known.contains_key(question)).collect();
    if !new.is_empty() {
        let answers = ask(&new)?;
        known.extend(new.into_iter().zip(answers));
    }
    Ok(())
}

impl<'a> Lookup<'a> {
    pub(crate) fn new(store: &'a dyn Reader, cache: &'a mut Cache) -> Lookup<'a> {
        Lookup {
            store,
            cache,
            messages: HashMap::new(),
            exchanges: HashMap::new(),
            found: HashMap::new(),
            no_messages: HashSet::new(),
            no_exchanges: HashSet::new(),
            answers: HashMap::new(),
            effects: HashMap::new(),
            statuses: HashMap::new(),
            reached: HashMap::new(),
            unread: HashMap::new(),
            single: 0,
        }
    }

    /// For lists, which are one question each.
    pub(crate) fn store(&self) -> &'a dyn Reader {
        self.store
    }

    /// How many questions were asked one by one.
    pub(crate) fn single(&self) -> u64 {
        self.single
    }

    pub(crate) fn fetch_messages(
        &mut self,
        ids: impl IntoIterator<Item = MessageId>,
    ) -> Result<(), StoreError> {
        let mut new = |id: &MessageId| !self.has_message(id) && !self.no_messages.contains(id);
        let ids: Vec<_> = ids.into_iter().filter(|id| new(id)).collect();
        if ids.is_empty() {
            return Ok(());
        }
        for (id, row) in ids.iter().zip(self.store.messages_by_id(&ids)?) {
            match row {
                None => drop(self.no_messages.insert(id.clone())),
                Some(row) => {
                    let message: Message =
                        serde_json::from_slice(&row.body).map_err(|error| damaged(row.position, error))?;
                    let message = Arc::new(message);
                    self.messages.insert(id.clone(), (row.position, message.clone()));
                    self.cache.put_message(row.position, row.body.len(), message);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn message(&mut self, id: &MessageId) -> Result<Option<(u64, Arc<Message>)>, StoreError> {
        if self.has_message(id) {
            return Ok(self.messages.get(id).cloned());
        }
        if self.no_messages.contains(id) {
            return Ok(None);
        }
        self.single += 1;
        self.fetch_messages([id.clone()])?;
        Ok(self.messages.get(id).cloned())
    }

    /// Whether it was read already; what the cache has is held on to.
    fn has_message(&mut self, id: &MessageId) -> bool {
        if !self.messages.contains_key(id)
            && let Some(found) = self.cache.message(id)
        {
            self.messages.insert(id.clone(), found);
        }
        self.messages.contains_key(id)
    }

    pub(crate) fn fetch_exchanges(
        &mut self,
        numbers: impl IntoIterator<Item = u64>,
    ) -> Result<(), StoreError> {
        let mut new = |number: u64| !self.has_exchange(number) && !self.no_exchanges.contains(&number);
        let numbers: Vec<_> = numbers.into_iter().filter(|number| new(*number)).collect();
        if numbers.is_empty() {
            return Ok(());
        }
        for (number, row) in numbers.iter().zip(self.store.exchanges_by_number(&numbers)?) {
            match row {
                None => drop(self.no_exchanges.insert(*number)),
                Some(row) => {
                    let exchange: Arc<Exchange> =
                        serde_json::from_slice(&row.body).map_err(|error| damaged(*number, error))?;
                    let (keys, alarm) = (exchange.keys().into(), row.wake_at);
                    let live = Live { keys, exchange, seq: row.seq, alarm };
                    self.exchanges.insert(*number, live.clone());
                    self.cache.put_exchange(*number, row.body.len(), live);
                }
            }
        }
        Ok(())
    }

    pub(crate) fn exchange(&mut self, number: u64) -> Result<Option<Live>, StoreError> {
        if self.has_exchange(number) {
            return Ok(self.exchanges.get(&number).cloned());
        }
        if self.no_exchanges.contains(&number) {
            return Ok(None);
        }
        self.single += 1;
        self.fetch_exchanges([number])?;
        Ok(self.exchanges.get(&number).cloned())
    }

    fn has_exchange(&mut self, number: u64) -> bool {
        if !self.exchanges.contains_key(&number)
            && let Some(live) = self.cache.exchange(number)
        {
            self.exchanges.insert(number, live.clone());
        }
        self.exchanges.contains_key(&number)
    }

    pub(crate) fn fetch_found(&mut self, keys: impl IntoIterator<Item = String>) -> Result<(), StoreError> {
        let keys: Vec<_> = keys.into_iter().filter(|key| !self.has_found(key)).collect();
        if keys.is_empty() {
            return Ok(());
        }
        for (key, found) in keys.iter().zip(self.store.find_all(&keys, MAX_FOUND)?) {
            self.found.insert(key.clone(), found.clone());
            self.cache.put_found(key, found);
        }
        Ok(())
    }

    fn has_found(&mut self, key: &str) -> bool {
        if !self.found.contains_key(key)
            && let Some(found) = self.cache.found(key)
        {
            self.found.insert(key.to_owned(), found.clone());
        }
        self.found.contains_key(key)
    }

    pub(crate) fn found(&mut self, key: &str) -> Result<Vec<u64>, StoreError> {
        if !self.has_found(key) {
            self.single += 1;
            self.fetch_found([key.to_owned()])?;
        }
        Ok(self.found.get(key).cloned().unwrap_or_default())
    }

    /// A key that was made just now: the store need not be asked whose it is.
    pub(crate) fn nobody_has(&mut self, key: &str) {
        self.found.insert(key.to_owned(), Vec::new());
        self.cache.put_found(key, Vec::new());
    }

    pub(crate) fn fetch_answers(
        &mut self,
        places: impl IntoIterator<Item = (Name, String)>,
    ) -> Result<(), StoreError> {
        learn(&mut self.answers, places, |places| self.store.idempotent_all(places))
    }

    pub(crate) fn answer(&mut self, place: &(Name, String)) -> Result<Option<IdempotencyRow>, StoreError> {
        if !self.answers.contains_key(place) {
            self.single += 1;
            self.fetch_answers([place.clone()])?;
        }
        Ok(self.answers.get(place).cloned().flatten())
    }

    pub(crate) fn fetch_effects(
        &mut self,
        places: impl IntoIterator<Item = (u64, u32)>,
    ) -> Result<(), StoreError> {
        learn(&mut self.effects, places, |places| self.store.effects_at(places))
    }

    pub(crate) fn effect(&mut self, place: (u64, u32)) -> Result<Option<EffectRow>, StoreError> {
        if !self.effects.contains_key(&place) {
            self.single += 1;
            self.fetch_effects([place])?;
        }
        Ok(self.effects.get(&place).cloned().flatten())
    }

    /// Where messages lie in inboxes, and how far they got.
    pub(crate) fn fetch_places(
        &mut self,
        places: impl IntoIterator<Item = (Name, u64)>,
    ) -> Result<(), StoreError> {
        let places: Vec<_> = places.into_iter().collect();
        learn(&mut self.statuses, places.iter().cloned(), |places| self.store.inbox_statuses(places))?;
        learn(&mut self.reached, places, |places| self.store.reached_all(places))
    }

    pub(crate) fn place(
        &mut self,
        agent: &Name,
        position: u64,
    ) -> Result<(Option<InboxStatus>, Reached), StoreError> {
        let place = (agent.clone(), position);
        if !self.statuses.contains_key(&place) {
            self.single += 1;
            self.fetch_places([place.clone()])?;
        }
        Ok((
            self.statuses.get(&place).copied().flatten(),
            self.reached.get(&place).copied().unwrap_or_default(),
        ))
    }

    /// How many messages are unread, counted up to `most`, which is the same for all.
    pub(crate) fn fetch_unread(
        &mut self,
        agents: impl IntoIterator<Item = Name>,
        most: usize,
    ) -> Result<(), StoreError> {
        learn(&mut self.unread, agents, |agents| self.store.unread_of_all(agents, most))
    }

    pub(crate) fn unread(&mut self, agent: &Name, most: usize) -> Result<usize, StoreError> {
        if !self.unread.contains_key(agent) {
            self.single += 1;
            self.fetch_unread([agent.clone()], most)?;
        }
        Ok(self.unread.get(agent).copied().unwrap_or_default())
    }
}

pub(crate) fn damaged(position: u64, reason: impl std::fmt::Display) -> StoreError {
    StoreError::Damaged { position, reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use wilco_protocol::Time;
    use wilco_store::{Batch, KeyChange, Memory, Store};

    use super::*;

    /// G4: what is stored is found, also when the cache has no room for it.
    #[test]
    fn g4_what_the_cache_lets_go_of_is_there_all_the_same() {
        let mut store = Memory::new();
        let key = "works:bob".to_owned();
        let keys = vec![KeyChange { key: key.clone(), exchange: 7, added: true }];
        store.commit(&Batch { at: Time::from_millis(1), keys, ..Batch::default() }).unwrap();
        let mut cache = Cache::without_room();
        let mut lookup = Lookup::new(&store, &mut cache);
        lookup.fetch_found([key.clone()]).unwrap();
        assert_eq!((lookup.found(&key).unwrap(), lookup.single()), (vec![7], 0));
        lookup.nobody_has("task:new");
        assert_eq!((lookup.found("task:new").unwrap(), lookup.single()), (vec![], 0));
    }
}
