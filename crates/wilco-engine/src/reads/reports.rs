//! Reports: rows about exchanges of one kind, newest first.
//!
//! A report is a list of rows, and a row is a list of named values: every form (JSON, lines, a table) follows
//! from that.

use std::fmt;

use serde_json::{Map, Value, json};
use wilco_protocol::escalation::Incident;
use wilco_protocol::exchange::{View, key};
use wilco_protocol::judgement::Compared;
use wilco_protocol::{Exchange, ExchangeId, Protocol};
use wilco_store::{ExchangeFilter, Reader, StoreError};

use super::exchanges::shown;
use super::incidents::{JudgementView, Row, incidents, judgements, operations};
use super::sight::limited_to;
use crate::command::Viewer;
use crate::lookup::damaged;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report {
    Replacements,
    Operations,
    Delegations,
    Validations,
    Incidents,
    Judge,
}

/// Values under the names of the report's columns.
pub type ReportRow = Map<String, Value>;

/// Where a page of a report begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReportCursor {
    /// Behind an exchange of this number.
    Exchange(u64),
    /// Behind this row.
    Row(Row),
}

/// A page of a report, and the cursor of the next.
#[derive(Debug, Clone, Default)]
pub struct ReportPage {
    pub items: Vec<ReportRow>,
    pub next: Option<ReportCursor>,
}

impl fmt::Display for ReportCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReportCursor::Exchange(number) => number.fmt(f),
            ReportCursor::Row(row) => row.fmt(f),
        }
    }
}

impl Report {
    pub const ALL: [Report; 6] = [
        Report::Replacements,
        Report::Operations,
        Report::Delegations,
        Report::Validations,
        Report::Incidents,
        Report::Judge,
    ];

    pub fn word(self) -> &'static str {
        match self {
            Report::Replacements => "replacements",
            Report::Operations => "operations",
            Report::Delegations => "delegations",
            Report::Validations => "validations",
            Report::Incidents => "incidents",
            Report::Judge => "judge",
        }
    }

    /// What every row has, in order.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            Report::Replacements => &["timestamp", "failed_agent", "replacement_agent", "outcome"],
            Report::Operations => &[
                "exchange",
                "operation",
                "kind",
                "agent",
                "acknowledgment_received",
                "timeout_occurred",
                "proceeded_anyway",
                "reminders_sent",
                "extended",
                "answered_at",
                "result",
            ],
            Report::Delegations => &[
                "exchange",
                "task_id",
                "title",
                "initiator",
                "assignee",
                "state",
                "outcome",
                "attempt",
                "revision",
                "corrections",
                "incidents",
                "created",
                "acknowledged_at",
                "updated",
            ],
            Report::Validations => &[
                "exchange",
                "issue",
                "feature",
                "initiator",
                "main_agent",
                "status",
                "outcome",
                "phases",
                "iterations",
                "escalations",
                "failures",
                "created",
                "updated",
            ],
            Report::Incidents => &["at", "kind", "agent", "exchange", "attempts", "delivery"],
            Report::Judge => &["at", "exchange", "task_id", "agent", "judge", "shadow", "initiator", "agree"],
        }
    }

    /// The protocol whose exchanges are its rows; none for a report with rows of its own, or while there is no
    /// such protocol.
    fn protocol(self) -> Option<Protocol> {
        let word = match self {
            Report::Replacements => "handoff",
            Report::Delegations => "delegation",
            Report::Validations => "validation",
            Report::Operations | Report::Incidents | Report::Judge => return None,
        };
        Protocol::ALL.into_iter().find(|protocol| protocol.word() == word)
    }

    /// The cursor that a page of this report ended with.
    pub fn cursor(self, text: &str) -> Option<ReportCursor> {
        match self {
            Report::Incidents | Report::Operations | Report::Judge => {
                text.parse().ok().map(ReportCursor::Row)
            }
            Report::Replacements | Report::Delegations | Report::Validations => {
                let digits = text.len() <= 18 && text.bytes().all(|byte| byte.is_ascii_digit());
                text.parse().ok().filter(|_| digits).map(ReportCursor::Exchange)
            }
        }
    }
}

