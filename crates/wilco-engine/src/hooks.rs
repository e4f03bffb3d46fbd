//! What the hooks of an agent's client say: who works where, whether its turn is over, and that a session ends.

use serde_json::{Value, json};
use wilco_protocol::Name;
use wilco_protocol::directory::{self, Profile};

use crate::agents::{
    agent_id, by, changed, check_form, check_name, check_nudge, check_other_names, may_manage, room_for, seen,
};
use crate::command::{AgentChanged, Refused, Viewer};
use crate::execute::change_directory_fully;
use crate::nudge::wake_now;
use crate::workspace::Workspace;

/// Under which label the client's own id of a session stands.
pub(crate) const SESSION_LABEL: &str = "client_session";
/// Marks a nudge that a hook set: another hook may set another.
const SET_BY: &str = "set_by";
const HOOK: &str = "hook";
/// No client has longer ids than this.
const MAX_ID: usize = 256;

/// One hook of one session.
#[derive(Debug, Clone, PartialEq)]
pub struct HookReport {
    pub agent: String,
    /// The client, by its word: `codex`.
    pub client: String,
    /// The client's own id of the session.
    pub session: String,
    pub moment: HookMoment,
    pub host: Option<String>,
    /// The tmux session that it runs in.
    pub tmux_session: Option<String>,
    /// What can wake the agent when it rests.
    pub wake: Option<Value>,
    pub viewer: Viewer,
}

/// What a hook says of its session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookMoment {
    Works,
    /// Its turn is over.
    Rests,
    Ends,
}

pub(crate) fn hooked(workspace: &mut Workspace<'_>, report: HookReport) -> Result<AgentChanged, Refused> {
    let id = report.session.as_str();
    if id.is_empty() || id.len() > MAX_ID || id.chars().any(char::is_control) {
        return Err(Refused::invalid(
            "/session",
            format!("expected the client's id of it, {MAX_ID} bytes at most"),
        ));
    }
    let name = match workspace.directory().canonical_name(&report.agent) {
        Some(known) => known.clone(),
        None => check_name(&report.agent).map_err(|detail| Refused::invalid("/name", detail))?,
    };
    may_manage(&name, &report.viewer)?;
    let created = workspace.directory().get(&name).is_none();
    let is_new = match report.moment {
        HookMoment::Works => workspace.hooked(&name, id, false),
        HookMoment::Rests => workspace.hooked(&name, id, true),
        HookMoment::Ends => false,
    };
    if created || is_new {
        room_for(workspace, created)?;
        register(workspace, &name, &report)?;
    }
    seen(workspace, &name)?;
    match report.moment {
        HookMoment::Works => {}
        HookMoment::Rests => wake_now(workspace, &name)?,
        HookMoment::Ends => workspace.session_ended(&name, id),
    }
    changed(workspace, &name, created)
}

/// Writes down who works where. What a person set stays.
fn register(workspace: &mut Workspace<'_>, name: &Name, report: &HookReport) -> Result<(), Refused> {
    let known = workspace.directory().get(name).cloned();
    let mut profile: Profile = known.as_ref().map(|known| known.profile.clone()).unwrap_or_default();
    profile.program = Some(report.client.clone());
    profile.labels.insert(SESSION_LABEL.to_owned(), report.session.clone());
    if profile.host.is_none() && is_operator(&report.viewer) {
        profile.host = report.host.clone();
    }
    if profile.nudge.as_ref().is_none_or(is_of_hook) {
        profile.nudge = wake(report);
        if let Some(session) = report.tmux_session.clone().filter(|_| is_operator(&report.viewer)) {
            let within = Profile { session: Some(session.clone()), ..profile.clone() };
            let before = known.as_ref().map(|known| &known.profile);
            // A session in which somebody else works is no name for this one.
            if check_form(&session).is_ok() && check_other_names(workspace, name, &within, before).is_ok() {
                profile = within;
            }
        }
        check_nudge(workspace, &profile, name.as_str())?;
    }
    let id = known.map_or_else(|| agent_id(workspace), |known| known.id);
    let input = directory::Input::Put { id, name: name.clone(), profile: Box::new(profile), mark: None };
    let by = by(&report.viewer, &workspace.settings().default_sender);
    change_directory_fully(workspace, input, &by)
}

fn is_of_hook(nudge: &Value) -> bool {
    nudge[SET_BY] == HOOK
}

/// With its own token an agent names no place where something is typed.
fn wake(report: &HookReport) -> Option<Value> {
    let wake = report.wake.clone().filter(Value::is_object)?;
    let may = is_operator(&report.viewer) || wake["kind"] == "codex";
    let mut wake = may.then_some(wake)?;
    wake[SET_BY] = json!(HOOK);
    Some(wake)
}

fn is_operator(viewer: &Viewer) -> bool {
    match viewer {
        Viewer::Local | Viewer::Operator => true,
        Viewer::Agent(_) | Viewer::ReadOnly => false,
    }
}
