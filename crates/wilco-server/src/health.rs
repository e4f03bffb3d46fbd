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

/// Ready when the store can be read and written to.
pub(crate) async fn readyz(State(app): State<App>) -> Result<Json<Value>, Failure> {
    app.handle.takes_commits().await?.map_err(|error| Failure::from(&*error).unavailable())?;
    let head = app.handle.read(reads::head).await?;
    Ok(Json(json!({"status": "ready", "position": head.position})))
}
