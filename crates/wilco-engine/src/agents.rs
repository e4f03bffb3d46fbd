//! Agents: registering, removing, signs of life, and what they do with their inboxes.

use serde_json::Value;
use wilco_protocol::directory::{self, Agent, Mark, Profile};
use wilco_protocol::journal::{Fact, MessageEvent};
use wilco_protocol::name::{ORCHESTRATOR, WILCO};
use wilco_protocol::{MessageId, Name};
use wilco_store::{InboxStatus, Reach};

use crate::accept::parties::agent_named;
use crate::command::{AgentChanged, MarkAs, PatchAgent, PutAgent, Refused, Viewer};
use crate::execute::change_directory_fully;
use crate::facts::IDLE_FOR;
use crate::how::How;
use crate::nudge::tell_again;
use crate::settings::AutoRegister;
use crate::workspace::Workspace;

const MAX_NAME: usize = 128;
/// The host of agents that named none, as it is shown to scripts.
const HERE: &str = "localhost";
const MAX_AGENTS: usize = 100_000;

/// The name for a new agent, or what is wrong with it. Names of before that have another form go on working.
pub fn check_name(name: &str) -> Result<Name, String> {
    check_form(name)?;
    match Name::new(name.to_ascii_lowercase()).is_reserved() {
        true => Err(format!("the name {name:?} is Wilco's own; choose another")),
        false => Ok(Name::new(name)),
    }
}

/// `[A-Za-z0-9][A-Za-z0-9._-]{0,127}`.
pub(crate) fn check_form(name: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let begins = name.starts_with(|c: char| c.is_ascii_alphanumeric());
    match begins && name.len() <= MAX_NAME && name.chars().all(fits) {
        true => Ok(()),
        false => Err(format!(
            "expected 1 to {MAX_NAME} letters, digits, dots, dashes and underscores, a letter or digit first"
        )),
    }
}

/// Nobody is called by one of these besides its name.
const NOBODYS: [&str; 5] = [WILCO, ORCHESTRATOR, "operator", "human", "root"];

/// What somebody goes by besides its name is nobody else's. What it goes by already stays.
pub(crate) fn check_other_names(
    workspace: &Workspace<'_>,
    name: &Name,
    profile: &Profile,
    before: Option<&Profile>,
) -> Result<(), Refused> {
    let changed = [
        ("alias", &profile.alias, before.and_then(|before| before.alias.as_ref())),
        ("session", &profile.session, before.and_then(|before| before.session.as_ref())),
    ];
    for (field, given, before) in changed {
        let Some(given) = given.as_deref().filter(|given| Some(*given) != before.map(String::as_str)) else {
            continue;
        };
        if field == "alias" {
            check_form(given).map_err(|detail| Refused::invalid("/alias", detail))?;
        }
        if given.eq_ignore_ascii_case(name.as_str()) {
            continue;
        }
        let conflict = |why: String| Refused::Conflict {
            detail: format!("{given:?} cannot be the {field} of {name}: {why}; choose another"),
            exchange: None,
        };
        let reserved = NOBODYS.iter().any(|own| own.eq_ignore_ascii_case(given));
        if reserved || Name::new(given.to_ascii_lowercase()).is_reserved() {
            return Err(conflict("it is reserved".to_owned()));
        }
        if workspace.settings().names().any(|own| own.as_str().eq_ignore_ascii_case(given)) {
            return Err(conflict("the configuration gives this name a role".to_owned()));
        }
        if let Some(other) = workspace.directory().going_by(given).find(|other| *other != name) {
            return Err(conflict(format!("{other} goes by it")));
        }
    }
    Ok(())
}

pub(crate) fn put_agent(workspace: &mut Workspace<'_>, put: PutAgent) -> Result<AgentChanged, Refused> {
    let viewer = put.viewer.clone();
    // Letter case does not tell agents apart.
    let name = match workspace.directory().canonical_name(&put.name) {
        Some(known) => known.clone(),
        None => check_name(&put.name).map_err(|detail| Refused::invalid("/name", detail))?,
    };
    may_manage(&name, &put.viewer)?;
    let known = workspace.directory().get(&name).cloned();
    let (profile, mark) = match &put.viewer {
        Viewer::Local | Viewer::Operator => {
            (Profile { role: put.role.unwrap_or(put.profile.role), ..put.profile }, put.mark)
        }
        Viewer::Agent(_) | Viewer::ReadOnly => (set_by_itself(&name, known.as_ref(), put)?, None),
    };
    let before = known.as_ref().map(|known| &known.profile);
    check_other_names(workspace, &name, &profile, before)?;
    if before.is_none_or(|before| before.nudge != profile.nudge) {
        check_nudge(workspace, &profile, name.as_str())?;
    }
    let created = known.is_none();
    room_for(workspace, created)?;
    let input = directory::Input::Put {
        id: agent_id(workspace),
        name: name.clone(),
        profile: Box::new(profile),
        mark,
    };
    let by = by(&viewer, &workspace.settings().default_sender);
    change_directory_fully(workspace, input, &by)?;
    changed(workspace, &name, created)
}

