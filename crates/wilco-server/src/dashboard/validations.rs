//! `/validations`: phases and how often each went round, what failed in each round, what came again, and the log.

use std::collections::HashSet; // order never observed: only asked whether something is in it

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value;
use wilco_wire::{Event, Exchange, Message, segment};

use super::filters::Filters;
use super::flash::Flash;
use super::look::Look;
use super::markdown::markdown;
use super::operations::{card_head, events_of, exchange_filters, exchanges_of};
use super::page::Page;
use super::text::line;
use super::words::{agent_link, part, state};
use crate::problem::Failure;
use crate::v1::exchanges::KEYS;

/// Of a log, on this page; the link has all of it.
const LOG: usize = 16 << 10;
/// Failures of a round that are shown.
const FAILURES: usize = 20;

/// A phase going round once.
#[derive(Debug, Default)]
pub(super) struct Round {
    outcome: Option<RoundOutcome>,
    failures: Vec<RoundFailure>,
    fixed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RoundOutcome {
    Passed,
    Failed,
    Skipped,
}

#[derive(Debug)]
struct RoundFailure {
    location: String,
    error: String,
    /// It was there in a round before.
    again: bool,
}

pub(super) async fn page(look: Look, flash: Flash, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let filters = Filters::read("/validations", &KEYS, query.as_deref())?;
    let found = exchanges_of(&look, &filters, "validation").await?;
    let mut cards = Vec::new();
    for one in &found.items {
        let rounds = rounds(&look, one, &events_of(&look, &one.id).await?).await;
        let log = look.text(&format!("/v1/exchanges/{}/log.md", segment(&one.id))).await?;
        cards.push(card(&look, one, &rounds, &log));
    }
    let body = html! {
        h1 { "Validations" }
        p.lead { "Specialists check, one agent fixes, until every phase passes. Newest first." }
        (exchange_filters(&filters))
        (part("validations", html! {
            @if found.items.is_empty() { p { "No validation matches." } }
            @for card in &cards { (card) }
            (filters.next(found.next.as_deref(), "Older validations"))
        }))
    };
    Ok(Page::new("Validations", body).told(flash.told).shown(&look))
}

fn phases(exchange: &Exchange) -> impl Iterator<Item = &Value> {
    exchange.data["phases"].as_array().into_iter().flatten()
}

/// The rounds of every phase, as the events tell them.
pub(super) async fn rounds(look: &Look, exchange: &Exchange, events: &[Event]) -> Vec<Vec<Round>> {
    let mut all: Vec<Vec<Round>> = phases(exchange).map(|_| Vec::new()).collect();
    let mut known: Vec<HashSet<(String, String)>> = phases(exchange).map(|_| HashSet::new()).collect();
    for event in events {
        let place = event.data["phase"].as_u64().and_then(|place| usize::try_from(place).ok());
        let Some((place, rounds)) = place.and_then(|place| Some((place, all.get_mut(place)?))) else {
            continue;
        };
        let begins =
            matches!(event.kind.as_str(), "requested" | "triggered") && event.data["because"] == "turn";
        if begins || rounds.is_empty() {
            rounds.push(Round::default());
        }
        let Some(round) = rounds.last_mut() else { continue };
        match event.kind.as_str() {
            "passed" => round.outcome = Some(RoundOutcome::Passed),
            "skipped" => round.outcome = Some(RoundOutcome::Skipped),
            "fix-completed" => round.fixed = true,
            "failed" => {
                round.outcome = Some(RoundOutcome::Failed);
                let message = event.data["message"].as_str().unwrap_or("");
                for (location, error) in failures(look, message).await {
                    let again = !known[place].insert((location.clone(), error.clone()));
                    round.failures.push(RoundFailure { location, error, again });
                }
            }
            _ => {}
        }
    }
    all
}

/// Where and what, as the message said it that reported them.
async fn failures(look: &Look, message: &str) -> Vec<(String, String)> {
    // What somebody may not see is left out.
    let Ok(message) = look.get::<Message>(&format!("/v1/messages/{}", segment(message)), &[]).await else {
        return Vec::new();
    };
    let said = message.content["failures"].as_array().cloned().unwrap_or_default();
    let text = |failure: &Value, key: &str| failure[key].as_str().unwrap_or("").to_owned();
    said.iter().map(|failure| (text(failure, "location"), text(failure, "error"))).collect()
}

fn card(look: &Look, exchange: &Exchange, rounds: &[Vec<Round>], log: &str) -> Markup {
    let id = segment(&exchange.id);
    let shown: String = log.chars().take(LOG).collect();
    html! {
        section.card data-exchange=(exchange.id) data-state=(exchange.state) {
            (card_head(look, exchange))
            p.small { "Fixed by " (agent_link(exchange.data["main_agent"].as_str().unwrap_or(""))) }
            (matrix(exchange, rounds))
            (frequent(exchange))
            details id=(format!("log-{}", exchange.id)) {
                summary { "Log" }
                (markdown(&shown))
                @if shown.len() < log.len() { p.soft { "It goes on." } }
            }
            p.small { a href=(format!("/v1/exchanges/{id}/log.md")) { "The whole log" } }
        }
    }
}

/// Phases by rounds; the page of the exchange shows them too.
pub(super) fn matrix(exchange: &Exchange, rounds: &[Vec<Round>]) -> Markup {
    let most = rounds.iter().map(Vec::len).max().unwrap_or(0).max(1);
    html! {
        div.scroll tabindex="0" role="region" aria-label="Rounds" { table.matrix {
            thead { tr { th scope="col" { "Phase" } @for number in 1..=most { th scope="col" { "Round " (number) } } } }
            tbody {
                @for (phase, rounds) in phases(exchange).zip(rounds) {
                    tr {
                        th scope="row" { (phase_head(phase)) }
                        @for number in 0..most { td { @if let Some(round) = rounds.get(number) { (cell(round)) } } }
                    }
                }
            }
        } }
    }
}

fn phase_head(phase: &Value) -> Markup {
    let text = |key: &str| phase[key].as_str().unwrap_or("");
    let status = text("status").to_lowercase().replace('_', "-");
    let specialist = text("specialist");
    html! {
        (line(text("name"), 60)) " " (state(&status)) br;
        span.soft.small {
            "checked by "
            @match specialist.strip_prefix("cmd:") {
                Some(command) => { "the command " code { (line(command, 40)) } }
                None => (agent_link(specialist)),
            }
            br; "round " (phase["iteration"]) " of at most " (phase["max_iterations"])
        }
    }
}

fn cell(round: &Round) -> Markup {
    let again = round.failures.iter().filter(|failure| failure.again).count();
    html! {
        @match round.outcome {
            Some(RoundOutcome::Passed) => span.state.good { "passed" },
            Some(RoundOutcome::Skipped) => span.state.done { "skipped" },
            Some(RoundOutcome::Failed) => {
                span.state.bad { (round.failures.len()) @if round.failures.len() == 1 { " failure" } @else { " failures" } }
                @if again > 0 { " " span.state.warn { (again) " again" } }
            }
            None => span.state { "being checked" },
        }
        @if !round.failures.is_empty() {
            ul.failures {
                @for failure in round.failures.iter().take(FAILURES) {
                    li {
                        span.mono { (line(&failure.location, 80)) } " " (line(&failure.error, 160))
                        @if failure.again { " " span.state.warn { "again" } }
                    }
                }
                @if round.failures.len() > FAILURES { li { "and " (round.failures.len() - FAILURES) " more" } }
            }
        }
        @if round.fixed { p.soft.small { "fixed, checked again" } }
    }
}

fn frequent(exchange: &Exchange) -> Markup {
    let often: Vec<_> = exchange.data["frequent_failures"].as_array().into_iter().flatten().collect();
    html! {
        @if !often.is_empty() {
            h3 { "Most frequent failures" }
            ul.plain {
                @for one in often {
                    li.small { b { (one["count"]) "×" } " " span.mono { (line(one["location"].as_str().unwrap_or(""), 80)) } " "
                        (line(one["error"].as_str().unwrap_or(""), 160)) }
                }
            }
        }
    }
}
