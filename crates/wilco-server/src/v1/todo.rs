//! `GET /v1/agents/{name}/todo`: what waits for an agent.

use axum::Json;
use axum::extract::State;
use wilco_engine::reads;
use wilco_wire::TodoList;

use super::agents::unknown;
use super::path::Path;
use crate::app::App;
use crate::auth::Caller;
use crate::problem::Failure;
use crate::query::NoQuery;
use crate::shape;

pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    _: NoQuery,
    Path(name): Path<String>,
) -> Result<Json<TodoList>, Failure> {
    let (agent, url) = (app.handle.find_agent(&name).ok_or_else(|| unknown(&name))?, app.config.url.clone());
    let read = app.handle.read(move |reader| reads::todo(reader, &caller.viewer, &agent.name, &url));
    let items = read.await?.ok_or_else(|| unknown(&name))?;
    Ok(Json(TodoList { items: items.into_iter().map(shape::todo).collect() }))
}
