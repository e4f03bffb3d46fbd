//! Who sends a message, and to whom.

use serde_json::{Map, json};
use wilco_language::message::MessageType;
use wilco_language::near_name;
use wilco_language::parse::{Handoff, Incoming, Typed};
use wilco_language::render::{Rendered, unresolved};
use wilco_protocol::directory::{self, Unresolved};
use wilco_protocol::name::{RESERVED, is_reserved};
use wilco_protocol::{Name, Protocol};

use super::arrival::Arrival;
use crate::agents::{check_name, register};
use crate::command::{Post, Refused, Viewer};
use crate::execute::{change_directory_fully, send_from_wilco};
use crate::settings::AutoRegister;
use crate::workspace::Workspace;

/// The sender: the token's agent, what `from` says, whoever the caller claims to be, or the default.
pub(crate) fn sender(workspace: &Workspace<'_>, post: &Post) -> Result<Name, Refused> {
    let given = post.incoming.from.as_deref().map(|from| from.strip_prefix('@').unwrap_or(from));
    if let Viewer::Agent(agent) = &post.viewer {
        return proven(workspace, agent, given);
    }
    let text = match (given, &post.claimed) {
        (Some(from), _) => from,
        (None, Some(claimed)) => claimed.as_str(),
        (None, None) => workspace.settings().default_sender.as_str(),
    };
    if is_reserved(&text.to_ascii_lowercase()) {
        let detail = format!("only Wilco sends as {text:?}; use your own name");
        return Err(Refused::Forbidden { detail });
    }
    match agent_named(workspace, text)? {
        Some(name) => Ok(name),
        None => check_name(text).map_err(|detail| Refused::invalid("/from", detail)),
    }
}

/// The token's agent as the directory spells it, which `from` may name too.
fn proven(workspace: &Workspace<'_>, agent: &Name, from: Option<&str>) -> Result<Name, Refused> {
    let agent = match workspace.directory().canonical_name(agent.as_str()) {
        Some(known) => known.clone(),
        None => check_name(agent.as_str()).map_err(|detail| Refused::Forbidden { detail })?,
    };
    let Some(from) = from.filter(|from| !from.eq_ignore_ascii_case(agent.as_str())) else {
        return Ok(agent);
    };
    match agent_named(workspace, from)? {
        Some(named) if named == agent => Ok(agent),
        Some(_) | None => {
            let detail = format!("this token is {agent}'s; it cannot send as {from:?}");
            Err(Refused::Forbidden { detail })
        }
    }
}

/// Who is named exactly; nobody when it could be several.
pub(crate) fn agent_named(workspace: &Workspace<'_>, text: &str) -> Result<Option<Name>, Refused> {
    match workspace.directory().exact(text) {
        Ok(found) => Ok(found.map(|agent| agent.name.clone())),
        Err(why) => Err(Refused::Conflict { detail: unresolved(text, &why), exchange: None }),
    }
}

/// Who is known by nearly the name of a sender that is not. A token shows who its holder is.
pub(crate) fn near_sender(workspace: &Workspace<'_>, post: &Post, from: &Name) -> Option<Name> {
    let proven = matches!(post.viewer, Viewer::Agent(_));
    let own = *from == workspace.settings().default_sender;
    if proven || own || workspace.directory().get(from).is_some() {
        return None;
    }
    let known = workspace.directory().iter().map(|agent| agent.name.as_str());
    near_name(from.as_str(), known).map(Name::new)
}

/// Both hear that they may be one: whoever mistyped its name, and whoever was meant.
pub(crate) fn tell_of_near_name(workspace: &mut Workspace<'_>, arrival: &Arrival<'_>) -> Result<(), Refused> {
    let Some(near) = &arrival.near else { return Ok(()) };
    let (from, id) = (&arrival.from, &arrival.id);
    let texts = [
        (
            from,
            format!(
                "You sent {id} as {from}, and nobody was known by that name. Did you mean {near}? Then send it again as \
                 {near}; answers to {id} go to {from}."
            ),
        ),
        (
            near,
            format!(
                "{from} sent {id}, and nobody was known by that name. If that was you, {near}, read the inbox of {from} \
                 and use your own name."
            ),
        ),
    ];
    for (to, text) in texts {
        let content = Map::from_iter([
            ("type".to_owned(), json!(MessageType::ProtocolNotice)),
            ("message".to_owned(), json!(text)),
            ("reason".to_owned(), json!("near-name")),
            ("about".to_owned(), json!(id)),
            ("names".to_owned(), json!([from, near])),
        ]);
        let subject = format!("{from} or {near}?");
        send_from_wilco(workspace, None, to, Rendered { subject, priority: "normal", content }, &[])?;
    }
    Ok(())
}

