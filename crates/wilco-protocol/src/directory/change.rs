//! How the directory changes: decide and apply, like a protocol.

use serde::{Deserialize, Serialize};

use super::{Agent, Directory, Mark, Profile};
use crate::name::{ExchangeId, Name};
use crate::time::Time;

#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    /// Registers an agent, or replaces what is known of it. `mark`: none keeps the mark it has.
    Put {
        id: String,
        name: Name,
        profile: Box<Profile>,
        mark: Option<Option<Mark>>,
    },
    Remove {
        name: Name,
    },
    /// It did not answer.
    Unresponsive {
        agent: Name,
        exchange: ExchangeId,
    },
    /// Another agent took over its work.
    Replaced {
        agent: Name,
        by: Name,
        exchange: ExchangeId,
    },
    /// It did something: a message, a heartbeat, a call with its token.
    SignOfLife {
        agent: Name,
    },
}

#[expect(clippy::enum_variant_names, reason = "they stand in the journal under these names")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data", rename_all = "kebab-case", rename_all_fields = "snake_case")]
pub enum Event {
    AgentRegistered {
        agent: Agent,
    },
    AgentChanged {
        agent: Agent,
    },
    AgentRemoved {
        name: Name,
    },
    AgentUnresponsive {
        name: Name,
        exchange: ExchangeId,
    },
    /// Another agent has its work now: it is inactive, whatever it sends.
    AgentReplaced {
        name: Name,
        by: Name,
        exchange: ExchangeId,
    },
    /// It was unresponsive or hibernated, and is active again.
    AgentReturned {
        name: Name,
        was: Mark,
    },
}

/// What an input changes; nothing when nothing is new.
pub fn decide(directory: &Directory, input: Input, now: Time) -> Option<Event> {
    match input {
        Input::Put { id, name, profile, mark } => match directory.get(&name) {
            None => {
                let mark = mark.flatten();
                Some(Event::AgentRegistered {
                    agent: Agent { id, name, profile: *profile, mark, registered: now },
                })
            }
            Some(known) => {
                let agent = Agent { profile: *profile, mark: mark.unwrap_or(known.mark), ..known.clone() };
                (agent != *known).then_some(Event::AgentChanged { agent })
            }
        },
        Input::Remove { name } => directory.get(&name).map(|_| Event::AgentRemoved { name }),
        Input::Unresponsive { agent, exchange } => match directory.get(&agent)?.mark {
            None => Some(Event::AgentUnresponsive { name: agent, exchange }),
            Some(Mark::Unresponsive | Mark::Hibernated | Mark::Inactive) => None,
        },
        Input::Replaced { agent, by, exchange } => match directory.get(&agent)?.mark {
            Some(Mark::Inactive) => None,
            Some(Mark::Unresponsive | Mark::Hibernated) | None => {
                Some(Event::AgentReplaced { name: agent, by, exchange })
            }
        },
        Input::SignOfLife { agent } => match directory.get(&agent)?.mark {
            Some(was @ (Mark::Unresponsive | Mark::Hibernated)) => {
                Some(Event::AgentReturned { name: agent, was })
            }
            Some(Mark::Inactive) | None => None,
        },
    }
}

pub fn apply(directory: &mut Directory, event: &Event) {
    match event {
        Event::AgentRegistered { agent } | Event::AgentChanged { agent } => {
            directory.restore(agent.clone());
        }
        Event::AgentRemoved { name } => directory.forget(name),
        Event::AgentUnresponsive { name, .. } => mark(directory, name, Some(Mark::Unresponsive)),
        Event::AgentReplaced { name, .. } => mark(directory, name, Some(Mark::Inactive)),
        Event::AgentReturned { name, .. } => mark(directory, name, None),
    }
}

fn mark(directory: &mut Directory, name: &Name, mark: Option<Mark>) {
    if let Some(agent) = directory.agents.get_mut(name) {
        agent.mark = mark;
    }
}

impl Event {
    /// Whom it is about.
    pub fn agent(&self) -> &Name {
        match self {
            Event::AgentRegistered { agent } | Event::AgentChanged { agent } => &agent.name,
            Event::AgentRemoved { name }
            | Event::AgentUnresponsive { name, .. }
            | Event::AgentReplaced { name, .. }
            | Event::AgentReturned { name, .. } => name,
        }
    }
}
