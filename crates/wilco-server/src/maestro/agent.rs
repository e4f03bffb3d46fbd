//! An agent in the shape of AI Maestro.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};
use wilco_engine::status;
use wilco_protocol::directory::{Agent, Directory, Interface, Role};
use wilco_protocol::{Name, Span, Time};

use crate::agent_now::AgentNow;
use crate::app::App;
use crate::auth::Caller;

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

pub(super) fn is_online(now: &AgentNow, at: Time) -> bool {
    matches!(status(now.agent.mark, now.last_seen, now.has_left, at), "active" | "idle")
}

/// An agent on the wire, with its texts where they are: lists show every agent.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AgentJson<'a> {
    id: &'a str,
    name: &'a Name,
    alias: Option<&'a str>,
    host: Option<&'a str>,
    program: Option<&'a str>,
    role: Role,
    capabilities: &'a [String],
    nudge: Option<&'a Value>,
    github: Option<&'a str>,
    labels: &'a BTreeMap<String, String>,
    speaks: Option<Interface>,
    digest: Option<Span>,
    status: &'static str,
    #[serde(rename = "last_seen")]
    last_seen: Option<String>,
    display_name: &'a str,
    host_id: &'a str,
    host_name: &'a str,
    host_url: &'a str,
    is_self: bool,
    working_directory: Option<&'a str>,
    task_description: Option<&'a str>,
    created_at: String,
    last_active: Option<String>,
    sessions: [SessionRow; 1],
    /// `session` is an object there, and the name of the session here.
    session_name: &'a str,
    session: SessionJson<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionRow {
    index: u32,
    status: &'static str,
    last_active: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SessionJson<'a> {
    id: &'a str,
    name: &'a str,
    tmux_session_name: &'a str,
    agent_id: &'a str,
    agent_name: &'a Name,
    status: &'static str,
    host_id: &'a str,
    host_url: &'a str,
    working_directory: Option<&'a str>,
    created_at: String,
    last_activity: Option<String>,
}

pub(super) fn shape<'a>(app: &'a App, now: &'a AgentNow, at: Time) -> AgentJson<'a> {
    let (agent, profile, session) = (&now.agent, &now.agent.profile, session(app, now, at));
    let last_seen = session.last_activity.clone();
    AgentJson {
        id: &agent.id,
        name: &agent.name,
        alias: profile.alias.as_deref(),
        host: profile.host.as_deref(),
        program: profile.program.as_deref(),
        role: profile.role,
        capabilities: &profile.capabilities,
        nudge: profile.nudge.as_ref(),
        github: profile.github.as_deref(),
        labels: &profile.labels,
        speaks: profile.speaks,
        digest: profile.digest_period(),
        status: status(agent.mark, now.last_seen, now.has_left, at),
        last_seen: last_seen.clone(),
        display_name: display_name(agent),
        host_id: host(agent),
        host_name: host(agent),
        host_url: &app.config.url,
        is_self: host(agent) == HERE,
        working_directory: session.working_directory,
        task_description: profile.labels.get("taskDescription").map(String::as_str),
        created_at: session.created_at.clone(),
        last_active: last_seen.clone(),
        sessions: [SessionRow { index: 0, status: session.status, last_active: last_seen }],
        session_name: agent.session(),
        session,
    }
}

pub(super) fn session<'a>(app: &'a App, now: &'a AgentNow, at: Time) -> SessionJson<'a> {
    let agent = &now.agent;
    SessionJson {
        id: agent.session(),
        name: agent.session(),
        tmux_session_name: agent.session(),
        agent_id: &agent.id,
        agent_name: &agent.name,
        status: if is_online(now, at) { "online" } else { "offline" },
        host_id: host(agent),
        host_url: &app.config.url,
        working_directory: agent.profile.labels.get("workingDirectory").map(String::as_str),
        created_at: agent.registered.to_string(),
        last_activity: now.last_seen.map(|seen| seen.to_string()),
    }
}

/// Agents whose name, alias or session has the text in it, as far as the caller may know them; when none has, those with
/// the nearest names.
pub(super) fn like(directory: &Directory, caller: &Caller, text: &str) -> Vec<Agent> {
    let found = with(directory, caller, text);
    if !found.is_empty() {
        return found;
    }
    directory
        .nearest(text)
        .iter()
        .filter_map(|name| directory.get(name))
        .map(|one| caller.shown(one))
        .collect()
}

/// Agents whose name, alias or session has the text in it.
pub(super) fn with(directory: &Directory, caller: &Caller, text: &str) -> Vec<Agent> {
    let text = text.to_lowercase();
    let found = directory.unordered().filter(|agent| {
        let session = agent.profile.session.as_deref().filter(|_| !caller.hides(&agent.name));
        let others = [agent.profile.alias.as_deref(), session];
        has(agent.name.as_str(), &text) || others.into_iter().flatten().any(|own| has(own, &text))
    });
    let mut found: Vec<_> = found.map(|agent| caller.shown(agent)).collect();
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

/// Agents that work in the session, as far as the caller may know them. Without one of its own an agent's is its name.
pub(super) fn in_session(directory: &Directory, caller: &Caller, session: &str) -> Vec<Agent> {
    let going_by: BTreeSet<_> = directory.going_by(session).collect();
    let found = going_by.into_iter().filter_map(|name| directory.get(name)).map(|agent| caller.shown(agent));
    found.filter(|agent| agent.session().eq_ignore_ascii_case(session)).collect()
}

/// Whether an agent's name, alias or session has the text in it.
pub(super) fn goes_by(agent: &Agent, text: &str) -> bool {
    let text = text.to_lowercase();
    let own = [Some(agent.name.as_str()), agent.profile.alias.as_deref(), agent.profile.session.as_deref()];
    own.into_iter().flatten().any(|own| has(own, &text))
}

/// Whether a text, letter case aside, has this one in small letters in it.
fn has(own: &str, text: &str) -> bool {
    if !own.is_ascii() {
        return own.to_lowercase().contains(text);
    }
    let (own, Some((first, rest))) = (own.as_bytes(), text.as_bytes().split_first()) else { return true };
    // Most places are passed over by their first letter: everybody is looked at.
    let begins = |place: &usize| own[*place].to_ascii_lowercase() == *first;
    let fits = |place: usize| {
        own.get(place + 1..place + text.len()).is_some_and(|own| own.eq_ignore_ascii_case(rest))
    };
    (0..own.len()).filter(begins).any(fits)
}
