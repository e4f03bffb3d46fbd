//! Small pieces that many pages show: an exchange's id, its state, an agent, a part that renews itself.

use maud::{Markup, html};
use serde_json::Value;
use wilco_protocol::Time;
use wilco_wire::{Escalation, Event, Exchange, Timer, segment};

use super::text::{line, visible};
use super::time::countdown;

/// A name such as `acceptance_criteria` or `step-ended`, as people write it.
pub(super) fn as_words(name: &str) -> String {
    let words = name.replace(['_', '-'], " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A part that the page renews by itself when it changes.
pub(super) fn part(id: &str, body: Markup) -> Markup {
    html! { div id=(id) data-part { (body) } }
}

/// A state, in words and with a colour.
pub(super) fn state(word: &str) -> Markup {
    html! { span class=(format!("state {}", tone(word))) { (word) } }
}

/// Whether a state is trouble.
pub(super) fn is_bad(word: &str) -> bool {
    tone(word) == "bad"
}

/// How urgent a state looks.
fn tone(word: &str) -> &'static str {
    match word {
        "escalated" | "failed" | "aborted" | "rejected" | "unresponsive" | "dead" | "timed-out"
        | "interrupted" | "fail" => "bad",
        "awaiting-ack" | "clarifying" | "in-review" | "returned" | "waiting" | "paused" | "retrying"
        | "idle" | "awaiting-fix" | "correcting" | "blocked" | "pending" => "warn",
        "working" | "active" | "ready" | "passed" | "delivered" | "succeeded" | "pass" | "complete" => "good",
        "completed" | "cancelled" | "done" | "offline" | "inactive" | "hibernated" | "settled"
        | "skipped" | "excluded" => "done",
        _ => "",
    }
}

/// An id that a click or a key copies; without a script a click selects it.
pub(super) fn copyable(id: &str) -> Markup {
    html! { span.mono.id role="button" tabindex="0" data-copy=(id) title="Copy" aria-label=(format!("Copy {}", visible(id))) { (visible(id)) } }
}

/// How many are in each state, each a link to those. The most urgent come first.
pub(super) fn state_counts(counts: &[(String, u64)]) -> Markup {
    let mut counts: Vec<_> = counts.iter().collect();
    counts.sort_by_key(|(word, count)| (urgency(word), std::cmp::Reverse(*count)));
    html! {
        ul.states {
            @for (word, count) in counts {
                li { a class=(format!("state {}", tone(word))) href=(format!("/exchanges?open=true&state={}", segment(word))) { b { (count) } " " (word) } }
            }
        }
    }
}

fn urgency(word: &str) -> usize {
    ["bad", "warn", "good", ""].iter().position(|known| *known == tone(word)).unwrap_or(4)
}

pub(super) fn exchange_link(id: &str) -> Markup {
    html! { a.mono href=(format!("/exchanges/{}", segment(id))) { (id) } }
}

pub(super) fn agent_link(name: &str) -> Markup {
    html! { a href=(format!("/agents/{}", segment(name))) data-agent=(name) { (line(name, 60)) } }
}

/// What an exchange is about: its task and subject.
pub(super) fn about(exchange: &Exchange) -> String {
    let task = exchange.data.get("task_id").and_then(|id| id.as_str());
    match task {
        Some(task) if !exchange.subject.contains(task) => format!("{task}: {}", exchange.subject),
        _ => exchange.subject.clone(),
    }
}

/// Who takes part besides the initiator.
pub(super) fn parties(exchange: &Exchange) -> Markup {
    let others: Vec<_> = exchange.participants.iter().filter(|one| one.agent != exchange.initiator).collect();
    html! {
        (agent_link(&exchange.initiator)) " → "
        @for (place, one) in others.iter().take(4).enumerate() {
            @if place > 0 { ", " }
            (agent_link(&one.agent))
        }
        @if others.len() > 4 { " and " (others.len() - 4) " more" }
    }
}

/// The next deadline.
pub(super) fn next_timer(timers: &[Timer], now: Time) -> Markup {
    let next = timers
        .iter()
        .filter_map(|timer| Some((timer.due.parse::<Time>().ok()?, timer)))
        .min_by_key(|(due, _)| *due);
    match next {
        Some((due, timer)) => html! { (countdown(due, now)) " " span.soft.small { (timer.name) } },
        None => html! { span.soft { "no clock runs" } },
    }
}

/// What happened, in words.
pub(super) fn event_words(event: &Event) -> Markup {
    let text = |key: &str| event.data.get(key).and_then(Value::as_str);
    let to = event.data.get("to").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    html! {
        @match (event.kind.as_str(), text("kind")) {
            ("message-accepted", Some(kind)) => {
                b { (line(kind, 40)) } " to " (line(&to.collect::<Vec<_>>().join(", "), 60))
            }
            _ => {
                b { (as_words(&event.kind)) }
                @if let Some(about) = text("subject").or(text("agent")).or(text("name")) { " " (line(about, 80)) }
            }
        }
    }
}

/// What an agent said that led to an escalation.
pub(super) fn said(escalation: &Escalation) -> Option<String> {
    let said = escalation.evidence.get("said")?;
    let text = said.as_str().map(str::to_owned).or_else(|| said.get("text")?.as_str().map(str::to_owned))?;
    Some(line(&text, 400))
}

/// A list of exchanges.
pub(super) fn exchange_table(items: &[Exchange], now: Time) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Exchanges" { table.stack {
            thead { tr { th { "Exchange" } th { "About" } th { "Parties" } th { "State" } th { "Next" } } }
            tbody {
                @for one in items {
                    tr data-exchange=(one.id) data-state=(one.state) {
                        td { (exchange_link(&one.id)) br; span.soft.small { (one.protocol) } }
                        td { (line(&about(one), 120)) }
                        td { (parties(one)) }
                        td { (state(&one.state)) }
                        td {
                            @if one.outcome.is_none() { (next_timer(&one.timers, now)) }
                            @else { span.soft { "ended " (super::time::ago_text(&one.updated, now)) } }
                        }
                    }
                }
            }
        } }
    }
}

/// A text of several lines, as it is.
pub(super) fn preformatted(text: &str) -> Markup {
    html! { pre { (visible(text)) } }
}
