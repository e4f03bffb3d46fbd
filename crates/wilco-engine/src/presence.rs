//! What is known of agents that is not history: when each was last seen, what it
//! spoke by, and how full its inbox is. Every message asks.

use std::collections::HashMap; // order never observed: what is stored is sorted first

use wilco_protocol::directory::Interface;
use wilco_protocol::{Name, Time};
use wilco_store::PresenceRow;

#[derive(Debug, Default)]
pub(crate) struct Presence {
    agents: HashMap<Name, Known>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Known {
    seen: Option<Time>,
    /// What its last message came by.
    spoke: Option<Interface>,
    /// Whether the store knows it.
    stored: bool,
    /// How many unread messages its inbox has, once somebody asked.
    unread: Option<i64>,
}

impl Presence {
    /// Begins with what the store has.
    pub(crate) fn stored(rows: Vec<PresenceRow>) -> Presence {
        let known =
            |row: &PresenceRow| Known { seen: Some(row.seen), spoke: row.spoke, stored: true, unread: None };
        Presence { agents: rows.into_iter().map(|row| (row.name.clone(), known(&row))).collect() }
    }

    pub(crate) fn saw(&mut self, agent: &Name, now: Time) {
        let known = self.known(agent);
        (known.seen, known.stored) = (Some(now), false);
    }

    /// Whether that is another interface than before.
    pub(crate) fn spoke_by(&mut self, agent: &Name, interface: Interface) -> bool {
        let known = self.known(agent);
        let before = known.spoke.replace(interface);
        before != Some(interface)
    }

    pub(crate) fn last_spoke_by(&self, agent: &Name) -> Option<Interface> {
        self.agents.get(agent)?.spoke
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
    pub(crate) fn take_newer(&mut self) -> Vec<PresenceRow> {
        let mut newer = Vec::new();
        for (name, known) in self.agents.iter_mut().filter(|(_, known)| !known.stored) {
            let spoke = known.spoke;
            newer.extend(known.seen.map(|seen| PresenceRow { name: name.clone(), seen, spoke }));
            known.stored = true;
        }
        newer.sort();
        newer
    }

    /// Storing it failed.
    pub(crate) fn not_stored(&mut self, rows: &[PresenceRow]) {
        for row in rows {
            self.known(&row.name).stored = false;
        }
    }

    fn known(&mut self, agent: &Name) -> &mut Known {
        self.agents.entry(agent.clone()).or_default()
    }
}
