//! What may be said in a handoff, as typed JSON content.

use serde_json::{Map, Value};
use wilco_protocol::handoff::{AckStatus, Urgency};

use super::fields::{FieldError, Fields};
use crate::read::ack::asks;
use crate::read::handoff_ack::{readable, status_word};

#[derive(Debug, Clone, PartialEq)]
pub enum Handoff {
    /// Somebody is to be replaced.
    Replace(Box<Replacement>),
    /// The work is handed over by the message itself.
    HandOver(Box<Replacement>),
    /// Whatever it says: it is judged where it belongs.
    Ack(HandoffAck),
    /// `document`: it brings a new one.
    Clarify {
        document: bool,
    },
    Override,
    Reminder,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Replacement {
    pub failed: Option<Agent>,
    /// None: whom the message goes to.
    pub replacement: Option<Agent>,
    /// None: immediate, with the priority that the message has.
    pub urgency: Option<Urgency>,
    pub notification_id: Option<String>,
    /// None: all that the failed agent has open.
    pub tasks: Option<Vec<String>>,
    pub issues: Vec<u64>,
    pub pulls: Vec<u64>,
    pub starting_from: Option<String>,
    pub candidates: Vec<String>,
    pub document: bool,
    pub policy: Map<String, Value>,
    pub handed: Option<Handed>,
}

/// An agent by its name, and the session it works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    pub id: String,
    pub session: Option<String>,
}

/// What a handoff that comes by itself was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Handed {
    pub handoff_id: String,
    pub handoff_url: String,
}

/// An acknowledgement as it was written; what is missing or odd is none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HandoffAck {
    pub handoff_id: Option<String>,
    pub status: Option<AckStatus>,
    pub understanding: Option<String>,
    pub starting_from: Option<String>,
    pub questions: Vec<String>,
}

const MAX_HANDOFF_ID: usize = 128;
const MAX_URL: usize = 2048;
const MAX_NAMED: usize = 256;

/// Reads the content of a known type.
pub(super) fn read(
    kind: &str,
    content: &Map<String, Value>,
    mut fields: Fields<'_>,
) -> Result<Handoff, Vec<FieldError>> {
    if kind == "handoff-ack" {
        return Ok(Handoff::Ack(ack(content)));
    }
    let _ = fields.text("message");
    match kind {
        "replacement-request" => {
            let said = replacement(&mut fields, true);
            fields.done(|| said.map(|said| Handoff::Replace(Box::new(said))))
        }
        "replacement-handoff" => {
            let said = replacement(&mut fields, false);
            fields.done(|| said.map(|said| Handoff::HandOver(Box::new(said))))
        }
        "handoff-clarification" => {
            clarifications(&mut fields);
            let document = fields.text("document").is_some();
            fields.done(|| Some(Handoff::Clarify { document }))
        }
        "handoff-override" => {
            fields.required("reason", "why it goes on without an ACK");
            fields.done(|| Some(Handoff::Override))
        }
        _ => fields.done(|| Some(Handoff::Reminder)),
    }
}

/// Nothing about it is refused: one that is wrong is answered, not sent back.
fn ack(content: &Map<String, Value>) -> HandoffAck {
    let text = |key: &str| match content.get(key)? {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let questions = match content.get("questions") {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(question)) => vec![question.clone()],
        _ => Vec::new(),
    };
    let asked = |question: &String| asks(question);
    HandoffAck {
        handoff_id: text("handoff_id").filter(|id| !id.is_empty()),
        status: text("status").and_then(|word| status_word(&word)),
        understanding: text("understanding"),
        starting_from: text("starting_from"),
        questions: questions.into_iter().filter(asked).collect(),
    }
}

fn replacement(fields: &mut Fields<'_>, request: bool) -> Option<Replacement> {
    let failed = agent(fields, "failed_agent", request);
    let named = if request { agent(fields, "replacement_agent", true) } else { None };
    if request {
        fields.required("reason", "why the agent is replaced, such as context_loss");
    }
    let urgency = fields.word("urgency", "immediate, prepare or when_available", urgency);
    let handed = if request { None } else { handed(fields) };
    Some(Replacement {
        failed,
        replacement: named,
        urgency,
        notification_id: short(fields, "notification_id"),
        tasks: fields.texts("tasks"),
        issues: numbers(fields, "issues"),
        pulls: numbers(fields, "pulls"),
        starting_from: starting_from(fields),
        candidates: fields.texts("candidates").unwrap_or_default(),
        document: fields.text("document").is_some(),
        policy: fields.object("policy").cloned().unwrap_or_default(),
        handed,
    })
}

