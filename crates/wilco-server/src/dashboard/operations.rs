//! `/operations`: a track for every agent on an axis of time, who is ready, and the steps of what was carried out.

use axum::body::Body;
use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value;
use wilco_protocol::Time;
use wilco_protocol::operation::Quorum;
use wilco_wire::{Event, Exchange, Page as Items, segment};

use super::filters::Filters;
use super::flash::Flash;
use super::form::Filled;
use super::look::Look;
use super::page::Page;
use super::start::{Start, begin, start_form};
use super::text::line;
use super::time::{ago_text, countdown, rough};
use super::words::{about, agent_link, exchange_link, next_timer, part, preformatted, state};
use crate::problem::Failure;
use crate::v1::exchanges::KEYS;

/// Shown at once, unless somebody asks for more: each brings its events along.
const SHOWN: &str = "20";
/// Events of one exchange that are looked at.
pub(super) const EVENTS: &str = "1000";
/// How wide the axis is; the browser stretches it.
const WIDTH: u64 = 1000;

pub(super) async fn page(look: Look, flash: Flash, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    Ok(list(&look, query.as_deref(), None).await?.told(flash.told).shown(&look))
}

/// Begins an operation, or shows the form again with what was typed.
pub(super) async fn operate(look: Look, body: Body) -> Result<Response, Failure> {
    let filled = Filled::read(&look, body).await?;
    match begin(&look, Start::Operate, &filled).await {
        Ok(response) => Ok(response),
        Err(failure) => Ok(list(&look, None, Some(&filled)).await?.refused(&failure).shown(&look)),
    }
}

async fn list(look: &Look, query: Option<&str>, typed: Option<&Filled>) -> Result<Page, Failure> {
    let filters = Filters::read("/operations", &KEYS, query)?;
    let found = exchanges_of(look, &filters, "operation").await?;
    let mut cards = Vec::new();
    for one in &found.items {
        cards.push(card(look, one, &events_of(look, &one.id).await?));
    }
    let body = html! {
        h1 { "Operations" }
        p.lead { "What interrupts agents: who was asked, who is ready, what was done. Newest first." }
        @if look.may_act() { (start_form(look, Start::Operate, typed)) }
        (exchange_filters(&filters))
        (part("operations", html! {
            @if found.items.is_empty() { p { "No operation matches." } }
            @for card in &cards { (card) }
            (filters.next(found.next.as_deref(), "Older operations"))
        }))
    };
    Ok(Page::new("Operations", body))
}

/// The exchanges of one protocol that the filters leave.
pub(super) async fn exchanges_of(
    look: &Look,
    filters: &Filters,
    protocol: &'static str,
) -> Result<Items<Exchange>, Failure> {
    // Another protocol's are not shown here, whatever the address says.
    if !["", protocol].contains(&filters.text("protocol")) {
        crate::v1::exchanges::protocol(filters.text("protocol"))?;
        return Ok(Items { items: Vec::new(), next: None });
    }
    let limit = if filters.text("limit").is_empty() { SHOWN } else { filters.text("limit") };
    look.get("/v1/exchanges", &filters.with(&[("protocol", protocol), ("limit", limit)])).await
}

pub(super) fn exchange_filters(filters: &Filters) -> Markup {
    filters.form(&[
        filters.field("q", "Text"),
        filters.field("agent", "Agent"),
        filters.field("state", "State"),
        filters.open(),
    ])
}

pub(super) async fn events_of(look: &Look, id: &str) -> Result<Vec<Event>, Failure> {
    let path = format!("/v1/exchanges/{}/events", segment(id));
    Ok(look.get::<Items<Event>>(&path, &[("limit", EVENTS)]).await?.items)
}

/// The head of a card: what it is, how it stands, what comes next.
pub(super) fn card_head(look: &Look, exchange: &Exchange) -> Markup {
    html! {
        h2 { (line(&about(exchange), 120)) " " (state(&exchange.state)) }
        p.soft.small {
            (exchange_link(&exchange.id)) " · from " (agent_link(&exchange.initiator)) " · begun " (ago_text(&exchange.created, look.now))
            @if exchange.outcome.is_none() { " · next " (next_timer(&exchange.timers, look.now)) }
            @else { " · ended " (ago_text(&exchange.updated, look.now)) }
        }
        @if exchange.data["escalation"].is_string() {
            p { a href=(format!("/exchanges/{}", segment(&exchange.id))) { "It needs a decision" } }
        }
    }
}

