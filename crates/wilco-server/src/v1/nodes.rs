//! `GET /v1/nodes`: which servers share this realm, and how they stand.

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use wilco_engine::Viewer;
use wilco_wire::{Node, Page};

use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::NoQuery;
use crate::shape;

/// For operators. There are few, so they come on one page; none on an embedded store.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    _: NoQuery,
) -> Result<Json<Page<Node>>, Failure> {
    match caller.viewer {
        Viewer::Local | Viewer::Operator => {}
        Viewer::Agent(_) | Viewer::ReadOnly => {
            let detail = "nodes are for operators; use an operator's token";
            return Err(Failure::new(StatusCode::FORBIDDEN, "forbidden", detail));
        }
    }
    let nodes = app.handle.nodes().await?;
    Ok(Json(Page { items: nodes.into_iter().map(shape::node).collect(), next: None }))
}
