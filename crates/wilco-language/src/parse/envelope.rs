//! The envelope of a message.

use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use wilco_protocol::{ExchangeId, MessageId};

use super::content::{Typed, typed};
use super::depth::{MAX_DEPTH, deeper_than};
use super::fields::FieldError;
use super::fingerprint::of_message;
use super::kinds::{Kind, kind};
use super::split::Split;

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
    /// Everything beside the content, as it was given.
    envelope: Map<String, Value>,
}

impl Incoming {
    /// The text of the message, empty if it has none.
    pub fn text(&self) -> &str {
        self.content.get("message").and_then(Value::as_str).unwrap_or("")
    }

    /// Of the whole parsed request, for idempotency. Few messages are asked for it.
    pub fn fingerprint(&self) -> [u8; 32] {
        of_message(&self.envelope, &self.content)
    }

    pub fn kind(&self) -> &str {
        self.content.get("type").and_then(Value::as_str).unwrap_or("")
    }

    /// Whether its type is one that only Wilco sends: whatever it says, it moves nothing.
    pub fn only_wilco(&self) -> bool {
        matches!(kind(self.kind()), Kind::OnlyWilco(_))
    }
}

/// Why a body is no message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    #[error("the body is not JSON: {0}")]
    Syntax(String),
    #[error("the body is nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
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

/// Reads a message from the body of a request.
pub fn message(body: &[u8]) -> Result<Incoming, ParseError> {
    let syntax = |error: serde_json::Error| ParseError::Syntax(error.to_string());
    let text = std::str::from_utf8(body).map_err(|error| ParseError::Syntax(error.to_string()))?;
    // The envelope itself is level 0.
    if deeper_than(text, MAX_DEPTH + 1) {
        return Err(ParseError::TooDeep);
    }
    if !text.trim_start().starts_with('{') {
        let _: Value = serde_json::from_str(text).map_err(syntax)?;
        return Err(field("", "expected a JSON object with from, to and content"));
    }
    let Split { envelope: map, content: raw } = serde_json::from_str(text).map_err(syntax)?;
    let content = match raw.map(|raw| serde_json::from_str::<Value>(raw.get())) {
        Some(Ok(content)) => Some(content),
        None => None,
        // The whole body knows where in it the mistake is.
        Some(Err(error)) => return Err(syntax(serde_json::from_str::<Value>(text).err().unwrap_or(error))),
    };
    let mut reader = Reader { map: &map, errors: Vec::new() };
    let (id, subject) = (reader.id("id"), reader.subject());
    let (from, to) = (reader.text("from"), reader.recipients());
    let priority = reader.priority();
    let in_reply_to = reader.message_id(["in_reply_to", "inReplyTo"]);
    let broadcast_id = reader.text("broadcast_id");
    let exchange = reader.text("exchange");
    let content = reader.content(content);
    reader.one_assignee(content.as_ref(), &to);
    let known = content.as_ref().map(typed).unwrap_or(Ok(Typed::Conversation));
    let typed = match known {
        Ok(typed) if reader.errors.is_empty() => typed,
        known => {
            reader.errors.extend(known.err().unwrap_or_default());
            return Err(ParseError::Fields { errors: reader.errors, content });
        }
    };
    let (Some(content), Some(raw)) = (content, raw.map(ToOwned::to_owned)) else {
        return Err(field("/content", "is required: an object with type and message"));
    };
    let exchange = match exchange {
        Some(text) => Some(text.parse().map_err(|_| ParseError::UnknownExchange(text))?),
        None => None,
    };
    Ok(Incoming {
        id,
        from,
        to,
        subject,
        priority,
        in_reply_to,
        exchange,
        broadcast_id,
        raw,
        content: Arc::new(content),
        typed,
        envelope: map,
    })
}

fn field(pointer: &str, detail: &str) -> ParseError {
    let errors = vec![FieldError { pointer: pointer.to_owned(), detail: detail.to_owned() }];
    ParseError::Fields { errors, content: None }
}

/// Reads the envelope's own fields; null counts as missing.
struct Reader<'a> {
    map: &'a Map<String, Value>,
    errors: Vec<FieldError>,
}

impl Reader<'_> {
    fn get(&self, key: &str) -> Option<&Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    fn error(&mut self, key: &str, detail: String) {
        self.errors.push(FieldError { pointer: format!("/{key}"), detail });
    }

    fn text(&mut self, key: &str) -> Option<String> {
        match self.get(key)?.as_str() {
            Some(text) if !text.trim().is_empty() => Some(text.to_owned()),
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
        let key = keys.into_iter().find(|key| self.get(key).is_some())?;
        self.text(key).map(MessageId::new)
    }

    fn subject(&mut self) -> Option<String> {
        let subject = match self.get("subject")? {
            Value::String(subject) => subject.clone(),
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
        let word = self.text("priority")?.to_lowercase();
        if !["low", "normal", "high", "urgent"].contains(&word.as_str()) {
            self.error("priority", format!("expected low, normal, high or urgent, got {word:?}"));
        }
        Some(word)
    }

    fn recipients(&mut self) -> Vec<String> {
        let named = |value: &Value| value.as_str().filter(|name| !name.trim().is_empty()).map(str::to_owned);
        let wrong = match self.get("to") {
            None => return Vec::new(),
            Some(Value::Array(list)) if !list.is_empty() && list.len() <= MAX_RECIPIENTS => {
                let names: Vec<_> = list.iter().map(named).collect();
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
    fn one_assignee(&mut self, content: Option<&Map<String, Value>>, to: &[String]) {
        let word = content.and_then(|content| content.get("type")).and_then(Value::as_str);
        let starts = word.is_some_and(|word| matches!(kind(word), Kind::Spoken(_, "task-assignment")));
        if starts && to.len() > 1 {
            self.error("to", "expected exactly one agent: a task has one assignee".to_owned());
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