fn urgency(word: &str) -> Option<Urgency> {
    let word = word.trim().to_ascii_lowercase().replace('-', "_");
    Urgency::ALL.into_iter().find(|urgency| urgency.word() == word)
}

/// A name, or an object with `id` and `session`.
fn agent(fields: &mut Fields<'_>, key: &str, required: bool) -> Option<Agent> {
    const FORMS: &str = "the name of an agent, or an object with id and session";
    let text = |map: &Map<String, Value>, key: &str| {
        map.get(key)
            .and_then(Value::as_str)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
    };
    let found = match fields.get(key) {
        None => {
            if required {
                fields.error(key, format!("is required: {FORMS}"));
            }
            return None;
        }
        Some(Value::String(name)) => {
            Some(Agent { id: name.trim().to_owned(), session: None }).filter(|agent| !agent.id.is_empty())
        }
        Some(Value::Object(map)) => {
            let session = text(map, "session");
            text(map, "id").or(text(map, "name")).map(|id| Agent { id, session })
        }
        Some(_) => None,
    };
    if found.is_none() {
        fields.error(key, format!("expected {FORMS}"));
    }
    found.filter(|agent| agent.id.chars().count() <= MAX_NAMED)
}

fn handed(fields: &mut Fields<'_>) -> Option<Handed> {
    let handoff_id = fields.required("handoff_id", "an id that the ACK names");
    if let Some(id) = &handoff_id
        && (id.len() > MAX_HANDOFF_ID || !readable(id))
    {
        let detail = format!("expected at most {MAX_HANDOFF_ID} letters, digits and . _ : -, without spaces");
        fields.error("handoff_id", detail);
    }
    let handoff_url = fields.required("handoff_url", "where the document lies");
    if handoff_url.as_ref().is_some_and(|url| url.len() > MAX_URL) {
        fields.error("handoff_url", format!("expected at most {MAX_URL} characters"));
    }
    Some(Handed { handoff_id: handoff_id?.trim().to_owned(), handoff_url: handoff_url?.trim().to_owned() })
}

/// `42`, `"42"` or `"#42"`, each.
fn numbers(fields: &mut Fields<'_>, key: &str) -> Vec<u64> {
    let one = |value: &Value| match value {
        Value::Number(number) => number.as_u64(),
        Value::String(text) => text.trim().trim_start_matches('#').parse().ok(),
        _ => None,
    };
    let places: Vec<(String, &Value)> = match fields.get(key) {
        None => return Vec::new(),
        Some(Value::Array(items)) => {
            let places = items.iter().enumerate();
            places.map(|(place, item)| (format!("{key}/{place}"), item)).collect()
        }
        Some(single) => vec![(key.to_owned(), single)],
    };
    let mut found = Vec::new();
    for (place, item) in places {
        match one(item).filter(|number| *number > 0) {
            Some(number) if !found.contains(&number) => found.push(number),
            Some(_) => {}
            None if place == key => {
                fields.error(key, "expected a list of numbers such as [42], or one number")
            }
            None => fields.error(&place, "expected a number such as 42"),
        }
    }
    found
}

fn short(fields: &mut Fields<'_>, key: &str) -> Option<String> {
    let text = fields.text(key)?;
    if text.chars().count() > MAX_NAMED {
        fields.error(key, format!("expected at most {MAX_NAMED} characters"));
    }
    Some(text)
}

/// The name of a checkpoint, or its number.
fn starting_from(fields: &mut Fields<'_>) -> Option<String> {
    match fields.get("starting_from") {
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => short(fields, "starting_from").filter(|text| !text.trim().is_empty()),
    }
}

fn clarifications(fields: &mut Fields<'_>) {
    let entries = match fields.get("clarifications") {
        None => {
            return fields.error("clarifications", "is required: a list of objects with question and answer");
        }
        Some(Value::Array(entries)) if !entries.is_empty() => entries,
        Some(_) => {
            return fields.error("clarifications", "expected a list of objects with question and answer");
        }
    };
    for (place, entry) in entries.iter().enumerate() {
        let says =
            |key: &str| entry.get(key).and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
        if !says("answer") {
            fields.error(&format!("clarifications/{place}/answer"), "is required: the answer");
        }
    }
}
