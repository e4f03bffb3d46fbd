//! `/handoffs`: whose work went to whom, the document that tells of it, and whether the acknowledgement holds.

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use serde_json::Value;
use wilco_wire::{Exchange, segment};

use super::exchange::checklist;
use super::filters::Filters;
use super::flash::Flash;
use super::look::Look;
use super::markdown::markdown;
use super::operations::{card_head, exchange_filters, exchanges_of};
use super::page::Page;
use super::text::line;
use super::time::ago_text;
use super::words::{agent_link, exchange_link, part};
use crate::problem::Failure;
use crate::v1::exchanges::KEYS;

pub(super) async fn page(look: Look, flash: Flash, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let filters = Filters::read("/handoffs", &KEYS, query.as_deref())?;
    let found = exchanges_of(&look, &filters, "handoff").await?;
    let mut cards = Vec::new();
    for one in &found.items {
        cards.push(card(&look, one, document(&look, one).await.as_deref()));
    }
    let body = html! {
        h1 { "Handoffs" }
        p.lead { "The work of one agent goes to another. Newest first." }
        (exchange_filters(&filters))
        (part("handoffs", html! {
            @if found.items.is_empty() { p { "No handoff matches." } }
            @for card in &cards { (card) }
            (filters.next(found.next.as_deref(), "Older handoffs"))
        }))
    };
    Ok(Page::new("Handoffs", body).told(flash.told).shown(&look))
}

/// The document, where there is one that the viewer may see.
pub(super) async fn document(look: &Look, exchange: &Exchange) -> Option<String> {
    let id = exchange.data["handoff_id"].as_str()?;
    exchange.data["document"]["name"].as_str()?;
    look.text(&format!("/v1/handoffs/{}/document", segment(id))).await.ok()
}

fn card(look: &Look, exchange: &Exchange, document: Option<&str>) -> Markup {
    html! {
        section.card data-exchange=(exchange.id) data-state=(exchange.state) {
            (card_head(look, exchange))
            (inside(look, exchange, document))
            (checklist(look, &exchange.id, &exchange.checklist))
        }
    }
}

/// From, to, document and checks; the page of the exchange shows them too.
pub(super) fn inside(look: &Look, exchange: &Exchange, document: Option<&str>) -> Markup {
    let data = &exchange.data;
    let text = |key: &str| data[key].as_str();
    let tasks: Vec<_> = data["delegations"].as_array().into_iter().flatten().collect();
    html! {
        dl.facts {
            dt { "From" }
            dd { @match text("failed_agent") { Some(agent) => (agent_link(agent)), None => span.soft { "nobody in particular" } } }
            dt { "To" }
            dd { (agent_link(text("replacement").unwrap_or(""))) }
            @if let Some(reason) = text("reason") { dt { "Why" } dd { (line(&reason.replace('_', " "), 300)) } }
            @if let Some(urgency) = text("urgency") { dt { "Urgency" } dd { (line(urgency, 40)) } }
            @if let Some(from) = text("starting_from") { dt { "Starts from" } dd { (line(from, 200)) } }
            @if !tasks.is_empty() {
                dt { "Tasks" }
                dd { @for task in &tasks { (task_line(task)) } }
            }
        }
        h3 { "Acknowledgement" }
        (checks(look, exchange))
        h3 { "Document" }
        @match document {
            Some(document) => details.document id=(format!("doc-{}", exchange.id)) {
                summary { (line(data["document"]["name"].as_str().unwrap_or("The document"), 120)) }
                (markdown(document))
            },
            None => p.soft {
                @match data["document_failure"].as_str() {
                    Some(failure) => { "There is none: " (line(failure, 300)) }
                    None => "There is none yet.",
                }
            },
        }
    }
}

fn task_line(task: &Value) -> Markup {
    let name = task["task_id"].as_str().or(task["task_uuid"].as_str()).unwrap_or("");
    html! {
        div {
            (line(name, 80))
            @if let Some(id) = task["exchange"].as_str() { " " span.small { (exchange_link(id)) } }
            @if let Some(failure) = task["failure"].as_str() { " " span.state.bad { "not moved" } " " (line(failure, 200)) }
        }
    }
}

/// What an acknowledgement must show, one by one.
fn checks(look: &Look, exchange: &Exchange) -> Markup {
    let ack = &exchange.data["ack"];
    if ack.is_null() {
        return html! { p.soft { "It was not acknowledged yet." } };
    }
    if let (Some("acknowledged_with_delay"), Some(by)) = (ack["status"].as_str(), ack["by"].as_str()) {
        return html! {
            p { span.state.warn { "overridden" } " by " (agent_link(by)) ": " (line(ack["reason"].as_str().unwrap_or("no reason given"), 400)) }
        };
    }
    let asked: Vec<_> = ack["questions"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let flag = |key: &str| ack[key] == true;
    html! {
        p.small {
            "Said by " (agent_link(ack["by"].as_str().unwrap_or("")))
            @if let Some(at) = ack["received_at"].as_str() { " " (ago_text(at, look.now)) }
            @if let Some(message) = ack["message"].as_str() {
                " · " a href=(format!("/exchanges/{}#{}", segment(&exchange.id), segment(message))) { "its message" }
            }
        }
        ul.plain.checks {
            (check("It names this handoff", flag("handoff_id_matches"), None))
            (check("It says that it is ready", ack["status"] == "ready_to_proceed", ack["status"].as_str()))
            (check("It understood the work", flag("understanding_verified"), ack["understanding"].as_str()))
            (check("It starts from the right place", flag("starting_from_matches"), ack["starting_from"].as_str()))
            (check("It has no open questions", asked.is_empty(), Some(asked.join(" · ")).filter(|text| !text.is_empty()).as_deref()))
        }
    }
}

fn check(what: &str, holds: bool, said: Option<&str>) -> Markup {
    html! {
        li {
            @if holds { span.state.good { "✓ yes" } } @else { span.state.bad { "✗ no" } }
            " " (what)
            @if let Some(said) = said { ": " q.soft { (line(said, 400)) } }
        }
    }
}
