//! `/api/agents`.

use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde_json::{Map, Value, json};
use wilco_engine::{AgentChanged, Command, Done, PatchAgent};
use wilco_wire::AgentSpec;

use super::everybody::{self, Count};
use super::{agent, fields, owner};
use crate::agent_now::AgentNow;
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::Query;
use crate::v1::agents::{heartbeat as beat, registration, unknown};
use crate::v1::body::bytes;
use crate::v1::path::Path;
use crate::v1::spec;

pub(super) async fn list(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let query = Query::open(query.as_deref());
    let (session, text) = (query.text("session"), query.text("q"));
    if session.is_none() && text.is_none() {
        let item = |app: &App, now: &AgentNow, at| everybody::item(agent::shape(app, now, at));
        return everybody::list(app, caller, "agents", item, behind).await;
    }
    let mut found = app.handle.ask_directory(|all| match session {
        Some(session) => agent::in_session(all, &caller, session),
        None => agent::with(all, &caller, text.unwrap_or_default()),
    });
    if let Some(text) = text {
        found.retain(|one| agent::goes_by(one, text));
    }
    let (at, found) = (app.handle.now(), app.agents_now(found).await?);
    let mut count = Count::default();
    found.iter().for_each(|one| count.add(one, at));
    let mut answer: Map<String, Value> =
        behind(&app, count).into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let shapes: Vec<_> = found.iter().map(|one| agent::shape(&app, one, at)).collect();
    answer.insert("agents".to_owned(), json!(shapes));
    Ok(Json(answer).into_response())
}

/// What is said besides the agents.
fn behind(app: &App, count: Count) -> Vec<(&'static str, Value)> {
    vec![("stats", count.stats()), ("hostInfo", agent::host_info(app))]
}

pub(super) async fn create(State(app): State<App>, caller: Caller, body: Body) -> Result<Response, Failure> {
    let body = fields::object(&bytes(body, &app.config.limits).await?)?;
    let name = match (fields::text(&body, "name")?, fields::text(&body, "alias")?) {
        (Some(name), _) | (None, Some(name)) => name.to_owned(),
        (None, None) => fields::needed(&body, "name", "the name of the agent")?.to_owned(),
    };
    let profile = profile(&body)?;
    let put = registration(&app, name.clone(), checked(&profile)?, caller)?;
    let known = owner::known(&app, &name);
    if let Some(known) = known {
        let there = owner::agent(&app, known.as_str())?;
        if there.name.as_str() != name || there.profile != put.profile {
            let detail = format!("there is an agent {:?} already; change it with PATCH", there.name.as_str());
            return Err(Failure::new(StatusCode::CONFLICT, "conflict", detail));
        }
    }
    let changed = changed(&app, Command::PutAgent(Box::new(put))).await?;
    Ok((StatusCode::CREATED, Json(json!({"agent": shown(&app, changed)}))).into_response())
}

/// A session says that it is there, whether it was known or not.
pub(super) async fn register(
    State(app): State<App>,
    caller: Caller,
    body: Body,
) -> Result<Response, Failure> {
    let body = fields::object(&bytes(body, &app.config.limits).await?)?;
    let session = fields::needed(&body, "sessionName", "the name of the session")?.to_owned();
    let mut given = profile(&body)?;
    let known = owner::known(&app, &session);
    let (status, command) = match known {
        Some(name) => {
            given.remove("session");
            let mark = None;
            let patch =
                PatchAgent { agent: name.to_string(), fields: given, mark, viewer: caller.viewer.clone() };
            (StatusCode::OK, Command::PatchAgent(Box::new(patch)))
        }
        None => {
            let spec = checked(&given)?;
            (
                StatusCode::CREATED,
                Command::PutAgent(Box::new(registration(&app, session, spec, caller.clone())?)),
            )
        }
    };
    let changed = changed(&app, command).await?;
    app.handle.send(Command::Seen { agent: changed.agent.name.clone() }).await??;
    let agent = now(&app, &caller, &changed.agent.name).await?;
    let answer = json!({"success": true, "agentId": agent["id"], "agent": agent});
    Ok((status, Json(answer)).into_response())
}

