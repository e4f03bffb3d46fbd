//! Is the server there, who is it, who is at home?

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use super::agent;
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;

pub(super) async fn health(State(app): State<App>) -> Json<Value> {
    Json(json!({"status": "healthy", "service": "wilco", "version": app.config.version}))
}

pub(super) async fn identity(State(app): State<App>) -> Json<Value> {
    let mut host = agent::host_info(&app);
    host["version"] = json!(app.config.version);
    Json(json!({"host": host}))
}

pub(super) async fn sessions(State(app): State<App>, caller: Caller) -> Result<Json<Value>, Failure> {
    let (now, mut agents) = (app.handle.now(), app.handle.agents().await?);
    agents.iter_mut().for_each(|one| one.agent = caller.shown(&one.agent));
    let sessions: Vec<_> = agents.iter().map(|one| agent::session(&app, one, now)).collect();
    Ok(Json(json!({"sessions": sessions})))
}

/// Nobody named one here.
pub(super) async fn organization() -> Json<Value> {
    Json(json!({"organization": null, "isSet": false, "setAt": null, "setBy": null}))
}
