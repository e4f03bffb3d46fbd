//! `/api/agents/{id}/messages`: the mailbox of one agent.

use std::collections::BTreeMap;

use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::HeaderMap;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use wilco_engine::MarkAs;
use wilco_protocol::Name;

use super::letter::Shape;
use super::{fields, list as lists, messages, owner};
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::Query;
use crate::v1::agents::unknown;
use crate::v1::body::bytes;
use crate::v1::messages::idempotency_key;
use crate::v1::path::Path;

pub(super) async fn list(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let agent = owner::agent(&app, &id)?.name;
    if !owner::may_use(&caller, &agent) {
        return Err(unknown(&id));
    }
    lists::list(&app, &caller, &Query::open(query.as_deref()), Some(agent)).await
}

/// Sends as this agent.
pub(super) async fn post(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Body,
) -> Result<Response, Failure> {
    let key = idempotency_key(&headers)?;
    let agent = owner::agent(&app, &id)?.name;
    let body = bytes(body, &app.config.limits).await?;
    let body = sent_by(&agent, &fields::object(&body)?, &body);
    messages::send(&app, caller, key, body.as_bytes()).await
}

pub(super) async fn get(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
    Path((id, message)): Path<(String, String)>,
) -> Result<Response, Failure> {
    let mailbox = lists::mailbox(&Query::open(query.as_deref()))?;
    let agent = owner::agent(&app, &id)?.name;
    let mail = messages::one(&app, &caller, agent, mailbox, &message).await?;
    Ok(Json(One { message: mail.delivered().pop() }).into_response())
}

#[derive(Serialize)]
struct One<'a> {
    message: Option<Shape<'a>>,
}

/// The body with this sender; the rest of it stays as it was given.
fn sent_by(agent: &Name, parsed: &Map<String, Value>, body: &[u8]) -> String {
    let given: BTreeMap<String, &RawValue> = serde_json::from_slice(body).unwrap_or_default();
    let field = |(key, value): (&String, &Value)| {
        let text = given.get(key).map_or_else(|| value.to_string(), |raw| raw.get().to_owned());
        format!("{}:{text}", json!(key))
    };
    let rest = parsed.iter().filter(|(key, _)| *key != "from").map(field);
    let from = format!("\"from\":{}", json!(agent));
    format!("{{{}}}", std::iter::once(from).chain(rest).collect::<Vec<_>>().join(","))
}

pub(super) async fn patch(
    State(app): State<App>,
    caller: Caller,
    Path((id, message)): Path<(String, String)>,
    body: Body,
) -> Result<Json<Value>, Failure> {
    let body = fields::object(&bytes(body, &app.config.limits).await?)?;
    let mark = messages::mark(fields::needed(&body, "action", "read or archive")?)?;
    let agent = owner::agent(&app, &id)?.name;
    messages::marked(&app, &caller, agent, &message, mark).await
}

pub(super) async fn delete(
    State(app): State<App>,
    caller: Caller,
    Path((id, message)): Path<(String, String)>,
) -> Result<Json<Value>, Failure> {
    let agent = owner::agent(&app, &id)?.name;
    messages::marked(&app, &caller, agent, &message, MarkAs::Deleted).await
}
