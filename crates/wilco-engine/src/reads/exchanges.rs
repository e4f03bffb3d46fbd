//! Exchanges and their past.

use std::collections::BTreeSet;

use wilco_language::interpret::Cited;
use wilco_protocol::exchange::{Event, Printed, View, key};
use wilco_protocol::journal::{Entry, Fact};
use wilco_protocol::{Exchange, ExchangeId, Name, Protocol, operation};
use wilco_store::{ExchangeFilter, Message, PAGE_BYTES, Reader, Room, SearchFilter, StoreError, words};

use super::Part;
use super::search::MAX_WORDS;
use super::sight::{limited_to, load, sees_exchange};
use crate::command::Viewer;
use crate::lookup::damaged;

#[derive(Debug, Clone, Default)]
pub struct ExchangeQuery {
    pub protocol: Option<Protocol>,
    pub state: Option<String>,
    pub open: Option<bool>,
    pub agent: Option<Name>,
    pub task: Option<String>,
    /// Part of the title or task id, or words that one of its messages says.
    pub text: Option<String>,
    pub before: Option<u64>,
    pub limit: usize,
}

/// Events replayed at once.
const PAGE: usize = 1000;
/// Exchanges looked at for one page when a text leaves most of them out.
const MAX_SCANNED: usize = 5_000;
/// Exchanges whose messages are searched one by one for a page, when a text is said too often to list who says it.
const MAX_SEARCHED: usize = 200;
/// Messages that may say a text so that the exchanges that they belong to are listed once.
const MAX_SAYING: usize = 1_000;

pub fn exchange(reader: &dyn Reader, viewer: &Viewer, id: ExchangeId) -> Result<Option<View>, StoreError> {
    let Some((exchange, _)) = load(reader, id.number)? else { return Ok(None) };
    if exchange.id() != id || !sees_exchange(reader, viewer, &exchange)? {
        return Ok(None);
    }
    shown(reader, &exchange).map(Some)
}

/// The exchange as it was after the event of this seq.
pub fn exchange_at(
    reader: &dyn Reader,
    viewer: &Viewer,
    id: ExchangeId,
    seq: u64,
) -> Result<Option<View>, StoreError> {
    let Some((now, last)) = load(reader, id.number)? else { return Ok(None) };
    if now.id() != id || !sees_exchange(reader, viewer, &now)? || seq == 0 || seq > last {
        return Ok(None);
    }
    let (mut then, mut after): (Option<Exchange>, u64) = (None, 0);
    while after < seq {
        let rows = reader.journal_of(id.number, after, PAGE.min((seq - after) as usize))?;
        let Some(end) = rows.last().and_then(|row| row.seq) else { break };
        for row in rows {
            let entry = Entry::from_bytes(&row.bytes).map_err(|error| damaged(row.position, error))?;
            if let Fact::Exchange(event) = &entry.fact {
                match &mut then {
                    Some(exchange) => exchange.apply(event, entry.at),
                    None => then = Exchange::born(event, entry.at),
                }
            }
        }
        after = end;
    }
    // Before the first event of its own there is only the message that began it: show its beginning.
    match then {
        Some(exchange) => shown(reader, &exchange).map(Some),
        None => exchange_at(reader, viewer, id, seq + 1),
    }
}

/// Newest first.
pub fn exchanges(
    reader: &dyn Reader,
    viewer: &Viewer,
    query: &ExchangeQuery,
) -> Result<Part<View>, StoreError> {
    let mut keys = Vec::new();
    keys.extend(query.task.as_ref().map(|task| key("task", &task.to_lowercase())));
    keys.extend(query.agent.as_ref().map(|agent| key("party", agent.as_str())));
    keys.extend(limited_to(viewer).map(|agent| key("party", agent.as_str())));
    let mut filter = ExchangeFilter {
        protocol: query.protocol,
        state: query.state.clone(),
        open: query.open,
        keys,
        before: query.before,
        limit: query.limit + 1,
    };
    let said = query.text.as_deref().map(|text| Said::of(reader, text)).transpose()?;
    let (mut items, mut scanned, mut searched) = (Vec::new(), 0, 0);
    let mut room = Room::new(PAGE_BYTES);
    loop {
        let rows = reader.exchanges(&filter)?;
        let all = rows.len() < filter.limit;
        for row in rows {
            (filter.before, scanned) = (Some(row.id.number), scanned + 1);
            let exchange: Exchange =
                serde_json::from_slice(&row.body).map_err(|error| damaged(row.id.number, error))?;
            let speaks = match (&query.text, &said) {
                (Some(text), _) if speaks_of(&exchange, text) => true,
                (_, Some(Said::By(exchanges))) => exchanges.contains(&row.id.number),
                (_, Some(Said::Often(words))) => {
                    searched += 1;
                    says(reader, row.id.number, words)?
                }
                (_, None) => true,
            };
            if speaks {
                let view = shown(reader, &exchange)?;
                if !room.takes(size(&view)) {
                    let next = items.last().map(|view: &View| view.id.number);
                    return Ok(Part { items, next });
                }
                items.push(view);
            }
            if items.len() > query.limit || searched == MAX_SEARCHED {
                break;
            }
        }
        if items.len() > query.limit {
            items.truncate(query.limit);
            let next = items.last().map(|view| view.id.number);
            return Ok(Part { items, next });
        }
        if searched == MAX_SEARCHED {
            return Ok(Part { items, next: filter.before });
        }
        if all {
            return Ok(Part { items, next: None });
        }
        if scanned >= MAX_SCANNED {
            return Ok(Part { items, next: filter.before });
        }
    }
}

