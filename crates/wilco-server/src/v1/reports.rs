//! Escalations, reports, and whether the journal is whole.

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use wilco_engine::reads;
use wilco_store::{StoreError, verify as walk};

use crate::auth::Caller;
use crate::door::Door;
use crate::problem::Failure;
use crate::query::Query;
use crate::shape;

pub(crate) async fn escalations(
    State(door): State<Door>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Failure> {
    let query = Query::read(query.as_deref(), &["open", "after", "limit"])?;
    let (open, after, limit) = (query.flag("open")?, query.row("after")?, query.limit()?);
    let read = move |reader: &dyn wilco_store::Reader| {
        reads::escalations(reader, &caller.viewer, open, after, limit)
    };
    let part = door.handle.read(read).await?;
    let items: Vec<_> = part.items.into_iter().map(shape::escalation).collect();
    Ok(Json(json!({"items": items, "next": part.next.map(|next| next.to_string())})))
}

pub(crate) async fn incidents(
    State(door): State<Door>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Failure> {
    let query = Query::read(query.as_deref(), &["after", "limit"])?;
    let (after, limit) = (query.row("after")?, query.limit()?);
    let read = move |reader: &dyn wilco_store::Reader| reads::incidents(reader, &caller.viewer, after, limit);
    let part = door.handle.read(read).await?;
    let items: Vec<_> = part.items.into_iter().map(shape::incident).collect();
    Ok(Json(json!({"items": items, "next": part.next.map(|next| next.to_string())})))
}

/// The operation log, as a page or as lines of JSON.
pub(crate) async fn operations(
    State(door): State<Door>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let query = Query::read(query.as_deref(), &["after", "limit", "format"])?;
    let (after, limit) = (query.row("after")?, query.limit()?);
    let lines = match query.text("format").unwrap_or("json") {
        "json" => false,
        "jsonl" => true,
        other => return Err(Failure::bad_request(format!("format: expected json or jsonl, got {other:?}"))),
    };
    let read =
        move |reader: &dyn wilco_store::Reader| reads::operations(reader, &caller.viewer, after, limit);
    let part = door.handle.read(read).await?;
    if lines {
        let text: String = part.items.iter().map(|row| format!("{}\n", json!(row))).collect();
        return Ok(([(http::header::CONTENT_TYPE, "application/jsonl")], text).into_response());
    }
    let next = part.next.map(|next| next.to_string());
    Ok(Json(json!({"items": part.items, "next": next})).into_response())
}

/// Walks the whole journal.
pub(crate) async fn verify(
    State(door): State<Door>,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Failure> {
    Query::read(query.as_deref(), &[])?;
    let walked = door.handle.read(|reader| match walk(reader, None) {
        Ok(head) => Ok(json!({"ok": true, "events": head.position, "head": shape::hex(&head.hash)})),
        Err(StoreError::Damaged { position, reason }) => {
            Ok(json!({"ok": false, "position": position, "reason": reason}))
        }
        Err(error) => Err(error),
    });
    Ok(Json(walked.await?))
}
