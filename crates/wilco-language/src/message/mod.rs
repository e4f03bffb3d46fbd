//! The catalogue of message types: what each is called, who may send it, its fields and what follows from it.
//!
//! Parsing, the MCP schemas, the document of the API, `docs/messages.md` and `wilco help types` are made from it.
//! Rules that no table can say (a status that needs a reason, a word that may stand in the text) stay with `parse`.

mod delegation;
mod field;
mod handoff;
mod operation;
mod page;
mod schema;
mod shared;
mod validation;

use serde::{Serialize, Serializer};
use serde_json::Value;
use wilco_protocol::Protocol;

pub use field::{Field, FieldKind, listed, optional, required};
pub(crate) use operation::COMMAND;
pub use page::{details, overview, reference};
pub use schema::{Strictness, content_schema, contents_schema, fields_schema};
pub(crate) use shared::WORDS;

/// What the catalogue says of a type.
#[derive(Debug)]
pub struct TypeEntry {
    /// As it is written, stored and sent.
    pub name: &'static str,
    /// None: it may be said in every protocol, or belongs to none.
    pub protocol: Option<Protocol>,
    pub senders: Senders,
    pub about: &'static str,
    pub fields: &'static [Field],
    /// The subject that a message has when its sender gives none, with `{…}` for what differs.
    pub subject: Option<&'static str>,
    pub priority: Option<&'static str>,
    pub leads_to: &'static str,
    /// Contents as they are usually sent, in JSON.
    pub examples: &'static [&'static str],
}

/// Who may send a type so that it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Senders {
    /// Whoever has one of these roles in the exchange.
    Roles(&'static [SenderRole]),
    /// From others it is a conversation and moves nothing.
    OnlyWilco,
    /// Talk: it is never taken for a task.
    Anybody,
}

/// What somebody is in an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SenderRole {
    Initiator,
    Assignee,
    /// An agent that an operation asks.
    Agent,
    Replacement,
    Specialist,
    MainAgent,
    /// Whom an escalation asks.
    Addressee,
    Operator,
}

impl SenderRole {
    pub fn word(self) -> &'static str {
        match self {
            SenderRole::Initiator => "initiator",
            SenderRole::Assignee => "assignee",
            SenderRole::Agent => "agent",
            SenderRole::Replacement => "replacement",
            SenderRole::Specialist => "specialist",
            SenderRole::MainAgent => "main agent",
            SenderRole::Addressee => "addressee",
            SenderRole::Operator => "operator",
        }
    }
}

macro_rules! catalogue {
    ($($variant:ident = $entry:path),+ $(,)?) => {
        /// The type of a message.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum MessageType { $($variant),+ }

        impl MessageType {
            /// All of them, by protocol.
            pub const ALL: &[MessageType] = &[$(MessageType::$variant),+];

            pub const fn entry(self) -> &'static TypeEntry {
                match self { $(MessageType::$variant => &$entry),+ }
            }
        }
    };
}

