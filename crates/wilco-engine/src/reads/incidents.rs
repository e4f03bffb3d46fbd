//! Escalations, incidents and the operation log, each a row of its own, newest first.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use serde_json::Value;
use wilco_language::interpret::Cited;
use wilco_language::render::{escalation_evidence, escalation_text};
use wilco_protocol::escalation::{Escalation, Incident};
use wilco_protocol::exchange::key;
use wilco_protocol::judgement::Compared;
use wilco_protocol::{EscalationId, Exchange, ExchangeId, Time, operation};
use wilco_store::{ExchangeFilter, Message, Reader, StoreError};

use super::sight::{limited_to, sees_exchange};
use crate::command::Viewer;
use crate::lookup::damaged;

/// An escalation with the words that explain it.
#[derive(Debug, Clone)]
pub struct EscalationView {
    pub id: EscalationId,
    pub text: String,
    pub evidence: Value,
    pub options: Vec<&'static str>,
    pub escalation: Escalation,
}

#[derive(Debug, Clone)]
pub struct IncidentView {
    pub exchange: ExchangeId,
    pub incident: Incident,
}

#[derive(Debug, Clone)]
pub(crate) struct JudgementView {
    pub(crate) exchange: ExchangeId,
    pub(crate) called: String,
    pub(crate) compared: Compared,
}

/// The place of a row in its list: when it happened, in which exchange, the how manieth there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Row {
    at: i64,
    exchange: u64,
    number: u64,
}

impl Row {
    fn new(at: Time, exchange: ExchangeId, number: u64) -> Row {
        Row { at: at.millis(), exchange: exchange.number, number }
    }
}

/// The cursor behind a row.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.at, self.exchange, self.number)
    }
}

impl FromStr for Row {
    type Err = ();

    fn from_str(text: &str) -> Result<Row, ()> {
        let mut parts = text.splitn(3, '.');
        let mut next = || parts.next().ok_or(());
        let (at, exchange, number) = (next()?, next()?, next()?);
        let (at, exchange) = (at.parse().map_err(|_| ())?, exchange.parse().map_err(|_| ())?);
        Ok(Row { at, exchange, number: number.parse().map_err(|_| ())? })
    }
}

/// A page of rows, and the row behind which the next begins.
#[derive(Debug, Clone)]
pub struct Rows<T> {
    pub items: Vec<T>,
    pub next: Option<Row>,
}

/// Exchanges read at once.
const PAGE: usize = 500;

/// The open escalations, the closed ones, or all.
pub fn escalations(
    reader: &dyn Reader,
    viewer: &Viewer,
    open: Option<bool>,
    after: Option<Row>,
    limit: usize,
) -> Result<Rows<EscalationView>, StoreError> {
    let which = if open == Some(true) { "escalated:open" } else { "escalated:ever" };
    // Whoever got one to decide sees it, a participant or not; so each exchange is asked for itself.
    let keys = vec![which.to_owned()];
    let seen = |exchange: &Exchange| sees_exchange(reader, viewer, exchange);
    let found = page(reader, keys, seen, after, limit, |exchange| {
        let wanted = |one: &&Escalation| open.is_none_or(|open| one.closed.is_none() == open);
        let rows = exchange.escalations().iter().filter(wanted).map(|one| {
            let place = Row::new(one.opened, exchange.id(), u64::from(one.number));
            (place, (exchange.clone(), one.clone()))
        });
        rows.collect()
    })?;
    let shown = found.items.into_iter().map(|(exchange, one)| shown(reader, &exchange, one));
    Ok(Rows { items: shown.collect::<Result<_, _>>()?, next: found.next })
}

/// An escalation in words, with what the agent said.
pub(super) fn shown(
    reader: &dyn Reader,
    exchange: &Exchange,
    escalation: Escalation,
) -> Result<EscalationView, StoreError> {
    let mut cited = Cited::default();
    if let Some(id) = &escalation.evidence.said
        && let Some(row) = reader.message(id)?
    {
        let message: Message =
            serde_json::from_slice(&row.body).map_err(|error| damaged(row.position, error))?;
        cited.add(message.id.clone(), message.subject.clone(), message.values().clone());
    }
    Ok(EscalationView {
        id: EscalationId { exchange: exchange.id(), number: escalation.number },
        text: escalation_text(exchange, &escalation, &cited),
        evidence: escalation_evidence(&escalation, &cited),
        options: if escalation.closed.is_none() { exchange.options() } else { Vec::new() },
        escalation,
    })
}

