//! The envelope of a message.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use wilco_protocol::{ExchangeId, MessageId};

use super::content::{Choice, Typed, in_text, typed};
use super::delegation::Delegation;
use super::depth::{MAX_DEPTH, deeper_than};
use super::duplicate::duplicate_key;
use super::fields::{FieldError, Fields};
use super::fingerprint::of_message;
use super::split::Split;
use crate::message::MessageType;

/// A message as somebody sends it, well formed.
#[derive(Debug, Clone)]
pub struct Incoming {
    pub id: Option<MessageId>,
    pub from: Option<String>,
    /// Empty when it is missing, which only an answer to an exchange may do.
    pub to: Vec<String>,
    pub subject: Option<String>,
    pub priority: Option<String>,
    pub in_reply_to: Option<MessageId>,
    pub exchange: Option<ExchangeId>,
    pub broadcast_id: Option<String>,
    /// The content to the byte, and parsed.
    pub raw: Box<RawValue>,
    pub content: Arc<Map<String, Value>>,
    pub typed: Typed,
    /// Whether its type and fields stand as JSON in its text: the content that was sent is another.
    pub in_text: bool,
    /// The body as it was given, with null in the place of the content.
    envelope: Box<str>,
}

impl Incoming {
    /// The text of the message, empty if it has none.
    pub fn text(&self) -> &str {
        self.content.get("message").and_then(Value::as_str).unwrap_or("")
    }

    /// Of the whole parsed request, for idempotency. Few messages are asked for it.
    pub fn fingerprint(&self) -> [u8; 32] {
        // It was read before.
        of_message(serde_json::from_str(&self.envelope).unwrap_or_default(), &self.content)
    }

    /// Its type as it was written.
    pub fn type_word(&self) -> &str {
        self.content.get("type").and_then(Value::as_str).unwrap_or("")
    }

    /// None: any other word.
    pub fn message_type(&self) -> Option<MessageType> {
        MessageType::of(&self.content)
    }

    /// Whether its type is one that only Wilco sends: whatever it says, it moves nothing.
    pub fn only_wilco(&self) -> bool {
        self.message_type().is_some_and(MessageType::is_only_wilcos)
    }
}

/// Why a body is no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("the body is not JSON: {0}")]
    Syntax(String),
    #[error("the body is nested deeper than {0} levels")]
    TooDeep(usize),
    #[error("the key {0:?} stands twice in one object; say each thing once")]
    Twice(String),
    #[error("some fields are missing or wrong")]
    Fields {
        errors: Vec<FieldError>,
        /// What can be looked at further, for mistakes that only the configuration or the directory shows.
        content: Option<Map<String, Value>>,
    },
    #[error("there is no exchange {0}")]
    UnknownExchange(String),
}

pub const MAX_SUBJECT: usize = 998;
pub const MAX_RECIPIENTS: usize = 1000;
const MAX_ID: usize = 128;
const MAX_TYPE: usize = 64;

/// Reads a message from the body of a request.
pub fn message(body: &[u8]) -> Result<Incoming, ParseError> {
    message_within(body, MAX_DEPTH)
}

