//! `GET /v1/escalations` and `GET /v1/reports/{report}`.

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use serde_json::{Value, json};
use wilco_engine::reads::{self, Report, ReportCursor, ReportPage};
use wilco_language::table;
use wilco_store::{Reader, StoreError};

use super::path::Path;
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::Query;
use crate::shape;

pub(crate) const KEYS: [&str; 3] = ["format", "after", "limit"];

/// Lines and tables are for files: without a limit they have everything, up to this many rows.
const MAX_ROWS: usize = 10_000;

pub(crate) async fn escalations(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, Failure> {
    let query = Query::read(query.as_deref(), &["open", "after", "limit"])?;
    let (open, after, limit) = (query.flag("open")?, query.row("after")?, query.limit()?);
    let read = move |reader: &dyn Reader| reads::escalations(reader, &caller.viewer, open, after, limit);
    let part = app.handle.read(read).await?;
    let items: Vec<_> = part.items.into_iter().map(shape::escalation).collect();
    Ok(Json(json!({"items": items, "next": part.next.map(|next| next.to_string())})))
}

/// How a report comes.
enum Format {
    Json,
    Lines,
    Table,
}

pub(crate) async fn report(
    State(app): State<App>,
    caller: Caller,
    RawQuery(query): RawQuery,
    Path(word): Path<String>,
) -> Result<Response, Failure> {
    let report = Report::ALL.into_iter().find(|report| report.word() == word).ok_or_else(|| {
        let words = Report::ALL.map(Report::word).join(", ");
        Failure::not_found(format!("there is no report {word:?}; there are {words}"))
    })?;
    let query = Query::read(query.as_deref(), &KEYS)?;
    let wrong = |text: &str| {
        Failure::bad_request(format!("after: {text:?} is no cursor; use the `next` of an earlier page"))
    };
    let cursor = |text| report.cursor(text).ok_or_else(|| wrong(text));
    let (after, limit) = (query.text("after").map(cursor).transpose()?, query.limit()?);
    let format = match query.text("format").unwrap_or("json") {
        "json" => Format::Json,
        "jsonl" => Format::Lines,
        "md" => Format::Table,
        other => {
            return Err(Failure::bad_request(format!("format: expected json, jsonl or md, got {other:?}")));
        }
    };
    if report == Report::Replacements {
        return replaced(&app, caller.viewer, format).await;
    }
    let whole = !matches!(format, Format::Json) && query.text("limit").is_none();
    let read = move |reader: &dyn Reader| {
        let page = |after, limit| reads::report(reader, &caller.viewer, report, after, limit);
        if whole { everything(page, after) } else { page(after, limit) }
    };
    let part = app.handle.read(read).await?;
    Ok(match format {
        Format::Json => {
            Json(json!({"items": part.items, "next": part.next.map(|next| next.to_string())})).into_response()
        }
        Format::Lines => {
            let lines = part.items.iter().map(|row| json!(row).to_string() + "\n");
            ([(header::CONTENT_TYPE, "application/x-ndjson")], lines.collect::<String>()).into_response()
        }
        Format::Table => {
            let text = table::markdown(report.word(), report.columns(), &part.items);
            ([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], text).into_response()
        }
    })
}

/// The report over the audit file, which is one page: counts, and the newest rows.
async fn replaced(app: &App, viewer: wilco_engine::Viewer, format: Format) -> Result<Response, Failure> {
    let report = app.handle.replacements(viewer).await.map_err(|error| {
        tracing::error!(%error, "the audit file cannot be read");
        let detail = "the audit file cannot be read; the server's log says why";
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "audit-unreadable", detail)
    })?;
    let rows: Vec<_> = report.recent.iter().filter_map(|row| json!(row).as_object().cloned()).collect();
    Ok(match format {
        Format::Json => {
            let mut body = json!(report);
            (body["items"], body["next"]) = (body["recent"].clone(), Value::Null);
            Json(body).into_response()
        }
        Format::Lines => {
            let lines = rows.iter().map(|row| json!(row).to_string() + "\n");
            ([(header::CONTENT_TYPE, "application/x-ndjson")], lines.collect::<String>()).into_response()
        }
        Format::Table => {
            let counts = [
                ("Total replacements", report.total),
                ("Successful", report.successful),
                ("Failed", report.failed),
                ("Partial", report.partial),
            ];
            let text = table::counted("replacements", &counts, Report::Replacements.columns(), &rows);
            ([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], text).into_response()
        }
    })
}

/// Page after page.
fn everything(
    page: impl Fn(Option<ReportCursor>, usize) -> Result<ReportPage, StoreError>,
    after: Option<ReportCursor>,
) -> Result<ReportPage, StoreError> {
    let mut all = page(after, 1000)?;
    while let Some(next) = all.next.filter(|_| all.items.len() < MAX_ROWS) {
        let more = page(Some(next), 1000)?;
        all.items.extend(more.items);
        all.next = more.next;
    }
    Ok(all)
}
