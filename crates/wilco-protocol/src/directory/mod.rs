//! The directory of agents: who there is, how they are addressed, how they are marked.
//!
//! Presence (when an agent was last seen) is not history and is kept by the runtime.

mod address;
mod agent;
mod change;

pub use address::{Unresolved, nearest};
pub use agent::{Agent, Mark, Profile, Role};
pub use change::{Event, Input, apply, decide};

use std::collections::BTreeMap;

use crate::name::Name;

/// All agents of a realm, by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Directory {
    agents: BTreeMap<Name, Agent>,
}

impl Directory {
    pub fn get(&self, name: &Name) -> Option<&Agent> {
        self.agents.get(name)
    }

    /// Who has exactly this name.
    pub fn named(&self, name: &str) -> Option<&Agent> {
        self.agents.get(name)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Agent> {
        self.agents.values()
    }

    pub fn len(&self) -> usize {
        self.agents.len()
    }

    pub fn is_empty(&self) -> bool {
        self.agents.is_empty()
    }

    /// Takes a registration back that was never committed.
    pub fn forget(&mut self, name: &Name) {
        self.agents.remove(name);
    }

    /// Puts an agent where it was stored before; history is not asked.
    pub fn restore(&mut self, agent: Agent) {
        self.agents.insert(agent.name.clone(), agent);
    }
}
