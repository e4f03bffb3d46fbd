//! `/incidents`: who did not answer, where, and how often it was asked.

use axum::extract::RawQuery;
use axum::response::Response;
use maud::{Markup, html};
use wilco_wire::{Incident, Page as Items};

use super::filters::Filters;
use super::flash::Flash;
use super::look::Look;
use super::page::Page;
use super::text::line;
use super::time::ago_text;
use super::words::{agent_link, as_words, exchange_link, part};
use crate::problem::Failure;

const KEYS: [&str; 2] = ["after", "limit"];

pub(super) async fn page(look: Look, flash: Flash, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    let filters = Filters::read("/incidents", &KEYS, query.as_deref())?;
    let found: Items<Incident> = look.get("/v1/reports/incidents", &filters.values()).await?;
    let body = html! {
        h1 { "Incidents" }
        p.lead { "What went wrong with agents: silence, mostly. Newest first." }
        (part("incidents", html! {
            section.card {
                @if found.items.is_empty() { p { "There are no incidents." } }
                @else { (incident_table(&look, &found.items)) }
                (filters.next(found.next.as_deref(), "Older incidents"))
            }
        }))
    };
    Ok(Page::new("Incidents", body).told(flash.told).shown(&look))
}

pub(super) fn incident_table(look: &Look, incidents: &[Incident]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Incidents" { table.stack {
            thead { tr { th { "When" } th { "What" } th { "Agent" } th { "Exchange" } th { "Asked" } th { "Its message" } } }
            tbody {
                @for one in incidents {
                    tr {
                        td { (ago_text(&one.at, look.now)) }
                        td { (line(&as_words(&one.kind), 60)) }
                        td { (agent_link(&one.agent)) }
                        td { (exchange_link(&one.exchange)) }
                        td { (one.attempts) "×" }
                        td { (line(&one.delivery, 40)) }
                    }
                }
            }
        } }
    }
}
