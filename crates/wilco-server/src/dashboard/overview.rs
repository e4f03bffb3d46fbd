//! `/`: what waits for a decision, what waits for the viewer, what is open, who is there, what just happened.

use std::collections::BTreeMap;

use axum::response::Response;
use maud::{Markup, html};
use wilco_protocol::Time;
use wilco_wire::{Agent, Escalation, Event, Exchange, Page as Items, TodoEntry};

use wilco_engine::reads::{self, EventQuery};

use super::actions::decide;
use super::agents::{GLANCE, Standing, at_most, owed, unread};
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
const SHOWN: &str = "50";
/// What is shown here; the pages have the rest. Together it stays below 100 KB.
const EXCHANGES: usize = 25;
const AGENTS: usize = 25;
const EVENTS: usize = 20;
const WAITING: usize = 20;
/// Escalations that can be decided here; the others are decided on their own pages.
const ESCALATIONS: usize = 6;
/// Among the newest exchanges, those that failed are counted.
const NEWEST: &str = "100";

pub(super) async fn page(look: Look, flash: Flash) -> Result<Response, Failure> {
    let escalations: Items<Escalation> =
        look.get("/v1/escalations", &[("open", "true"), ("limit", SHOWN)]).await?;
    let exchanges: Items<Exchange> =
        look.get("/v1/exchanges", &[("open", "true"), ("limit", COUNTED)]).await?;
    let agents: Items<Agent> = look.get("/v1/agents", &[("limit", SHOWN)]).await?;
    let latest: Items<Exchange> = look.get("/v1/exchanges", &[("limit", NEWEST)]).await?;
    let failed = latest.items.iter().filter(|one| one.outcome.is_some() && is_bad(&one.state)).count();
    let todo = todo(&look, &exchanges.items[..exchanges.items.len().min(EXCHANGES)]).await?;
    let silent = agents.items.iter().filter(|agent| agent.status == "unresponsive").count();
    let standings = standings(&look, agents.items, &todo).await?;
    let events = newest_events(&look).await?;
    let total = open_total(&look, &exchanges).await?;
    let title = match escalations.items.len() {
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
                (count(escalations.items.len(), more(&escalations.next), "bad", "#escalations", ["escalation", "escalations"]))
                (count(todo.len(), "", "warn", "#waiting", ["waits for an answer", "wait for an answer"]))
                (count(total, if total == exchanges.items.len() { more(&exchanges.next) } else { "" }, "", "/exchanges?open=true", ["open exchange", "open exchanges"]))
                (count(silent, "", "warn", "/agents", ["silent agent", "silent agents"]))
                (count(failed, "", "bad", "/exchanges?open=false", ["failed lately", "failed lately"]))
            }
        }))
        (part("escalations", escalation_cards(&look, &escalations.items, &exchanges.items)))
        div.grid.two {
            div {
                (part("waiting", waiting(&look, &todo)))
                (part("open", open_exchanges(&look, &exchanges, total)))
            }
            div {
                (part("people", people(&look, &standings, agents.next.is_some())))
                (part("events", newest(&look, &events)))
            }
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
async fn todo(look: &Look, open: &[Exchange]) -> Result<Vec<(String, TodoEntry)>, Failure> {
    let mut names: Vec<String> = match look.is_operator() {
        false => vec![look.name.to_string()],
        true => open.iter().flat_map(|one| one.participants.iter().map(|one| one.agent.clone())).collect(),
    };
    names.sort();
    names.dedup();
    let mut found = Vec::new();
    for name in names.into_iter().take(AGENTS) {
        let items = owed(look, &name).await?.unwrap_or_default();
        found.extend(items.into_iter().map(|item| (name.clone(), item)));
    }
    found.sort_by_key(|(_, item)| (item.due.is_none(), item.due.clone()));
    Ok(found)
}

/// The newest events that the viewer may see, newest first.
pub(super) async fn newest_events(look: &Look) -> Result<Vec<Event>, Failure> {
    let wanted = EventQuery { limit: EVENTS, ..EventQuery::default() };
    Ok(newest_of(look, None, wanted).await?.items)
}

fn escalation_cards(look: &Look, escalations: &[Escalation], open: &[Exchange]) -> Markup {
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
                h2 { "And " (others.len()) " more to decide" }
                ul.plain { @for one in others {
                    li data-escalation=(one.id) { (exchange_link(&one.exchange)) " " (line(&one.text, 80)) " " span.soft.small { (ago_text(&one.opened, look.now)) } }
                } }
            }
        }
    }
}

fn waiting(look: &Look, todo: &[(String, TodoEntry)]) -> Markup {
    html! {
        section.card {
            h2 { @if look.is_operator() { "Waiting for somebody" } @else { "Waiting for you" } }
            @if todo.is_empty() { p.soft { "Nobody owes an answer." } }
            ul.plain.waiting {
                @for (name, item) in todo.iter().take(WAITING) {
                    li data-exchange=(item.exchange) {
                        span { (agent_link(name)) ": " (line(&item.asked, 160)) " " span.soft.small { (exchange_link(&item.exchange)) } }
                        @match item.due.as_deref().and_then(|due| due.parse::<Time>().ok()) {
                            Some(due) => (countdown(due, look.now)),
                            None => span.soft.small { "no deadline" },
                        }
                    }
                }
            }
            @if todo.len() > WAITING { p.soft { "And " (todo.len() - WAITING) " more." } }
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

/// The agents, with what each has unread and owes of what is shown here.
async fn standings(
    look: &Look,
    agents: Vec<Agent>,
    todo: &[(String, TodoEntry)],
) -> Result<Vec<Standing>, Failure> {
    let mut found = Vec::new();
    for agent in agents.into_iter().take(AGENTS) {
        let visible = look.is_operator() || look.name.as_str() == agent.name;
        let owes = visible.then(|| todo.iter().filter(|(name, _)| *name == agent.name).count());
        let unread = unread(look, &agent.name).await?.filter(|_| visible);
        found.push(Standing { agent, unread, owes });
    }
    Ok(found)
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
            ul.plain { @for event in events { (event_line(look, event)) } }
            p { a href="/audit" { "The whole journal" } }
        }
    }
}

/// One event on one line.
pub(super) fn event_line(look: &Look, event: &Event) -> Markup {
    html! {
        li data-position=(event.position) {
            span.small { (event_words(event)) } " "
            @if let Some(id) = &event.exchange { span.small { (exchange_link(id)) } " " }
            span.soft.small { "by " (line(&event.by, 40)) " · " (ago_text(&event.at, look.now)) }
        }
    }
}