/// The profile after an agent set its own part of it: alias, program, capabilities, labels, what it
/// speaks and its digest. The rest stays as it was, and sending it back as it is is no change.
fn set_by_itself(name: &Name, known: Option<&Agent>, put: PutAgent) -> Result<Profile, Refused> {
    let before = known.map(|known| known.profile.clone()).unwrap_or_default();
    let given = &put.profile;
    let differs =
        |given: Option<&str>, before: Option<&str>| given.is_some_and(|given| Some(given) != before);
    let session = before.session.as_deref().unwrap_or(name.as_str());
    let host = before.host.as_deref().unwrap_or(HERE);
    for (field, differs) in [
        ("role", put.role.is_some_and(|role| role != before.role)),
        ("session", differs(given.session.as_deref(), Some(session))),
        ("host", differs(given.host.as_deref(), Some(host))),
        ("nudge", given.nudge.as_ref().is_some_and(|nudge| before.nudge.as_ref() != Some(nudge))),
        ("github", differs(given.github.as_deref(), before.github.as_deref())),
        ("status", put.mark.is_some_and(|mark| mark != known.and_then(|known| known.mark))),
    ] {
        if differs {
            return Err(operators_to_set(name, field));
        }
    }
    let Profile { alias, program, capabilities, labels, speaks, digest, .. } = put.profile;
    Ok(Profile { alias, program, capabilities, labels, speaks, digest, ..before })
}

fn operators_to_set(name: &Name, field: &str) -> Refused {
    let detail = format!(
        "only an operator may set the {field} of {name}; with its own token it sets its alias, program, capabilities, labels, speaks and digest"
    );
    Refused::Forbidden { detail }
}

/// Changes some fields of an agent that is there.
pub(crate) fn patch_agent(workspace: &mut Workspace<'_>, patch: PatchAgent) -> Result<AgentChanged, Refused> {
    let missing = || Refused::NotFound { detail: format!("there is no agent {:?}", patch.agent) };
    let known = workspace.directory().exactly(&patch.agent).ok_or_else(missing)?.clone();
    may_manage(&known.name, &patch.viewer)?;
    let wrong = |error: serde_json::Error| Refused::invalid("", error.to_string());
    let mut profile = serde_json::to_value(&known.profile).map_err(wrong)?;
    merge(&mut profile, Value::Object(patch.fields));
    let profile: Box<Profile> = Box::new(serde_json::from_value(profile).map_err(wrong)?);
    let name = known.name.clone();
    if let Viewer::Agent(_) = &patch.viewer {
        patched_by_itself(&known, &profile, patch.mark)?;
    }
    check_other_names(workspace, &name, &profile, Some(&known.profile))?;
    if profile.nudge != known.profile.nudge {
        check_nudge(workspace, &profile, name.as_str())?;
    }
    let input = directory::Input::Put { id: known.id, name: name.clone(), profile, mark: patch.mark };
    let by = by(&patch.viewer, &workspace.settings().default_sender);
    change_directory_fully(workspace, input, &by)?;
    changed(workspace, &name, false)
}

/// Refuses what an agent does not set itself.
fn patched_by_itself(known: &Agent, profile: &Profile, mark: Option<Option<Mark>>) -> Result<(), Refused> {
    let before = &known.profile;
    let session = profile.session.as_deref().unwrap_or(known.name.as_str());
    let host = |profile: &Profile| profile.host.clone().unwrap_or_else(|| HERE.to_owned());
    for (field, differs) in [
        ("role", profile.role != before.role),
        ("session", session != known.session()),
        ("host", host(profile) != host(before)),
        ("nudge", profile.nudge != before.nudge),
        ("github", profile.github != before.github),
        ("status", mark.is_some_and(|mark| mark != known.mark)),
    ] {
        if differs {
            return Err(operators_to_set(&known.name, field));
        }
    }
    Ok(())
}

