//! The typed content of a message: a known type with wrong fields is refused, an unknown type is talk.

use serde_json::{Map, Value};
use wilco_protocol::time::Span;
use wilco_protocol::validation::MAX_ITERATIONS;
use wilco_protocol::{EscalationId, Protocol};

use super::delegation::{self, Delegation};
use super::fields::{FieldError, Fields};
use super::handoff::{self, Handoff};
use super::kinds::{Kind, kind};
use super::operation::{self, Operation};
use super::validation::{self, Validation};
use crate::read::ack;

/// What a content says by its type.
#[derive(Debug, Clone, PartialEq)]
pub enum Typed {
    /// Plain text of no known type: it may be classified as a task.
    Conversation,
    /// Talk that is never taken for a task, and types that only Wilco sends.
    Talk,
    Delegation(Delegation),
    Operation(Operation),
    Validation(Validation),
    Handoff(Handoff),
    Decision(Choice),
}

impl Typed {
    /// The protocol that it belongs to; none when it may be said in any.
    pub fn protocol(&self) -> Option<Protocol> {
        match self {
            Typed::Conversation | Typed::Talk | Typed::Decision(_) => None,
            Typed::Delegation(_) => Some(Protocol::Delegation),
            Typed::Operation(_) => Some(Protocol::Operation),
            Typed::Validation(_) => Some(Protocol::Validation),
            Typed::Handoff(_) => Some(Protocol::Handoff),
        }
    }

    /// Whether it may be said in this protocol. A verdict judges ACKs of tasks and of handoffs.
    pub fn fits(&self, protocol: Protocol) -> bool {
        let judges = matches!(self, Typed::Delegation(Delegation::Verdict(_)));
        self.protocol().is_none_or(|own| own == protocol || (judges && protocol == Protocol::Handoff))
    }

    /// Whether it begins an exchange.
    pub fn starts(&self) -> bool {
        match self {
            Typed::Delegation(said) => matches!(said, Delegation::Assign(_)),
            Typed::Operation(said) => matches!(said, Operation::Announce(_)),
            Typed::Validation(said) => matches!(said, Validation::Start(_)),
            Typed::Handoff(said) => matches!(said, Handoff::Replace(_) | Handoff::HandOver(_)),
            Typed::Conversation | Typed::Talk | Typed::Decision(_) => false,
        }
    }
}

impl Typed {
    /// Whether whoever began an exchange does Wilco's part with it: it reminds somebody itself.
    pub fn in_wilcos_place(&self) -> bool {
        match self {
            Typed::Delegation(said) => matches!(said, Delegation::AskAgain { .. }),
            Typed::Operation(said) => matches!(said, Operation::Own { .. }),
            Typed::Handoff(said) => matches!(said, Handoff::Reminder),
            Typed::Validation(_) | Typed::Conversation | Typed::Talk | Typed::Decision(_) => false,
        }
    }
}

/// A decision on an escalation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub option: String,
    pub escalation: Option<EscalationId>,
    pub agent: Option<String>,
    pub time: Option<Span>,
    pub phase: Option<String>,
    pub iterations: Option<u32>,
}

/// Reads the content by its type.
pub fn typed(content: &Map<String, Value>) -> Result<Typed, Vec<FieldError>> {
    let mut fields = Fields::new(content, "/content");
    let told = |word: &&Value| word.as_str().is_none_or(|word| !word.trim().is_empty());
    match content.get("type").filter(told) {
        None | Some(Value::Null) => {
            fields.error("type", "is required: text for plain words, or a type such as task-assignment");
            talk(fields, Typed::Conversation)
        }
        Some(Value::String(word)) => match kind(word) {
            Kind::Spoken(None, _) => choice(fields).map(Typed::Decision),
            Kind::Spoken(Some(Protocol::Delegation), known) => {
                delegation::read(known, fields).map(Typed::Delegation)
            }
            Kind::Spoken(Some(Protocol::Operation), "acknowledgment") if acknowledges_a_task(content) => {
                talk(fields, Typed::Conversation)
            }
            Kind::Spoken(Some(Protocol::Operation), known) => {
                operation::read(known, content, fields).map(Typed::Operation)
            }
            Kind::Spoken(Some(Protocol::Validation), known) => {
                validation::read(known, fields).map(Typed::Validation)
            }
            Kind::Spoken(Some(Protocol::Handoff), known) => {
                handoff::read(known, content, fields).map(Typed::Handoff)
            }
            Kind::OnlyWilco(_) => plain(fields, Typed::Talk),
            Kind::Talk(_) => talk(fields, Typed::Talk),
            Kind::Unknown => talk(fields, Typed::Conversation),
        },
        Some(_) => {
            fields.error("type", "expected a text such as task-assignment or conversation");
            talk(fields, Typed::Conversation)
        }
    }
}

/// Words alone, and in them the ACK of a task: that is no answer to an operation, whatever it calls itself.
fn acknowledges_a_task(content: &Map<String, Value>) -> bool {
    let alone = content.keys().all(|key| matches!(key.as_str(), "type" | "message"));
    let text = content.get("message").and_then(Value::as_str).unwrap_or("");
    alone && !ack::acks(text).is_empty()
}

/// Of what is not of a known type, the words are all there is to understand.
fn talk(mut fields: Fields<'_>, meaning: Typed) -> Result<Typed, Vec<FieldError>> {
    if fields.words("message").is_none() && fields.get("message").is_none() {
        fields.error("message", "is required: what the message says");
    }
    fields.done(|| Some(meaning))
}

fn plain(mut fields: Fields<'_>, meaning: Typed) -> Result<Typed, Vec<FieldError>> {
    fields.words("message");
    fields.done(|| Some(meaning))
}

fn choice(mut fields: Fields<'_>) -> Result<Choice, Vec<FieldError>> {
    let option = fields.required("option", "one of the options that the escalation lists");
    let escalation =
        fields.word("escalation", "an escalation id such as del-42-e1", |text| text.parse().ok());
    let (agent, time) = (fields.text("agent"), fields.span("time"));
    let (phase, iterations) = (fields.text("phase"), fields.whole("iterations", 1, MAX_ITERATIONS));
    let iterations = iterations.map(|number| number as u32);
    fields.text("note");
    fields.done(|| Some(Choice { option: option?, escalation, agent, time, phase, iterations }))
}
