//! `/settings`: what is configured and where that came from, how agents are nudged, and which tokens there are.

use axum::response::Response;
use maud::{Markup, html};
use wilco_wire::{Nudge, Page as Items};

use super::flash::Flash;
use super::look::{Look, LookRole};
use super::page::Page;
use super::text::{line, visible};
use super::time::countdown;
use super::words::{agent_link, part, state};
use crate::app::Configured;
use crate::auth::Token;
use crate::problem::Failure;
use crate::query::NoQuery;

pub(super) async fn page(look: Look, flash: Flash, _: NoQuery) -> Result<Response, Failure> {
    if look.role == LookRole::Agent {
        return Err(Failure::not_found("there is nothing at /settings"));
    }
    let nudges: Items<Nudge> = look.get("/v1/nudges", &[]).await?;
    let tokens = match look.is_operator() {
        true => Some(look.app.config.tokens.list().map_err(|error| {
            tracing::error!(%error, "tokens cannot be listed");
            Failure::new(
                http::StatusCode::SERVICE_UNAVAILABLE,
                "tokens",
                "tokens cannot be read at the moment",
            )
        })?),
        false => None,
    };
    let body = html! {
        h1 { "Settings" }
        p.lead { "How this server is set up. It reads its configuration when it starts; change it there." }
        (part("nudges", nudge_list(&look, &nudges.items)))
        @if let Some(tokens) = &tokens { (part("tokens", token_list(&look, tokens))) }
        (configuration(&look.app.config.configured))
    };
    Ok(Page::new("Settings", body).told(flash.told).shown(&look))
}

fn configuration(rows: &[Configured]) -> Markup {
    html! {
        section.card {
            h2 { "Configuration" }
            p.soft.small { "The same as " code { "wilco config show" } " prints. Secrets are not shown." }
            div.scroll tabindex="0" role="region" aria-label="Configuration" { table.stack {
                thead { tr { th { "Key" } th { "Value" } th { "From" } } }
                tbody {
                    @for row in rows {
                        tr data-key=(row.key) {
                            td { code { (visible(&row.key)) } }
                            td.value { @if row.value.is_null() { span.soft { "not set" } } @else { code { (visible(&row.value.to_string())) } } }
                            td {
                                span class=(if row.from == "default" { "soft" } else { "state" }) { (row.from) }
                                @if let Some(place) = &row.place { " " span.small { (visible(place)) } }
                            }
                        }
                    }
                }
            } }
        }
    }
}

fn nudge_list(look: &Look, nudges: &[Nudge]) -> Markup {
    html! {
        section.card {
            h2 { "Nudges" }
            @if nudges.is_empty() { p.soft { "No agent is nudged." } }
            ul.plain {
                @for nudge in nudges {
                    li data-agent=(nudge.agent) {
                        (agent_link(&nudge.agent)) " by " (line(&nudge.kind, 20)) " " (state(&nudge.state))
                        @if let Some(next) = nudge.next_attempt.as_deref().and_then(|at| at.parse().ok()) { " next " (countdown(next, look.now)) }
                        @if let Some(reason) = &nudge.reason { " " span.soft.small { (line(reason, 300)) } }
                    }
                }
            }
        }
    }
}

fn token_list(look: &Look, tokens: &[Token]) -> Markup {
    html! {
        section.card {
            h2 { "Tokens" }
            @if look.app.config.auth_required { p { "Every call needs a token." } }
            @else { p { "Callers on this machine are believed without a token." } }
            @if tokens.is_empty() { p.soft { "There are none." } }
            @else {
                div.scroll tabindex="0" role="region" aria-label="Tokens" { table.stack {
                    thead { tr { th { "Token" } th { "Name" } th { "Role" } } }
                    tbody {
                        @for token in tokens {
                            tr { td { code { (token.id) } } td { (line(token.name.as_str(), 60)) } td { (token.role.word()) } }
                        }
                    }
                } }
            }
            p.soft.small { "Make one with " code { "wilco token create NAME" } ", end one with " code { "wilco token revoke ID" } "." }
        }
    }
}
