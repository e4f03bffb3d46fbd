//! What somebody says to a validation, already read into types.

use serde::{Deserialize, Serialize};

use super::policy::Policy;
use super::state::State;
use super::words::Finding;
use crate::machine;
use crate::meaning::Meaning;
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::Span;

/// The request that begins a validation.
#[derive(Debug, Clone, PartialEq)]
pub struct Validate {
    pub id: ExchangeId,
    pub by: Name,
    pub message: MessageId,
    /// A number or a text, as text.
    pub issue: String,
    pub feature: Option<String>,
    pub phases: Vec<Planned>,
    pub main_agent: Name,
    /// Those who are told of every change; the initiator among them unless it does not want to.
    pub watchers: Vec<Name>,
    pub policy: Policy,
}

/// A phase as it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Planned {
    pub name: String,
    /// An agent, or `cmd:NAME`: a configured command.
    pub specialist: Name,
    /// It may run together with its neighbours that say so too.
    pub parallel: bool,
    /// What the command is run with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
}

/// What the name of a specialist begins with when it is a command.
pub const COMMAND: &str = "cmd:";

pub type Input = machine::Input<State>;
pub type Said = machine::Said<Statement>;

/// What others tell it.
#[derive(Debug, Clone, PartialEq)]
pub enum Signal {
    /// Every nudge to this agent failed, and it has not read what was sent.
    Unreached { agent: Name },
}

#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// A specialist's `validation-result` or `revalidation-result`.
    Result {
        named: Named,
        finding: Finding,
        failures: Fingerprint,
    },
    /// The main agent has the fix request.
    Acknowledged {
        named: Named,
    },
    Fixed {
        named: Named,
    },
    CannotFix {
        named: Named,
    },
    /// A text that is meant as an answer here, and cannot be read.
    Unreadable {
        named: Named,
    },
    Decide(Choice),
    /// Belongs to the exchange and moves nothing.
    Remark,
    /// Thanks and the like.
    Courtesy,
}

/// What an id in a message says about where it belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// It has no id of this kind.
    Nothing,
    /// Of this loop; `phase`: its place in the list, none in the short form of an id.
    Round { phase: Option<usize>, iteration: u32 },
    /// An id of this kind, and not of this loop.
    Elsewhere,
}

/// A digest of the set of failures in a result: the same when the failures are the same, whatever lines, numbers,
/// times and order. Empty when there are none.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(pub String);

/// A decision on an escalation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Choice {
    pub option: String,
    /// The escalation it names, if it does.
    pub escalation: Option<u32>,
    /// The phase it names, if it does.
    pub phase: Option<String>,
    pub iterations: Option<u32>,
    pub time: Option<Span>,
}

impl Statement {
    /// What it is called when somebody is told how a message was read.
    pub fn meaning(&self) -> Meaning {
        match self {
            Statement::Result { finding: Finding::Pass, .. } => Meaning::Pass,
            Statement::Result { finding: Finding::Fail, .. } => Meaning::Fail,
            Statement::Result { finding: Finding::Error, .. } => Meaning::Error,
            Statement::Acknowledged { .. } => Meaning::FixAcknowledgment,
            Statement::Fixed { .. } => Meaning::FixCompletion,
            Statement::CannotFix { .. } => Meaning::CannotFix,
            Statement::Unreadable { .. } => Meaning::Unreadable,
            Statement::Decide(_) => Meaning::Decision,
            Statement::Remark => Meaning::Remark,
            Statement::Courtesy => Meaning::Courtesy,
        }
    }
}
