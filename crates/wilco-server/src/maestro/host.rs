//! Is the server there, who is it, who is at home?

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use serde_json::{Value, json};

use super::{agent, everybody};
use crate::agent_now::AgentNow;
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

pub(super) async fn sessions(State(app): State<App>, caller: Caller) -> Result<Response, Failure> {
    let item = |app: &App, now: &AgentNow, at| everybody::item(agent::session(app, now, at));
    everybody::list(app, caller, "sessions", item, |_, _| Vec::new()).await
}

/// Nobody named one here.
pub(super) async fn organization() -> Json<Value> {
    Json(json!({"organization": null, "isSet": false, "setAt": null, "setBy": null}))
}
