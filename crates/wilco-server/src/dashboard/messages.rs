//! `/messages`: messages by what they say, by whom and to whom, newest first.

use axum::extract::RawQuery;
use axum::response::Response;
use maud::html;
use wilco_wire::{Message, Page as Items};

use super::exchange::message_card;
use super::filters::Filters;
use super::flash::Flash;
use super::look::Look;
use super::page::Page;
use super::text::line;
use super::words::part;
use crate::problem::Failure;
use crate::v1::search::KEYS;

pub(super) async fn page(look: Look, flash: Flash, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let filters = Filters::read("/messages", &KEYS, query.as_deref())?;
    let found: Items<Message> = look.get("/v1/messages", &filters.values()).await?;
    let body = html! {
        h1 { "Messages" }
        p.lead { "Look for words; all of them must stand in a message. Newest first." }
        (filters.form(&[
            filters.field("q", "Words"),
            filters.field("agent", "From or to"),
            filters.field("from", "From"),
            filters.field("to", "To"),
            filters.field("type", "Type"),
        ]))
        (part("messages", html! {
            section.card {
                @if found.items.is_empty() { p { "No message matches." } }
                @for message in &found.items { (message_card(&look, message)) }
                (filters.next(found.next.as_deref(), "Older messages"))
            }
        }))
    };
    let title = match filters.text("q") {
        "" => "Messages".to_owned(),
        words => format!("Messages: {}", line(words, 40)),
    };
    Ok(Page::new(title, body).told(flash.told).shown(&look))
}