pub(super) async fn get(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, Failure> {
    let found = owner::agent(&app, &id)?;
    Ok(Json(json!({"agent": now(&app, &caller, &found.name).await?})))
}

pub(super) async fn by_name(
    State(app): State<App>,
    caller: Caller,
    Path(name): Path<String>,
) -> Result<Json<Value>, Failure> {
    Ok(Json(match owner::known(&app, &name) {
        Some(known) => json!({"exists": true, "agent": now(&app, &caller, &known).await?}),
        None => json!({"exists": false}),
    }))
}

pub(super) async fn patch(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
    body: Body,
) -> Result<Json<Value>, Failure> {
    let body = fields::object(&bytes(body, &app.config.limits).await?)?;
    let agent = owner::agent(&app, &id)?.name.to_string();
    if fields::text(&body, "name")?.is_some_and(|name| name != agent) {
        return Err(fields::wrong("name", format!("an agent keeps its name, {agent:?}; give it an alias")));
    }
    let mut given = profile(&body)?;
    let put = registration(&app, agent.clone(), checked(&given)?, caller.clone())?;
    given.remove("status");
    if given.contains_key("role") {
        given.insert("role".to_owned(), json!(put.profile.role));
    }
    let patch = PatchAgent { agent, fields: given, mark: put.mark, viewer: caller.viewer };
    let changed = changed(&app, Command::PatchAgent(Box::new(patch))).await?;
    Ok(Json(json!({"agent": shown(&app, changed)})))
}

pub(super) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, Failure> {
    let name = owner::agent(&app, &id)?.name;
    app.handle.send(Command::RemoveAgent { name, by: caller.viewer }).await??;
    Ok(Json(json!({"success": true})))
}

pub(super) async fn heartbeat(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Value>, Failure> {
    let name = owner::agent(&app, &id)?.name;
    beat(State(app.clone()), caller.clone(), Path(name.to_string())).await?;
    Ok(Json(json!({"success": true, "agent": now(&app, &caller, &name).await?})))
}

/// Fields that mean the same here under another name.
const RENAMED: [(&str, &str); 4] =
    [("hostId", "host"), ("sessionName", "session"), ("githubUser", "github"), ("tags", "capabilities")];
/// Roles of AI Maestro, and what they are here.
const ROLES: [(&str, &str); 2] = [("manager", "orchestrator"), ("member", "worker")];
/// What a profile has here.
const KNOWN: [&str; 12] = [
    "alias",
    "session",
    "host",
    "program",
    "role",
    "capabilities",
    "nudge",
    "github",
    "status",
    "labels",
    "speaks",
    "digest",
];

/// What a body says about an agent, in the words of `/v1`. Texts that have no field here are kept as
/// labels; lists and objects that have none are left out.
fn profile(body: &Map<String, Value>) -> Result<Map<String, Value>, Failure> {
    let (mut profile, mut labels) = (Map::new(), Map::new());
    for (key, value) in body {
        let renamed = RENAMED.iter().find(|(theirs, _)| theirs == key).map(|(_, ours)| *ours);
        match renamed.or_else(|| KNOWN.into_iter().find(|known| known == key)) {
            Some("labels") => labels.extend(value.as_object().cloned().unwrap_or_default()),
            Some("role") => {
                let theirs = ROLES.iter().find(|(theirs, _)| value == theirs);
                profile.insert(key.clone(), theirs.map_or(value.clone(), |(_, ours)| json!(ours)));
            }
            Some(ours) => {
                if let Some(detail) = spec::expected(ours, value) {
                    return Err(fields::wrong(key, detail));
                }
                profile.insert(ours.to_owned(), value.clone());
            }
            None if key == "name" => {}
            None if value.is_string() || value.is_null() => drop(labels.insert(key.clone(), value.clone())),
            None => {}
        }
    }
    if body.get("labels").is_some_and(|labels| spec::expected("labels", labels).is_some()) {
        return Err(fields::wrong("labels", "expected an object of texts"));
    }
    if !labels.is_empty() {
        profile.insert("labels".to_owned(), Value::Object(labels));
    }
    Ok(profile)
}

/// The same as a registration would say it; what is taken away needs no check.
fn checked(profile: &Map<String, Value>) -> Result<AgentSpec, Failure> {
    let mut said = json!(profile);
    let null = |value: &Value| value.is_null();
    if let Some(labels) = said.get_mut("labels").and_then(Value::as_object_mut) {
        labels.retain(|_, value| !null(value));
    }
    spec::read(said.to_string().as_bytes())
}

async fn changed(app: &App, command: Command) -> Result<AgentChanged, Failure> {
    match app.handle.send(command).await?? {
        Done::Agent(changed) => Ok(*changed),
        Done::Accepted(_) | Done::Nothing => Err(Failure::bad_request("nothing was changed")),
    }
}

fn shown(app: &App, changed: AgentChanged) -> Value {
    let now = AgentNow { agent: changed.agent, last_seen: changed.last_seen, has_left: changed.has_left };
    json!(agent::shape(app, &now, app.handle.now()))
}

/// An agent as it is now.
async fn now(app: &App, caller: &Caller, name: &wilco_protocol::Name) -> Result<Value, Failure> {
    let mut found = app.agent_now(name).await?.ok_or_else(|| unknown(name.as_str()))?;
    caller.hide(&mut found.agent);
    Ok(json!(agent::shape(app, &found, app.handle.now())))
}
