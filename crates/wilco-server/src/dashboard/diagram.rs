//! The sequence diagram of an exchange: a lifeline for everybody, what was said between them, silence, and the
//! deadlines ahead. Evenly spaced, with the time beside; every message leads to its text in the page.

use maud::{Markup, html};
use serde_json::Value;
use wilco_language::message::MessageType;
use wilco_protocol::Time;
use wilco_wire::{Event, Exchange};

use super::text::line;
use super::time::{fine, rough};

const ROW: u32 = 30;
/// What happened beside the messages takes less room.
const LOW_ROW: u32 = 20;
/// In a diagram longer than this many rows the names stand at its end too.
const LONG: usize = 24;
const HEAD: u32 = 46;
const LEFT: u32 = 86;
/// How wide all columns are together, and the least and most that one is.
const COLUMNS: u32 = 600;
const COLUMN: std::ops::RangeInclusive<u32> = 118..=220;
/// Room for what is written at the last lifeline.
const RIGHT: u32 = 40;
/// A pause as long as this is shown as silence.
const SILENCE: u64 = 60_000;
/// So is a shorter one that makes up at least a fifth of what happened, but for moments.
const SHORT_SILENCE: u64 = 1_000;

/// One line of the diagram.
enum Row<'e> {
    Message {
        at: Time,
        id: &'e str,
        from: &'e str,
        to: Vec<&'e str>,
        kind: &'e str,
    },
    Happened {
        at: Time,
        seq: u64,
        by: &'e str,
        kind: &'e str,
    },
    Silence {
        millis: u64,
    },
    /// Nothing was said since, and still is not.
    SilentSince {
        at: Time,
        millis: u64,
    },
    Now {
        at: Time,
    },
    Deadline {
        due: Time,
        name: &'e str,
        millis: u64,
    },
}

impl Row<'_> {
    /// When it was, for what is written beside it.
    fn at(&self) -> Option<Time> {
        match self {
            Row::Message { at, .. } | Row::Happened { at, .. } => Some(*at),
            Row::Silence { .. } | Row::SilentSince { .. } | Row::Now { .. } | Row::Deadline { .. } => None,
        }
    }

    fn height(&self) -> u32 {
        match self {
            Row::Happened { .. } => LOW_ROW,
            Row::Message { .. }
            | Row::Silence { .. }
            | Row::SilentSince { .. }
            | Row::Now { .. }
            | Row::Deadline { .. } => ROW,
        }
    }
}

/// Draws it. `now` is none for a moment of the past: nothing is ahead of it then.
pub(super) fn diagram(exchange: &Exchange, events: &[Event], now: Option<Time>) -> Markup {
    let rows = rows(exchange, events, now);
    let people = people(exchange, &rows);
    let begun = events.first().and_then(|event| event.at.parse().ok()).unwrap_or(Time::ZERO);
    let columns = u32::try_from(people.len()).unwrap_or(1).max(1);
    let column = (COLUMNS / columns).clamp(*COLUMN.start(), *COLUMN.end());
    let width = LEFT + columns * column + RIGHT;
    let foot = HEAD + rows.iter().map(Row::height).sum::<u32>() + 6;
    let height = if rows.len() > LONG { foot + 40 } else { foot + 10 };
    let placed = placed(&rows, begun);
    let x = |name: &str| place(&people, name, column);
    html! {
        div.diagram tabindex="0" role="region" aria-label="Sequence diagram" {
            svg viewBox=(format!("0 0 {width} {height}")) width=(width) height=(height) {
                title { "Who said what to whom in " (exchange.id) }
                @for name in &people {
                    line.lifeline x1=(x(name)) x2=(x(name)) y1="34" y2=(height) {}
                    (head(name, x(name), 6, column))
                    @if rows.len() > LONG { (head(name, x(name), foot, column)) }
                }
                @for (row, y, when) in &placed {
                    @if let (Some(at), Some(when)) = (row.at(), when) { text.when x="4" y=(y + 4) { title { (at) } (when) } }
                    (drawn(row, *y, width, begun, &x))
                }
            }
        }
    }
}

/// Every row with its height in the picture, and its time where it differs from the one above.
fn placed<'r, 'e>(rows: &'r [Row<'e>], begun: Time) -> Vec<(&'r Row<'e>, u32, Option<String>)> {
    let (mut y, mut above) = (HEAD, String::new());
    let mut placed = Vec::new();
    for row in rows {
        y += row.height();
        let when = row.at().map(|at| format!("+{}", fine(at.since(begun).as_millis())));
        let when = when.filter(|when| *when != above);
        if let Some(when) = &when {
            above.clone_from(when);
        }
        placed.push((row, y - 12, when));
    }
    placed
}

fn head(name: &str, x: u32, y: u32, column: u32) -> Markup {
    let most = usize::try_from(column / 8).unwrap_or(12);
    html! {
        g.head {
            rect x=(x - column / 2 + 4) y=(y) width=(column - 8) height="28" rx="6" {}
            text x=(x) y=(y + 19) text-anchor="middle" { (line(name, most)) }
        }
    }
}

fn place(people: &[String], name: &str, column: u32) -> u32 {
    let number = people.iter().position(|known| known == name).unwrap_or(0);
    LEFT + u32::try_from(number).unwrap_or(0) * column + column / 2
}

