//! `/exchanges`: all of them, newest first, filtered as the API filters.

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use wilco_protocol::Protocol;
use wilco_wire::{Exchange, Page as Items};

use super::actions::start_form;
use super::flash::Flash;
use super::look::{Look, target};
use super::page::Page;
use super::words::{exchange_table, part};
use crate::problem::Failure;
use crate::query::Query;
use crate::v1::exchanges::KEYS;

pub(super) async fn page(look: Look, flash: Flash, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let query = Query::read(query.as_deref(), &KEYS)?;
    let values: Vec<_> = KEYS.iter().map(|key| (*key, query.text(key).unwrap_or(""))).collect();
    let found: Items<Exchange> = look.get("/v1/exchanges", &values).await?;
    let body = html! {
        h1 { "Exchanges" }
        p.lead { "Every delegation, operation, handoff and validation, newest first." }
        (filters(&query))
        (part("exchanges", list(&look, &found, &values)))
        @if look.may_act() { (start_form(&look, super::actions::Start::Delegate, None)) }
    };
    Ok(Page::new("Exchanges", body).told(flash.told).shown(&look))
}

fn list(look: &Look, found: &Items<Exchange>, values: &[(&str, &str)]) -> Markup {
    html! {
        section.card {
            @if found.items.is_empty() { p { "No exchange matches." } }
            @else { (exchange_table(&found.items, look.now)) }
            @if let Some(next) = &found.next {
                p { a rel="next" href=(next_page("/exchanges", values, next)) { "Older exchanges" } }
            }
        }
    }
}

/// The address of the next page, with the same filters.
pub(super) fn next_page(path: &str, values: &[(&str, &str)], next: &str) -> String {
    let kept = values.iter().filter(|(key, _)| *key != "after").copied();
    target(path, &kept.chain([("after", next)]).collect::<Vec<_>>())
}

fn filters(query: &Query) -> Markup {
    let text = |key: &str| query.text(key).unwrap_or("");
    html! {
        form.filters method="get" action="/exchanges" role="search" {
            div { label for="f-q" { "Text" } input id="f-q" name="q" value=(text("q")); }
            div { label for="f-agent" { "Agent" } input id="f-agent" name="agent" value=(text("agent")); }
            div { label for="f-task" { "Task" } input id="f-task" name="task" value=(text("task")); }
            div { label for="f-state" { "State" } input id="f-state" name="state" value=(text("state")); }
            div {
                label for="f-protocol" { "Protocol" }
                select id="f-protocol" name="protocol" {
                    option value="" { "any" }
                    @for protocol in Protocol::ALL {
                        option value=(protocol.word()) selected[text("protocol") == protocol.word()] { (protocol.word()) }
                    }
                }
            }
            div {
                label for="f-open" { "Open" }
                select id="f-open" name="open" {
                    @for (value, word) in [("", "any"), ("true", "open"), ("false", "ended")] {
                        option value=(value) selected[text("open") == value] { (word) }
                    }
                }
            }
            button { "Filter" }
        }
    }
}
