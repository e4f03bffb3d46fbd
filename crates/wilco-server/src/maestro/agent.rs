//! An agent in the shape of AI Maestro.

use serde_json::{Value, json};
use wilco_engine::status;
use wilco_protocol::Time;
use wilco_protocol::directory::{Agent, Directory, nearest};
use wilco_runtime::AgentNow;

use crate::app::App;
use crate::shape;

/// The host of agents that named none: this machine.
pub(super) const HERE: &str = "localhost";

pub(super) fn host(agent: &Agent) -> &str {
    agent.profile.host.as_deref().unwrap_or(HERE)
}

/// This server as a host.
pub(super) fn host_info(app: &App) -> Value {
    json!({"id": HERE, "name": HERE, "url": app.config.url, "isSelf": true})
}

/// Where somebody is reached.
pub(super) fn address(app: &App, agent: &Agent) -> Value {
    json!({
        "agentId": agent.id,
        "name": agent.name,
        "alias": agent.profile.alias.as_deref().unwrap_or(agent.name.as_str()),
        "displayName": display_name(agent),
        "sessionName": agent.session(),
        "hostId": host(agent),
        "hostUrl": app.config.url,
    })
}

fn display_name(agent: &Agent) -> &str {
    let label = agent.profile.labels.get("displayName").or_else(|| agent.profile.labels.get("label"));
    label.map_or(agent.name.as_str(), String::as_str)
}

fn is_online(now: &AgentNow, at: Time) -> bool {
    matches!(status(now.agent.mark, now.last_seen, at), "active" | "idle")
}

pub(super) fn shape(app: &App, now: &AgentNow, at: Time) -> Value {
    let mut value = json!(shape::agent_now(now, at));
    let (agent, session) = (&now.agent, session(app, now, at));
    let last_seen = now.last_seen.map(|seen| seen.to_string());
    for (key, field) in [
        ("displayName", json!(display_name(agent))),
        ("hostId", json!(host(agent))),
        ("hostName", json!(host(agent))),
        ("hostUrl", json!(app.config.url)),
        ("isSelf", json!(host(agent) == HERE)),
        ("workingDirectory", json!(agent.profile.labels.get("workingDirectory"))),
        ("taskDescription", json!(agent.profile.labels.get("taskDescription"))),
        ("createdAt", json!(agent.registered.to_string())),
        ("lastActive", json!(last_seen)),
        ("sessions", json!([{"index": 0, "status": session["status"], "lastActive": last_seen}])),
        // `session` is an object there, and the name of the session here.
        ("sessionName", json!(agent.session())),
        ("session", session),
    ] {
        value[key] = field;
    }
    value
}

pub(super) fn session(app: &App, now: &AgentNow, at: Time) -> Value {
    let agent = &now.agent;
    json!({
        "id": agent.session(),
        "name": agent.session(),
        "tmuxSessionName": agent.session(),
        "agentId": agent.id,
        "agentName": agent.name,
        "status": if is_online(now, at) { "online" } else { "offline" },
        "hostId": host(agent),
        "hostUrl": app.config.url,
        "workingDirectory": agent.profile.labels.get("workingDirectory"),
        "createdAt": agent.registered.to_string(),
        "lastActivity": now.last_seen.map(|seen| seen.to_string()),
    })
}

/// `{total, online, offline}`.
pub(super) fn stats(agents: &[AgentNow], at: Time) -> Value {
    let online = agents.iter().filter(|one| is_online(one, at)).count();
    json!({"total": agents.len(), "online": online, "offline": agents.len() - online})
}

/// Agents whose name, alias or session has the text in it; when none has, those with the nearest names.
pub(super) fn like(directory: &Directory, text: &str) -> Vec<Agent> {
    let found: Vec<_> = directory.iter().filter(|agent| has(agent, text)).cloned().collect();
    if !found.is_empty() {
        return found;
    }
    let near = nearest(directory.iter().map(|agent| &agent.name), text);
    near.iter().filter_map(|name| directory.get(name)).cloned().collect()
}

pub(super) fn has(agent: &Agent, text: &str) -> bool {
    let text = text.to_lowercase();
    let has = |name: &str| name.to_lowercase().contains(&text);
    has(agent.name.as_str()) || has(agent.session()) || agent.profile.alias.as_deref().is_some_and(has)
}