fn drawn(row: &Row<'_>, y: u32, width: u32, begun: Time, x: &impl Fn(&str) -> u32) -> Markup {
    match row {
        Row::Message { id, from, to, kind, .. } => {
            let class = match MessageType::named(kind) {
                Some(MessageType::Escalation | MessageType::TaskCancel | MessageType::OperationAborted) => {
                    "bad"
                }
                _ if ["wilco", "validation-orchestrator"].contains(from) => "wilco",
                _ => "said",
            };
            html! {
                g class=(class) {
                    a href=(format!("#{id}")) aria-label=(format!("{kind} from {from} to {}", to.join(", "))) {
                        @for one in to { (arrow(x(from), x(one), y)) }
                        text x=(label(x(from), to.first().map_or(x(from), |one| x(one)))) y=(y - 5) text-anchor="middle" { (line(kind, 28)) }
                    }
                }
            }
        }
        Row::Happened { seq, by, kind, .. } => html! {
            g.event { circle cx=(x(by)) cy=(y) r="3" {}
                a href=(format!("?at={seq}")) { text x=(x(by) + 8) y=(y + 4) { (line(kind, 26)) } } }
        },
        Row::Silence { millis } => html! {
            g.quiet { rect x=(LEFT) y=(y - 13) width=(width - LEFT) height="20" rx="4" {}
                text x=(LEFT + 10) y=(y + 1) { "silence for " (fine(*millis)) } }
        },
        Row::SilentSince { at, millis } => html! {
            g.quiet { rect x=(LEFT) y=(y - 13) width=(width - LEFT) height="20" rx="4" {}
                text x=(LEFT + 10) y=(y + 1) { "silence for " tspan data-since=(at.millis()) { (rough(*millis)) } } }
        },
        Row::Now { at } => html! {
            g.now { line x1=(LEFT) x2=(width) y1=(y) y2=(y) {} text x="4" y=(y + 4) { "now" }
                text x=(width - 8) y=(y - 4) text-anchor="end" { "+" tspan data-since=(begun.millis()) { (rough(at.since(begun).as_millis())) } } }
        },
        Row::Deadline { due, name, millis } => html! {
            g.deadline { line x1=(LEFT) x2=(width) y1=(y) y2=(y) {}
                text x=(LEFT + 8) y=(y - 4) { (name) " in " tspan data-rest=(due.millis()) { (rough(*millis)) } }
                text x="4" y=(y + 4) { "+" (rough(due.since(begun).as_millis())) } }
        },
    }
}

/// Between two lifelines; a message to oneself is a short stub.
fn arrow(from: u32, to: u32, y: u32) -> Markup {
    let (end, tip) = match to.cmp(&from) {
        std::cmp::Ordering::Greater => (to - 2, format!("M{} {y}l-8 -4v8z", to - 1)),
        std::cmp::Ordering::Less => (to + 2, format!("M{} {y}l8 -4v8z", to + 1)),
        std::cmp::Ordering::Equal => (to + 40, format!("M{} {y}l8 -4v8z", to + 1)),
    };
    html! { path.arrow d=(format!("M{from} {y}H{end}")) {} path.tip d=(tip) {} }
}

fn label(from: u32, to: u32) -> u32 {
    if from == to { from + 60 } else { u32::midpoint(from, to) }
}

fn rows<'e>(exchange: &'e Exchange, events: &'e [Event], now: Option<Time>) -> Vec<Row<'e>> {
    let mut rows = Vec::new();
    let mut last: Option<Time> = None;
    let times: Vec<Time> = events.iter().filter_map(|event| event.at.parse().ok()).collect();
    let whole = times.first().zip(times.last()).map_or(0, |(first, last)| last.since(*first).as_millis());
    let least = SILENCE.min(SHORT_SILENCE.max(whole / 5));
    for event in events {
        let Ok(at) = event.at.parse::<Time>() else { continue };
        let millis = last.map_or(0, |last| at.since(last).as_millis());
        if millis >= least {
            rows.push(Row::Silence { millis });
        }
        last = Some(at);
        let text = |key: &str| event.data.get(key).and_then(Value::as_str);
        rows.push(match (event.kind.as_str(), text("id"), text("kind")) {
            ("message-accepted", Some(id), Some(kind)) => {
                let to = event.data.get("to").and_then(Value::as_array).into_iter().flatten();
                Row::Message { at, id, from: &event.by, to: to.filter_map(Value::as_str).collect(), kind }
            }
            _ => Row::Happened { at, seq: event.seq.unwrap_or(0), by: &event.by, kind: &event.kind },
        });
    }
    let Some(now) = now.filter(|_| exchange.outcome.is_none()) else { return rows };
    if let Some(at) = last
        && now.since(at).as_millis() >= SILENCE
    {
        rows.push(Row::SilentSince { at, millis: now.since(at).as_millis() });
    }
    rows.push(Row::Now { at: now });
    let mut ahead: Vec<_> = exchange
        .timers
        .iter()
        .filter_map(|timer| Some((timer.due.parse::<Time>().ok()?, timer.name.as_str())))
        .collect();
    ahead.sort();
    rows.extend(ahead.into_iter().map(|(due, name)| Row::Deadline {
        due,
        name,
        millis: due.since(now).as_millis(),
    }));
    rows
}

/// The initiator first, then whoever takes part, then whoever else appears.
fn people(exchange: &Exchange, rows: &[Row<'_>]) -> Vec<String> {
    let mut people = vec![exchange.initiator.clone()];
    let mut add = |name: &str| {
        if !name.is_empty() && !people.iter().any(|known| known == name) {
            people.push(name.to_owned());
        }
    };
    exchange.participants.iter().for_each(|one| add(&one.agent));
    for row in rows {
        match row {
            Row::Message { from, to, .. } => {
                add(from);
                to.iter().for_each(|to| add(to));
            }
            Row::Happened { by, .. } => add(by),
            Row::Silence { .. } | Row::SilentSince { .. } | Row::Now { .. } | Row::Deadline { .. } => {}
        }
    }
    people
}
