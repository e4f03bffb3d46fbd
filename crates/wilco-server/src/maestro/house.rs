//! Is the server there, who is it, who is at home?

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::agent;
use crate::door::Door;
use crate::problem::Failure;

pub(super) async fn health(State(door): State<Door>) -> Json<Value> {
    Json(json!({"status": "healthy", "service": "wilco", "version": door.config.version}))
}

pub(super) async fn identity(State(door): State<Door>) -> Json<Value> {
    let mut host = agent::house(&door);
    host["version"] = json!(door.config.version);
    Json(json!({"host": host}))
}

pub(super) async fn sessions(State(door): State<Door>) -> Result<Json<Value>, Failure> {
    let (now, agents) = (door.handle.now(), door.handle.agents().await?);
    let sessions: Vec<_> = agents.iter().map(|one| agent::session(&door, one, now)).collect();
    Ok(Json(json!({"sessions": sessions})))
}

/// Nobody named one here.
pub(super) async fn organization() -> Json<Value> {
    Json(json!({"organization": null, "isSet": false, "setAt": null, "setBy": null}))
}
