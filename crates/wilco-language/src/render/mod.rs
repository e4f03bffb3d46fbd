//! Every text that Wilco sends: messages, teaching blocks, refusals.
//!
//! Pure: what is said is decided elsewhere, and nothing here is parsed back by Wilco itself.

mod ambiguous;
mod announced;
mod checked;
mod delegation;
mod digest;
mod escalation;
pub mod fence;
pub mod form;
mod forward;
mod handoff;
mod handoff_document;
mod handoff_notice;
mod not_understood;
mod notice;
mod nudge;
mod operation;
mod passed;
mod refusal;
mod review;
mod shell;
mod teaching;
mod to_initiator;
mod to_judge;
mod todo;
mod validation;
mod ways;

pub use ambiguous::ambiguous;
pub use checked::checked;
pub use digest::{DigestItem, digest};
pub use escalation::{escalation_evidence, escalation_text};
pub use forward::{ForwardText, Forwarded, forwarded};
pub use handoff::{audit, handoff_title, handoff_to_judge, issue_comment, progress_note, request_title};
pub use handoff_document::{HandedTask, handoff_document};
pub use nudge::{nudge_line, nudge_test_line};
pub use operation::{pending, timeout_line};
pub use passed::{delivered, identified, passed_subject, usual_subject};
pub use refusal::{bad_key, refusal, unresolved};
pub use shell::quoted;
pub use to_initiator::MAY_OBJECT;
pub(crate) use to_initiator::counted;
pub use to_judge::delegation_to_judge;
pub use todo::{TodoText, todo_text};

use serde_json::{Map, Value};
use wilco_protocol::directory::Interface;
use wilco_protocol::exchange::{Exchange, Say};
use wilco_protocol::{Name, Time};

use crate::interpret::Cited;

/// A message that Wilco makes, but for its id.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    pub subject: String,
    /// `low`, `normal`, `high` or `urgent`.
    pub priority: &'static str,
    pub content: Map<String, Value>,
}

impl Rendered {
    fn with(mut self, key: &str, value: Value) -> Rendered {
        self.content.insert(key.to_owned(), value);
        self
    }

    /// Ends with how to answer.
    fn teaching(mut self, block: String) -> Rendered {
        teaching::teach(&mut self.content, block);
        self
    }
}

/// Where and when something is said.
#[derive(Debug, Clone, Copy)]
pub struct Setting<'a> {
    /// The server's address, for commands that can be pasted.
    pub url: &'a str,
    /// Whether every call needs a token.
    pub requires_token: bool,
    /// What whoever hears it is taught to answer by.
    pub speaks: Interface,
    pub now: Time,
    pub cited: &'a Cited,
}

/// The message for something that is said to an agent.
pub fn say(exchange: &Exchange, to: &Name, say: &Say, setting: &Setting<'_>) -> Rendered {
    match (exchange, say) {
        (Exchange::Delegation(state), Say::Delegation(say)) => delegation::say(state, to, say, setting),
        (Exchange::Operation(state), Say::Operation(say)) => operation::say(state, to, say, setting),
        (Exchange::Validation(state), Say::Validation(say)) => validation::say(state, to, say, setting),
        (Exchange::Handoff(state), Say::Handoff(say)) => handoff::say(state, to, say, setting),
        // No exchange says what is another protocol's to say.
        _ => Rendered { subject: String::new(), priority: "normal", content: Map::new() },
    }
}
