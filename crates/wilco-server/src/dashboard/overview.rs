//! `/`: what waits for a decision, what waits for the viewer, what is open, who is there, what just happened.

use std::collections::BTreeMap;

use axum::response::Response;
use maud::{Markup, html};
use wilco_engine::reads::{self, EventQuery, Waiting};
use wilco_wire::{Agent, Escalation, Event, Exchange, Page as Items};

use super::actions::decide;
use super::agents::{GLANCE, Standing, at_most, standing};
use super::audit::newest as newest_of;
use super::flash::Flash;
use super::look::{Look, LookRole};
use super::page::Page;
use super::text::line;
use super::time::{ago_text, countdown};
use super::words::{
    about, agent_link, as_words, event_words, exchange_link, exchange_table, is_bad, part, said, state,
    state_counts,
};
use crate::problem::Failure;

/// Exchanges whose states are counted, escalations and agents that are looked at.
const COUNTED: &str = "200";
const SHOWN: usize = 50;
/// What is shown here; the pages have the rest. Together it stays below 100 KB.
const EXCHANGES: usize = 25;
const AGENTS: usize = 25;
const EVENTS: usize = 20;
const WAITING: usize = 20;
/// Escalations that can be decided here; the others are decided on their own pages.
const ESCALATIONS: usize = 6;
/// Among the newest exchanges, those that failed are counted.
const NEWEST: &str = "100";
/// The status of an agent that does not answer.
const SILENT: &str = "unresponsive";

pub(super) async fn page(look: Look, flash: Flash) -> Result<Response, Failure> {
    let (escalations, escalated) = look.open_escalations(SHOWN).await?;
    let exchanges: Items<Exchange> =
        look.get("/v1/exchanges", &[("open", "true"), ("limit", COUNTED)]).await?;
    let mut agents: Items<Agent> = look.get("/v1/agents", &[("limit", &SHOWN.to_string())]).await?;
    let latest: Items<Exchange> = look.get("/v1/exchanges", &[("limit", NEWEST)]).await?;
    let failed = latest.items.iter().filter(|one| one.outcome.is_some() && is_bad(&one.state)).count();
    let waiting = waiting(&look).await?;
    // Who is silent stands first.
    agents.items.sort_by_key(|agent| agent.status != SILENT);
    let silent = agents.items.iter().filter(|agent| agent.status == SILENT).count();
    let mut standings = Vec::new();
    for agent in agents.items.into_iter().take(AGENTS) {
        standings.push(standing(&look, agent).await?);
    }
    let events = newest_events(&look).await?;
    let total = open_total(&look, &exchanges).await?;
    let title = match escalated {
        0 => "Overview".to_owned(),
        1 => "1 escalation".to_owned(),
        many => format!("{many} escalations"),
    };
    let more = |next: &Option<String>| if next.is_some() { "+" } else { "" };
    let body = html! {
        h1 { "Overview" }
        p.lead { "What waits, who is silent, what happens next." }
        (part("counts", html! {
            ul.counts {
                (count(escalated, "", "bad", "#escalations", ["escalation", "escalations"]))
                (count(waiting.total, "", "warn", "#waiting", ["waits for an answer", "wait for an answer"]))
                (count(total, if total == exchanges.items.len() { more(&exchanges.next) } else { "" }, "", "/exchanges?open=true", ["open exchange", "open exchanges"]))
                (count(silent, "", "warn", "/agents", ["silent agent", "silent agents"]))
                (count(failed, "", "bad", "/exchanges?open=false", ["failed lately", "failed lately"]))
            }
        }))
        (part("escalations", escalation_cards(&look, &escalations, escalated, &exchanges.items)))
        div.grid.beside {
            div {
                (part("waiting", waiting_card(&look, &waiting)))
                (part("open", open_exchanges(&look, &exchanges, total)))
            }
            div.side { (part("people", people(&look, &standings, agents.next.is_some()))) }
            (part("events", newest(&look, &events)))
        }
    };
    Ok(Page::new(title, body).told(flash.told).shown(&look))
}

/// A number that leads to what it counts.
fn count(number: usize, more: &str, tone: &str, to: &str, [one, many]: [&str; 2]) -> Markup {
    html! {
        li class=[(number > 0).then_some(tone)] {
            a href=(to) { b { (number) (more) } span { (if number == 1 { one } else { many }) } }
        }
    }
}

/// How many exchanges are open. An agent's own are counted as far as they were looked at.
async fn open_total(look: &Look, found: &Items<Exchange>) -> Result<usize, Failure> {
    if found.next.is_none() || look.role == LookRole::Agent {
        return Ok(found.items.len());
    }
    Ok(usize::try_from(look.app.handle.read(reads::open_total).await?).unwrap_or(usize::MAX))
}

/// What waits for the viewer; for the operator, what waits for anybody.
async fn waiting(look: &Look) -> Result<Waiting, Failure> {
    let (viewer, url) = (look.caller.viewer.clone(), look.app.config.url.clone());
    let known = look.operator.clone().unwrap_or_else(|| look.name.clone());
    let read = look.app.handle.read(move |reader| reads::waiting(reader, &viewer, &known, &url, WAITING));
    Ok(read.await?)
}

/// The newest events that the viewer may see, newest first.
pub(super) async fn newest_events(look: &Look) -> Result<Vec<Event>, Failure> {
    let wanted = EventQuery { limit: EVENTS, ..EventQuery::default() };
    Ok(newest_of(look, None, wanted).await?.items)
}