/// Those who could be asked instead, for a refusal.
pub(crate) fn who_is_there(workspace: &Workspace<'_>, but: &str) -> String {
    const SHOWN: usize = 10;
    let there =
        workspace.directory().iter().filter(|agent| agent.mark.is_none() && agent.name.as_str() != but);
    let names: Vec<_> = there.map(|agent| agent.name.as_str()).collect();
    match names.as_slice() {
        [] => "nobody else is registered".to_owned(),
        few if few.len() <= SHOWN => format!("there are {}", few.join(", ")),
        many => format!("there are {} and {} more", many[..SHOWN].join(", "), many.len() - SHOWN),
    }
}

/// Sending registers an agent, and shows that it lives.
pub(crate) fn sign_of_life(workspace: &mut Workspace<'_>, from: &Name) -> Result<(), Refused> {
    if workspace.directory().get(from).is_none() {
        if workspace.settings().auto_register == AutoRegister::None
            && *from != workspace.settings().default_sender
        {
            let detail = format!("there is no agent {:?}; register it first", from.as_str());
            return Err(Refused::NotFound { detail });
        }
        register(workspace, from)?;
    }
    workspace.saw(from);
    change_directory_fully(workspace, directory::Input::SignOfLife { agent: from.clone() }, from)
}

/// The recipients, each once. One that is unknown, and nothing is sent.
pub(crate) fn recipients(
    workspace: &mut Workspace<'_>,
    incoming: &Incoming,
    from: &Name,
) -> Result<Vec<Name>, Refused> {
    let starts = incoming.typed.starts();
    // Whom a request to replace somebody is about stands in its content.
    let request = matches!(incoming.typed, Typed::Handoff(Handoff::Replace(_)));
    if starts && incoming.typed.protocol() == Some(Protocol::Delegation) && incoming.to.len() != 1 {
        return Err(Refused::invalid("/to", "expected exactly one agent: a task has one assignee"));
    }
    let validates = starts && incoming.typed.protocol() == Some(Protocol::Validation);
    if validates && !matches!(incoming.to.as_slice(), [to] if own_name(to).is_some()) {
        let detail = "expected validation-orchestrator, which carries the loop";
        return Err(Refused::invalid("/to", detail));
    }
    let hands_over = matches!(incoming.typed, Typed::Handoff(Handoff::HandOver(_)));
    if (hands_over && incoming.to.len() != 1) || (request && incoming.to.len() > 1) {
        return Err(Refused::invalid("/to", "expected one agent: work is handed over to one replacement"));
    }
    // Nobody is registered by being one of several: a wrong name among them is a mistake.
    let known_only = starts || incoming.to.len() > 1;
    let mut names = Vec::new();
    for text in &incoming.to {
        let name = match own_name(text).filter(|_| !starts || validates || request) {
            Some(own) => own,
            None => recipient(workspace, text, from, known_only)?,
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    Ok(names)
}

/// An agent that takes part in what begins: it must have been seen.
pub(crate) fn known(workspace: &mut Workspace<'_>, text: &str, from: &Name) -> Result<Name, Refused> {
    recipient(workspace, text, from, true)
}

fn recipient(
    workspace: &mut Workspace<'_>,
    text: &str,
    from: &Name,
    known_only: bool,
) -> Result<Name, Refused> {
    let bare = text.strip_prefix('@').unwrap_or(text);
    let registers = match workspace.settings().auto_register {
        AutoRegister::None => false,
        AutoRegister::Conversations => !known_only,
        AutoRegister::All => true,
    };
    let found = match registers {
        true => workspace.directory().find(text),
        false => workspace.directory().resolve(text),
    };
    let why = match found {
        Ok(agent) => return Ok(agent.name.clone()),
        Err(why) => why,
    };
    let detail = unresolved(text, &why);
    match why {
        Unresolved::Ambiguous { .. } => Err(Refused::Conflict { detail, exchange: None }),
        Unresolved::UnknownHost { .. } => Err(Refused::NotFound { detail }),
        Unresolved::Unknown { .. } if !registers => Err(Refused::NotFound { detail }),
        Unresolved::Unknown { .. } => {
            let name = check_name(bare).map_err(|detail| Refused::invalid("/to", detail))?;
            // The sender itself is registered as it spells itself.
            if name.as_str().eq_ignore_ascii_case(from.as_str()) {
                return Ok(from.clone());
            }
            register(workspace, &name)?;
            Ok(name)
        }
    }
}

/// Wilco's own name, if that is meant.
fn own_name(text: &str) -> Option<Name> {
    let bare = text.strip_prefix('@').unwrap_or(text);
    RESERVED.into_iter().find(|own| own.eq_ignore_ascii_case(bare)).map(Name::new)
}
