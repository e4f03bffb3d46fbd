//! Is the server there, and can it work?

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::door::Door;
use crate::problem::Failure;

pub(crate) async fn healthz(State(door): State<Door>) -> Json<Value> {
    Json(json!({"status": "ok", "version": door.config.version}))
}

/// Ready when the store can be read, and will be written to again without a restart.
pub(crate) async fn readyz(State(door): State<Door>) -> Result<Json<Value>, Failure> {
    door.handle.takes_commits().map_err(|error| Failure::from(&error))?;
    let head = door.handle.read(|reader| reader.head()).await?;
    Ok(Json(json!({"status": "ready", "position": head.position})))
}
