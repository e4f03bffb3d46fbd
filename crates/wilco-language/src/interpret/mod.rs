//! What a message means to an exchange: message and state in, typed input out.
//!
//! Which exchange a message belongs to was found before; what follows is the protocol's decision.

mod cited;
mod delegation;
mod handoff;
mod operation;
mod validation;

pub use cited::Cited;
pub(crate) use handoff::{called as handoff_called, tasks as handed_tasks};

use wilco_protocol::exchange::{Exchange, Said};
use wilco_protocol::{MessageId, Name, machine};

use crate::message::MessageType;
use crate::parse::Incoming;

/// A message with what is known of its sender and of what it answers.
#[derive(Debug)]
pub struct InContext<'a> {
    pub incoming: &'a Incoming,
    pub id: MessageId,
    pub by: Name,
    /// To whom it is addressed.
    pub to: &'a [Name],
    pub operator: bool,
    /// The message it answers.
    pub parent: Option<Parent>,
    /// Whether it stands under the heading of the open task, and so changes it.
    pub amends: bool,
    /// A text that gives a task again as it was given.
    pub again: bool,
    /// Ids of other open tasks of the same agent or initiator that it may name.
    pub other_tasks: &'a [String],
    /// Names in the content, resolved to agents.
    pub resolve: &'a dyn Names,
}

impl InContext<'_> {
    /// It says this.
    fn said<S>(&self, what: S) -> machine::Said<S> {
        let notice = Some(MessageType::ProtocolNotice);
        // What asks for an answer is more than a notice.
        let told = |parent: &Parent| parent.of == notice && !parent.asks;
        let to_notice = self.parent.as_ref().is_some_and(told) || self.incoming.message_type() == notice;
        let (by, message) = (self.by.clone(), self.id.clone());
        machine::Said { by, operator: self.operator, message, to_notice, what }
    }
}

/// What an answered message was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parent {
    pub of: Option<MessageType>,
    /// Whether it said how to answer it.
    pub asks: bool,
    pub revision: Option<u32>,
    /// Its id in a validation.
    pub message_id: Option<String>,
}

/// Finds the agent that a text names; a name that nobody has is kept as it is.
pub trait Names: std::fmt::Debug {
    fn resolve(&self, text: &str) -> Name;
}

/// What the message says to the exchange.
pub fn interpret(exchange: &Exchange, context: &InContext<'_>, cited: &Cited) -> Said {
    match exchange {
        Exchange::Delegation(state) => Said::Delegation(delegation::interpret(state, context, cited)),
        Exchange::Operation(state) => Said::Operation(operation::interpret(state, context)),
        Exchange::Validation(state) => Said::Validation(validation::interpret(state, context)),
        Exchange::Handoff(state) => Said::Handoff(handoff::interpret(state, context, cited)),
    }
}
