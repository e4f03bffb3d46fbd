//! The agents as of the last commit, for doors that find, list or look one up at every call: neither the writer nor the
//! store is asked, and what it costs is what is shown.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use wilco_protocol::Name;
use wilco_protocol::directory::{Agent, Directory};
use wilco_store::{AgentChange, Reader, StoreError};

#[derive(Debug, Clone, Default)]
pub(crate) struct AgentIndex {
    /// Held to look names up or to change a few; never over an await.
    known: Arc<RwLock<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    directory: Directory,
    /// In the order of registration.
    registered: BTreeSet<(u64, Name)>,
    /// Where the journal ended when all of it was read, or further on.
    position: u64,
}

impl Known {
    fn change(&mut self, names: &[Name], directory: &Directory) {
        for name in names {
            if let Some(before) = self.directory.get(name).map(number) {
                self.registered.remove(&(before, name.clone()));
            }
            match directory.get(name) {
                Some(agent) => {
                    self.registered.insert((number(agent), name.clone()));
                    self.directory.restore(agent.clone());
                }
                None => self.directory.forget(name),
            }
        }
    }
}

impl AgentIndex {
    pub(crate) fn of(directory: &Directory) -> AgentIndex {
        let index = AgentIndex::default();
        let names: Vec<_> = directory.iter().map(|agent| agent.name.clone()).collect();
        index.changed(&names, directory);
        index
    }

    /// Takes over all that the directory said when the journal ended here, unless something newer is known.
    pub(crate) fn replace(&self, position: u64, directory: &Directory) {
        let fresh = AgentIndex::of(directory);
        let mut fresh = fresh.known.write().unwrap_or_else(PoisonError::into_inner);
        fresh.position = position;
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.position <= position {
            std::mem::swap(&mut *known, &mut *fresh);
        }
    }

    /// The same, read from the store: only what has changed, where the store knows that.
    pub(crate) fn read_at(&self, position: u64, reader: &dyn Reader) -> Result<(), StoreError> {
        let (mut directory, known) = (Directory::default(), self.position());
        if known > 0
            && let Some(changes) = reader.agents_changed(known)?
        {
            let mut names = Vec::new();
            for change in changes {
                match change {
                    AgentChange::Put(agent) => {
                        names.push(agent.name.clone());
                        directory.restore(agent);
                    }
                    AgentChange::Removed(name) => names.push(name),
                }
            }
            self.change_at(position, &names, &directory);
            return Ok(());
        }
        reader.agents()?.into_iter().for_each(|agent| directory.restore(agent));
        self.replace(position, &directory);
        Ok(())
    }

    /// Where the journal ended, as far as is known here.
    pub(crate) fn position(&self) -> u64 {
        self.read().position
    }

    /// Takes over what the directory says about these agents now.
    pub(crate) fn changed(&self, names: &[Name], directory: &Directory) {
        if !names.is_empty() {
            self.known.write().unwrap_or_else(PoisonError::into_inner).change(names, directory);
        }
    }

    /// The same, as of when the journal ended here, unless something newer is known.
    fn change_at(&self, position: u64, names: &[Name], directory: &Directory) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if known.position <= position {
            known.change(names, directory);
            known.position = position;
        }
    }

    pub(crate) fn is_marked(&self, agent: &Name) -> bool {
        self.read().directory.get(agent).is_some_and(|agent| agent.mark.is_some())
    }

    pub(crate) fn canonical_name(&self, name: &Name) -> Option<Name> {
        self.read().directory.canonical_name(name.as_str()).cloned()
    }

    /// Asks the directory.
    pub(crate) fn ask<T>(&self, ask: impl FnOnce(&Directory) -> T) -> T {
        ask(&self.read().directory)
    }

    /// The newest agents that were registered before this number.
    pub(crate) fn newest(&self, before: Option<u64>, limit: usize) -> Vec<Agent> {
        let known = self.read();
        let end = (before.unwrap_or(u64::MAX), Name::new(""));
        let found = known.registered.range(..end).rev().take(limit);
        found.filter_map(|(_, name)| known.directory.get(name)).cloned().collect()
    }

    fn read(&self) -> RwLockReadGuard<'_, Known> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ids count up in the order of registration.
pub(crate) fn number(agent: &Agent) -> u64 {
    agent.id.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(number: u64, name: &str) -> Agent {
        Agent {
            id: format!("agent-{number}"),
            name: Name::new(name),
            profile: Default::default(),
            mark: Some(wilco_protocol::directory::Mark::Unresponsive),
            registered: wilco_protocol::Time::from_millis(0),
        }
    }

    #[test]
    fn sec_2_a_name_is_known_however_it_is_spelt_until_its_agent_is_removed() {
        let (mut directory, index) = (Directory::default(), AgentIndex::default());
        let (anna, small) = (Name::new("Anna"), Name::new("anna"));
        directory.restore(agent(1, "Anna"));
        assert_eq!(AgentIndex::of(&directory).canonical_name(&small), Some(anna.clone()));
        index.changed(std::slice::from_ref(&anna), &directory);
        assert_eq!((index.canonical_name(&small), index.is_marked(&anna)), (Some(anna.clone()), true));
        directory.forget(&anna);
        index.changed(std::slice::from_ref(&anna), &directory);
        assert_eq!((index.canonical_name(&small), index.is_marked(&anna)), (None, false));
        assert!(index.newest(None, 10).is_empty());
    }

    /// PG-13: what was read later stays, whoever brings something older behind it.
    #[test]
    fn pg_13_what_is_known_of_agents_never_gets_older() {
        let (mut directory, index) = (Directory::default(), AgentIndex::default());
        directory.restore(agent(1, "anna"));
        index.replace(7, &directory);
        index.replace(6, &Directory::default());
        assert_eq!((index.position(), index.newest(None, 10).len()), (7, 1));
        index.replace(7, &Directory::default());
        assert!(index.newest(None, 10).is_empty());
    }

    #[test]
    fn g14_a_page_is_read_in_the_order_of_registration() {
        let mut directory = Directory::default();
        for number in 1..=9 {
            directory.restore(agent(number, &format!("a{}", 9 - number)));
        }
        let index = AgentIndex::of(&directory);
        let ids = |before, limit| -> Vec<u64> { index.newest(before, limit).iter().map(number).collect() };
        assert_eq!(ids(None, 3), [9, 8, 7]);
        assert_eq!(ids(Some(7), 2), [6, 5]);
        assert_eq!(ids(Some(1), 2), [0; 0]);
        // Removed and registered anew, it is the newest.
        directory.restore(agent(10, "a4"));
        index.changed(&[Name::new("a4")], &directory);
        assert_eq!(ids(None, 2), [10, 9]);
        assert_eq!(ids(None, 100).len(), 9);
    }
}
