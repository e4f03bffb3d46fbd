//! Messages that belong to no exchange.

use serde_json::{Map, json};
use wilco_language::message::MessageType;
use wilco_language::parse::{MAX_TASK_ID, Typed};
use wilco_language::read::ack::readable;
use wilco_language::read::classify::Task;
use wilco_language::render::Rendered;
use wilco_protocol::{ExchangeId, Meaning};
use wilco_store::Reading;

use super::arrival::{Arrival, Outgoing, Place, store_arrival};
use super::by_task::{open_under_heading, task_in};
use super::correlate::{Rule, Target};
use super::start::{Taken, Unbegun, enrol, same_again, say_to, title};
use crate::authority::{Right, TokenHolder};
use crate::command::Refused;
use crate::execute::send_from_wilco;
use crate::settings::AutoRegister;
use crate::workspace::Workspace;

/// A conversation, unless its text is a task.
pub(crate) fn converse(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    may_classify: bool,
) -> Result<Taken, Refused> {
    let authority = &workspace.settings().authority;
    let may_classify =
        may_classify && authority.check(&TokenHolder::of(arrival.post), Right::Delegation).is_ok();
    let task = if may_classify { task_in(workspace, arrival)? } else { None };
    if let Some(task) = task {
        return take_for_task(workspace, arrival, task);
    }
    let astray = match &arrival.incoming().typed {
        // Anybody may remind whomever they like.
        reminder if reminder.in_wilcos_place() => None,
        Typed::Delegation(_)
        | Typed::Operation(_)
        | Typed::Handoff(_)
        | Typed::Validation(_)
        | Typed::Decision(_) => Some((
            "no-exchange",
            "Your message belongs to no open exchange of yours, so it was kept as a conversation. \
             Name the task_id, the operation_id, the handoff_id or the exchange, or reply to the message that you answer."
                .to_owned(),
        )),
        Typed::Conversation | Typed::Talk => None,
    };
    talk(workspace, arrival, astray)
}

/// A text that is a task: it changes the open one of its heading, or begins a delegation, and is never
/// refused.
fn take_for_task(workspace: &mut Workspace<'_>, arrival: &Arrival<'_>, task: Task) -> Result<Taken, Refused> {
    if let Some(id) = task.task_id.as_deref().filter(|id| id.chars().count() > MAX_TASK_ID || !readable(id)) {
        let shown: String = id.chars().take(40).collect();
        let detail = format!("its task id, {shown}…, is no short word of at most {MAX_TASK_ID} characters");
        return not_enrolled(workspace, arrival, &detail);
    }
    if let Some(exchange) = same_again(workspace, arrival, task.task_id.as_deref(), &title(arrival, &task))? {
        return say_to(workspace, arrival, vec![Target { exchange, rule: Rule::SameAssignment }]);
    }
    if let Some(open) = open_under_heading(workspace, arrival, task.task_id.as_deref())? {
        return say_to(workspace, arrival, vec![Target { exchange: open, rule: Rule::TaskHeading }]);
    }
    if workspace.is_new(&arrival.to[0]) && workspace.settings().auto_register == AutoRegister::Conversations {
        let why = format!(
            "nothing begins with an agent that was never seen, and {to} is new; send it to {to} again to make it a task",
            to = arrival.to[0]
        );
        return not_enrolled(workspace, arrival, &why);
    }
    match enrol(workspace, arrival, task) {
        Ok(taken) => Ok(taken),
        Err(Unbegun::Refused(refused)) => Err(refused),
        Err(Unbegun::Refusal(refusal)) => {
            not_enrolled(workspace, arrival, &wilco_language::render::refusal(&refusal))
        }
    }
}

fn not_enrolled(workspace: &mut Workspace<'_>, arrival: &Arrival<'_>, why: &str) -> Result<Taken, Refused> {
    let text = format!("Your message looks like a task but was kept as a conversation: {why}");
    talk(workspace, arrival, Some(("not-enrolled", text)))
}

/// Several exchanges could be meant: none is guessed.
pub(crate) fn converse_ambiguous(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    ids: &[ExchangeId],
) -> Result<Taken, Refused> {
    let list: Vec<_> = ids.iter().map(ExchangeId::to_string).collect();
    let text = format!(
        "Your message could belong to {}. Nothing was changed. Send it again with \"exchange\" set to one of them.",
        list.join(", ")
    );
    let taken = talk(workspace, arrival, None)?;
    notify(workspace, arrival, "ambiguous", text, Some(json!(list)))?;
    Ok(taken)
}

fn talk(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    notice: Option<(&str, String)>,
) -> Result<Taken, Refused> {
    if arrival.to.is_empty() {
        return Err(Refused::invalid("/to", "is required: the name of an agent"));
    }
    workspace.settings().authority.check(&TokenHolder::of(arrival.post), Right::Conversation)?;
    let position = workspace.reserve();
    let (meaning, effect) = (Meaning::Conversation.into(), "none".into());
    let reading = Reading { exchange: None, rule: None, meaning, effect };
    let outgoing = Outgoing { reading: Some(reading), ..Outgoing::plain(&arrival.to) };
    let place = Place { position, exchange: None };
    let messages = store_arrival(workspace, arrival, place, outgoing)?;
    if let Some((reason, text)) = notice {
        notify(workspace, arrival, reason, text, None)?;
    }
    Ok((messages, None))
}

/// Tells the sender how its message was taken.
fn notify(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    reason: &str,
    text: String,
    exchanges: Option<serde_json::Value>,
) -> Result<(), Refused> {
    let mut content = Map::from_iter([
        ("type".to_owned(), json!(MessageType::ProtocolNotice)),
        ("message".to_owned(), json!(text)),
        ("reason".to_owned(), json!(reason)),
        ("about".to_owned(), json!(arrival.id)),
    ]);
    content.extend(exchanges.map(|list| ("exchanges".to_owned(), list)));
    let rendered = Rendered { subject: format!("About your message: {reason}"), priority: "normal", content };
    Ok(send_from_wilco(workspace, None, &arrival.from, rendered, &[])?)
}