/// The same with another limit to how deep it is nested, at most `DEEPEST`.
pub fn message_within(body: &[u8], depth: usize) -> Result<Incoming, ParseError> {
    let syntax = |error: serde_json::Error| ParseError::Syntax(error.to_string());
    let text = std::str::from_utf8(body).map_err(|error| ParseError::Syntax(error.to_string()))?;
    // The envelope itself is level 0.
    if deeper_than(text, depth + 1) {
        return Err(ParseError::TooDeep(depth));
    }
    if !text.trim_start().starts_with('{') {
        let _: Value = serde_json::from_str(text).map_err(syntax)?;
        return Err(field("", "expected a JSON object with from, to and content"));
    }
    let split: Split<'_> = serde_json::from_str(text).map_err(syntax)?;
    let raw = split.content;
    let content = match raw.map(|raw| serde_json::from_str::<Value>(raw.get())) {
        Some(Ok(content)) => Some(content),
        None => None,
        // The whole body knows where in it the mistake is.
        Some(Err(error)) => return Err(syntax(serde_json::from_str::<Value>(text).err().unwrap_or(error))),
    };
    if let Some(key) = duplicate_key(text) {
        return Err(ParseError::Twice(key));
    }
    let addressed = split.has("to") || split.has("exchange");
    let mut reader = Reader { split, errors: Vec::new() };
    let (id, subject) = (reader.id("id"), reader.subject());
    let (from, to) = (reader.text("from"), reader.recipients());
    let priority = reader.priority();
    let in_reply_to = reader.message_id(["in_reply_to", "inReplyTo"]);
    let broadcast_id = reader.text("broadcast_id");
    let exchange = reader.text("exchange");
    let content = reader.content(content);
    reader.type_word(content.as_ref());
    if !addressed && !content.as_ref().is_some_and(addresses_itself) {
        let detail = "is required: the name of an agent (or give the exchange that you answer)";
        reader.error("to", detail.to_owned());
    }
    reader.one_assignee(content.as_ref(), from.as_deref(), &to);
    let known = content.as_ref().map(typed).unwrap_or(Ok(Typed::Conversation));
    let typed = match known {
        Ok(typed) if reader.errors.is_empty() => typed,
        known => {
            reader.errors.extend(known.err().unwrap_or_default());
            return Err(ParseError::Fields { errors: reader.errors, content });
        }
    };
    let (Some(content), Some(raw)) = (content, raw) else {
        return Err(field("/content", "is required: an object with type and message"));
    };
    let (content, typed, in_text) = meant(content, typed, &to);
    let exchange = match exchange {
        Some(text) => Some(text.parse().map_err(|_| ParseError::UnknownExchange(text))?),
        None => None,
    };
    one_exchange(exchange, &typed)?;
    Ok(Incoming {
        id,
        from,
        to,
        subject,
        priority,
        in_reply_to,
        exchange,
        broadcast_id,
        envelope: without(text, raw),
        raw: raw.to_owned(),
        content: Arc::new(content),
        typed,
        in_text,
    })
}

/// A known type that stands as JSON in the text counts. It may answer, or give a task; it begins nothing else, and with
/// wrong fields it stays what it is.
fn meant(content: Map<String, Value>, typed: Typed, to: &[String]) -> (Map<String, Value>, Typed, bool) {
    if !matches!(typed, Typed::Conversation | Typed::Talk) {
        return (content, typed, false);
    }
    let Some(inner) = in_text(&content) else { return (content, typed, false) };
    let gives = |typed: &Typed| matches!(typed, Typed::Delegation(Delegation::Assign(_))) && to.len() == 1;
    let counts = |typed: &Typed| !typed.starts() || gives(typed);
    match self::typed(&inner).ok().filter(counts) {
        Some(typed) => (inner, typed, true),
        None => (content, typed, false),
    }
}

/// Whether a content says by itself whom it concerns: the escalation that is decided, the agents of a replacement.
fn addresses_itself(content: &Map<String, Value>) -> bool {
    match MessageType::of(content) {
        Some(MessageType::ReplacementRequest) => true,
        Some(MessageType::Decision) => Fields::unchecked(content).get("escalation").is_some(),
        _ => false,
    }
}

/// A decision is about one exchange, however often it is named.
fn one_exchange(exchange: Option<ExchangeId>, typed: &Typed) -> Result<(), ParseError> {
    if let (Some(id), Typed::Decision(Choice { escalation: Some(named), .. })) = (exchange, typed)
        && named.exchange != id
    {
        let detail = format!("{named} is an escalation of {}, not of {id}", named.exchange);
        return Err(field("/content/escalation", &detail));
    }
    Ok(())
}

/// The text with null in the place of this part of it.
fn without(text: &str, part: &RawValue) -> Box<str> {
    let start = part.get().as_ptr() as usize - text.as_ptr() as usize;
    let (before, after) = (&text[..start], &text[start + part.get().len()..]);
    [before, "null", after].concat().into()
}

fn field(pointer: &str, detail: &str) -> ParseError {
    let errors = vec![FieldError { pointer: pointer.to_owned(), detail: detail.to_owned() }];
    ParseError::Fields { errors, content: None }
}

/// Reads the envelope's own fields, each once; null counts as missing.
struct Reader<'a> {
    split: Split<'a>,
    errors: Vec<FieldError>,
}

