//! Is the server there, and can it work?

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};
use wilco_engine::reads;

use crate::app::App;
use crate::problem::Failure;

pub(crate) async fn healthz(State(app): State<App>) -> Json<Value> {
    Json(json!({"status": "ok", "version": app.config.version}))
}

/// Ready when the store can be read, and written to here or at the node that writes.
pub(crate) async fn readyz(State(app): State<App>) -> Result<Json<Value>, Failure> {
    let Some(node) = app.handle.node() else {
        app.handle.takes_commits().await?.map_err(|error| Failure::from(&*error).unavailable())?;
        let head = app.handle.read(reads::head).await?;
        return Ok(Json(json!({"status": "ready", "position": head.position})));
    };
    let head = app.handle.read(reads::head).await?;
    let known = node.known();
    if known.is_here {
        app.handle.takes_commits().await?.map_err(|error| Failure::from(&*error).unavailable())?;
    }
    let role = if known.is_here { "writer" } else { "follower" };
    Ok(Json(json!({
        "status": "ready", "role": role, "node": node.name, "epoch": known.epoch, "position": head.position
    })))
}
