//! `/api/agents/{id}/messages`: the mailbox of one agent.

use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use http::HeaderMap;
use serde_json::{Value, json};
use wilco_engine::MarkAs;

use super::{fields, list as lists, messages, owner};
use crate::auth::Caller;
use crate::door::Door;
use crate::problem::Failure;
use crate::query::Query;
use crate::v1::body::bytes;
use crate::v1::messages::idempotency_key;
use crate::v1::path::Path;

pub(super) async fn list(
    State(door): State<Door>,
    caller: Caller,
    RawQuery(query): RawQuery,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let agent = owner::agent(&door, &id).await?.name;
    lists::list(&door, &caller, &Query::open(query.as_deref()), Some(agent)).await
}

/// Sends as this agent.
pub(super) async fn post(
    State(door): State<Door>,
    caller: Caller,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Body,
) -> Result<Response, Failure> {
    let key = idempotency_key(&headers)?;
    let agent = owner::agent(&door, &id).await?.name;
    let mut body = fields::object(&bytes(body, &door.config.limits).await?)?;
    body.insert("from".to_owned(), json!(agent));
    let body = Value::Object(body).to_string();
    messages::send(&door, caller, key, body.as_bytes()).await
}

pub(super) async fn get(
    State(door): State<Door>,
    caller: Caller,
    RawQuery(query): RawQuery,
    Path((id, message)): Path<(String, String)>,
) -> Result<Json<Value>, Failure> {
    let mailbox = lists::mailbox(&Query::open(query.as_deref()))?;
    let agent = owner::agent(&door, &id).await?.name;
    let mail = messages::one(&door, &caller, agent, mailbox, &message).await?;
    Ok(Json(json!({"message": mail.delivered().pop()})))
}

pub(super) async fn patch(
    State(door): State<Door>,
    caller: Caller,
    Path((id, message)): Path<(String, String)>,
    body: Body,
) -> Result<Json<Value>, Failure> {
    let body = fields::object(&bytes(body, &door.config.limits).await?)?;
    let mark = messages::mark(fields::needed(&body, "action", "read or archive")?)?;
    let agent = owner::agent(&door, &id).await?.name;
    messages::marked(&door, &caller, agent, &message, mark).await
}

pub(super) async fn delete(
    State(door): State<Door>,
    caller: Caller,
    Path((id, message)): Path<(String, String)>,
) -> Result<Json<Value>, Failure> {
    let agent = owner::agent(&door, &id).await?.name;
    messages::marked(&door, &caller, agent, &message, MarkAs::Deleted).await
}
