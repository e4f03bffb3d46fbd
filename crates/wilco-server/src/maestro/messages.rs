//! `/api/messages`.

use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};
use wilco_engine::reads::{self, Mailbox};
use wilco_engine::{Api, Command, MarkAs};
use wilco_protocol::{MessageId, Name};

use super::letter::{Mail, Shape, new_letters};
use super::{fields, list, owner};
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::Query;
use crate::shape;
use crate::v1::body::bytes;
use crate::v1::messages::{ParsedPost, idempotency_key, removed};

pub(super) async fn get(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let query = Query::open(query.as_deref());
    list::answer(&app, &caller, &query).await
}

pub(super) async fn post(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    let key = idempotency_key(&headers)?;
    let body = bytes(body, &app.config.limits).await?;
    send(&app, caller, key, &body).await
}

/// Sends a message, as `/v1` does.
pub(super) async fn send(
    app: &App,
    caller: Caller,
    idempotency_key: Option<String>,
    body: &[u8],
) -> Result<Response, Failure> {
    posted(app, caller, idempotency_key, body, false).await
}

/// What came of a message; one that carries another on says so in its own words too.
#[derive(Serialize)]
struct Posted<'a> {
    message: &'a Shape<'a>,
    notified: bool,
    exchange: Option<wilco_wire::Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<&'a [Shape<'a>]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
    #[serde(rename = "forwardedMessage", skip_serializing_if = "Option::is_none")]
    forwarded: Option<&'a Shape<'a>>,
}

pub(super) async fn posted(
    app: &App,
    caller: Caller,
    idempotency_key: Option<String>,
    body: &[u8],
    forwards: bool,
) -> Result<Response, Failure> {
    let asked = ParsedPost::read(&caller, idempotency_key, body, Api::Maestro, &app.config.limits)?;
    let accepted = asked.send(app, &caller).await?;
    let letters = new_letters(&accepted);
    let mail = app.handle.read(move |reader| Mail::of(reader, letters)).await?;
    let shapes = mail.originals();
    let message = shapes.first().ok_or_else(removed)?;
    let posted = Posted {
        message,
        notified: accepted.nudged,
        exchange: accepted.exchange.as_ref().map(shape::summary),
        messages: Some(shapes.as_slice()).filter(|all| all.len() > 1),
        success: forwards.then_some(true),
        forwarded: forwards.then_some(message),
    };
    Ok((StatusCode::CREATED, Json(posted)).into_response())
}

pub(super) async fn patch(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Failure> {
    let query = Query::open(query.as_deref());
    let id = fields::required(&query, "id", "the id of a message")?;
    let mark = mark(fields::required(&query, "action", "read or archive")?)?;
    let agent = owner::mailbox(&app, &caller, &query);
    marked(&app, &caller, agent, id, mark).await
}

pub(super) async fn delete(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Failure> {
    let query = Query::open(query.as_deref());
    let id = fields::required(&query, "id", "the id of a message")?;
    let agent = owner::mailbox(&app, &caller, &query);
    marked(&app, &caller, agent, id, MarkAs::Deleted).await
}

pub(super) fn mark(action: &str) -> Result<MarkAs, Failure> {
    match action {
        "read" | "mark-read" => Ok(MarkAs::Read),
        "archive" => Ok(MarkAs::Archived),
        other => Err(fields::wrong("action", format!("expected read or archive, got {other:?}"))),
    }
}

/// What becomes of a message in one mailbox; journal and exchange keep it whatever that is.
pub(super) async fn marked(
    app: &App,
    caller: &Caller,
    agent: Name,
    id: &str,
    mark: MarkAs,
) -> Result<Json<Value>, Failure> {
    caller.may_write()?;
    if !owner::may_use(caller, &agent) {
        return Err(missing(id));
    }
    app.handle.send(Command::Mark { agent, id: MessageId::new(id), mark }).await??;
    Ok(Json(json!({"success": true})))
}

/// One message of a mailbox.
pub(super) async fn one(
    app: &App,
    caller: &Caller,
    agent: Name,
    mailbox: Mailbox,
    id: &str,
) -> Result<Mail, Failure> {
    let (viewer, key) = (caller.viewer.clone(), MessageId::new(id));
    let found = app.handle.read(move |reader| {
        let letter = reads::letter(reader, &viewer, &agent, mailbox, &key)?;
        letter.map(|letter| Mail::of(reader, vec![letter])).transpose()
    });
    found.await?.ok_or_else(|| missing(id))
}

pub(super) fn missing(id: &str) -> Failure {
    Failure::not_found(format!("there is no message {id:?} in this mailbox"))
}