pub fn incidents(
    reader: &dyn Reader,
    viewer: &Viewer,
    after: Option<Row>,
    limit: usize,
) -> Result<Rows<IncidentView>, StoreError> {
    page(
        reader,
        own(viewer, "incident:ever"),
        |_| Ok(true),
        after,
        limit,
        |exchange| {
            let rows = exchange.incidents().iter().zip(1..).map(|(incident, number)| {
                let view = IncidentView { exchange: exchange.id(), incident: incident.clone() };
                (Row::new(incident.at, exchange.id(), number), view)
            });
            rows.collect()
        },
    )
}

/// What judges said: a row per ACK that one was asked about.
pub(crate) fn judgements(
    reader: &dyn Reader,
    viewer: &Viewer,
    after: Option<Row>,
    limit: usize,
) -> Result<Rows<JudgementView>, StoreError> {
    page(
        reader,
        own(viewer, "judge:ever"),
        |_| Ok(true),
        after,
        limit,
        |exchange| {
            let rows = exchange.compared().iter().zip(1..).map(|(one, number)| {
                let (id, called) = (exchange.id(), exchange.called().to_owned());
                (Row::new(one.at, id, number), JudgementView { exchange: id, called, compared: one.clone() })
            });
            rows.collect()
        },
    )
}

/// The operation log: a row per operation and agent.
pub fn operations(
    reader: &dyn Reader,
    viewer: &Viewer,
    after: Option<Row>,
    limit: usize,
) -> Result<Rows<operation::LogRow>, StoreError> {
    page(
        reader,
        own(viewer, "operation:ever"),
        |_| Ok(true),
        after,
        limit,
        |exchange| match exchange {
            Exchange::Operation(state) => {
                let place = |number| Row::new(state.created, state.id, number);
                // Newest first turns the order of the agents round, so the numbers go down.
                let rows = operation::log(state).into_iter().zip((0..=state.tracks.len() as u64).rev());
                rows.map(|(row, number)| (place(number), row)).collect()
            }
            Exchange::Delegation(_) | Exchange::Handoff(_) | Exchange::Validation(_) => Vec::new(),
        },
    )
}

/// The keys of the exchanges of one kind in which the viewer takes part.
fn own(viewer: &Viewer, which: &str) -> Vec<String> {
    let party = limited_to(viewer).map(|agent| key("party", agent.as_str()));
    [which.to_owned()].into_iter().chain(party).collect()
}

/// The newest rows behind a cursor, of all exchanges that have these keys and are seen. An old exchange may have a new row,
/// so every one is looked at; only a few pages of rows are held at a time.
fn page<T>(
    reader: &dyn Reader,
    keys: Vec<String>,
    seen: impl Fn(&Exchange) -> Result<bool, StoreError>,
    after: Option<Row>,
    limit: usize,
    rows_of: impl Fn(&Exchange) -> Vec<(Row, T)>,
) -> Result<Rows<T>, StoreError> {
    let mut filter = ExchangeFilter { keys, limit: PAGE, ..ExchangeFilter::default() };
    let mut found: Vec<(Row, T)> = Vec::new();
    loop {
        let exchanges = reader.exchanges(&filter)?;
        for row in &exchanges {
            filter.before = Some(row.id.number);
            let exchange: Exchange =
                serde_json::from_slice(&row.body).map_err(|error| damaged(row.id.number, error))?;
            if !seen(&exchange)? {
                continue;
            }
            let wanted = |(row, _): &(Row, T)| after.is_none_or(|after| *row < after);
            found.extend(rows_of(&exchange).into_iter().filter(wanted));
        }
        found.sort_by_key(|(row, _)| Reverse(*row));
        found.truncate(limit + 1);
        if exchanges.len() < PAGE {
            break;
        }
    }
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found.last().filter(|_| more).map(|(row, _)| *row);
    Ok(Rows { items: found.into_iter().map(|(_, item)| item).collect(), next })
}
