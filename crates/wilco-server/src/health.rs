//! Is the server there, and can it work?

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use wilco_engine::reads;
use wilco_store::KnownWriter;
use wilco_wire::Ready;

use crate::app::App;
use crate::problem::Failure;

pub(crate) async fn healthz(State(app): State<App>) -> Json<Value> {
    Json(json!({"status": "ok", "version": app.config.version}))
}

/// Ready when the store can be read, and written to here or at the node that writes.
pub(crate) async fn readyz(State(app): State<App>) -> Result<Json<Ready>, Failure> {
    let known = app.handle.node().map(|node| (node, node.known()));
    // A follower is asked for the database first: one that is cut off is not ready.
    let head = app.handle.read(reads::head).await?;
    if known.as_ref().is_none_or(|(_, known)| known.is_here) {
        app.handle.takes_commits().await?.map_err(|error| Failure::from(&*error).unavailable())?;
    }
    let role = |known: &KnownWriter| if known.is_here { "writer" } else { "follower" };
    Ok(Json(Ready {
        status: "ready".to_owned(),
        role: known.as_ref().map(|(_, known)| role(known).to_owned()),
        node: known.as_ref().map(|(node, _)| node.name.clone()),
        epoch: known.as_ref().map(|(_, known)| known.epoch),
        position: head.position,
    }))
}
