//! What somebody says to an operation, already read into types.

use super::execute::Execute;
use super::policy::Policy;
use super::state::State;
use super::words::{Answer, Kind};
use crate::machine;
use crate::meaning::Meaning;
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::Span;

/// The request that begins an operation.
#[derive(Debug, Clone, PartialEq)]
pub struct Operate {
    pub id: ExchangeId,
    pub by: Name,
    pub to: Vec<Name>,
    pub message: MessageId,
    pub operation: String,
    pub kind: Kind,
    pub broadcast_id: Option<String>,
    pub requires_acknowledgment: bool,
    pub silence_foreseen: bool,
    pub pre_notice: Option<Span>,
    pub policy: Policy,
    pub execute: Execute,
}

pub type Input = machine::Input<State>;
pub type Said = machine::Said<Statement>;

#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    /// An agent's.
    Answer {
        answer: Answer,
    },
    /// The initiator performed it, well or not, and says so of single agents.
    Result {
        done: bool,
        results: Vec<(Name, bool)>,
    },
    /// The initiator takes it back.
    Withdraw,
    /// The initiator did itself what Wilco would have done.
    Own {
        step: OwnStep,
        agents: Vec<Name>,
    },
    Decide(Choice),
    /// Belongs to the exchange and moves nothing.
    Remark,
    /// Thanks and the like.
    Courtesy,
}

/// A step of Wilco's that an initiator may take by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnStep {
    Reminder,
    Timeout,
    Extension,
}

/// A decision on an escalation.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub option: String,
    /// The escalation it names, if it does.
    pub escalation: Option<u32>,
}

impl Statement {
    /// What it is called when somebody is told how a message was read.
    pub fn meaning(&self) -> Meaning {
        match self {
            Statement::Answer { answer } => answer.meaning(),
            Statement::Result { .. } => Meaning::Result,
            Statement::Withdraw => Meaning::Cancel,
            Statement::Own { step: OwnStep::Reminder, .. } => Meaning::Reminder,
            Statement::Own { step: OwnStep::Timeout, .. } => Meaning::Timeout,
            Statement::Own { step: OwnStep::Extension, .. } => Meaning::Extension,
            Statement::Decide(_) => Meaning::Decision,
            Statement::Remark => Meaning::Remark,
            Statement::Courtesy => Meaning::Courtesy,
        }
    }
}
