//! `/audit`: the journal, newest first; whether it is whole; and where to get it to the byte.

use axum::body::Body;
use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use wilco_engine::reads::{self, EventQuery};
use wilco_protocol::Protocol;
use wilco_wire::{Event, Page as Items, Verified};

use super::filters::Filters;
use super::flash::{Flash, lead_to};
use super::form::{Filled, hidden_token};
use super::look::Look;
use super::page::{Page, Told};
use super::text::line;
use super::time::ago_text;
use super::words::{agent_link, event_words, exchange_link, part};
use crate::problem::Failure;
use crate::shape;
use crate::v1::exchanges::protocol;

const KEYS: [&str; 4] = ["agent", "protocol", "after", "limit"];

pub(super) async fn page(look: Look, flash: Flash, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    Ok(list(&look, query.as_deref()).await?.told(flash.told).shown(&look))
}

/// Walks the whole journal, and says what was found.
pub(super) async fn verify(look: Look, body: Body) -> Result<Response, Failure> {
    Filled::read(&look, body).await?;
    look.caller.may_write()?;
    let found: Verified = look.get("/v1/audit/verify", &[]).await?;
    if found.ok {
        let (events, head) = (found.events.unwrap_or(0), found.head.unwrap_or_default());
        return Ok(lead_to("/audit", &format!("The journal is whole: {events} events, head {head}.")));
    }
    let place = found.position.map(|position| format!(" at event {position}")).unwrap_or_default();
    let words = format!("The journal is damaged{place}: {}", found.reason.unwrap_or_default());
    Ok(list(&look, None).await?.told(Some(Told::Refused(words))).shown(&look))
}

async fn list(look: &Look, query: Option<&str>) -> Result<Page, Failure> {
    let filters = Filters::read("/audit", &KEYS, query)?;
    let found = events(look, &filters).await?;
    let words = Protocol::ALL.map(|protocol| (protocol.word(), protocol.word()));
    let protocols: Vec<_> = [("", "any")].into_iter().chain(words).collect();
    let body = html! {
        h1 { "Audit" }
        p.lead { "Everything that happened, newest first. Nothing in it is ever changed; each event seals those before it." }
        section.card {
            @if look.may_act() {
                form method="post" action="/audit/verify" data-action="verify" { (hidden_token(look)) button { "Verify the whole journal" } }
            }
            p {
                "Export: " a href="/v1/audit?format=jsonl" download { "lines of JSON" } " · "
                a href="/v1/audit?format=yaml" download { "YAML" }
            }
        }
        (filters.form(&[filters.field("agent", "Agent"), filters.choice("protocol", "Protocol", &protocols)]))
        (part("events", html! {
            section.card {
                @if found.items.is_empty() { p { "No event matches." } }
                @else { (table(look, &found.items)) }
                (filters.next(found.next.as_deref(), "Older events"))
            }
        }))
    };
    Ok(Page::new("Audit", body))
}

/// The newest events that the filters leave.
async fn events(look: &Look, filters: &Filters) -> Result<Items<Event>, Failure> {
    let query = filters.query();
    let wanted = EventQuery {
        after: 0,
        limit: query.limit()?,
        protocol: query.text("protocol").map(protocol).transpose()?,
        agent: query.text("agent").map(|name| look.app.agent(name)),
    };
    newest(look, query.cursor("after")?, wanted).await
}

/// Events that the viewer may see, newest first.
pub(super) async fn newest(
    look: &Look,
    before: Option<u64>,
    wanted: EventQuery,
) -> Result<Items<Event>, Failure> {
    let viewer = look.caller.viewer.clone();
    let part =
        look.app.handle.read(move |reader| reads::events_before(reader, &viewer, before, &wanted)).await?;
    let items =
        part.items.iter().filter_map(|event| serde_json::from_value(shape::event(event)).ok()).collect();
    Ok(Items { items, next: part.next.map(|next| next.to_string()) })
}

fn table(look: &Look, events: &[Event]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Events" { table.stack {
            thead { tr { th.number { "Event" } th { "When" } th { "What" } th { "By" } th { "Exchange" } th { "Seal" } } }
            tbody {
                @for event in events {
                    tr data-position=(event.position) {
                        td.number { (event.position) }
                        td { (ago_text(&event.at, look.now)) }
                        td { (event_words(event)) }
                        td { @if event.by.is_empty() { "–" } @else { (agent_link(&event.by)) } }
                        td { @if let Some(id) = &event.exchange { (exchange_link(id)) } }
                        td { span.mono.soft title=(event.hash) { (line(&event.hash, 13)) } }
                    }
                }
            }
        } }
    }
}
