//! `/agents/{name}`: one agent: when it was there, what it has open and owes, its messages and incidents, and whether
//! nudging it works.

use axum::response::Response;
use maud::{Markup, html};
use wilco_engine::reads::{self, TodoItem};
use wilco_protocol::{Name, Time};
use wilco_wire::{Agent, Exchange, Incident, Message, Nudge, Page as Items, segment};

use super::agents::{newest_todo, nudge_kind, seen, unread};
use super::exchange::message_card;
use super::flash::Flash;
use super::incidents::incident_table;
use super::look::{Look, target};
use super::page::Page;
use super::text::line;
use super::time::countdown;
use super::words::{exchange_link, exchange_table, part, state};
use crate::problem::Failure;
use crate::v1::path::Path;

/// Exchanges that are looked at for what it owes; `todo` has the rest.
const OWED: usize = 30;
/// Exchanges and messages that are shown; their own pages have the rest.
const SHOWN: &str = "20";
/// Incidents that are looked through for this agent's.
const LOOKED_AT: &str = "1000";
const HOURS: usize = 24;
const HOUR: u64 = 3_600_000;

/// An hour of the last day.
#[derive(Debug, Clone, Copy, Default)]
struct Hour {
    /// What the agent did.
    signs: usize,
    /// Whether it was found to be silent.
    silent: bool,
}

pub(super) async fn page(look: Look, flash: Flash, Path(name): Path<String>) -> Result<Response, Failure> {
    let path = format!("/v1/agents/{}", segment(&name));
    let agent: Agent = look.get(&path, &[]).await?;
    let name = agent.name.as_str();
    let todo = newest_todo(&look, name, OWED).await?;
    let open: Items<Exchange> =
        look.get("/v1/exchanges", &[("agent", name), ("open", "true"), ("limit", SHOWN)]).await?;
    let messages: Items<Message> = look.get("/v1/messages", &[("agent", name), ("limit", SHOWN)]).await?;
    let incidents: Items<Incident> = look.get("/v1/reports/incidents", &[("limit", LOOKED_AT)]).await?;
    let incidents: Vec<_> = incidents.items.into_iter().filter(|one| one.agent == name).collect();
    let nudges: Items<Nudge> = look.get("/v1/nudges", &[]).await?;
    let nudge = nudges.items.iter().find(|nudge| nudge.agent == name);
    let hours = hours(&look, name).await?;
    let unread = unread(&look, name).await?;
    let body = html! {
        div data-agent=(name) {
            (part("head", head(&look, &agent, unread)))
            div.grid.two {
                div {
                    @if let Some(todo) = &todo { (part("owed", owed(&look, todo))) }
                    (part("open", html! {
                        section.card {
                            h2 { "Open exchanges" }
                            @if open.items.is_empty() { p.soft { "Nothing is open." } }
                            @else { (exchange_table(&open.items, look.now)) }
                            p { a href=(target("/exchanges", &[("agent", name)])) { "All its exchanges" } }
                        }
                    }))
                    (part("messages", html! {
                        section.card {
                            h2 { "Messages" }
                            @if messages.items.is_empty() { p.soft { "None yet." } }
                            @for message in &messages.items { (message_card(&look, message)) }
                            p { a href=(target("/messages", &[("agent", name)])) { "All its messages" } }
                        }
                    }))
                }
                div {
                    (part("presence", presence(&hours)))
                    (part("nudges", nudging(&look, &agent, nudge)))
                    (part("incidents", html! {
                        section.card {
                            h2 { "Incidents" }
                            @if incidents.is_empty() { p.soft { "None." } } @else { (incident_table(&look, &incidents)) }
                        }
                    }))
                    (facts(&agent))
                }
            }
        }
    };
    Ok(Page::new(format!("{} · {}", line(name, 60), agent.status), body).told(flash.told).shown(&look))
}

fn head(look: &Look, agent: &Agent, unread: Option<usize>) -> Markup {
    html! {
        h1 { (line(&agent.name, 120)) }
        p.lead {
            (state(&agent.status)) " " (seen(look, agent)) " · " (agent.role)
            @if let Some(unread) = unread { " · " (unread) " unread" }
        }
    }
}

fn owed(look: &Look, todo: &[TodoItem]) -> Markup {
    html! {
        section.card {
            h2 { "What it owes" }
            @if todo.is_empty() { p.soft { "Nothing waits for it." } }
            ul.plain {
                @for item in todo {
                    li data-exchange=(item.exchange) data-state=(item.state) {
                        (line(&item.text.asked, 200)) " " span.soft.small { (exchange_link(&item.exchange.to_string())) }
                        @if let Some(due) = item.due { " " (countdown(due, look.now)) }
                        br; code { (line(&item.text.answer, 300)) }
                    }
                }
            }
        }
    }
}

