//! What waits for an agent, most urgent first. Only exchanges that wait for it are looked at, by the keys under which
//! they stand while they do.

use wilco_language::render::{TodoText, todo_text};
use wilco_protocol::exchange::key;
use wilco_protocol::{Exchange, ExchangeId, Name, Protocol, Time};
use wilco_store::{ExchangeFilter, Reader, StoreError};

use super::exchanges::cited;
use super::sight::{limited_to, load};
use crate::command::Viewer;
use crate::lookup::damaged;

/// One thing that waits for an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TodoItem {
    pub kind: &'static str,
    pub exchange: ExchangeId,
    pub task_id: Option<String>,
    pub due: Option<Time>,
    pub text: TodoText,
}

/// More exchanges than this are not looked at.
const MAX_OPEN: usize = 1_000;
/// Of those that ended, the newest may wait for the word that the work stopped.
const MAX_ENDED: usize = 100;

/// Everything that waits for an agent, by when it is due; what is never due comes last. None when the viewer may not
/// look. `url` is the server's address, for commands that can be pasted.
pub fn todo(
    reader: &dyn Reader,
    viewer: &Viewer,
    agent: &Name,
    url: &str,
) -> Result<Option<Vec<TodoItem>>, StoreError> {
    todo_among(reader, viewer, agent, url, (MAX_OPEN, MAX_ENDED))
}

/// The same of the newest exchanges only, so many of each kind, for pages that show many agents at once.
pub fn newest_todo(
    reader: &dyn Reader,
    viewer: &Viewer,
    agent: &Name,
    url: &str,
    most: usize,
) -> Result<Option<Vec<TodoItem>>, StoreError> {
    todo_among(reader, viewer, agent, url, (most, most))
}

/// `most`: open and ended exchanges that are looked at.
fn todo_among(
    reader: &dyn Reader,
    viewer: &Viewer,
    agent: &Name,
    url: &str,
    most: (usize, usize),
) -> Result<Option<Vec<TodoItem>>, StoreError> {
    if limited_to(viewer).is_some_and(|own| own != agent) {
        return Ok(None);
    }
    let mut items = Vec::new();
    for exchange in waiting_for(reader, agent, most)? {
        let todo = exchange.todo(agent);
        if todo.is_empty() {
            continue;
        }
        let cited = cited(reader, &exchange)?;
        let task_id = match &exchange {
            Exchange::Delegation(state) => Some(state.task_id.clone()),
            Exchange::Operation(_) | Exchange::Validation(_) | Exchange::Handoff(_) => None,
        };
        items.extend(todo.iter().map(|one| TodoItem {
            kind: one.wanted.kind(),
            exchange: exchange.id(),
            task_id: task_id.clone(),
            due: one.due,
            text: todo_text(&exchange, agent, one, &cited, url),
        }));
    }
    items.sort_by_key(|item| (item.due.is_none(), item.due, item.exchange.number));
    Ok(Some(items))
}

/// The exchanges that may wait for an agent, each once.
fn waiting_for(
    reader: &dyn Reader,
    agent: &Name,
    (open, ended): (usize, usize),
) -> Result<Vec<Exchange>, StoreError> {
    let mut numbers = Vec::new();
    for kind in ["works", "owes"] {
        numbers.extend(reader.find(&key(kind, agent.as_str()), open)?);
    }
    numbers.sort_unstable();
    numbers.dedup();
    let mut found = Vec::new();
    for number in numbers {
        found.extend(load(reader, number)?.map(|(exchange, _)| exchange));
    }
    let ended = reader.exchanges(&ExchangeFilter {
        protocol: Some(Protocol::Delegation),
        open: Some(false),
        keys: vec![key("party", agent.as_str())],
        limit: ended,
        ..ExchangeFilter::default()
    })?;
    for row in ended {
        found.push(serde_json::from_slice(&row.body).map_err(|error| damaged(row.id.number, error))?);
    }
    Ok(found)
}
