//! `GET /v1/handoffs/{id}/document`.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};
use wilco_engine::reads;

use super::path::Path;
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::NoQuery;

/// The document as it was saved.
pub(crate) async fn document(
    State(app): State<App>,
    caller: Caller,
    _: NoQuery,
    Path(id): Path<String>,
) -> Result<Response, Failure> {
    let missing = || Failure::not_found(format!("there is no document of a handoff {id:?}"));
    let wanted = id.clone();
    let name =
        app.handle.read(move |reader| reads::handoff_document(reader, &caller.viewer, &wanted)).await?;
    let text = app.handle.document(name.ok_or_else(missing)?).await.map_err(|error| {
        tracing::error!(%error, handoff = id, "a document cannot be read");
        let detail = "the document cannot be read; the server's log says why";
        Failure::new(StatusCode::SERVICE_UNAVAILABLE, "document-unreadable", detail)
    })?;
    let text = text.ok_or_else(missing)?;
    Ok(([(header::CONTENT_TYPE, "text/markdown; charset=utf-8")], text).into_response())
}
