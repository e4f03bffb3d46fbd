//! `/exchanges`: all of them, newest first, filtered as the API filters; and the form that begins a delegation.

use axum::body::Body;
use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use wilco_protocol::Protocol;
use wilco_wire::{Exchange, Page as Items};

use super::filters::Filters;
use super::flash::Flash;
use super::form::Filled;
use super::look::Look;
use super::page::Page;
use super::start::{Start, begin, start_form};
use super::words::{exchange_table, part};
use crate::problem::Failure;
use crate::v1::exchanges::KEYS;

pub(super) async fn page(look: Look, flash: Flash, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    Ok(list(&look, query.as_deref(), None).await?.told(flash.told).shown(&look))
}

/// Begins a delegation, or shows the form again with what was typed.
pub(super) async fn delegate(look: Look, body: Body) -> Result<Response, Failure> {
    let filled = Filled::read(&look, body).await?;
    match begin(&look, Start::Delegate, &filled).await {
        Ok(response) => Ok(response),
        Err(failure) => Ok(list(&look, None, Some(&filled)).await?.refused(&failure).shown(&look)),
    }
}

async fn list(look: &Look, query: Option<&str>, typed: Option<&Filled>) -> Result<Page, Failure> {
    let filters = Filters::read("/exchanges", &KEYS, query)?;
    let found: Items<Exchange> = look.get("/v1/exchanges", &filters.values()).await?;
    let body = html! {
        h1 { "Exchanges" }
        p.lead { "Every delegation, operation, handoff and validation, newest first." }
        @if look.may_act() { (start_form(look, Start::Delegate, typed)) }
        (shortcuts())
        (form(&filters))
        (part("exchanges", html! {
            section.card {
                @if found.items.is_empty() { p { "No exchange matches." } }
                @else { (exchange_table(&found.items, look.now)) }
                (filters.next(found.next.as_deref(), "Older exchanges"))
            }
        }))
    };
    Ok(Page::new("Exchanges", body))
}

/// What people look for most often.
fn shortcuts() -> Markup {
    let links = [
        ("?open=true", "open"),
        ("?open=true&state=escalated", "escalated"),
        ("?open=true&state=in-review", "in review"),
        ("?open=true&state=awaiting-ack", "awaiting an ACK"),
        ("?open=true&state=working", "working"),
        ("?open=false", "ended"),
    ];
    html! { p.small { "Show " @for (at, (query, words)) in links.iter().enumerate() { @if at > 0 { " · " } a href=(format!("/exchanges{query}")) { (words) } } } }
}

fn form(filters: &Filters) -> Markup {
    let words = Protocol::ALL.map(|protocol| (protocol.word(), protocol.word()));
    let protocols: Vec<_> = [("", "any")].into_iter().chain(words).collect();
    filters.form(&[
        filters.field("q", "Text"),
        filters.field("agent", "Agent"),
        filters.field("task", "Task"),
        filters.field("state", "State"),
        filters.choice("protocol", "Protocol", &protocols),
        filters.open(),
    ])
}
