//! What waits for somebody's word, for a page that shows it before all else: open escalations, reviews, questions.
//!
//! It is found by the keys under which it stands while it waits: it costs what waits, not what there is, and nothing
//! newer hides it.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use wilco_protocol::exchange::key;
use wilco_protocol::{Exchange, Name, Protocol};
use wilco_store::{ExchangeFilter, ExchangeRow, Reader, StoreError};

use super::incidents::{EscalationView, shown};
use super::sight::{limited_to, sees_exchange};
use super::todo::{TodoItem, todo_in};
use crate::command::Viewer;
use crate::lookup::damaged;

/// Exchanges that wait for an answer of somebody besides those who work on them.
#[derive(Debug, Clone, Default)]
pub struct Waiting {
    /// The first of them: reviews and questions before all others, each by when it is due.
    pub items: Vec<(Name, TodoItem)>,
    /// How many exchanges these are in all.
    pub total: usize,
    /// In which states these are, as far as they were looked at.
    pub states: BTreeMap<String, u64>,
}

/// More are not counted.
const COUNTED: usize = 10_000;
/// More are not looked at.
const LOOKED_AT: usize = 500;
/// States in which an exchange rests until somebody judges, answers or helps.
const ASKING: [&str; 4] = ["in-review", "clarifying", "returned", "blocked"];

/// What the viewer owes; for an operator, what anybody does. `known`: who may owe something without being an agent.
pub fn waiting(
    reader: &dyn Reader,
    viewer: &Viewer,
    known: &Name,
    url: &str,
    most: usize,
) -> Result<Waiting, StoreError> {
    let names = match limited_to(viewer) {
        Some(agent) => vec![agent.clone()],
        None => {
            let mut names: Vec<_> = reader.agents()?.into_iter().map(|agent| agent.name).collect();
            names.push(known.clone());
            names.sort();
            names.dedup();
            names
        }
    };
    let keys: Vec<_> = names.iter().map(|name| key("owes", name.as_str())).collect();
    let mut owed = BTreeMap::<u64, Vec<&Name>>::new();
    for (name, numbers) in names.iter().zip(reader.find_all(&keys, COUNTED)?) {
        numbers.into_iter().for_each(|number| owed.entry(number).or_default().push(name));
    }
    // What waits for a decision is an escalation, and is shown as one.
    reader.find(ESCALATED, COUNTED)?.iter().for_each(|number| drop(owed.remove(number)));
    let oldest: Vec<_> = owed.keys().copied().take(LOOKED_AT).collect();
    let mut rows: Vec<_> = reader.exchanges_by_number(&oldest)?.into_iter().flatten().collect();
    let asks = |row: &ExchangeRow| ASKING.contains(&row.state.as_str());
    rows.sort_by_key(|row| (!asks(row), row.wake_at.is_none(), row.wake_at, row.id.number));
    let mut found = Waiting { total: owed.len(), ..Waiting::default() };
    for row in &rows {
        *found.states.entry(row.state.clone()).or_default() += 1;
        if found.items.len() < most {
            let exchange = parsed(row)?;
            for name in owed.get(&row.id.number).into_iter().flatten() {
                let items = todo_in(reader, &exchange, name, url)?;
                found.items.extend(items.into_iter().map(|item| ((*name).clone(), item)));
            }
        }
    }
    if found.items.len() < most {
        let newest = newest_owed(reader, viewer, url, most, |number| owed.contains_key(&number))?;
        found.items.extend(newest);
    }
    found.items.truncate(most);
    Ok(found)
}

/// What those who work owe in the newest exchanges: mostly an ACK.
fn newest_owed(
    reader: &dyn Reader,
    viewer: &Viewer,
    url: &str,
    most: usize,
    is_known: impl Fn(u64) -> bool,
) -> Result<Vec<(Name, TodoItem)>, StoreError> {
    let keys = limited_to(viewer).map(|agent| key("works", agent.as_str())).into_iter().collect();
    let filter = ExchangeFilter { open: Some(true), keys, limit: most, ..ExchangeFilter::default() };
    let mut found = Vec::new();
    for row in reader.exchanges(&filter)?.iter().filter(|row| !is_known(row.id.number)) {
        let exchange = parsed(row)?;
        let own = |name: &&&Name| limited_to(viewer).is_none_or(|agent| agent == **name);
        for name in exchange.awaits().iter().filter(own) {
            let items = todo_in(reader, &exchange, name, url)?.into_iter();
            let answers = items.filter(|item| !matches!(item.kind, "report" | "escalation"));
            found.extend(answers.map(|item| ((*name).clone(), item)));
        }
    }
    found.sort_by_key(|(_, item)| (item.due.is_none(), item.due, item.exchange.number));
    Ok(found)
}

/// How many answers an agent owes: what waits for it as somebody besides who works, and ACKs of so many of its newest
/// tasks. None when the viewer may not look.
pub fn owes(
    reader: &dyn Reader,
    viewer: &Viewer,
    agent: &Name,
    most: usize,
) -> Result<Option<usize>, StoreError> {
    if limited_to(viewer).is_some_and(|own| own != agent) {
        return Ok(None);
    }
    let answers = reader.find(&key("owes", agent.as_str()), most)?.len();
    let works = reader.find(&key("works", agent.as_str()), most)?;
    let rows = reader.exchanges_by_number(&works)?;
    let acks = rows.iter().flatten().filter(|row| row.state == "awaiting-ack").count();
    Ok(Some(answers + acks))
}

/// The key under which exchanges with an open escalation stand.
const ESCALATED: &str = "escalated:open";

/// The open escalations that the viewer sees: so many, newest first, and how many there are in all.
pub fn open_escalations(
    reader: &dyn Reader,
    viewer: &Viewer,
    most: usize,
) -> Result<(Vec<EscalationView>, usize), StoreError> {
    let numbers = reader.find(ESCALATED, COUNTED)?;
    let looked_at = &numbers[..numbers.len().min(LOOKED_AT)];
    let everything = limited_to(viewer).is_none();
    let mut total = if everything { numbers.len() - looked_at.len() } else { 0 };
    let mut found = Vec::new();
    for row in reader.exchanges_by_number(looked_at)?.iter().flatten() {
        // Only a validation has several at once: to count others they need not be read.
        if everything && most == 0 && row.id.protocol != Protocol::Validation {
            total += 1;
            continue;
        }
        let exchange = parsed(row)?;
        if sees_exchange(reader, viewer, &exchange)? {
            let open = exchange.escalations().iter().filter(|one| one.closed.is_none()).cloned();
            let open: Vec<_> = open.map(|one| (exchange.clone(), one)).collect();
            total += open.len();
            found.extend(open);
        }
    }
    found.sort_by_key(|(exchange, one)| Reverse((one.opened, exchange.id().number, one.number)));
    let items = found.into_iter().take(most).map(|(exchange, one)| shown(reader, &exchange, one));
    Ok((items.collect::<Result<_, _>>()?, total))
}

fn parsed(row: &ExchangeRow) -> Result<Exchange, StoreError> {
    serde_json::from_slice(&row.body).map_err(|error| damaged(row.id.number, error))
}
