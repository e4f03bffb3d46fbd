//! The directory of agents: who there is, how they are addressed, how they are marked.
//!
//! Presence (when an agent was last seen) is not history and is kept by the runtime.

mod address;
mod agent;
mod calls;
mod change;

pub use address::{Unresolved, nearest};
pub use agent::{Agent, Interface, Mark, Profile, Role};
pub use change::{Event, Input, apply, decide};

use std::collections::BTreeSet;
use std::collections::HashMap; // order never observed: `names` has it
use std::ops::Bound;

use self::calls::Calls;
use crate::name::Name;

/// All agents of a realm. Every message asks for some of them, so nothing here asks all of them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Directory {
    agents: HashMap<Name, Agent>,
    names: BTreeSet<Name>,
    calls: Calls,
}

impl Directory {
    pub fn get(&self, name: &Name) -> Option<&Agent> {
        self.agents.get(name)
    }

    /// Who has exactly this name.
    pub fn named(&self, name: &str) -> Option<&Agent> {
        self.agents.get(name)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = &Agent> {
        self.names.iter().filter_map(|name| self.agents.get(name))
    }

    /// All of them in no order, for those who look at each and put in order what they find.
    pub fn unordered(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values()
    }

    /// Those whose names come behind this one, by name.
    pub fn after(&self, name: Option<&Name>) -> impl Iterator<Item = &Agent> {
        let from = name.map_or(Bound::Unbounded, Bound::Excluded);
        self.names.range::<Name, _>((from, Bound::Unbounded)).filter_map(|name| self.agents.get(name))
    }

    pub fn len(&self) -> usize {
        self.agents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    /// Takes an agent out, whether it was removed or its registration was never committed.
    pub fn forget(&mut self, name: &Name) {
        if let Some(agent) = self.agents.remove(name) {
            self.calls.remove(&agent);
            self.names.remove(name);
        }
    }

    /// Puts an agent in, in place of what was known of it; history is not asked.
    pub fn restore(&mut self, agent: Agent) {
        self.forget(&agent.name.clone());
        self.calls.add(&agent);
        self.names.insert(agent.name.clone());
        self.agents.insert(agent.name.clone(), agent);
    }
}