impl Reader<'_> {
    fn error(&mut self, key: &str, detail: String) {
        self.errors.push(FieldError { pointer: format!("/{key}"), detail });
    }

    fn text(&mut self, key: &str) -> Option<String> {
        let value = self.split.take(key)?;
        self.said(key, value)
    }

    /// The text that a field must be.
    fn said(&mut self, key: &str, value: Value) -> Option<String> {
        match value {
            Value::String(text) if !text.trim().is_empty() => Some(text),
            _ => {
                self.error(key, "expected a text that is not empty".to_owned());
                None
            }
        }
    }

    fn id(&mut self, key: &str) -> Option<MessageId> {
        let text = self.text(key)?;
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
        if text.len() > MAX_ID || !text.bytes().all(legal) {
            let detail = format!("expected 1 to {MAX_ID} characters from A-Z a-z 0-9 . _ : -");
            self.error(key, detail);
            return None;
        }
        Some(MessageId::new(text))
    }

    fn message_id(&mut self, keys: [&str; 2]) -> Option<MessageId> {
        let (key, value) = keys.into_iter().find_map(|key| Some((key, self.split.take(key)?)))?;
        self.said(key, value).map(MessageId::new)
    }

    fn subject(&mut self) -> Option<String> {
        let subject = match self.split.take("subject")? {
            Value::String(subject) => subject,
            _ => {
                self.error("subject", "expected a text".to_owned());
                return None;
            }
        };
        if subject.len() > MAX_SUBJECT {
            let detail = format!("is {} bytes long; at most {MAX_SUBJECT} are allowed", subject.len());
            self.error("subject", detail);
        }
        Some(subject)
    }

    fn priority(&mut self) -> Option<String> {
        let known = |word: &str| matches!(word, "low" | "normal" | "high" | "urgent");
        let given = self.text("priority")?;
        let word = if known(&given) { given } else { given.to_lowercase() };
        if !known(&word) {
            self.error("priority", format!("expected low, normal, high or urgent, got {word:?}"));
        }
        Some(word)
    }

    fn recipients(&mut self) -> Vec<String> {
        let named = |value: Value| match value {
            Value::String(name) if !name.trim().is_empty() => Some(name),
            _ => None,
        };
        let wrong = match self.split.take("to") {
            None => return Vec::new(),
            Some(Value::Array(list)) if !list.is_empty() && list.len() <= MAX_RECIPIENTS => {
                let names: Vec<_> = list.into_iter().map(named).collect();
                if names.iter().all(Option::is_some) {
                    return names.into_iter().flatten().collect();
                }
                let wrong = names.iter().enumerate().filter(|(_, name)| name.is_none());
                wrong
                    .map(|(index, _)| (format!("to/{index}"), "expected the name of an agent".to_owned()))
                    .collect()
            }
            Some(one) => match named(one) {
                Some(name) => return vec![name],
                None => {
                    let expected =
                        format!("expected the name of an agent, or a list of 1 to {MAX_RECIPIENTS} names");
                    vec![("to".to_owned(), expected)]
                }
            },
        };
        for (place, detail) in wrong {
            self.error(&place, detail);
        }
        Vec::new()
    }

    /// A task has one assignee.
    fn one_assignee(&mut self, content: Option<&Map<String, Value>>, from: Option<&str>, to: &[String]) {
        if content.and_then(MessageType::of) != Some(MessageType::TaskAssignment) {
            return;
        }
        // Other names for the same agent are found out where agents are known.
        match to {
            [one] if from.is_some_and(|from| from.trim().eq_ignore_ascii_case(one.trim())) => {
                let detail = "a task cannot be assigned to its own initiator; name another agent";
                self.error("to", detail.to_owned());
            }
            [] | [_] => {}
            _ => self.error("to", "expected exactly one agent: a task has one assignee".to_owned()),
        }
    }

    /// A type is a word. It is said where senders have no say, so nothing else may stand in it.
    fn type_word(&mut self, content: Option<&Map<String, Value>>) {
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        let given = content.and_then(|content| content.get("type")).and_then(Value::as_str);
        // One that is missing or empty is asked for by who reads the content.
        let Some(word) = given.filter(|word| !word.trim().is_empty()) else { return };
        if word.len() > MAX_TYPE || !word.bytes().all(legal) {
            let detail = format!("expected a word of 1 to {MAX_TYPE} characters from a-z 0-9 _ . -");
            self.error("content/type", detail);
        }
    }

    /// The content; a plain text counts as its message.
    fn content(&mut self, given: Option<Value>) -> Option<Map<String, Value>> {
        match given {
            None | Some(Value::Null) => {
                self.error("content", "is required: an object with type and message".to_owned());
                None
            }
            Some(Value::Object(map)) => Some(map),
            Some(_) => {
                self.error("content", "expected an object with type and message".to_owned());
                None
            }
        }
    }
}
