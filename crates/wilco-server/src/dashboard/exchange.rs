//! `/exchanges/{id}`: one exchange, its diagram, what was understood, every message, and its history.

use axum::extract::RawQuery;
use axum::response::Response;
use http::StatusCode;
use maud::{Markup, html};
use serde_json::Value;
use wilco_protocol::Time;
use wilco_wire::{ChecklistItem, Event, Exchange, Message, Page as Items, segment};

use super::actions::{Typed, Waiting, offered_forms, open_escalation};
use super::diagram::diagram;
use super::flash::Flash;
use super::look::Look;
use super::markdown::markdown;
use super::page::Page;
use super::text::{line, visible};
use super::time::{ago_text, countdown};
use super::words::{about, agent_link, as_words, copyable, exchange_link, part, preformatted, state};
use super::{handoffs, operations, validations};
use crate::problem::Failure;
use crate::query::Query;
use crate::v1::path::Path;

/// Events and messages that are shown; the log has all of them.
const EVENTS: &str = "1000";
const MESSAGES: usize = 200;

pub(super) async fn page(
    look: Look,
    flash: Flash,
    RawQuery(query): RawQuery,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let at = at(&Query::read(query.as_deref(), &["at"])?)?;
    let page = shown(&look, &id, at, None).await?;
    Ok(page.told(flash.told).shown(&look))
}

/// The moment that is asked for.
fn at(query: &Query) -> Result<Option<u64>, Failure> {
    let wrong =
        |text: &str| Failure::bad_request(format!("at: expected the number of an event, got {text:?}"));
    query.number("at").map(|text| text.parse().map_err(|_| wrong(text))).transpose()
}

/// The page of an exchange as it is, or as it was.
pub(super) async fn shown(
    look: &Look,
    id: &str,
    at: Option<u64>,
    typed: Option<&Typed<'_>>,
) -> Result<Page, Failure> {
    let path = format!("/v1/exchanges/{}", segment(id));
    let all: Items<Event> = look.get(&format!("{path}/events"), &[("limit", EVENTS)]).await?;
    let last = all.items.last().and_then(|event| event.seq).unwrap_or(0);
    let exchange: Exchange = match at {
        None => look.get(&path, &[]).await?,
        Some(seq) => look.get(&format!("{path}/at/{seq}"), &[]).await?,
    };
    let until = at.unwrap_or(u64::MAX);
    let events: Vec<Event> =
        all.items.into_iter().filter(|event| event.seq.is_some_and(|seq| seq <= until)).collect();
    let messages = messages(look, &events).await?;
    let total = events.iter().filter(|event| event.kind == "message-accepted").count();
    let now = at.is_none().then_some(look.now);
    let title = format!("{} · {} · {}", exchange.state, exchange.id, line(&about(&exchange), 60));
    let special = special(look, &exchange, &events, at.is_none()).await;
    let forms = match at {
        Some(_) => html! {},
        None => {
            let (open, waiting) = (open_escalation(look, &exchange).await?, Waiting::of(&exchange, &events));
            offered_forms(look, &exchange, open.as_ref(), &waiting, typed)
        }
    };
    let body = html! {
        div id="exchange" data-exchange=(exchange.id) data-state=(exchange.state) {
            (part("head", head(look, &exchange, at)))
            div.grid.beside {
                div {
                    @if let Some(special) = special { (part("special", special)) }
                    (part("diagram", html! { section.card { h2 { "What was said" } (diagram(&exchange, &events, now)) (history(&exchange.id, at, last)) } }))
                }
                div.side {
                    @if at.is_none() { (part("actions", forms)) }
                    (part("understanding", understanding(&exchange, &messages)))
                    (part("checklist", html! { section.card { (checklist(look, &exchange.id, &exchange.checklist)) } }))
                    (part("facts", facts(&exchange)))
                }
                (part("messages", message_cards(look, &messages, total)))
            }
        }
    };
    let mut page = Page::new(title, body);
    page.live = at.is_none();
    page.status = StatusCode::OK;
    Ok(page)
}

async fn messages(look: &Look, events: &[Event]) -> Result<Vec<Message>, Failure> {
    let ids = events.iter().filter(|event| event.kind == "message-accepted");
    let mut ids: Vec<_> = ids.filter_map(|event| event.data.get("id")?.as_str()).collect();
    ids.drain(..ids.len().saturating_sub(MESSAGES));
    let mut messages = Vec::new();
    for id in ids {
        // What somebody may not see is left out.
        messages.extend(look.get::<Message>(&format!("/v1/messages/{}", segment(id)), &[]).await.ok());
    }
    Ok(messages)
}

