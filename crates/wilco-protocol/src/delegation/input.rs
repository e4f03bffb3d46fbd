//! What somebody says to a delegation, already read into types.

use super::policy::Policy;
use super::state::{State, Understanding};
use super::words::{AckStatus, Sign, Verdict};
use crate::machine;
use crate::meaning::Meaning;
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::Span;

/// The request that begins a delegation.
#[derive(Debug, Clone, PartialEq)]
pub struct Assign {
    pub id: ExchangeId,
    pub by: Name,
    pub to: Name,
    pub message: MessageId,
    pub task_id: String,
    pub task_uuid: String,
    pub title: String,
    pub sign: Option<Sign>,
    pub requires_ack: bool,
    pub supersede: bool,
    pub candidates: Vec<Name>,
    pub capabilities: Vec<String>,
    pub policy: Policy,
}

pub type Input = machine::Input<State>;
pub type Said = machine::Said<Statement>;

/// What another exchange or the directory tells a delegation.
#[derive(Debug, Clone, PartialEq)]
pub enum Signal {
    /// Its initiator assigned the task anew.
    Superseded { by: ExchangeId },
    /// An agent that had gone silent or slept is active again.
    AgentReturned { agent: Name },
    /// Its task is to be handed over; until that is settled its time stands still.
    HandoffBegan { by: ExchangeId, initiator: Name },
    /// The replacement has it now. `state_file`: what it acknowledges is kept there.
    HandedOver { by: ExchangeId, to: Name, initiator: Name, state_file: bool },
    /// Nobody took it over.
    HandoffFailed { by: ExchangeId },
    /// Its agent was replaced, and this task not handed over.
    AgentReplaced { agent: Name },
}

#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    Ack(Ack),
    Error(AgentError),
    Checkpoint {
        number: u32,
    },
    Complete,
    StopAck,
    PauseAck,
    ResumeAck,
    /// `answers`: how many were given; none means that a text answers them all.
    Clarify {
        answers: Option<u32>,
    },
    Verdict {
        verdict: Verdict,
        missing: Vec<u16>,
    },
    /// A verdict in words that lacks what it needs: its correction, or what is missing.
    HalfVerdict {
        verdict: Verdict,
    },
    /// Verdicts in words that contradict each other.
    UnclearVerdict,
    Amend,
    Cancel,
    Pause {
        expected_duration: Option<Span>,
    },
    Resume,
    Extend {
        time: Span,
    },
    /// The same assignment to the same agent again.
    Again,
    /// The initiator asks for the ACK itself.
    AskAgain,
    Decide(Choice),
    /// Belongs to the exchange and moves nothing.
    Remark,
    /// The agent at work tells how far it is.
    Progress,
    /// It may be done: a condition, an exception, a doubt.
    Doubtful,
    /// Thanks and the like.
    Courtesy,
    /// Contradicting ACKs of this task in one text.
    Contradiction,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Ack {
    pub status: AckStatus,
    /// Whether the task id in it, if any, is this task's.
    pub names_task: bool,
    /// The revision it speaks of, if it says.
    pub revision: Option<u32>,
    /// How many questions it asks, and whether they ask nothing answerable.
    pub questions: u32,
    pub vague: bool,
    /// What the scorer made of the understanding.
    pub scored: Scored,
    /// How many checkpoints it plans.
    pub planned: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Scored {
    pub understanding: Understanding,
    pub ruling: Ruling,
}

/// What the scorer can say by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ruling {
    Correct,
    /// Every criterion is named and none contradicted; whether it is right as a whole is open.
    Named,
    /// Nothing is said at all.
    Blank,
    /// Something is said, and nothing of the task.
    Empty,
    /// It says that it is about another task.
    OtherTask,
    Unsure,
}

#[derive(Debug, Clone, PartialEq)]
pub struct AgentError {
    pub code: ErrorCode,
    pub retry_after: Option<Span>,
    pub alternatives: Vec<Name>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    ResourceUnavailable,
    CapabilityMismatch,
    NetworkError,
    InvalidTaskFormat,
    AgentShuttingDown,
}

/// A decision on an escalation.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub option: String,
    /// The escalation it names, if it does.
    pub escalation: Option<u32>,
    pub agent: Option<Name>,
    pub time: Option<Span>,
    /// As which ACK an answer that could not be read is taken.
    pub status: Option<AckStatus>,
}

impl Statement {
    /// What it is called when somebody is told how a message was read.
    pub fn meaning(&self) -> Meaning {
        match self {
            Statement::Ack(ack) => ack.status.meaning(),
            Statement::Error(_) => Meaning::Error,
            Statement::Checkpoint { .. } => Meaning::Checkpoint,
            Statement::Complete => Meaning::Complete,
            Statement::StopAck => Meaning::StopConfirmed,
            Statement::PauseAck => Meaning::PauseConfirmed,
            Statement::ResumeAck => Meaning::ResumeConfirmed,
            Statement::Clarify { .. } => Meaning::Answers,
            Statement::Verdict { verdict, .. } => verdict.meaning(),
            Statement::HalfVerdict { .. } => Meaning::UnfinishedVerdict,
            Statement::UnclearVerdict => Meaning::Contradiction,
            Statement::Amend => Meaning::Amendment,
            Statement::Cancel => Meaning::Cancel,
            Statement::Pause { .. } => Meaning::Pause,
            Statement::Resume => Meaning::Resume,
            Statement::Extend { .. } => Meaning::Extend,
            Statement::Again => Meaning::AssignedAgain,
            Statement::AskAgain => Meaning::AckRequest,
            Statement::Decide(_) => Meaning::Decision,
            Statement::Remark => Meaning::Remark,
            Statement::Progress => Meaning::Progress,
            Statement::Doubtful => Meaning::Doubtful,
            Statement::Courtesy => Meaning::Courtesy,
            Statement::Contradiction => Meaning::Contradiction,
        }
    }
}