/// What the journal tells of the last day. An hour begins at its place before now.
async fn hours(look: &Look, name: &str) -> Result<[Hour; HOURS], Failure> {
    let begin = Time::from_millis(look.now.millis() - HOURS as i64 * HOUR as i64);
    let (viewer, agent, now) = (look.caller.viewer.clone(), Name::new(name), look.now);
    let signs = look.app.handle.read(move |reader| reads::signs(reader, &viewer, &agent, begin)).await?;
    let mut hours = [Hour::default(); HOURS];
    for sign in signs {
        let back = usize::try_from(now.since(sign.at).as_millis() / HOUR).unwrap_or(HOURS);
        if let Some(hour) = (HOURS - 1).checked_sub(back).and_then(|place| hours.get_mut(place)) {
            hour.signs += usize::from(!sign.silent);
            hour.silent |= sign.silent;
        }
    }
    Ok(hours)
}

fn presence(hours: &[Hour; HOURS]) -> Markup {
    let most = hours.iter().map(|hour| hour.signs).max().unwrap_or(0).max(1);
    let active = hours.iter().filter(|hour| hour.signs > 0).count();
    let silent = hours.iter().filter(|hour| hour.silent).count();
    html! {
        section.card {
            h2 { "Presence over the last day" }
            p.small {
                "It did something in " (active) " of the last " (HOURS) " hours"
                @if silent > 0 { ", and was found silent in " (silent) }
                "."
            }
            svg.hours viewBox="0 0 240 44" preserveAspectRatio="none" aria-hidden="true" {
                @for (place, hour) in hours.iter().enumerate() {
                    @let height = if hour.signs == 0 { 2 } else { 6 + hour.signs * 34 / most };
                    rect class=(if hour.silent { "bad" } else if hour.signs > 0 { "good" } else { "none" })
                        x=(place * 10 + 1) y=(44 - height) width="8" height=(height) {
                        title { (HOURS - place) "h ago: " (hour.signs) " signs of life" @if hour.silent { ", found silent" } }
                    }
                }
            }
            p.axis.soft.small { span { "24h ago" } span { "now" } }
        }
    }
}

fn nudging(look: &Look, agent: &Agent, nudge: Option<&Nudge>) -> Markup {
    html! {
        section.card {
            h2 { "Nudges" }
            @match (nudge_kind(agent), nudge) {
                (None, _) => p.soft { "It is not nudged: it must look for itself. Register it with a nudge to change that." },
                (Some(kind), None) => p { "By " b { (line(kind, 20)) } "." },
                (Some(_), Some(nudge)) => {
                    p { "By " b { (line(&nudge.kind, 20)) } " " (state(&nudge.state)) }
                    p.small {
                        @match nudge.state.as_str() {
                            "dead" => "It does not work, and is not tried any more.",
                            "retrying" => "It did not work the last time.",
                            "pending" => "One is on its way.",
                            _ => "Nothing is on its way.",
                        }
                        @if nudge.attempts > 0 { " Tried " (nudge.attempts) @if nudge.attempts == 1 { " time." } @else { " times." } }
                        @if let Some(next) = nudge.next_attempt.as_deref().and_then(|at| at.parse::<Time>().ok()) { " Next " (countdown(next, look.now)) "." }
                    }
                    @if let Some(reason) = &nudge.reason { p.small { "Why: " (line(reason, 400)) } }
                }
            }
            @if nudge_kind(agent).is_some() { p.soft.small { "See whether it works: " code { "wilco nudge-test " (line(&agent.name, 60)) } } }
        }
    }
}

fn facts(agent: &Agent) -> Markup {
    let labels: Vec<_> = agent.labels.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let rows = [
        ("Id", Some(agent.id.clone())),
        ("Alias", agent.alias.clone()),
        ("Session", Some(agent.session.clone())),
        ("Host", agent.host.clone()),
        ("Program", agent.program.clone()),
        ("Capabilities", Some(agent.capabilities.join(", "))),
        ("GitHub", agent.github.clone()),
        ("Labels", Some(labels.join(", "))),
        ("Answers by", agent.speaks.clone()),
        ("Digest every", agent.digest.clone()),
    ];
    html! {
        section.card {
            h2 { "More" }
            dl.facts {
                @for (name, value) in rows {
                    @if let Some(value) = value.filter(|value| !value.is_empty()) { dt { (name) } dd { (line(&value, 300)) } }
                }
            }
        }
    }
}