fn head(look: &Look, exchange: &Exchange, at: Option<u64>) -> Markup {
    html! {
        h1 { (line(&about(exchange), 160)) }
        p.lead {
            (state(&exchange.state)) " " (copyable(&exchange.id)) " · " (exchange.protocol) " · "
            @for (place, one) in exchange.participants.iter().enumerate() {
                @if place > 0 { ", " }
                (agent_link(&one.agent)) " (" (one.role) ")"
            }
            " · begun " (ago_text(&exchange.created, look.now))
        }
        @match at {
            Some(seq) => p.state.warn { "As it was at event " (seq) ". " a href=(format!("/exchanges/{}", segment(&exchange.id))) { "Show the present" } },
            None => @if !exchange.timers.is_empty() { ul.due {
                @for timer in &exchange.timers {
                    @if let Ok(due) = timer.due.parse::<Time>() {
                        li { "Next: " b { (as_words(&timer.name)) } " " (countdown(due, look.now)) }
                    }
                }
            } }
        }
    }
}

/// The slider through its history, and the same as links.
fn history(id: &str, at: Option<u64>, last: u64) -> Markup {
    let present = format!("/exchanges/{}", segment(id));
    let to = |seq: u64| format!("{present}?at={seq}");
    let here = at.unwrap_or(last);
    html! {
        div.slider {
            label for="history" { "History: event " span data-history-label { (here) } " of " (last) }
            input id="history" type="range" data-history min="1" max=(last.max(1)) value=(here);
            span {
                @if here > 1 { a href=(to(here - 1)) { "one before" } " " }
                @if here < last { a href=(to(here + 1)) { "one after" } " " }
                a href=(present) { "present" }
            }
        }
    }
}

/// The checklist: a long one by its sections, those open in which something is.
pub(super) fn checklist(look: &Look, scope: &str, items: &[ChecklistItem]) -> Markup {
    let mut sections: Vec<(Option<&str>, Vec<&ChecklistItem>)> = Vec::new();
    for item in items {
        let name = item.section.as_deref();
        match sections.last_mut().filter(|(last, _)| *last == name) {
            Some((_, known)) => known.push(item),
            None => sections.push((name, vec![item])),
        }
    }
    html! {
        h3 { "Checklist" }
        @if items.is_empty() { p.soft { "It has none." } }
        @for (name, items) in &sections {
            @match name {
                None => (check_items(look, items)),
                Some(name) => {
                    @let done = items.iter().filter(|item| item.done == Some(true)).count();
                    @let needed = items.iter().filter(|item| item.done.is_some()).count();
                    details.checks id=(format!("c-{scope}-{}", name.replace(' ', "-"))) open[done < needed] {
                        summary { (line(name, 60)) " "
                            @if needed == 0 { span.soft.small { "not needed" } }
                            @else { span.soft.small { (done) " of " (needed) " done" } }
                        }
                        (check_items(look, items))
                    }
                }
            }
        }
    }
}

fn check_items(look: &Look, items: &[&ChecklistItem]) -> Markup {
    html! {
        ul.plain {
            @for item in items {
                li {
                    @match item.done { Some(true) => "☑ ", Some(false) => "☐ ", None => "– " }
                    (item.item)
                    @match item.done { Some(true) => span.soft.small { " done" }, Some(false) => span.soft.small { " open" }, None => span.soft.small { " not needed" } }
                    @if let Some(at) = &item.at { " " span.soft.small { (ago_text(at, look.now)) } }
                    @if let Some(Some(evidence)) = &item.evidence { br; span.soft.small { (line(evidence, 200)) } }
                }
            }
        }
    }
}

/// What only exchanges of its protocol have.
async fn special(look: &Look, exchange: &Exchange, events: &[Event], present: bool) -> Option<Markup> {
    let last = events.last().and_then(|event| event.at.parse().ok());
    let now = last.filter(|_| !present).unwrap_or(look.now);
    let (title, inside) = match exchange.protocol.as_str() {
        "operation" => ("Agents", operations::inside(now, exchange, events)),
        "validation" => {
            ("Phases", validations::matrix(exchange, &validations::rounds(look, exchange, events).await))
        }
        "handoff" => {
            let document = handoffs::document(look, exchange).await;
            ("Handoff", handoffs::inside(look, exchange, document.as_deref()))
        }
        _ => return None,
    };
    Some(html! { section.card { h2 { (title) } (inside) } })
}

