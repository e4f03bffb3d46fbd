//! The typed content of a message: a known type with wrong fields is refused, an unknown type is talk.

use serde_json::{Map, Value};
use wilco_protocol::delegation::AckStatus;
use wilco_protocol::operation::OwnStep;
use wilco_protocol::time::Span;
use wilco_protocol::{EscalationId, Protocol};

use super::called::by_usual_names;
use super::delegation::{self, Delegation};
use super::fields::{FieldError, Fields};
use super::handoff::{self, Handoff};
use super::operation::{self, Operation};
use super::validation::{self, Validation};
use crate::message::{MessageType, WORDS};
use crate::read::ack;
use crate::read::embedded::object;
use crate::read::status_object::is_whole;

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

/// What reading a content comes to.
pub(super) type Read = Result<Typed, Vec<FieldError>>;

impl From<Delegation> for Typed {
    fn from(said: Delegation) -> Typed {
        Typed::Delegation(said)
    }
}

impl From<Operation> for Typed {
    fn from(said: Operation) -> Typed {
        Typed::Operation(said)
    }
}

impl From<Validation> for Typed {
    fn from(said: Validation) -> Typed {
        Typed::Validation(said)
    }
}

impl From<Handoff> for Typed {
    fn from(said: Handoff) -> Typed {
        Typed::Handoff(said)
    }
}

impl From<Choice> for Typed {
    fn from(said: Choice) -> Typed {
        Typed::Decision(said)
    }
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
    pub status: Option<AckStatus>,
    pub phase: Option<String>,
    pub iterations: Option<u32>,
}

/// Reads the content by its type.
pub fn typed(content: &Map<String, Value>) -> Result<Typed, Vec<FieldError>> {
    let told = |word: &&Value| word.as_str().is_none_or(|word| !word.trim().is_empty());
    let untyped = match content.get("type").filter(told) {
        Some(Value::String(word)) => match nearly_known(word, content) {
            Some(detail) => return Err(wrong_type(&detail, content)),
            None => return of_type(MessageType::named(word), content),
        },
        None | Some(Value::Null) => "is required: text for plain words, or a type such as task-assignment",
        Some(_) => "expected a text such as task-assignment or conversation",
    };
    Err(wrong_type(untyped, content))
}

fn wrong_type(detail: &str, content: &Map<String, Value>) -> Vec<FieldError> {
    let untyped = FieldError { pointer: "/content/type".to_owned(), detail: detail.to_owned() };
    std::iter::once(untyped).chain(conversation(content).err().unwrap_or_default()).collect()
}

/// What to say of a type that is nearly a known one. Only beside the id of an exchange a slip is no talk.
fn nearly_known(word: &str, content: &Map<String, Value>) -> Option<String> {
    const SHORTEST: usize = 7;
    const FARTHEST: usize = 2;
    let named = ["task_id", "handoff_id", "operation_id"].iter().any(|key| content.contains_key(*key));
    if !named || MessageType::named(word).is_some() || word.len() < SHORTEST {
        return None;
    }
    let word = word.trim().to_lowercase().replace('_', "-");
    let alike = |known: &&&str| known.len().abs_diff(word.len()) <= FARTHEST;
    let names: Vec<&str> = MessageType::ALL
        .iter()
        .filter(|known| known.is_for_participants())
        .map(|known| known.entry().name)
        .collect();
    let far = |known: &str| strsim::osa_distance(&known.replace('_', "-"), &word);
    let near =
        names.iter().filter(alike).min_by_key(|known| far(known)).filter(|known| far(known) <= FARTHEST);
    near.map(|known| format!("is no known type; the nearest is {known}"))
}

/// The content that stands as JSON in the text of a message: its own fields, and beside them those of the message. None
/// when there is none, or when its type is not one for participants to say.
pub fn in_text(content: &Map<String, Value>) -> Option<Map<String, Value>> {
    let is_talk = |word: &str| MessageType::named(word).is_none_or(MessageType::is_talk);
    content.get("type").and_then(Value::as_str).filter(|word| is_talk(word))?;
    let said = by_usual_names(object(content.get("message")?.as_str()?)?);
    let known = MessageType::of(&said).filter(|known| known.is_for_participants())?;
    if known == MessageType::TaskComplete && !is_whole(&said) {
        return None;
    }
    let mut meant = content.clone();
    meant.extend(said);
    Some(meant)
}

