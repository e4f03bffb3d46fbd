//! What the engine is asked to do, and what it answers.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use wilco_language::parse::{FieldError, Incoming};
use wilco_protocol::decision::{Effect, Report};
use wilco_protocol::directory::{Agent, Interface, Mark, Profile, Role};
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Span, Time};
use wilco_store::{InboxStatus, Message, StoreError};

use crate::hooks::HookReport;
use crate::nudge::NudgeOutcome;

/// One thing to do. Each is done whole or not at all.
#[derive(Debug, Clone)]
pub enum Command {
    Post(Box<Post>),
    PutAgent(Box<PutAgent>),
    PatchAgent(Box<PatchAgent>),
    RemoveAgent {
        name: Name,
        by: Viewer,
    },
    /// A heartbeat, or a call with the agent's token.
    Seen {
        agent: Name,
    },
    /// A hook of the client that an agent works in.
    Hooked(Box<HookReport>),
    /// A call on behalf of an agent: a sign of life, and with its token proof of one.
    Called {
        agent: Name,
        proven: bool,
    },
    /// Somebody reads its inbox and waits: registers it if need be.
    Waits {
        agent: String,
    },
    Mark {
        agent: Name,
        id: MessageId,
        mark: MarkAs,
    },
    /// Do what is due.
    Wake,
    /// The server lives: keeps that, and when agents were seen.
    Alive,
    /// What an effect brought back.
    Report {
        position: u64,
        index: u32,
        report: Report,
    },
    /// An effect could not be carried out now: again at `due`.
    Postpone {
        position: u64,
        index: u32,
        due: Time,
    },
    /// This node is about to carry out an effect that must not be carried out twice.
    Begin {
        position: u64,
        index: u32,
        node: String,
    },
    /// The node that is to carry out an effect is gone.
    Unreached {
        position: u64,
        index: u32,
    },
    /// What came of the nudge up to the message `through`; one that stands in its place since is another.
    Nudged {
        position: u64,
        index: u32,
        agent: Name,
        through: u64,
        outcome: NudgeOutcome,
    },
    /// What was gathered for an agent in this place is due.
    Digest {
        position: u64,
        index: u32,
        agent: Name,
    },
    /// A message entered the context of an agent.
    Injected {
        agent: Name,
        id: MessageId,
    },
    /// The answer to a request that is no message, under its key.
    Keep {
        sender: Name,
        key: String,
        request: [u8; 32],
        answer: Vec<u8>,
    },
    Started {
        version: String,
        down_from: Option<Time>,
        downtime: Option<Span>,
    },
    /// A node became the writer.
    TookOver {
        epoch: u64,
        node: String,
        down_from: Option<Time>,
        downtime: Option<Span>,
    },
}

/// A message from a door.
#[derive(Debug, Clone)]
pub struct Post {
    pub incoming: Incoming,
    pub idempotency_key: Option<String>,
    pub viewer: Viewer,
    /// Whether the viewer's token is of role orchestrator.
    pub orchestrates: bool,
    /// The agent that the caller claims to be, when `from` is missing.
    pub claimed: Option<Name>,
    /// The operator who sends it in somebody else's name.
    pub sent_by: Option<Name>,
    pub api: Api,
    /// What its sender spoke by.
    pub interface: Interface,
}

impl Post {
    /// A message that came without a token, from this machine.
    pub fn local(incoming: Incoming) -> Post {
        Post {
            incoming,
            idempotency_key: None,
            viewer: Viewer::Local,
            orchestrates: false,
            claimed: None,
            sent_by: None,
            api: Api::V1,
            interface: Interface::default(),
        }
    }
}

/// Which interface a message came in by. They differ in what they take for granted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Api {
    #[default]
    V1,
    /// AI Maestro, whose scripts perform operations themselves.
    Maestro,
}

#[derive(Debug, Clone)]
pub struct PutAgent {
    pub name: String,
    pub profile: Profile,
    /// Its role, where one is given; else that of the profile.
    pub role: Option<Role>,
    /// Missing keeps the mark.
    pub mark: Option<Option<Mark>>,
    pub viewer: Viewer,
}

/// Changes some of what is known of an agent; what is not named stays.
#[derive(Debug, Clone)]
pub struct PatchAgent {
    /// Its id, name, alias or session.
    pub agent: String,
    /// Fields of its profile; null takes one away.
    pub fields: Map<String, Value>,
    /// Missing keeps the mark.
    pub mark: Option<Option<Mark>>,
    pub viewer: Viewer,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkAs {
    Read,
    Archived,
    Deleted,
}

impl MarkAs {
    pub(crate) fn status(self) -> InboxStatus {
        match self {
            MarkAs::Read => InboxStatus::Read,
            MarkAs::Archived => InboxStatus::Archived,
            MarkAs::Deleted => InboxStatus::Deleted,
        }
    }
}

/// On whose behalf something is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Viewer {
    /// Anybody on this machine: believed, not verified, sees everything.
    Local,
    /// Somebody with an operator's token.
    Operator,
    /// Somebody with a token that may only read.
    ReadOnly,
    /// This agent, by its token.
    Agent(Name),
}

/// What came of a command.
pub type Answer = Result<Done, Refused>;

#[derive(Debug, Clone)]
pub enum Done {
    Accepted(Accepted),
    Agent(Box<AgentChanged>),
    Nothing,
}

#[derive(Debug, Clone)]
pub struct Accepted {
    pub messages: Vec<Arc<Message>>,
    pub exchange: Option<Summary>,
    /// Whether somebody who got it is being nudged.
    pub nudged: bool,
    /// Whether this is the answer to an earlier request of the same key.
    pub again: bool,
}

#[derive(Debug, Clone)]
pub struct AgentChanged {
    pub agent: Agent,
    pub last_seen: Option<Time>,
    pub has_left: bool,
    pub created: bool,
}

/// The exchange in the answer to a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub id: ExchangeId,
    pub protocol: Protocol,
    pub state: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<String>,
}

/// An order to the courier with everything it needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Order {
    pub effect: Effect,
    pub payload: Value,
}

/// Why a command was refused; nothing changed.
#[derive(Debug, Clone)]
pub enum Refused {
    NotFound {
        detail: String,
    },
    Forbidden {
        detail: String,
    },
    Conflict {
        detail: String,
        exchange: Option<ExchangeId>,
    },
    Invalid {
        errors: Vec<FieldError>,
    },
    /// The same key with another request.
    KeyReused,
    TooMany {
        detail: String,
    },
    Store(Arc<StoreError>),
}

impl Refused {
    pub(crate) fn invalid(pointer: &str, detail: impl Into<String>) -> Refused {
        Refused::Invalid { errors: vec![FieldError { pointer: pointer.to_owned(), detail: detail.into() }] }
    }
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Refused {
        Refused::Store(Arc::new(error))
    }
}
