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
    /// The state of the exchange.
    pub state: &'static str,
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
    todo_among(viewer, agent, url, reader, all_waiting)
}

/// The same of the newest exchanges only, so many of each kind, for pages that show many agents at once. It costs the
/// same however many an agent has.
pub fn newest_todo(
    reader: &dyn Reader,
    viewer: &Viewer,
    agent: &Name,
    url: &str,
    most: usize,
) -> Result<Option<Vec<TodoItem>>, StoreError> {
    let newest = |reader: &dyn Reader, agent: &Name| {
        let numbers = numbers(reader, agent, &["works", "owes", "party"], most)?;
        loaded(reader, numbers)
    };
    todo_among(viewer, agent, url, reader, newest)
}

/// `look` finds the exchanges that may wait for the agent, each once.
fn todo_among(
    viewer: &Viewer,
    agent: &Name,
    url: &str,
    reader: &dyn Reader,
    look: impl Fn(&dyn Reader, &Name) -> Result<Vec<Exchange>, StoreError>,
) -> Result<Option<Vec<TodoItem>>, StoreError> {
    if limited_to(viewer).is_some_and(|own| own != agent) {
        return Ok(None);
    }
    let mut items = Vec::new();
    for exchange in look(reader, agent)? {
        items.extend(todo_in(reader, &exchange, agent, url)?);
    }
    items.sort_by_key(|item| (item.due.is_none(), item.due, item.exchange.number));
    Ok(Some(items))
}

/// What waits for an agent in one exchange.
pub(super) fn todo_in(
    reader: &dyn Reader,
    exchange: &Exchange,
    agent: &Name,
    url: &str,
) -> Result<Vec<TodoItem>, StoreError> {
    let todo = exchange.todo(agent);
    if todo.is_empty() {
        return Ok(Vec::new());
    }
    let cited = cited(reader, exchange)?;
    let task_id = match exchange {
        Exchange::Delegation(state) => Some(state.task_id.clone()),
        Exchange::Operation(_) | Exchange::Validation(_) | Exchange::Handoff(_) => None,
    };
    let items = todo.iter().map(|one| TodoItem {
        kind: one.wanted.kind(),
        exchange: exchange.id(),
        state: exchange.state_name(),
        task_id: task_id.clone(),
        due: one.due,
        text: todo_text(exchange, agent, one, &cited, url),
    });
    Ok(items.collect())
}

fn numbers(reader: &dyn Reader, agent: &Name, kinds: &[&str], most: usize) -> Result<Vec<u64>, StoreError> {
    let mut numbers = Vec::new();
    for kind in kinds {
        numbers.extend(reader.find(&key(kind, agent.as_str()), most)?);
    }
    numbers.sort_unstable();
    numbers.dedup();
    Ok(numbers)
}

fn loaded(reader: &dyn Reader, numbers: Vec<u64>) -> Result<Vec<Exchange>, StoreError> {
    let mut found = Vec::new();
    for number in numbers {
        found.extend(load(reader, number)?.map(|(exchange, _)| exchange));
    }
    Ok(found)
}

/// The exchanges that wait for an agent, and those that ended and may wait for the word that the work stopped.
fn all_waiting(reader: &dyn Reader, agent: &Name) -> Result<Vec<Exchange>, StoreError> {
    let mut found = loaded(reader, numbers(reader, agent, &["works", "owes"], MAX_OPEN)?)?;
    let ended = reader.exchanges(&ExchangeFilter {
        protocol: Some(Protocol::Delegation),
        open: Some(false),
        keys: vec![key("party", agent.as_str())],
        limit: MAX_ENDED,
        ..ExchangeFilter::default()
    })?;
    for row in ended {
        found.push(serde_json::from_slice(&row.body).map_err(|error| damaged(row.id.number, error))?);
    }
    Ok(found)
}