/// What an agent asks for must be there.
pub(crate) fn check_nudge(workspace: &Workspace<'_>, profile: &Profile, name: &str) -> Result<(), Refused> {
    let Some(nudge) = &profile.nudge else { return Ok(()) };
    let session = profile.session.as_deref().unwrap_or(name);
    let how = How::read(nudge, session).map_err(|error| Refused::Invalid { errors: vec![error] })?;
    match how {
        How::Command { name } if !workspace.settings().nudge.commands.contains(&name) => {
            let known: Vec<_> = workspace.settings().nudge.commands.iter().map(String::as_str).collect();
            let detail = match known.is_empty() {
                true => "no commands are configured; add one to nudge.commands".to_owned(),
                false => {
                    format!("there is no command {name:?} in nudge.commands; there are {}", known.join(", "))
                }
            };
            Err(Refused::invalid("/nudge/command", detail))
        }
        How::Webhook { .. } if !workspace.settings().nudge.webhooks => {
            let detail = "webhooks are not configured; set nudge.webhook_hosts and nudge.secret";
            Err(Refused::invalid("/nudge/kind", detail))
        }
        How::Tmux { .. } | How::Webhook { .. } | How::Command { .. } | How::Codex { .. } => Ok(()),
    }
}

pub(crate) fn changed(
    workspace: &Workspace<'_>,
    name: &Name,
    created: bool,
) -> Result<AgentChanged, Refused> {
    let (last_seen, has_left) = (workspace.last_seen(name), workspace.has_left(name));
    match workspace.directory().get(name) {
        Some(agent) => Ok(AgentChanged { agent: agent.clone(), last_seen, has_left, created }),
        None => Err(Refused::NotFound { detail: format!("there is no agent {:?}", name.as_str()) }),
    }
}

pub(crate) fn remove_agent(
    workspace: &mut Workspace<'_>,
    name: &Name,
    viewer: &Viewer,
) -> Result<(), Refused> {
    let known = workspace.directory().canonical_name(name.as_str()).cloned();
    may_manage(known.as_ref().unwrap_or(name), viewer)?;
    let Some(name) = known else {
        return Err(Refused::NotFound { detail: format!("there is no agent {:?}", name.as_str()) });
    };
    if let (Viewer::Agent(_), Some(known)) = (viewer, workspace.directory().get(&name))
        && let Some(field) = set_for_it(known)
    {
        return Err(operators_to_set(&name, field));
    }
    let by = by(viewer, &workspace.settings().default_sender);
    change_directory_fully(workspace, directory::Input::Remove { name: name.clone() }, &by)
}

/// What an operator set of an agent: it would be gone if the agent removed itself and came back.
fn set_for_it(agent: &Agent) -> Option<&'static str> {
    let Agent { profile, mark, .. } = agent;
    let set = [
        ("status", mark.is_some()),
        ("role", profile.role != Default::default()),
        ("session", profile.session.is_some()),
        ("host", profile.host.is_some()),
        ("nudge", profile.nudge.is_some()),
        ("github", profile.github.is_some()),
    ];
    set.into_iter().find(|(_, set)| *set).map(|(field, _)| field)
}

/// An agent's token manages that agent only.
pub(crate) fn may_manage(name: &Name, viewer: &Viewer) -> Result<(), Refused> {
    match viewer {
        Viewer::Local | Viewer::Operator => Ok(()),
        Viewer::Agent(agent) if agent.as_str().eq_ignore_ascii_case(name.as_str()) => Ok(()),
        Viewer::Agent(agent) => {
            let detail = format!(
                "only {name} itself or an operator may change or remove {name}; this token is {agent}'s"
            );
            Err(Refused::Forbidden { detail })
        }
        Viewer::ReadOnly => {
            let detail = format!("this token may only read; {name} itself or an operator may change {name}");
            Err(Refused::Forbidden { detail })
        }
    }
}

pub(crate) fn room_for(workspace: &Workspace<'_>, created: bool) -> Result<(), Refused> {
    if created && workspace.directory().len() >= MAX_AGENTS {
        let detail = format!("there are {MAX_AGENTS} agents already; remove some first");
        return Err(Refused::TooMany { detail });
    }
    Ok(())
}

pub(crate) fn agent_id(workspace: &Workspace<'_>) -> String {
    format!("agent-{}", workspace.next_position())
}

