//! `/v1/nudges`, and `POST /v1/agents/{name}/nudge` to see whether one works.

use axum::Json;
use axum::extract::State;
use wilco_engine::{How, NudgeJob, Viewer, reads};
use wilco_language::parse::FieldError;
use wilco_language::render::nudge_test_line;
use wilco_runtime::NodeRole;
use wilco_store::Priority;
use wilco_wire::{Nudge, NudgeTest, Page};

use super::agents::unknown;
use super::path::Path;
use crate::app::App;
use crate::auth::Caller;
use crate::forward::node_call::{NodeCall, ask_node};
use crate::problem::Failure;
use crate::query::NoQuery;
use crate::shape;

/// There are as many as agents that are nudged, so they come on one page.
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    _: NoQuery,
) -> Result<Json<Page<Nudge>>, Failure> {
    let mut nudged = app.handle.ask_directory(|all| {
        let nudged = all.unordered().filter(|agent| agent.profile.nudge.is_some());
        nudged.cloned().collect::<Vec<_>>()
    });
    nudged.sort_by(|one, other| one.name.cmp(&other.name));
    let views = app.handle.read(move |reader| reads::nudges(reader, nudged, &caller.viewer)).await?;
    let mut items: Vec<_> = views.into_iter().map(shape::nudge).collect();
    if items.iter().any(|nudge| nudge.node.is_some()) {
        let nodes = app.handle.nodes().await?;
        let is_gone =
            |name: &String| nodes.iter().any(|node| node.row.name == *name && node.role == NodeRole::Gone);
        let waits = |nudge: &&mut Nudge| nudge.state != "dead" && nudge.node.as_ref().is_some_and(is_gone);
        items.iter_mut().filter(waits).for_each(|nudge| nudge.state = "waiting".to_owned());
    }
    Ok(Json(Page { items, next: None }))
}

/// Nudges the agent once, now, whatever lies in its inbox.
pub(crate) async fn test(
    State(app): State<App>,
    caller: Caller,
    _: NoQuery,
    Path(name): Path<String>,
) -> Result<Json<NudgeTest>, Failure> {
    caller.may_write()?;
    let own = |agent: &wilco_protocol::directory::Agent| match &caller.viewer {
        Viewer::Agent(own) => *own == agent.name,
        Viewer::Local | Viewer::Operator | Viewer::ReadOnly => true,
    };
    let agent = app.handle.find_agent(&name).filter(own).ok_or_else(|| unknown(&name))?;
    let wrong = |detail: &str| FieldError { pointer: "/nudge".to_owned(), detail: detail.to_owned() };
    let Some(how) = How::of(&agent) else {
        return Err(Failure::invalid(vec![wrong("this agent has no nudge; register it with one")]));
    };
    let how = how.map_err(|error| Failure::invalid(vec![error]))?;
    let kind = how.kind().to_owned();
    let job = NudgeJob {
        id: format!("nudge-test-{}-{}", agent.id, app.handle.now().millis()),
        session: agent.session().to_owned(),
        agent: agent.name.clone(),
        how,
        line: nudge_test_line(),
        priority: Priority::Low,
        messages: Vec::new(),
        has_hooks: false,
    };
    let reason = nudged(&app, agent.profile.host.as_deref(), job).await?.err();
    Ok(Json(NudgeTest { agent: agent.name.to_string(), kind, delivered: reason.is_none(), reason }))
}

/// On the agent's machine, if it is that of a node and it matters.
async fn nudged(app: &App, host: Option<&str>, job: NudgeJob) -> Result<Result<(), String>, Failure> {
    let Some(host) = host.filter(|_| job.how.is_local()) else { return Ok(app.handle.nudge(&job).await) };
    let nodes = app.handle.nodes().await?;
    let here = app.handle.node().map(|node| node.name.as_str());
    let node = nodes.into_iter().find(|node| node.row.name.eq_ignore_ascii_case(host));
    Ok(match node {
        Some(node) if node.role == NodeRole::Gone => {
            Err(format!("node {}, on whose machine this agent is, is gone", node.row.name))
        }
        Some(node) if here != Some(&node.row.name) => {
            let call = NodeCall::Nudge(Box::new(job));
            let unknown = || Err(format!("node {} gave no answer at {}", node.row.name, node.row.address));
            ask_node(app, &node.row.address, &call).await.unwrap_or_else(unknown)
        }
        Some(_) | None => app.handle.nudge(&job).await,
    })
}