/// The task beside what the agent understood of it.
fn understanding(exchange: &Exchange, messages: &[Message]) -> Markup {
    let judged = &exchange.data["understanding"];
    let texts = |key: &str| {
        judged[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>()
    };
    let (covered, missing) = (texts("covered"), texts("missing"));
    let ack = messages.iter().rev().find_map(|message| message.content.get("understanding")?.as_str());
    let description = messages.iter().rev().find_map(|message| message.content.get("description")?.as_str());
    if exchange.protocol != "delegation" && ack.is_none() {
        return html! {};
    }
    html! {
        section.card {
            h2 { "Understanding" }
            p { span.soft { "The task: " } (line(&about(exchange), 300)) }
            @if let Some(description) = description { p.small { (line(description, 600)) } }
            @if let Some(said) = ack { p { span.soft { "Said back: " } q { (line(said, 1000)) } } } @else { p.soft { "Nothing was said back yet." } }
            ul.criteria {
                @for one in &covered { li { span.state.good { "covered" } " " (line(one, 300)) } }
                @for one in &missing { li { span.state.warn { "missing" } " " (line(one, 300)) } }
            }
            @if let Some(verdict) = judged["verdict"].as_str() {
                p { "Verdict: " (state(verdict)) @if let Some(by) = judged["by"].as_str() { " by " (by) } }
            }
            @if judged["judge"]["asked"] == true { p.soft { "The judge is being asked." } }
            @if let Some(why) = judged["judge"]["left"].as_str() { p { "The judge did not settle it: " (line(why, 1200)) } }
        }
    }
}

fn facts(exchange: &Exchange) -> Markup {
    let shown = serde_json::to_string_pretty(&exchange.data).unwrap_or_default();
    let policy = serde_json::to_string_pretty(&exchange.policy).unwrap_or_default();
    let id = segment(&exchange.id);
    html! {
        section.card {
            h2 { "More" }
            p { a href=(format!("/v1/exchanges/{id}/log.md")) { "Log" } " · "
                a href=(format!("/v1/exchanges/{id}/diagram.mmd")) { "Mermaid" } " · "
                a href=(format!("/v1/exchanges/{id}")) { "JSON" } }
            details id="data" { summary { "Data" } (preformatted(&shown)) }
            details id="policy" { summary { "Policy" } (preformatted(&policy)) }
        }
    }
}

fn message_cards(look: &Look, messages: &[Message], total: usize) -> Markup {
    html! {
        section.card {
            h2 { "Messages" }
            @if total > MESSAGES { p.soft { "The newest " (MESSAGES) " of " (total) "; the log has all of them." } }
            @for message in messages { (message_card(look, message)) }
        }
    }
}

/// A message: its text, what was delivered, and what Wilco read into it.
pub(super) fn message_card(look: &Look, message: &Message) -> Markup {
    let text = |content: &Value| content.get("message").and_then(Value::as_str).map(str::to_owned);
    let original = text(&message.content);
    let delivered =
        message.delivered.as_ref().and_then(text).filter(|delivered| Some(delivered) != original.as_ref());
    let kind = message.content.get("type").and_then(Value::as_str).unwrap_or("message");
    let fields = serde_json::to_string_pretty(&message.content).unwrap_or_default();
    html! {
        article.message id=(message.id) data-message=(message.id) {
            header {
                b { (agent_link(&message.from)) " → " (agent_link(&message.to)) }
                span.state { (line(kind, 40)) }
                span.soft.small { (ago_text(&message.timestamp, look.now)) }
                @if let Some(delivery) = &message.delivery { span.soft.small { (delivery) } }
                @if let Some(operator) = &message.sent_by { span.small { "sent by " (agent_link(operator)) } }
                @if let Some(id) = &message.exchange { span.small.home { (exchange_link(id)) } }
            }
            @if !message.subject.is_empty() { p { b { (line(&message.subject, 200)) } } }
            @match &original {
                Some(text) => (markdown(text)),
                None => (field_list(&message.content)),
            }
            @if let Some(delivered) = &delivered {
                details.quiet id=(format!("d-{}", message.id)) { summary { "As it was delivered" } (markdown(delivered)) }
            }
            details.quiet id=(format!("f-{}", message.id)) { summary { "JSON" } p.small.soft { (copyable(&message.id)) } (preformatted(&fields)) }
            @if let Some(reading) = &message.reading {
                p.soft.small { "Read as " b { (reading.meaning) } ", effect " (reading.effect)
                    @if let Some(rule) = &reading.rule { ", found by " (rule) } }
            }
        }
    }
}

/// What a message without a text says, field by field.
fn field_list(content: &Value) -> Markup {
    let fields = content.as_object().into_iter().flatten().filter(|(name, _)| *name != "type");
    html! {
        dl.facts {
            @for (name, value) in fields {
                dt { (line(name, 60)) }
                dd { (field_value(value)) }
            }
        }
    }
}

fn field_value(value: &Value) -> Markup {
    match value {
        Value::String(text) => markdown(text),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            html! { ul { @for item in items.iter().filter_map(Value::as_str) { li { (visible(item)) } } } }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            html! { code { (visible(&value.to_string())) } }
        }
    }
}