fn escalation_cards(look: &Look, escalations: &[Escalation], total: usize, open: &[Exchange]) -> Markup {
    let subject = |one: &Escalation| {
        let exchange = open.iter().find(|exchange| exchange.id == one.exchange);
        exchange.map(|exchange| line(&about(exchange), 120)).unwrap_or_default()
    };
    let (shown, others) = escalations.split_at(escalations.len().min(ESCALATIONS));
    html! {
        @for one in shown {
            section.card.bad data-escalation=(one.id) {
                h2 { "Needs a decision: " (subject(one)) " " (exchange_link(&one.exchange)) }
                p { (line(&one.text, 600)) }
                @if let Some(said) = said(one) { p { "Last said: " q { (said) } } }
                p.soft.small {
                    (as_words(&one.reason)) " · asked " (agent_link(&one.addressee)) " · " (ago_text(&one.opened, look.now))
                }
                (decide(look, one, None))
            }
        }
        @if !others.is_empty() {
            section.card.bad {
                h2 { "And " (total - shown.len()) " more to decide" }
                ul.plain { @for one in others {
                    li data-escalation=(one.id) { (exchange_link(&one.exchange)) " " (line(&one.text, 80)) " " span.soft.small { (ago_text(&one.opened, look.now)) } }
                } }
                @if total > escalations.len() { p { a href="/exchanges?open=true&state=escalated" { "All " (total) " that were escalated" } } }
            }
        }
    }
}

fn waiting_card(look: &Look, waiting: &Waiting) -> Markup {
    html! {
        section.card {
            h2 { @if look.is_operator() { "Waiting for somebody" } @else { "Waiting for you" } }
            @if waiting.items.is_empty() { p.soft { "Nobody owes an answer." } }
            ul.plain.timed {
                @for (name, item) in &waiting.items {
                    li data-exchange=(item.exchange) data-state=(item.state) {
                        span { span.state.warn { (item.kind) } " " (agent_link(name.as_str())) ": " (line(&item.text.asked, 160)) " " span.soft.small { (exchange_link(&item.exchange.to_string())) } }
                        @match item.due {
                            Some(due) => (countdown(due, look.now)),
                            None => span.soft.small { "no deadline" },
                        }
                    }
                }
            }
            @if waiting.total > waiting.items.len() {
                p.small { "The first of " (waiting.total) " that wait:" }
                (state_counts(&waiting.states.clone().into_iter().collect::<Vec<_>>()))
            }
        }
    }
}

fn open_exchanges(look: &Look, exchanges: &Items<Exchange>, total: usize) -> Markup {
    let mut states = BTreeMap::<String, u64>::new();
    for one in &exchanges.items {
        *states.entry(one.state.clone()).or_default() += 1;
    }
    let shown = &exchanges.items[..exchanges.items.len().min(EXCHANGES)];
    html! {
        section.card {
            h2 { "Open exchanges" }
            @if exchanges.items.is_empty() {
                p { "Nothing is open. Give an agent a task:" }
                p { code { "wilco delegate worker --new --as boss --title \"Add a logout endpoint\"" } }
            } @else {
                @if exchanges.next.is_some() { p.soft.small { "The newest " (exchanges.items.len()) " of them:" } }
                (state_counts(&states.into_iter().collect::<Vec<_>>()))
                (exchange_table(shown, look.now))
                @if total > shown.len() { p { a href="/exchanges?open=true" { "All " (total) @if exchanges.next.is_some() && total == exchanges.items.len() { "+" } " open exchanges" } } }
            }
        }
    }
}

fn people(look: &Look, standings: &[Standing], more: bool) -> Markup {
    html! {
        section.card {
            h2 { "Agents" }
            @if standings.is_empty() { p.soft { "No agent is registered yet." } }
            ul.plain {
                @for Standing { agent, unread, owes } in standings {
                    li data-agent=(agent.name) data-state=(agent.status) {
                        (agent_link(&agent.name)) " " (state(&agent.status)) " "
                        @if let Some(owes) = owes.filter(|owes| *owes > 0) { b.small { "owes " (at_most(owes, GLANCE)) } " " }
                        span.soft.small {
                            @if let Some(unread) = unread.filter(|unread| *unread > 0) { (unread) " unread · " }
                            @match &agent.last_seen {
                                Some(at) => { "seen " (ago_text(at, look.now)) }
                                None => "never seen"
                            }
                        }
                    }
                }
            }
            @if more { p { a href="/agents" { "All agents" } } }
        }
    }
}

fn newest(look: &Look, events: &[Event]) -> Markup {
    html! {
        section.card {
            h2 { "Newest events" }
            @if events.is_empty() { p.soft { "Nothing happened yet." } }
            ul.plain.timed { @for event in events { (event_line(look, event)) } }
            p { a href="/audit" { "The whole journal" } }
        }
    }
}

/// One event on one line.
fn event_line(look: &Look, event: &Event) -> Markup {
    html! {
        li.small data-position=(event.position) {
            span {
                (event_words(event)) " "
                @if let Some(id) = &event.exchange { (exchange_link(id)) " " }
                span.soft { "by " (line(&event.by, 40)) }
            }
            span.soft { (ago_text(&event.at, look.now)) }
        }
    }
}
