//! `/agents`: who there is, since when each was seen, what each has unread and owes; and the form that registers one.

use axum::body::Body;
use axum::extract::RawQuery;
use axum::response::Response;
use http::Method;
use maud::{Markup, html};
use serde_json::{Value, json};
use wilco_engine::reads::{self, TodoItem};
use wilco_protocol::Name;
use wilco_wire::{Agent, Page as Items, segment};

use super::filters::Filters;
use super::flash::{Flash, lead_to};
use super::form::{Filled, hidden_token};
use super::look::Look;
use super::page::Page;
use super::text::line;
use super::time::ago_text;
use super::words::{agent_link, part, state};
use crate::problem::Failure;
use crate::v1::spec::ROLES;

const KEYS: [&str; 2] = ["after", "limit"];

/// An agent, and what lies before it. None: the viewer may not see that.
pub(super) struct Standing {
    pub(super) agent: Agent,
    pub(super) unread: Option<usize>,
    pub(super) owes: Option<usize>,
}

pub(super) async fn page(look: Look, flash: Flash, RawQuery(query): RawQuery) -> Result<Response, Failure> {
    Ok(list(&look, query.as_deref(), None).await?.told(flash.told).shown(&look))
}

/// Registers an agent, or shows the form again with what was typed.
pub(super) async fn register(look: Look, body: Body) -> Result<Response, Failure> {
    let filled = Filled::read(&look, body).await?;
    look.caller.may_write()?;
    match put(&look, &filled).await {
        Ok(name) => Ok(lead_to(&format!("/agents/{}", segment(&name)), &format!("{name} is registered."))),
        Err(failure) => Ok(list(&look, None, Some(&filled)).await?.refused(&failure).shown(&look)),
    }
}

/// What else is known of an agent stays.
async fn put(look: &Look, filled: &Filled) -> Result<String, Failure> {
    let name = filled.text("name").unwrap_or("");
    if name.is_empty() {
        let error = wilco_language::parse::FieldError {
            pointer: "/name".to_owned(),
            detail: "give the agent a name, such as worker-1".to_owned(),
        };
        return Err(Failure::invalid(vec![error]));
    }
    let path = format!("/v1/agents/{}", segment(name));
    let known = look.get::<Agent>(&path, &[]).await.ok();
    let mut spec = known.map_or_else(|| json!({}), |agent| kept(&agent));
    if let Some(role) = filled.text("role") {
        spec["role"] = json!(role);
    }
    let agent = look.send(Method::PUT, &path, None, &spec).await?;
    Ok(agent["name"].as_str().unwrap_or(name).to_owned())
}

/// An agent as it would be registered again.
fn kept(agent: &Agent) -> Value {
    let mut spec = json!(agent);
    if let Value::Object(fields) = &mut spec {
        for shown in ["id", "name", "status", "last_seen"] {
            fields.remove(shown);
        }
        fields.retain(|_, value| !value.is_null());
    }
    spec
}

async fn list(look: &Look, query: Option<&str>, typed: Option<&Filled>) -> Result<Page, Failure> {
    let filters = Filters::read("/agents", &KEYS, query)?;
    let found: Items<Agent> = look.get("/v1/agents", &filters.values()).await?;
    let mut rows = Vec::new();
    for agent in found.items {
        rows.push(standing(look, agent).await?);
    }
    let body = html! {
        h1 { "Agents" }
        p.lead { "Who takes part, and what lies before each. Newest first." }
        @if look.may_act() { (form(look, typed)) }
        (part("agents", html! {
            section.card {
                @if rows.is_empty() { p { "No agent is known yet. Register the first above, or let it send a message." } }
                @else { (table(look, &rows)) }
                (filters.next(found.next.as_deref(), "More agents"))
            }
        }))
    };
    Ok(Page::new("Agents", body))
}

pub(super) async fn standing(look: &Look, agent: Agent) -> Result<Standing, Failure> {
    let (name, viewer) = (Name::new(&agent.name), look.caller.viewer.clone());
    let owes = look.app.handle.read(move |reader| reads::owes(reader, &viewer, &name, GLANCE)).await?;
    let unread = unread(look, &agent.name).await?.filter(|_| owes.is_some());
    Ok(Standing { agent, unread, owes })
}

