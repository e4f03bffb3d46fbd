//! What is known of agents that is not history: when each was last seen, and how full its inbox is. Every message asks.

use std::collections::HashMap; // order never observed: what is stored is sorted first

use wilco_protocol::{Name, Time};

#[derive(Debug, Default)]
pub(crate) struct Presence {
    agents: HashMap<Name, Known>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Known {
    seen: Option<Time>,
    /// Whether the store knows it.
    stored: bool,
    /// How many unread messages its inbox has, once somebody asked.
    unread: Option<i64>,
}

impl Presence {
    /// Begins with what the store has.
    pub(crate) fn stored(seen: Vec<(Name, Time)>) -> Presence {
        let known = |at| Known { seen: Some(at), stored: true, unread: None };
        Presence { agents: seen.into_iter().map(|(name, at)| (name, known(at))).collect() }
    }

    pub(crate) fn saw(&mut self, agent: &Name, now: Time) {
        let known = self.known(agent);
        (known.seen, known.stored) = (Some(now), false);
    }

    pub(crate) fn last_seen(&self, agent: &Name) -> Option<Time> {
        self.agents.get(agent)?.seen
    }

    pub(crate) fn unread(&self, agent: &Name) -> Option<i64> {
        self.agents.get(agent)?.unread
    }

    pub(crate) fn set_unread(&mut self, agent: &Name, count: i64) {
        self.known(agent).unread = Some(count);
    }

    /// Follows a commit. A count that nobody asked for is not kept.
    pub(crate) fn count_unread(&mut self, agent: &Name, more: i64) {
        if let Some(count) = self.agents.get_mut(agent).and_then(|known| known.unread.as_mut()) {
            *count += more;
        }
    }

    /// Whose presence is newer than what is stored, by name. From now on it counts as stored.
    pub(crate) fn take_newer(&mut self) -> Vec<(Name, Time)> {
        let mut newer = Vec::new();
        for (name, known) in self.agents.iter_mut().filter(|(_, known)| !known.stored) {
            newer.extend(known.seen.map(|seen| (name.clone(), seen)));
            known.stored = true;
        }
        newer.sort();
        newer
    }

    /// Storing it failed.
    pub(crate) fn not_stored(&mut self, seen: &[(Name, Time)]) {
        for (name, _) in seen {
            self.known(name).stored = false;
        }
    }

    fn known(&mut self, agent: &Name) -> &mut Known {
        self.agents.entry(agent.clone()).or_default()
    }
}
