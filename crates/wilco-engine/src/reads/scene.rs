//! An exchange as a scene, from its messages and events.

use serde_json::Value;
use wilco_language::render::timeout_line;
use wilco_language::scene::{Scene, Step};
use wilco_protocol::exchange::Event;
use wilco_protocol::journal::{Entry, Fact, MessageEvent};
use wilco_protocol::{ExchangeId, Name, operation};
use wilco_store::{Message, Reader, StoreError};

use super::exchanges::shown;
use super::sight::{load, sees_exchange};
use crate::command::Viewer;
use crate::lookup::damaged;

/// Events that a scene shows at the most: the first ones.
const MAX_STEPS: usize = 2000;

/// The scene of an exchange; none when there is no such exchange for this viewer.
pub fn scene(reader: &dyn Reader, viewer: &Viewer, id: ExchangeId) -> Result<Option<Scene>, StoreError> {
    let Some((exchange, _)) = load(reader, id.number)? else { return Ok(None) };
    if exchange.id() != id || !sees_exchange(reader, viewer, &exchange)? {
        return Ok(None);
    }
    let view = shown(reader, &exchange)?;
    let mut scene = Scene {
        title: format!("{id} {}", view.subject),
        state: view.state.to_owned(),
        begun: view.created,
        people: Vec::new(),
        steps: Vec::new(),
    };
    for row in reader.journal_of(id.number, 0, MAX_STEPS)? {
        let entry = Entry::from_bytes(&row.bytes).map_err(|error| damaged(row.position, error))?;
        let step = match &entry.fact {
            Fact::Message(MessageEvent::MessageAccepted { .. }) => said(reader, row.position)?,
            Fact::Exchange(_) => Some(happened(&entry, &row.bytes)),
            Fact::Message(_) | Fact::Agent(_) | Fact::Server(_) => None,
        };
        scene.steps.extend(step);
    }
    scene.people = people(&scene.steps);
    Ok(Some(scene))
}

fn said(reader: &dyn Reader, position: u64) -> Result<Option<Step>, StoreError> {
    let Some(row) = reader.message_at(position)? else { return Ok(None) };
    let message: Message = serde_json::from_slice(&row.body).map_err(|error| damaged(position, error))?;
    let content: Value = serde_json::from_str(message.content.get()).unwrap_or(Value::Null);
    let text = |key: &str| content.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let kind = text("type").unwrap_or("message").to_owned();
    let said = text("message").or(text("understanding")).or(text("summary")).or(text("title"));
    let list = ["questions", "answers", "missing"].iter().find_map(|key| content.get(*key)?.as_array());
    let listed = list.map(|items| items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("\n"));
    Ok(Some(Step::Said {
        at: message.timestamp,
        from: message.from,
        to: message.to,
        kind,
        text: said.map(str::to_owned).or(listed).unwrap_or_default(),
    }))
}

fn happened(entry: &Entry, stored: &[u8]) -> Step {
    let event: Value = serde_json::from_slice(stored).unwrap_or(Value::Null);
    let what = event.get("type").and_then(Value::as_str).unwrap_or("").to_owned();
    let because = event.get("data").and_then(|data| data.get("because").or(data.get("outcome")));
    let detail = match &entry.fact {
        Fact::Exchange(Event::Operation(operation::Event::TimedOut { agent, after_seconds })) => {
            timeout_line(entry.at, agent, *after_seconds)
        }
        _ => because.and_then(Value::as_str).unwrap_or("").to_owned(),
    };
    Step::Happened { at: entry.at, by: entry.by.clone(), what, detail }
}

/// Everybody in the order in which they first appear.
fn people(steps: &[Step]) -> Vec<Name> {
    let mut people: Vec<Name> = Vec::new();
    let mut add = |name: &Name| {
        if !people.contains(name) {
            people.push(name.clone());
        }
    };
    for step in steps {
        match step {
            Step::Said { from, to, .. } => {
                add(from);
                add(to);
            }
            Step::Happened { by, .. } => add(by),
        }
    }
    people
}