/// Exchanges of an agent that are looked at where many agents are shown: a page costs what it shows. Its own page and
/// its `todo` have the rest.
pub(super) const GLANCE: usize = 20;
/// Unread messages that are counted; more are as bad.
const MOST_UNREAD: usize = 1_000;

/// What waits for an agent in so many of its newest exchanges.
pub(super) async fn newest_todo(
    look: &Look,
    agent: &str,
    most: usize,
) -> Result<Option<Vec<TodoItem>>, Failure> {
    let (name, viewer, url) = (Name::new(agent), look.caller.viewer.clone(), look.app.config.url.clone());
    let read = look.app.handle.read(move |reader| reads::newest_todo(reader, &viewer, &name, &url, most));
    Ok(read.await?)
}

/// A number as it is shown when no more than so many were looked at.
pub(super) fn at_most(count: usize, most: usize) -> String {
    if count < most { count.to_string() } else { format!("{most}+") }
}

/// How much an agent has not read; none where the viewer may not see that.
pub(super) async fn unread(look: &Look, agent: &str) -> Result<Option<usize>, Failure> {
    let (name, viewer) = (Name::new(agent), look.caller.viewer.clone());
    let own = !matches!(&viewer, wilco_engine::Viewer::Agent(own) if *own != name);
    let count =
        look.app.handle.read(move |reader| reads::unread(reader, &viewer, &name, MOST_UNREAD)).await?;
    Ok(own.then_some(count))
}

fn table(look: &Look, rows: &[Standing]) -> Markup {
    let count = |count: Option<usize>, most| match count {
        None => html! { span.soft { "–" } },
        Some(0) => html! { span.soft { "0" } },
        Some(count) => html! { b { (at_most(count, most)) } },
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label="Agents" { table.stack {
            thead { tr { th { "Agent" } th { "Presence" } th { "Role" } th.number { "Unread" } th.number { "Owes" } th { "Nudged by" } } }
            tbody {
                @for Standing { agent, unread, owes } in rows {
                    tr data-agent=(agent.name) {
                        td { (agent_link(&agent.name)) @if let Some(alias) = &agent.alias { " " span.soft.small { (line(alias, 40)) } } }
                        td { (state(&agent.status)) " " span.soft.small { (seen(look, agent)) } }
                        td { (agent.role) }
                        td.number { (count(*unread, MOST_UNREAD)) span.only-small { " unread" } }
                        td.number { (count(*owes, GLANCE)) span.only-small { " owed" } }
                        td { @match nudge_kind(agent) { Some(kind) => (line(kind, 20)), None => span.soft { "not nudged" } } }
                    }
                }
            }
        } }
    }
}

pub(super) fn seen(look: &Look, agent: &Agent) -> Markup {
    html! { @match &agent.last_seen { Some(at) => { "seen " (ago_text(at, look.now)) } None => "never seen" } }
}

pub(super) fn nudge_kind(agent: &Agent) -> Option<&str> {
    agent.nudge.as_ref()?.get("kind")?.as_str()
}

fn form(look: &Look, typed: Option<&Filled>) -> Markup {
    let value = |name: &str| typed.and_then(|filled| filled.text(name)).unwrap_or("");
    html! {
        section.card {
            details id="register" open[typed.is_some()] {
                summary { "Register an agent" }
                form.action method="post" action="/agents" data-action="register" {
                    (hidden_token(look))
                    label for="register-name" { "Name" span.small { " Letters, digits, dots, dashes and underscores" } }
                    input id="register-name" name="name" required value=(value("name"));
                    label for="register-role" { "Role" span.small { " What it does in the fleet; who is known already keeps its own" } }
                    select id="register-role" name="role" {
                        option value="" { "" }
                        @for role in ROLES { option value=(role) selected[value("role") == role] { (role) } }
                    }
                    button { "Register" }
                }
            }
        }
    }
}
