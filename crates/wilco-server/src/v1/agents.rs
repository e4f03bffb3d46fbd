//! `/v1/agents`.

use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::{Value, json};
use wilco_engine::{AgentChanged, Command, Done, HookMoment, HookReport, PutAgent, Viewer};
use wilco_language::parse::FieldError;
use wilco_protocol::directory::{Mark, Profile, Role};
use wilco_protocol::{Name, Time};
use wilco_wire::{AgentSpec, HookCall};

use super::body::{bytes, unambiguous};
use super::path::Path;
use super::spec;
use crate::agent_now::AgentNow;
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::Query;
use crate::shape;

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Failure> {
    let query = Query::read(query.as_deref(), &["after", "limit"])?;
    let (before, limit) = (query.cursor("after")?, query.limit()?);
    let (agents, next) = app.handle.newest_agents(before, limit);
    let (now, agents) = (app.handle.now(), app.agents_now(agents).await?);
    let next = next.map(|next| next.to_string());
    let items: Vec<_> = agents.iter().map(|agent| shown(&caller, agent, now)).collect();
    Ok(Json(json!({"items": items, "next": next})))
}

/// An agent as the caller may see it.
fn shown(caller: &Caller, agent: &AgentNow, now: Time) -> Value {
    let mut value =
        json!(shape::agent(&AgentNow { agent: caller.shown(&agent.agent), ..agent.clone() }, now));
    if let Some(fields) = value.as_object_mut().filter(|_| caller.hides(&agent.agent.name)) {
        for hidden in ["session", "host", "nudge"] {
            fields.remove(hidden);
        }
    }
    value
}

pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
    Path(name): Path<String>,
) -> Result<Json<Value>, Failure> {
    Query::read(query.as_deref(), &[])?;
    let name = app.handle.canonical_name(&Name::new(&name)).ok_or_else(|| unknown(&name))?;
    let agent = app.agent_now(&name).await?.ok_or_else(|| unknown(name.as_str()))?;
    Ok(Json(shown(&caller, &agent, app.handle.now())))
}

pub(crate) fn unknown(name: &str) -> Failure {
    Failure::not_found(format!("there is no agent {name:?}; list them with: wilco agents"))
}

