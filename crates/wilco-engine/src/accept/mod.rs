//! The one door for messages: who sends it, to whom, what it belongs to, what follows.

pub(crate) mod again;
pub(crate) mod arrival;
mod by_subject;
pub(crate) mod by_task;
pub(crate) mod converse;
pub(crate) mod correlate;
pub(crate) mod examine;
pub(crate) mod hand_over;
mod named;
pub(crate) mod operate;
pub(crate) mod parties;
pub(crate) mod start;
pub(crate) mod validate;

use std::cell::OnceCell;

use wilco_language::parse::{Delegation, Handoff, Incoming, Operation, Typed, Validation};
use wilco_protocol::{Exchange, MessageId, Name};
use wilco_store::Reach;

use self::again::{answered_before, remember};
use self::arrival::Arrival;
use self::converse::{converse, converse_ambiguous};
use self::correlate::{Correlated, correlate};
use self::hand_over::{controller, hand_over, replace};
use self::operate::operate;
use self::parties::{near_sender, recipients, sender, sign_of_life, tell_of_near_name};
use self::start::{Taken, assign, say_to};
use self::validate::validate;
use crate::authority::{Right, TokenHolder};
use crate::command::{Accepted, Post, Refused, Summary, Viewer};
use crate::ids;
use crate::nudge::is_being_nudged;
use crate::workspace::Workspace;
pub(crate) use again::keys as answer_keys;

/// Accepts a message, or refuses it and changes nothing.
pub(crate) fn accept(workspace: &mut Workspace<'_>, mut post: Post) -> Result<Accepted, Refused> {
    if let Some(detail) = read_only(&post.viewer) {
        return Err(Refused::Forbidden { detail });
    }
    let mut answered = None;
    if let Some(parent) = &post.incoming.in_reply_to
        && let Some((position, message)) = workspace.message_named(parent)?
    {
        post.incoming.in_reply_to = Some(message.id.clone());
        answered = Some(position);
    }
    let from = sender(workspace, &post)?;
    if let Some(first) = answered_before(workspace, &from, &post)? {
        return Ok(first);
    }
    may_begin(workspace, &post, &from)?;
    let near = near_sender(workspace, &post, &from);
    sign_of_life(workspace, &from)?;
    workspace.spoke_by(&from, post.interface);
    let to = recipients(workspace, &post.incoming, &from)?;
    let id = message_id(workspace, &post.incoming)?;
    let arrival = Arrival {
        id,
        from: from.clone(),
        to,
        near,
        text: post.incoming.text(),
        task: OnceCell::new(),
        post: &post,
    };
    let (messages, exchange) = take_in(workspace, &arrival)?;
    tell_of_near_name(workspace, &arrival)?;
    if let Some(position) = answered {
        workspace.reach(from.clone(), position, Reach::Answered);
    }
    let nudged = messages.iter().any(|message| is_being_nudged(workspace, &message.to));
    let accepted = Accepted { messages, exchange: exchange.as_deref().map(summary), nudged, again: false };
    remember(workspace, &from, &post, &accepted)?;
    Ok(accepted)
}

/// What a message begins needs a right of its own. The controller may always ask; which tasks may be handed over is
/// looked at then.
fn may_begin(workspace: &Workspace<'_>, post: &Post, from: &Name) -> Result<(), Refused> {
    match post.incoming.message_type().and_then(Right::needed_for) {
        Some(Right::Handoff) if *from == controller(workspace) => Ok(()),
        Some(right) => workspace.settings().authority.check(&TokenHolder::of(post), right),
        None => Ok(()),
    }
}

fn take_in(workspace: &mut Workspace<'_>, arrival: &Arrival<'_>) -> Result<Taken, Refused> {
    match &arrival.incoming().typed {
        Typed::Delegation(Delegation::Assign(assignment)) => return assign(workspace, arrival, assignment),
        Typed::Operation(Operation::Announce(announcement)) => {
            return operate(workspace, arrival, announcement);
        }
        Typed::Handoff(Handoff::Replace(said)) => return replace(workspace, arrival, said),
        Typed::Handoff(Handoff::HandOver(said)) => return hand_over(workspace, arrival, said),
        Typed::Validation(Validation::Start(start)) => return validate(workspace, arrival, start),
        Typed::Delegation(_)
        | Typed::Operation(_)
        | Typed::Handoff(_)
        | Typed::Validation(_)
        | Typed::Decision(_)
        | Typed::Conversation
        | Typed::Talk => {}
    }
    match correlate(workspace, arrival)? {
        Correlated::To(targets) => say_to(workspace, arrival, targets),
        Correlated::Ambiguous(ids) => converse_ambiguous(workspace, arrival, &ids),
        Correlated::Nothing { may_classify } => converse(workspace, arrival, may_classify),
    }
}

fn message_id(workspace: &mut Workspace<'_>, incoming: &Incoming) -> Result<MessageId, Refused> {
    let Some(chosen) = &incoming.id else { return Ok(workspace.new_id()) };
    if ids::may_clash(chosen, workspace.now(), workspace.next_position()) {
        let detail = "ids of this form are made by the server; leave it out, or choose another";
        return Err(Refused::invalid("/id", detail));
    }
    if workspace.message(chosen)?.is_some() {
        let detail =
            format!("there is a message {:?} already, from somebody else or long ago", chosen.as_str());
        return Err(Refused::Conflict { detail, exchange: None });
    }
    Ok(chosen.clone())
}

fn read_only(viewer: &Viewer) -> Option<String> {
    match viewer {
        Viewer::ReadOnly => Some("this token may only read; use an agent's or an operator's".to_owned()),
        Viewer::Local | Viewer::Operator | Viewer::Agent(_) => None,
    }
}

/// The exchange as the answer to a message shows it.
pub(crate) fn summary(exchange: &Exchange) -> Summary {
    let task_id = match exchange {
        Exchange::Delegation(state) => Some(state.task_id.clone()),
        Exchange::Operation(_) | Exchange::Handoff(_) | Exchange::Validation(_) => None,
    };
    let id = exchange.id();
    Summary { id, protocol: id.protocol, state: exchange.state_name().to_owned(), task_id }
}

/// Whether a recipient means Wilco itself.
pub(crate) fn is_wilco(name: &Name) -> bool {
    name.is_wilco()
}
