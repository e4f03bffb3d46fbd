//! What is known of agents that is not history: when each was last seen, what it
//! spoke by, and how full its inbox is. Every message asks.

use std::collections::HashMap; // order never observed: what is stored is sorted first

use wilco_protocol::directory::Interface;
use wilco_protocol::{Name, Span, Time};
use wilco_store::PresenceRow;

#[derive(Debug, Default)]
pub(crate) struct Presence {
    agents: HashMap<Name, Known>,
    /// Sessions of clients that have hooks. After a restart they are found again with their next hook.
    sessions: HashMap<Name, Vec<ClientSession>>,
}

/// A session of an agent's client, by what its hooks said last.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ClientSession {
    id: String,
    /// Its turn is over: nothing but a wake makes it go on.
    rests: bool,
    heard: Time,
}

/// Sessions of one agent that are remembered.
const MAX_SESSIONS: usize = 16;
/// A session that works is heard of at every tool and prompt. One that is silent for so long is gone.
const WORKS_FOR: Span = Span::minutes(30);

#[derive(Debug, Clone, Copy, Default)]
struct Known {
    seen: Option<Time>,
    /// What its last message came by.
    spoke: Option<Interface>,
    /// Whether the store knows it.
    stored: bool,
    /// How many unread messages its inbox has, once somebody asked.
    unread: Option<i64>,
    /// Its last session said that it ends, and nothing was heard since.
    has_left: bool,
}

impl Presence {
    /// Begins with what the store has.
    pub(crate) fn stored(rows: Vec<PresenceRow>) -> Presence {
        let known = |row: &PresenceRow| Known {
            seen: Some(row.seen),
            spoke: row.spoke,
            stored: true,
            ..Known::default()
        };
        let agents = rows.into_iter().map(|row| (row.name.clone(), known(&row))).collect();
        Presence { agents, sessions: HashMap::new() }
    }

    pub(crate) fn saw(&mut self, agent: &Name, now: Time) {
        let known = self.known(agent);
        (known.seen, known.stored, known.has_left) = (Some(now), false, false);
    }

    /// A hook of a session said that it works, or that its turn is over. Says whether the session was not known.
    pub(crate) fn hooked(&mut self, agent: &Name, id: &str, rests: bool, now: Time) -> bool {
        let sessions = self.sessions.entry(agent.clone()).or_default();
        let before = sessions.len();
        sessions.retain(|session| session.id != id);
        let is_new = sessions.len() == before;
        if sessions.len() >= MAX_SESSIONS {
            sessions.remove(0);
        }
        sessions.push(ClientSession { id: id.to_owned(), rests, heard: now });
        is_new
    }

    /// A session ended. Its agent has left, unless another session of it is open.
    pub(crate) fn ended(&mut self, agent: &Name, id: &str) {
        let open = self.sessions.get_mut(agent).is_some_and(|sessions| {
            sessions.retain(|session| session.id != id);
            !sessions.is_empty()
        });
        if !open {
            self.sessions.remove(agent);
            self.known(agent).has_left = true;
        }
    }

    pub(crate) fn has_left(&self, agent: &Name) -> bool {
        self.agents.get(agent).is_some_and(|known| known.has_left)
    }

    /// Whether hooks are at work that will tell the agent what came: it has sessions, and none of them rests.
    pub(crate) fn is_working(&self, agent: &Name, now: Time) -> bool {
        let sessions = self.sessions.get(agent).map(Vec::as_slice).unwrap_or_default();
        let works = |session: &ClientSession| !session.rests && now.since(session.heard) < WORKS_FOR;
        !sessions.iter().any(|session| session.rests) && sessions.iter().any(works)
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
