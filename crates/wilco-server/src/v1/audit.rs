//! `GET /v1/audit`: the journal, exported to the byte. `GET /v1/audit/verify`: whether it is whole.

use axum::Json;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use futures_util::stream::unfold;
use http::header;
use serde_json::{Value, json};
use wilco_engine::Viewer;
use wilco_engine::reads::{self, Bound};
use wilco_runtime::ReadError;
use wilco_store::{Exported, StoreError, verify_counting as walk};

use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::Query;

/// Events that are read at once.
const PAGE: usize = 500;

pub(crate) const KEYS: [&str; 3] = ["from", "to", "format"];

pub(crate) async fn export(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let query = Query::read(query.as_deref(), &KEYS)?;
    let (from, to) = (bound(&query, "from")?, bound(&query, "to")?);
    let (kind, name, form) = match query.text("format").unwrap_or("jsonl") {
        "jsonl" => ("application/x-ndjson", "wilco-audit.jsonl", Exported::line as fn(&Exported) -> String),
        "yaml" => ("application/yaml", "wilco-audit.yaml", Exported::yaml as fn(&Exported) -> String),
        other => return Err(Failure::bad_request(format!("format: expected jsonl or yaml, got {other:?}"))),
    };
    let (first, last) = app.handle.read(move |reader| reads::range(reader, from, to)).await?;
    let viewer = caller.viewer;
    let pages = unfold(Some(first), move |next| {
        let (app, viewer) = (app.clone(), viewer.clone());
        async move {
            let first = next?;
            // An error cuts the answer off, so that half a trail is not taken for a whole one.
            match page(&app, viewer, first, last, form).await {
                Ok((text, next)) => Some((Ok(text), next)),
                Err(error) => Some((Err(error), None)),
            }
        }
    });
    let file = format!("attachment; filename=\"{name}\"");
    let headers = [(header::CONTENT_TYPE, kind.to_owned()), (header::CONTENT_DISPOSITION, file)];
    Ok((headers, Body::from_stream(pages)).into_response())
}

async fn page(
    app: &App,
    viewer: Viewer,
    first: u64,
    last: u64,
    form: fn(&Exported) -> String,
) -> Result<(String, Option<u64>), ReadError> {
    let read = move |reader: &dyn wilco_store::Reader| reads::export(reader, &viewer, first, last, PAGE);
    let (events, next) = app.handle.read(read).await?;
    Ok((events.iter().map(|event| form(event) + "\n").collect(), next))
}

/// A position or a time.
fn bound(query: &Query, key: &str) -> Result<Option<Bound>, Failure> {
    let Some(text) = query.text(key) else { return Ok(None) };
    if let Ok(position) = text.parse() {
        return Ok(Some(Bound::Position(position)));
    }
    let wrong = |_| {
        let detail = "expected a time such as 2026-01-31T12:00:00Z or the position of an event";
        Failure::bad_request(format!("{key}: {detail}, got {text:?}"))
    };
    text.parse().map(|time| Some(Bound::Time(time))).map_err(wrong)
}

/// Walks the whole journal.
pub(crate) async fn verify(
    State(app): State<App>,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Failure> {
    Query::read(query.as_deref(), &[])?;
    let handle = app.handle.clone();
    let walked = app.handle.read(move |reader| match walk(reader, None) {
        Ok((head, events)) => Ok(json!({"ok": true, "events": events, "head": wilco_store::hex(&head.hash)})),
        Err(StoreError::Damaged { position, reason }) => {
            let answer = json!({"ok": false, "position": position, "reason": reason});
            handle.found_damage(StoreError::Damaged { position, reason });
            Ok(answer)
        }
        Err(error) => Err(error),
    });
    Ok(Json(walked.await?))
}