/// Up to `limit` exchanges that the viewer may see, as rows.
pub fn report(
    reader: &dyn Reader,
    viewer: &Viewer,
    report: Report,
    after: Option<ReportCursor>,
    limit: usize,
) -> Result<ReportPage, StoreError> {
    let (before, row) = match after {
        None => (None, None),
        Some(ReportCursor::Exchange(number)) => (Some(number), None),
        Some(ReportCursor::Row(row)) => (None, Some(row)),
    };
    match report {
        Report::Incidents => {
            let part = incidents(reader, viewer, row, limit)?;
            let items = part.items.iter().map(|view| incident(view.exchange, &view.incident)).collect();
            return Ok(ReportPage { items, next: part.next.map(ReportCursor::Row) });
        }
        Report::Operations => {
            let part = operations(reader, viewer, row, limit)?;
            let items =
                part.items.iter().map(|row| json!(row).as_object().cloned().unwrap_or_default()).collect();
            return Ok(ReportPage { items, next: part.next.map(ReportCursor::Row) });
        }
        Report::Judge => {
            let part = judgements(reader, viewer, row, limit)?;
            let items = part.items.iter().map(judgement).collect();
            return Ok(ReportPage { items, next: part.next.map(ReportCursor::Row) });
        }
        Report::Replacements | Report::Delegations | Report::Validations => {}
    }
    let Some(protocol) = report.protocol() else { return Ok(ReportPage::default()) };
    let keys = limited_to(viewer).map(|agent| key("party", agent.as_str())).into_iter().collect();
    let protocol = Some(protocol);
    let filter = ExchangeFilter { protocol, keys, before, limit: limit + 1, ..ExchangeFilter::default() };
    let mut exchanges = reader.exchanges(&filter)?;
    let more = exchanges.len() > limit;
    exchanges.truncate(limit);
    let next = exchanges.last().filter(|_| more).map(|row| ReportCursor::Exchange(row.id.number));
    let mut items = Vec::new();
    for row in exchanges {
        let exchange = serde_json::from_slice(&row.body).map_err(|error| damaged(row.id.number, error))?;
        match exchange {
            Exchange::Delegation(_) => items.push(delegation(&shown(reader, &exchange)?)),
            Exchange::Operation(_) | Exchange::Handoff(_) => {}
            Exchange::Validation(_) => items.push(validation(&shown(reader, &exchange)?)),
        }
    }
    Ok(ReportPage { items, next })
}

fn incident(exchange: ExchangeId, one: &Incident) -> ReportRow {
    let (kind, attempts) = (json!(one.kind), json!(one.attempts));
    let values = [json!(one.at), kind, json!(one.agent), json!(exchange), attempts, json!(one.delivery)];
    named(Report::Incidents, values)
}

/// Whether they agree is known once the initiator said something too.
fn judgement(view: &JudgementView) -> ReportRow {
    let Compared { at, agent, judge, shadow, initiator } = &view.compared;
    let agree = initiator.map(|verdict| verdict.word() == judge.word());
    let values = [
        json!(at),
        json!(view.exchange),
        json!(view.called),
        json!(agent),
        json!(judge),
        json!(shadow),
        json!(initiator),
        json!(agree),
    ];
    named(Report::Judge, values)
}

fn delegation(view: &View) -> ReportRow {
    let data = |key: &str| view.data.get(key).cloned().unwrap_or(Value::Null);
    let count = |key: &str| json!(view.data.get(key).and_then(Value::as_array).map_or(0, Vec::len));
    named(
        Report::Delegations,
        [
            json!(view.id),
            data("task_id"),
            data("title"),
            json!(view.initiator),
            data("assignee"),
            json!(view.state),
            json!(view.outcome),
            data("attempt"),
            data("revision"),
            data("corrections"),
            count("incidents"),
            json!(view.created),
            data("acknowledged_at"),
            json!(view.updated),
        ],
    )
}

/// A loop: how often it went round, what failed most, how often somebody had to decide.
fn validation(view: &View) -> ReportRow {
    let data = |key: &str| view.data.get(key).cloned().unwrap_or(Value::Null);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let phase = |one: &Value| format!("{} {} {}", text(&one["name"]), text(&one["status"]), one["iteration"]);
    let phases: Vec<_> = view.data["phases"].as_array().into_iter().flatten().map(phase).collect();
    named(
        Report::Validations,
        [
            json!(view.id),
            data("issue"),
            data("feature"),
            json!(view.initiator),
            data("main_agent"),
            data("status"),
            json!(view.outcome),
            json!(phases),
            data("iterations"),
            data("escalations"),
            data("frequent_failures"),
            json!(view.created),
            json!(view.updated),
        ],
    )
}

fn named(report: Report, values: impl IntoIterator<Item = Value>) -> ReportRow {
    report.columns().iter().map(|column| (*column).to_owned()).zip(values).collect()
}