fn card(look: &Look, exchange: &Exchange, events: &[Event]) -> Markup {
    html! {
        section.card data-exchange=(exchange.id) data-state=(exchange.state) {
            (card_head(look, exchange))
            (inside(look.now, exchange, events))
        }
    }
}

/// Tracks, quorum and steps; the page of the exchange shows them too.
pub(super) fn inside(now: Time, exchange: &Exchange, events: &[Event]) -> Markup {
    html! {
        p { (quorum(exchange, events)) }
        (tracks(now, exchange, events))
        (steps(now, exchange))
    }
}

fn list_of<'e>(exchange: &'e Exchange, pointer: &str) -> impl Iterator<Item = &'e Value> {
    exchange.data.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}

fn word<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or("")
}

fn time(value: &Value, key: &str) -> Option<Time> {
    value[key].as_str()?.parse().ok()
}

/// How many are ready, how many must be, and whether it went on.
fn quorum(exchange: &Exchange, events: &[Event]) -> Markup {
    let of_state = |wanted: &str| {
        let tracks = list_of(exchange, "/tracks").filter(|track| word(track, "state") == wanted);
        u32::try_from(tracks.count()).unwrap_or(u32::MAX)
    };
    let remaining = of_state("ready") + of_state("waiting") + of_state("timed-out");
    let ready = of_state("ready");
    let given: Quorum = serde_json::from_value(exchange.data["quorum"].clone()).unwrap_or(Quorum::All);
    let needed = given.of(remaining);
    let because = events.iter().rev().find(|event| event.kind == "authorized");
    let because = because.and_then(|event| event.data["because"].as_str());
    html! {
        @if exchange.data["requires_acknowledgment"] == false { "The agents were only told; nobody was asked." }
        @else {
            @if remaining > 0 && ready >= needed { span.state.good { "quorum reached" } }
            @else { span.state.warn { "quorum not reached" } }
            " " (ready) " of " (remaining) " ready, " (needed) " needed."
            @match because {
                Some("timeout") => " It went on when the time was over.",
                Some("decision") => " It went on because somebody decided so.",
                Some(_) => " It was authorized.",
                None => {}
            }
        }
    }
}

/// The axis: from when it began to when it ended, or to the last deadline ahead.
struct Axis {
    begin: Time,
    end: Time,
}

impl Axis {
    fn of(now: Time, exchange: &Exchange) -> Axis {
        let begin = exchange.created.parse().unwrap_or(now);
        let deadlines = list_of(exchange, "/tracks").filter_map(|track| time(track, "deadline"));
        let last = match exchange.outcome {
            Some(_) => exchange.updated.parse().ok(),
            None => Some(now),
        };
        let end = deadlines.chain(last).max().unwrap_or(now).max(begin);
        Axis { begin, end }
    }

    fn x(&self, at: Time) -> u64 {
        let whole = self.end.since(self.begin).as_millis().max(1);
        (at.since(self.begin).as_millis().saturating_mul(WIDTH) / whole).min(WIDTH)
    }
}

fn tracks(now: Time, exchange: &Exchange, events: &[Event]) -> Markup {
    let axis = Axis::of(now, exchange);
    html! {
        div.tracks {
            @for one in list_of(exchange, "/tracks") { (track(now, exchange, &axis, one, events)) }
            p.axis.soft.small {
                span { "asked" } span { "after " (rough(axis.end.since(axis.begin).as_millis())) }
            }
            p.legend.soft.small { "▲ reminded · ◆ more time given · ┃ deadline" @if exchange.outcome.is_none() { " · ┊ now" } }
        }
    }
}