catalogue! {
    TaskAssignment = delegation::TASK_ASSIGNMENT,
    TaskAcknowledgment = delegation::TASK_ACKNOWLEDGMENT,
    TaskAcknowledgmentError = delegation::TASK_ACKNOWLEDGMENT_ERROR,
    TaskClarification = delegation::TASK_CLARIFICATION,
    AckRequest = delegation::ACK_REQUEST,
    TaskCorrection = delegation::TASK_CORRECTION,
    TaskSupplement = delegation::TASK_SUPPLEMENT,
    Verdict = delegation::VERDICT,
    CheckpointAck = delegation::CHECKPOINT_ACK,
    StatusCheck = delegation::STATUS_CHECK,
    BeginNow = delegation::BEGIN_NOW,
    TaskComplete = delegation::TASK_COMPLETE,
    TaskAmend = delegation::TASK_AMEND,
    TaskCancel = delegation::TASK_CANCEL,
    StopAck = delegation::STOP_ACK,
    TaskPause = delegation::TASK_PAUSE,
    PauseAck = delegation::PAUSE_ACK,
    TaskResume = delegation::TASK_RESUME,
    ResumeAck = delegation::RESUME_ACK,
    TaskExtend = delegation::TASK_EXTEND,
    PreOperation = operation::PRE_OPERATION,
    OperationNotice = operation::OPERATION_NOTICE,
    Reminder = operation::REMINDER,
    Acknowledgment = operation::ACKNOWLEDGMENT,
    ExtensionGranted = operation::EXTENSION_GRANTED,
    TimeoutNotice = operation::TIMEOUT_NOTICE,
    OperationAuthorized = operation::OPERATION_AUTHORIZED,
    OperationResult = operation::OPERATION_RESULT,
    PostOperation = operation::POST_OPERATION,
    OperationCancelled = operation::OPERATION_CANCELLED,
    OperationAborted = operation::OPERATION_ABORTED,
    ReplacementRequest = handoff::REPLACEMENT_REQUEST,
    ReplacementHandoff = handoff::REPLACEMENT_HANDOFF,
    HandoffAck = handoff::HANDOFF_ACK,
    HandoffClarification = handoff::HANDOFF_CLARIFICATION,
    HandoffReminder = handoff::HANDOFF_REMINDER,
    HandoffCorrection = handoff::HANDOFF_CORRECTION,
    HandoffOverride = handoff::HANDOFF_OVERRIDE,
    ReplacementConfirmation = handoff::REPLACEMENT_CONFIRMATION,
    ValidationStart = validation::VALIDATION_START,
    ValidationRequest = validation::VALIDATION_REQUEST,
    ValidationResult = validation::VALIDATION_RESULT,
    FailureReport = validation::FAILURE_REPORT,
    FixRequest = validation::FIX_REQUEST,
    FixAcknowledgment = validation::FIX_ACKNOWLEDGMENT,
    FixCompletion = validation::FIX_COMPLETION,
    RevalidationTrigger = validation::REVALIDATION_TRIGGER,
    RevalidationResult = validation::REVALIDATION_RESULT,
    SuccessNotification = validation::SUCCESS_NOTIFICATION,
    TimeoutReminder = validation::TIMEOUT_REMINDER,
    ErrorNotification = validation::ERROR_NOTIFICATION,
    StatusChange = validation::STATUS_CHANGE,
    ProtocolNotice = shared::PROTOCOL_NOTICE,
    Escalation = shared::ESCALATION,
    Decision = shared::DECISION,
    Conversation = shared::CONVERSATION,
    Response = shared::RESPONSE,
    Update = shared::UPDATE,
    Status = shared::STATUS,
    Report = shared::REPORT,
    Notification = shared::NOTIFICATION,
}

impl MessageType {
    /// As it is written, stored and sent.
    pub const fn name(self) -> &'static str {
        self.entry().name
    }

    /// The type that a word names. `-` and `_` are the same, letter case does not matter.
    pub fn named(word: &str) -> Option<MessageType> {
        let word = word.trim();
        Self::ALL.iter().copied().find(|known| is_spelt(known.name(), word))
    }

    /// The type of a content.
    pub fn of(content: &serde_json::Map<String, Value>) -> Option<MessageType> {
        content.get("type").and_then(Value::as_str).and_then(MessageType::named)
    }

    pub fn is_only_wilcos(self) -> bool {
        self.entry().senders == Senders::OnlyWilco
    }

    /// Whether it is talk, which is never taken for a task.
    pub fn is_talk(self) -> bool {
        self.entry().senders == Senders::Anybody
    }

    /// Whether somebody who takes part may send it so that it counts.
    pub fn is_for_participants(self) -> bool {
        matches!(self.entry().senders, Senders::Roles(_))
    }

    /// A field of it. Where it is named in a constant, a field that is not there does not compile.
    pub const fn field(self, name: &str) -> Field {
        let fields = self.entry().fields;
        let mut place = 0;
        while place < fields.len() {
            if is_same(fields[place].name, name) {
                return fields[place];
            }
            place += 1;
        }
        panic!("the type has no such field")
    }
}

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let mut place = 0;
    while place < one.len() && place < other.len() && one[place] == other[place] {
        place += 1;
    }
    place == one.len() && place == other.len()
}

/// Whether a word is this known one.
fn is_spelt(known: &str, word: &str) -> bool {
    let folded = |byte: u8| if byte == b'_' { b'-' } else { byte.to_ascii_lowercase() };
    known.len() == word.len() && known.bytes().map(folded).eq(word.bytes().map(folded))
}

impl Serialize for MessageType {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.name())
    }
}

impl std::fmt::Display for MessageType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}