pub(crate) async fn put(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, Failure> {
    let body = bytes(body, &app.config.limits).await?;
    let spec = spec::read_for(&name, &body)?;
    // Whoever says that it is active has a sign of life of it.
    let active = spec.status.as_deref() == Some("active");
    let put = registration(&app, name, spec, caller)?;
    match app.handle.send(Command::PutAgent(Box::new(put))).await?? {
        Done::Agent(changed) => {
            if active {
                app.handle.send(Command::Seen { agent: changed.agent.name.clone() }).await??;
            }
            let now = app.handle.now();
            let last_seen = if active { Some(now) } else { changed.last_seen };
            let has_left = changed.has_left && !active;
            let agent = shape::agent(&AgentNow { agent: changed.agent.clone(), last_seen, has_left }, now);
            let status = if changed.created { StatusCode::CREATED } else { StatusCode::OK };
            Ok((status, Json(agent)).into_response())
        }
        Done::Accepted(_) | Done::Nothing => Err(Failure::bad_request("nothing was registered")),
    }
}

/// The node that a caller called, where there are nodes: on its machine is the agent. With a test clock there is one node
/// only, and what it does is waited for.
fn host(app: &App, caller: &Caller, nudge: Option<&Value>) -> Option<String> {
    let is_local = nudge.is_some_and(|nudge| nudge["kind"] == "tmux" || nudge["kind"] == "command");
    let may = matches!(caller.viewer, Viewer::Local | Viewer::Operator) && !app.handle.has_test_clock();
    let node = app.handle.node().filter(|_| is_local && may)?;
    Some(caller.node.clone().unwrap_or_else(|| node.name.clone()))
}

pub(crate) fn registration(
    app: &App,
    name: String,
    spec: AgentSpec,
    caller: Caller,
) -> Result<PutAgent, Failure> {
    let wrong = |pointer: &str, detail: String| {
        Failure::invalid(vec![FieldError { pointer: pointer.to_owned(), detail }])
    };
    let role: Option<Role> = match &spec.role {
        None => None,
        Some(word) => Some(serde_json::from_value(json!(word)).map_err(|_| {
            wrong("/role", format!("expected one of {}, got {word:?}", spec::ROLES.join(", ")))
        })?),
    };
    let mark = match spec.status.as_deref() {
        None => None,
        Some("active" | "idle" | "offline") => Some(None),
        Some("unresponsive") => Some(Some(Mark::Unresponsive)),
        Some("hibernated") => Some(Some(Mark::Hibernated)),
        Some("inactive") => Some(Some(Mark::Inactive)),
        Some(word) => {
            let detail = format!("expected one of {}, got {word:?}", spec::STATUSES.join(", "));
            return Err(wrong("/status", detail));
        }
    };
    let speaks = match spec.speaks.as_deref() {
        None => None,
        Some(word) => Some(word.parse().map_err(|_| {
            wrong("/speaks", format!("expected one of {}, got {word:?}", spec::SPEAKS.join(", ")))
        })?),
    };
    let digest = spec.digest.as_deref().map(spec::period).transpose();
    let digest = digest.map_err(|detail| wrong("/digest", detail))?.filter(|period| !period.is_zero());
    let profile = Profile {
        alias: spec.alias,
        session: spec.session,
        host: spec.host.or_else(|| host(app, &caller, spec.nudge.as_ref())),
        program: spec.program,
        role: role.unwrap_or_default(),
        capabilities: spec.capabilities.unwrap_or_default(),
        nudge: spec.nudge,
        github: spec.github,
        labels: spec.labels.unwrap_or_default(),
        speaks,
        digest,
    };
    Ok(PutAgent { name, profile, role, mark, viewer: caller.viewer })
}

pub(crate) async fn remove(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, Failure> {
    app.handle.send(Command::RemoveAgent { name: Name::new(&name), by: caller.viewer }).await??;
    Ok(StatusCode::NO_CONTENT)
}

/// A hook of the client that an agent works in. What it says is a sign of life, but for the end of a session.
pub(crate) async fn hook(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
    body: Body,
) -> Result<Json<Value>, Failure> {
    let body = bytes(body, &app.config.limits).await?;
    unambiguous(&body)?;
    let call: HookCall = serde_json::from_slice(&body).map_err(|error| {
        Failure::bad_request(format!(
            "expected client, session and moment, and perhaps host, tmux_session and wake: {error}"
        ))
    })?;
    let moment = match call.moment.as_str() {
        "works" => HookMoment::Works,
        "rests" => HookMoment::Rests,
        "ends" => HookMoment::Ends,
        word => {
            let detail = format!("expected works, rests or ends, got {word:?}");
            return Err(Failure::invalid(vec![FieldError { pointer: "/moment".to_owned(), detail }]));
        }
    };
    let HookCall { client, session, host: named, tmux_session, wake, .. } = call;
    let host = named.or_else(|| host(&app, &caller, wake.as_ref()));
    let viewer = caller.viewer;
    let report = HookReport { agent: name, client, session, moment, host, tmux_session, wake, viewer };
    match app.handle.send(Command::Hooked(Box::new(report))).await?? {
        Done::Agent(changed) => {
            let AgentChanged { agent, last_seen, has_left, .. } = *changed;
            Ok(Json(json!(shape::agent(&AgentNow { agent, last_seen, has_left }, app.handle.now()))))
        }
        Done::Accepted(_) | Done::Nothing => Err(Failure::bad_request("nothing was registered")),
    }
}

/// A sign of life.
pub(crate) async fn heartbeat(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, Failure> {
    caller.may_write()?;
    if caller.agent.as_ref().is_some_and(|agent| !agent.as_str().eq_ignore_ascii_case(&name))
        && matches!(caller.viewer, Viewer::Agent(_))
    {
        return Err(unknown(&name));
    }
    app.handle.send(Command::Seen { agent: Name::new(&name) }).await??;
    Ok(StatusCode::NO_CONTENT)
}