fn track(now: Time, exchange: &Exchange, axis: &Axis, track: &Value, events: &[Event]) -> Markup {
    let (agent, standing) = (word(track, "agent"), word(track, "state"));
    let (deadline, answered) = (time(track, "deadline"), time(track, "answered_at"));
    let open = exchange.outcome.is_none() && standing == "waiting";
    let ended = exchange.updated.parse().unwrap_or(now);
    let end = match (answered, open) {
        (Some(answered), _) => answered,
        (None, true) => now,
        (None, false) => deadline.unwrap_or(ended).min(if exchange.outcome.is_some() { ended } else { now }),
    };
    let tone = match standing {
        "ready" => "good",
        "timed-out" | "cancelled" => "bad",
        _ => "open",
    };
    let about = |event: &&Event| event.data["agent"].as_str() == Some(agent);
    let of_kind = |kind: &'static str| {
        let events = events.iter().filter(about).filter(move |event| event.kind == kind);
        events
            .filter_map(|event| event.at.parse::<Time>().ok())
            .map(|at| (at, axis.x(at)))
            .collect::<Vec<_>>()
    };
    let (reminded, extended) = (of_kind("reminded"), of_kind("extended"));
    html! {
        div.track data-agent=(agent) {
            span.name { (agent_link(agent)) }
            svg viewBox=(format!("0 0 {WIDTH} 24")) preserveAspectRatio="none" aria-hidden="true" {
                rect.rail x="0" y="10" width=(WIDTH) height="4" {}
                rect class=(format!("bar {tone}")) x="0" y="7" width=(axis.x(end).max(4)) height="10" {}
                @for (at, x) in &reminded { path.mark d=(format!("M{} 24l7 -10l7 10z", x.saturating_sub(7))) { title { "reminded " (at) } } }
                @for (at, x) in &extended { path.more d=(format!("M{} 12l8 -10l8 10l-8 10z", x.saturating_sub(8))) { title { "more time " (at) } } }
                @if let Some(deadline) = deadline {
                    rect.deadline x=(axis.x(deadline).min(WIDTH - 4)) y="0" width="4" height="24" { title { "deadline " (deadline) } }
                }
                @if exchange.outcome.is_none() { rect.now x=(axis.x(now).min(WIDTH - 2)) y="0" width="2" height="24" {} }
            }
            span.words {
                (state(standing))
                @if let Some(answered) = answered { span.small { (match standing { "timed-out" => " last said something after ", "waiting" => " asked for time after ", _ => " answered after " }) (rough(answered.since(axis.begin).as_millis())) } }
                @if let (true, Some(deadline)) = (open, deadline) { span.small { @if answered.is_some() { " ·" } " due " (countdown(deadline, now)) } }
                @match track["reminders_sent"].as_u64().unwrap_or(0) {
                    0 => {}
                    1 => span.small { " · 1 reminder" },
                    many => span.small { " · " (many) " reminders" },
                }
                @if track["extended"] == true { span.small { " · extended" } }
                @if track["timeout_occurred"] == true && standing != "timed-out" { span.small { " · too late" } }
            }
        }
    }
}

fn steps(now: Time, exchange: &Exchange) -> Markup {
    let execution = &exchange.data["execution"];
    let steps: Vec<_> = list_of(exchange, "/execution/steps").collect();
    html! {
        h3 { "Carried out" }
        @match word(execution, "mode") {
            "manual" if execution["result"].is_null() => p.soft { "Whoever began it does it, and says how it went." },
            "none" => p.soft { "Nothing is carried out by Wilco." },
            _ => {}
        }
        @if let Some(result) = execution["result"].as_str() { p { "Result: " (state(result)) } }
        @if !steps.is_empty() {
            ol.plain.steps {
                @for step in steps {
                    li {
                        (agent_link(word(step, "agent"))) " " (state(word(step, "state")))
                        span.soft.small {
                            @if let Some(code) = step["exit_code"].as_i64() { " exit code " (code) }
                            @if let Some(runs) = step["runs"].as_u64().filter(|runs| *runs > 1) { " · run " (runs) " times" }
                            @if let (Some(started), Some(ended)) = (time(step, "started"), time(step, "ended")) { " · took " (rough(ended.since(started).as_millis())) }
                            @if let Some(started) = step["started"].as_str() { " · " (ago_text(started, now)) }
                        }
                        @if let Some(failure) = step["failure"].as_str() { p.small { (line(failure, 400)) } }
                        @for (key, name) in [("stdout", "Output"), ("stderr", "Errors")] {
                            @if let Some(text) = step[key].as_str().filter(|text| !text.is_empty()) {
                                p.soft.small { (name) } (preformatted(text))
                            }
                        }
                    }
                }
            }
        }
    }
}