fn of_type(named: Option<MessageType>, content: &Map<String, Value>) -> Read {
    use MessageType as T;
    let Some(known) = named else { return conversation(content) };
    let fields = Fields::checked(content, "/content", known.entry().fields);
    match known {
        T::TaskAssignment => delegation::assignment(fields),
        T::TaskAcknowledgment => delegation::acknowledgment(fields),
        T::TaskAcknowledgmentError => delegation::error(fields),
        T::TaskClarification => delegation::clarification(fields),
        T::AckRequest => delegation::named(fields, |task_id| Delegation::AskAgain { task_id }),
        T::Verdict => delegation::verdict(fields),
        T::CheckpointAck => delegation::checkpoint(fields),
        T::TaskComplete => delegation::named(fields, |task_id| Delegation::Complete { task_id }),
        T::TaskAmend => delegation::amendment(fields),
        T::TaskCancel => delegation::named(fields, |task_id| Delegation::Cancel { task_id }),
        T::StopAck => delegation::named(fields, |task_id| Delegation::StopAck { task_id }),
        T::TaskPause => delegation::pause(fields),
        T::PauseAck => delegation::named(fields, |task_id| Delegation::PauseAck { task_id }),
        T::TaskResume => delegation::named(fields, |task_id| Delegation::Resume { task_id }),
        T::ResumeAck => delegation::named(fields, |task_id| Delegation::ResumeAck { task_id }),
        T::TaskExtend => delegation::extension(fields),
        T::PreOperation => operation::announcement(content, fields),
        T::Acknowledgment if acknowledges_a_task(content) => conversation(content),
        T::Acknowledgment => operation::acknowledgment(content, fields),
        T::OperationResult => operation::result(content, fields),
        T::OperationCancelled => operation::cancelled(content, fields),
        T::Reminder => operation::own(content, fields, OwnStep::Reminder),
        T::TimeoutNotice => operation::own(content, fields, OwnStep::Timeout),
        T::ExtensionGranted => operation::own(content, fields, OwnStep::Extension),
        T::ReplacementRequest => handoff::requested(fields),
        T::ReplacementHandoff => handoff::handed_over(fields),
        T::HandoffAck => Ok(Typed::Handoff(handoff::ack(content))),
        T::HandoffClarification => handoff::clarification(fields),
        T::HandoffOverride => fields.done(|_| Some(Handoff::Override)),
        T::HandoffReminder => fields.done(|_| Some(Handoff::Reminder)),
        T::ValidationStart => validation::start(fields),
        T::ValidationResult | T::RevalidationResult => validation::result(fields),
        T::FixAcknowledgment => validation::acknowledgment(fields),
        T::FixCompletion => validation::completion(fields),
        T::Decision => choice(fields),
        T::Conversation | T::Response | T::Update | T::Status | T::Report | T::Notification => {
            fields.done(|_| Some(Typed::Talk))
        }
        T::TaskCorrection
        | T::TaskSupplement
        | T::StatusCheck
        | T::BeginNow
        | T::OperationNotice
        | T::OperationAuthorized
        | T::PostOperation
        | T::OperationAborted
        | T::HandoffCorrection
        | T::ReplacementConfirmation
        | T::ValidationRequest
        | T::FailureReport
        | T::FixRequest
        | T::RevalidationTrigger
        | T::SuccessNotification
        | T::TimeoutReminder
        | T::ErrorNotification
        | T::StatusChange
        | T::ProtocolNotice
        | T::Escalation => Fields::checked(content, "/content", WORDS).done(|_| Some(Typed::Talk)),
    }
}

/// Words alone, and in them the ACK of a task: that is no answer to an operation, whatever it calls itself.
fn acknowledges_a_task(content: &Map<String, Value>) -> bool {
    let alone = content.keys().all(|key| matches!(key.as_str(), "type" | "message"));
    let text = content.get("message").and_then(Value::as_str).unwrap_or("");
    alone && !ack::acks(text).is_empty()
}

/// Of what is not of a known type, the words are all there is to understand.
fn conversation(content: &Map<String, Value>) -> Read {
    let known = MessageType::Conversation.entry().fields;
    Fields::checked(content, "/content", known).done(|_| Some(Typed::Conversation))
}

fn choice(mut fields: Fields<'_>) -> Read {
    let escalation =
        fields.word("escalation", "an escalation id such as del-42-e1", |text| text.parse().ok());
    let status = fields.one_of("status", ack::exact_status);
    fields.done(|fields| {
        Some(Choice {
            option: fields.text("option")?,
            escalation,
            agent: fields.text("agent"),
            time: fields.span("time"),
            status,
            phase: fields.text("phase"),
            iterations: fields.number("iterations"),
        })
    })
}
