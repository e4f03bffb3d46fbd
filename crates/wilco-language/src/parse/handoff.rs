//! What may be said in a handoff, as typed JSON content.

use serde_json::{Map, Value};
use wilco_protocol::handoff::{AckStatus, Policy, Urgency};

use super::content::Read;
use super::fields::Fields;
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

pub(super) fn requested(mut fields: Fields<'_>) -> Read {
    let (failed, replacement) = (agent(&mut fields, "failed_agent"), agent(&mut fields, "replacement_agent"));
    let said = handing_over(&mut fields, failed, replacement, None);
    fields.done(|_| Some(Handoff::Replace(Box::new(said))))
}

pub(super) fn handed_over(mut fields: Fields<'_>) -> Read {
    let (failed, handed) = (agent(&mut fields, "failed_agent"), handed(&mut fields));
    let said = handing_over(&mut fields, failed, None, handed);
    fields.done(|_| Some(Handoff::HandOver(Box::new(said))))
}

pub(super) fn clarification(mut fields: Fields<'_>) -> Read {
    let given = fields.get("clarifications").is_some();
    let entries = fields.objects("clarifications", usize::MAX);
    if given && entries.as_ref().is_some_and(Vec::is_empty) && fields.errors.is_empty() {
        fields.error("clarifications", "expected a list of objects with question and answer");
    }
    for (place, entry) in entries.unwrap_or_default() {
        fields.add(&format!("clarifications/{place}"), entry);
    }
    fields.done(|fields| Some(Handoff::Clarify { document: fields.text("document").is_some() }))
}

/// Nothing about it is refused: one that is wrong is answered, not sent back.
pub(super) fn ack(content: &Map<String, Value>) -> Handoff {
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
    Handoff::Ack(HandoffAck {
        handoff_id: text("handoff_id").filter(|id| !id.is_empty()),
        status: text("status").and_then(|word| status_word(&word)),
        understanding: text("understanding"),
        starting_from: text("starting_from"),
        questions: questions.into_iter().filter(asked).collect(),
    })
}

fn handing_over(
    fields: &mut Fields<'_>,
    failed: Option<Agent>,
    replacement: Option<Agent>,
    handed: Option<Handed>,
) -> Replacement {
    Replacement {
        failed,
        replacement,
        urgency: fields.one_of("urgency", urgency),
        notification_id: short(fields, "notification_id"),
        tasks: fields.texts("tasks"),
        issues: numbers(fields, "issues"),
        pulls: numbers(fields, "pulls"),
        starting_from: starting_from(fields),
        candidates: fields.texts("candidates").unwrap_or_default(),
        document: fields.text("document").is_some(),
        policy: fields.policy(|keys| Policy::default().set_all(keys)),
        handed,
    }
}

fn urgency(word: &str) -> Option<Urgency> {
    let word = word.trim().to_ascii_lowercase().replace('-', "_");
    Urgency::ALL.into_iter().find(|urgency| urgency.word() == word)
}

/// A name, or an object with `id` and `session`.
fn agent(fields: &mut Fields<'_>, key: &str) -> Option<Agent> {
    const FORMS: &str = "the name of an agent, or an object with id and session";
    let text = |map: &Map<String, Value>, key: &str| {
        map.get(key)
            .and_then(Value::as_str)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
    };
    let found = match fields.get(key)? {
        Value::String(name) => {
            Some(Agent { id: name.trim().to_owned(), session: None }).filter(|agent| !agent.id.is_empty())
        }
        Value::Object(map) => {
            let session = text(map, "session");
            text(map, "id").or(text(map, "name")).map(|id| Agent { id, session })
        }
        _ => None,
    };
    if found.is_none() {
        fields.error(key, format!("expected {FORMS}"));
    }
    found.filter(|agent| agent.id.chars().count() <= MAX_NAMED)
}

fn handed(fields: &mut Fields<'_>) -> Option<Handed> {
    let (handoff_id, handoff_url) = (fields.text("handoff_id"), fields.text("handoff_url"));
    if let Some(id) = &handoff_id
        && !id.trim().is_empty()
        && (id.len() > MAX_HANDOFF_ID || !readable(id))
    {
        let detail = format!("expected at most {MAX_HANDOFF_ID} letters, digits and . _ : -, without spaces");
        fields.error("handoff_id", detail);
    }
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
    match fields.get("starting_from")? {
        Value::Number(number) => Some(number.to_string()),
        Value::String(_) => short(fields, "starting_from").filter(|text| !text.trim().is_empty()),
        _ => {
            fields.error("starting_from", "expected the name of a checkpoint, or its number");
            None
        }
    }
}
