//! What somebody says to a handoff, already read into types.

use super::event::Requested;
use super::state::State;
use super::words::AckStatus;
use crate::delegation::{Scored, Verdict};
use crate::machine;
use crate::meaning::Meaning;
use crate::name::Name;

/// The request that begins a handoff.
#[derive(Debug, Clone, PartialEq)]
pub struct Replace {
    pub first: Requested,
    /// Whether the request itself is for somebody to read.
    pub deliver: bool,
}

pub type Input = machine::Input<State>;
pub type Said = machine::Said<Statement>;

#[derive(Debug, Clone, PartialEq)]
pub enum Statement {
    Ack(Ack),
    /// An answer that lacks what an ACK needs, or some other text.
    Malformed,
    /// `document`: it brings a new one; `answered`: how many questions it answers, none: all.
    Clarify {
        document: bool,
        answered: Option<u32>,
    },
    Verdict {
        verdict: Verdict,
    },
    /// A verdict in words that lacks what it needs, or verdicts that contradict each other.
    UnclearVerdict,
    Override,
    /// The initiator reminds by itself.
    OwnReminder,
    Decide(Choice),
    /// Belongs to the exchange and moves nothing.
    Remark,
    /// Thanks and the like.
    Courtesy,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Ack {
    pub status: AckStatus,
    pub named: Named,
    /// What the scorer made of the understanding; none when nothing is known that it could be compared with.
    pub scored: Option<Scored>,
    /// Whether any understanding is stated.
    pub states_understanding: bool,
    pub starting_from_matches: bool,
    pub questions: u32,
}

/// The handoff that an ACK names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Named {
    /// This one, or none.
    This,
    Other,
}

/// A decision on an escalation.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    pub option: String,
    /// The escalation it names, if it does.
    pub escalation: Option<u32>,
    pub agent: Option<Name>,
    /// Whether it says why.
    pub note: bool,
}

impl Statement {
    /// What it is called when somebody is told how a message was read.
    pub fn meaning(&self) -> Meaning {
        match self {
            Statement::Ack(ack) => ack.status.meaning(),
            Statement::Malformed => Meaning::MalformedAck,
            Statement::Clarify { .. } => Meaning::Answers,
            Statement::Verdict { verdict } => verdict.meaning(),
            Statement::UnclearVerdict => Meaning::UnfinishedVerdict,
            Statement::Override => Meaning::Override,
            Statement::OwnReminder => Meaning::Reminder,
            Statement::Decide(_) => Meaning::Decision,
            Statement::Remark => Meaning::Remark,
            Statement::Courtesy => Meaning::Courtesy,
        }
    }
}