/// Registers an agent by its name alone.
pub(crate) fn register(workspace: &mut Workspace<'_>, name: &Name) -> Result<(), Refused> {
    room_for(workspace, true)?;
    let id = agent_id(workspace);
    let input = directory::Input::Put { id, name: name.clone(), profile: Box::default(), mark: None };
    change_directory_fully(workspace, input, name)
}

/// A sign of life.
pub(crate) fn seen(workspace: &mut Workspace<'_>, agent: &Name) -> Result<(), Refused> {
    let Some(agent) = workspace.directory().canonical_name(agent.as_str()).cloned() else {
        return Err(Refused::NotFound { detail: format!("there is no agent {:?}", agent.as_str()) });
    };
    let was_away = was_away(workspace, &agent);
    workspace.saw(&agent);
    change_directory_fully(workspace, directory::Input::SignOfLife { agent: agent.clone() }, &agent)?;
    if was_away {
        tell_again(workspace, &agent)?;
    }
    Ok(())
}

/// Whether nothing was heard of it for long, or it is marked.
fn was_away(workspace: &Workspace<'_>, agent: &Name) -> bool {
    let seen = workspace.last_seen(agent);
    let marked = workspace.directory().get(agent).is_some_and(|agent| agent.mark.is_some());
    marked || seen.is_none_or(|seen| workspace.now().since(seen) >= IDLE_FOR)
}

/// A call on behalf of an agent. Only one that is proven brings an unresponsive agent back; one of
/// an agent that nobody knows says nothing.
pub(crate) fn called(workspace: &mut Workspace<'_>, agent: &Name, proven: bool) -> Result<(), Refused> {
    let Some(known) = workspace.directory().exactly(agent.as_str()) else { return Ok(()) };
    let name = known.name.clone();
    if proven {
        return seen(workspace, &name);
    }
    workspace.saw(&name);
    Ok(())
}

pub(crate) fn waits(workspace: &mut Workspace<'_>, agent: &str) -> Result<(), Refused> {
    let name = match (agent_named(workspace, agent)?, workspace.settings().auto_register) {
        (Some(name), _) => name,
        (None, AutoRegister::None) => {
            let detail = format!("there is no agent {agent:?}; register it first");
            return Err(Refused::NotFound { detail });
        }
        (None, AutoRegister::Conversations | AutoRegister::All) => {
            let name = check_name(agent).map_err(|detail| Refused::invalid("/agent", detail))?;
            register(workspace, &name)?;
            name
        }
    };
    workspace.saw(&name);
    Ok(())
}

pub(crate) fn mark_message(
    workspace: &mut Workspace<'_>,
    agent: &Name,
    id: &MessageId,
    mark: MarkAs,
) -> Result<(), Refused> {
    let missing =
        || Refused::NotFound { detail: format!("there is no message {:?} in this inbox", id.as_str()) };
    let (position, message) = workspace.message_named(id)?.ok_or_else(missing)?;
    let status = mark.status();
    let before = match workspace.status(agent, position)? {
        None | Some(InboxStatus::Deleted) => return Err(missing()),
        Some(before) if before >= status => return Ok(()),
        Some(before) => before,
    };
    workspace.mark(agent, position, before, status);
    let (id, of, unread) = (message.id.clone(), agent.clone(), before == InboxStatus::Unread);
    if unread && mark != MarkAs::Read {
        workspace.reach(agent.clone(), position, Reach::PutAwayUnread);
    }
    let event = match mark {
        MarkAs::Read => MessageEvent::MessageRead { id, agent: of },
        MarkAs::Archived => MessageEvent::MessageArchived { id, agent: of, unread },
        MarkAs::Deleted => MessageEvent::MessageDeleted { id, agent: of, unread },
    };
    workspace.record(None, agent.clone(), Fact::Message(event));
    Ok(())
}

/// Lays one JSON value over another; null takes a field away.
fn merge(under: &mut Value, over: Value) {
    match (under, over) {
        (Value::Object(under), Value::Object(over)) => {
            for (key, value) in over {
                match value {
                    Value::Null => drop(under.remove(&key)),
                    value => merge(under.entry(key).or_insert(Value::Null), value),
                }
            }
        }
        (under, over) => *under = over,
    }
}

/// Who is said to have done it.
pub(crate) fn by(viewer: &Viewer, default: &Name) -> Name {
    match viewer {
        Viewer::Agent(agent) => agent.clone(),
        Viewer::Local | Viewer::Operator | Viewer::ReadOnly => default.clone(),
    }
}