/// About as many bytes as it is shown in.
fn size(view: &View) -> usize {
    /// Ids, names, timers and what stands between them.
    const REST: usize = 2048;
    let bytes = |value: &serde_json::Value| value.to_string().len();
    REST + view.subject.len() + bytes(&view.data) + bytes(&view.policy)
}

fn speaks_of(exchange: &Exchange, text: &str) -> bool {
    let text = text.to_lowercase();
    let fields = match exchange {
        Exchange::Delegation(state) => vec![&state.title, &state.task_id],
        Exchange::Operation(state) => vec![&state.operation],
        Exchange::Validation(state) => {
            [Some(&state.issue), state.feature.as_ref()].into_iter().flatten().collect()
        }
        Exchange::Handoff(state) => vec![&state.handoff_id, &state.replacement.id],
    };
    fields.iter().any(|field| field.to_lowercase().contains(&text))
}

/// Whose messages have all the words of a text.
enum Said {
    /// The messages of these exchanges, and no others.
    By(BTreeSet<u64>),
    /// Too many to list; each exchange is asked by itself.
    Often(Vec<String>),
}

impl Said {
    fn of(reader: &dyn Reader, text: &str) -> Result<Said, StoreError> {
        let words: Vec<_> = words(text).into_iter().take(MAX_WORDS).collect();
        if words.is_empty() {
            return Ok(Said::By(BTreeSet::new()));
        }
        let limit = MAX_SAYING;
        let found =
            reader.search(&SearchFilter { words: words.clone(), limit, ..SearchFilter::default() })?;
        match found.next {
            None if found.rows.len() < limit => {
                Ok(Said::By(found.rows.iter().filter_map(|row| row.exchange).collect()))
            }
            _ => Ok(Said::Often(words)),
        }
    }
}

/// Whether one of its messages has all these words.
fn says(reader: &dyn Reader, number: u64, words: &[String]) -> Result<bool, StoreError> {
    let (words, exchange) = (words.to_vec(), Some(number));
    let filter = SearchFilter { words, exchange, limit: 1, ..SearchFilter::default() };
    Ok(!reader.search(&filter)?.rows.is_empty())
}

/// The exchange with the texts that it cites.
pub(super) fn shown(reader: &dyn Reader, exchange: &Exchange) -> Result<View, StoreError> {
    let mut cited = cited(reader, exchange)?;
    if let Exchange::Operation(state) = exchange
        && state.steps.iter().any(|step| step.ended.is_some())
    {
        printed(reader, state.id, &mut cited)?;
    }
    Ok(exchange.view(&cited))
}

/// The messages that the state of an exchange cites.
pub(super) fn cited(reader: &dyn Reader, exchange: &Exchange) -> Result<Cited, StoreError> {
    let mut cited = Cited::default();
    for id in exchange.cites() {
        if let Some(row) = reader.message(&id)? {
            let message: Message =
                serde_json::from_slice(&row.body).map_err(|error| damaged(row.position, error))?;
            cited.add(id, message.subject.clone(), message.values().clone());
        }
    }
    Ok(cited)
}

/// What the commands of an operation printed stands in the events of their ends; the last counts.
fn printed(reader: &dyn Reader, id: ExchangeId, cited: &mut Cited) -> Result<(), StoreError> {
    let mut after = 0;
    loop {
        let rows = reader.journal_of(id.number, after, PAGE)?;
        let Some(end) = rows.last().and_then(|row| row.seq) else { return Ok(()) };
        for row in rows {
            let entry = Entry::from_bytes(&row.bytes).map_err(|error| damaged(row.position, error))?;
            if let Fact::Exchange(Event::Operation(operation::Event::StepEnded { agent, end })) = entry.fact {
                let (stdout, stderr) = (Some(end.stdout), Some(end.stderr));
                cited.add_printed(agent, Printed { stdout, stderr, failure: end.failure });
            }
        }
        after = end;
    }
}
