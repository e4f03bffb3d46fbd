//! `POST /api/agents/{id}/hibernate` and `/wake`, by configured programs.

use axum::Json;
use axum::extract::State;
use http::{HeaderMap, StatusCode};
use serde_json::{Map, Value, json};
use wilco_engine::{Command, PatchAgent, Viewer};
use wilco_protocol::directory::Mark;
use wilco_runtime::Sleep;

use super::owner;
use crate::app::App;
use crate::auth::Caller;
use crate::once::once;
use crate::problem::Failure;
use crate::v1::agents::unknown;
use crate::v1::path::Path;

pub(super) async fn hibernate(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Json<Value>, Failure> {
    let what = json!(["hibernate", id]);
    let changed = change(&app, caller.clone(), &id, Sleep::Hibernate);
    once(&app, &caller, &headers, &what, changed).await.map(Json)
}

pub(super) async fn wake(
    State(app): State<App>,
    caller: Caller,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Json<Value>, Failure> {
    let what = json!(["wake", id]);
    let changed = change(&app, caller.clone(), &id, Sleep::Wake);
    once(&app, &caller, &headers, &what, changed).await.map(Json)
}

/// Runs the program, then records what is so by then.
async fn change(app: &App, caller: Caller, id: &str, what: Sleep) -> Result<Value, Failure> {
    caller.may_write()?;
    let agent = owner::agent(app, id)?;
    if !owner::may_use(&caller, &agent.name) {
        return Err(unknown(id));
    }
    if matches!(caller.viewer, Viewer::Agent(_)) {
        let detail =
            "only an operator may put an agent to sleep or wake it: it runs a program of the configuration";
        return Err(Failure::new(StatusCode::FORBIDDEN, "forbidden", detail));
    }
    let (done, key) = match what {
        Sleep::Hibernate => ("hibernated", "hibernate"),
        Sleep::Wake => ("woken", "wake"),
    };
    match app.handle.sleep(what, &agent).await {
        None => {
            let detail = format!("nothing is configured for it; set agents.commands.{key} to a program");
            return Err(Failure::new(StatusCode::NOT_IMPLEMENTED, "not-configured", detail));
        }
        Some(Err(reason)) => {
            let detail = format!("{} was not {done}: {reason}", agent.name);
            return Err(Failure::new(StatusCode::BAD_GATEWAY, "command-failed", detail));
        }
        Some(Ok(_)) => {}
    }
    let command = match what {
        Sleep::Hibernate => Command::PatchAgent(Box::new(PatchAgent {
            agent: agent.name.to_string(),
            fields: Map::new(),
            mark: Some(Some(Mark::Hibernated)),
            viewer: caller.viewer,
        })),
        // A sign of life takes the mark away, and asks the agent about its open tasks.
        Sleep::Wake => Command::Seen { agent: agent.name.clone() },
    };
    app.handle.send(command).await??;
    let mut answer = json!({
        "success": true,
        "agentId": agent.id,
        "sessionName": agent.session(),
        "message": format!("{} is {done}", agent.name),
    });
    answer[done] = json!(true);
    Ok(answer)
}
