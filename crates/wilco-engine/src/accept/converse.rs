//! Messages that belong to no exchange.

use serde_json::{Map, json};
use wilco_language::interpret::Cited;
use wilco_language::message::MessageType;
use wilco_language::parse::{MAX_TASK_ID, Typed};
use wilco_language::read::ack::readable;
use wilco_language::read::classify::Task;
use wilco_language::read::courtesy::is_courtesy;
use wilco_language::render::{self, Rendered};
use wilco_protocol::{ExchangeId, Meaning};
use wilco_store::Reading;

use super::arrival::{Arrival, JournalPlace, Outgoing, store_arrival};
use super::by_task::{open_under_heading, task_in};
use super::correlate::{Rule, Target};
use super::start::{NOT_UNDERSTOOD, Taken, Unbegun, enrol, same_again, say_to, title};
use crate::authority::{Right, TokenHolder};
use crate::command::Refused;
use crate::execute::{Cause, decide, execute, send_from_wilco};
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
        | Typed::Decision(_) => Some(no_exchange(arrival)),
        Typed::Conversation | Typed::Talk => None,
    };
    let taken = talk(workspace, arrival, "none")?;
    if let Some(text) = astray {
        notify(workspace, arrival, "no-exchange", text)?;
    }
    Ok(taken)
}

fn no_exchange(arrival: &Arrival<'_>) -> String {
    let named = arrival.incoming().content.get("task_id").and_then(|id| id.as_str());
    let shown: String = named.unwrap_or_default().chars().take(40).collect();
    let lead = match shown.trim() {
        "" => "Your message belongs to no open exchange of yours".to_owned(),
        id => format!("No open exchange of yours is about {id}"),
    };
    format!(
        "{lead}, so your message was kept as a conversation and changed nothing. \
         Name the task_id, the operation_id, the handoff_id or the exchange, or reply to the message that you answer."
    )
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
    let taken = talk(workspace, arrival, "none")?;
    notify(workspace, arrival, "not-enrolled", text)?;
    Ok(taken)
}

/// Several exchanges could be meant: none is guessed. Whoever is awaited in them was not silent, and hears once in each
/// state how to say which.
pub(crate) fn converse_ambiguous(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    ids: &[ExchangeId],
) -> Result<Taken, Refused> {
    let words = matches!(arrival.incoming().typed, Typed::Conversation | Typed::Talk);
    if words && is_courtesy(arrival.text) {
        return talk(workspace, arrival, "none");
    }
    let taken = talk(workspace, arrival, NOT_UNDERSTOOD)?;
    let (mut meant, mut tells) = (Vec::new(), false);
    let mut ids = ids.to_vec();
    ids.sort_by_key(|id| id.number);
    for id in ids {
        let Some(live) = workspace.live(id.number)? else { continue };
        let exchange = live.exchange.clone();
        let (said, now) = (exchange.unreadable(arrival.from.clone(), arrival.id.clone()), workspace.now());
        if let Ok(mut decision) = decide(workspace, |facts| exchange.said(said, facts, now))? {
            // One notice speaks of all of them.
            tells |= decision.unread && !decision.says.is_empty();
            decision.says.clear();
            execute(workspace, live, decision, &arrival.from, Some(&arrival.cause()))?;
        }
        meant.push(exchange);
    }
    if tells {
        let mut cited = Cited::default();
        for exchange in &meant {
            for id in exchange.cites() {
                workspace.cite(&id, &mut cited)?;
            }
        }
        let Cause { id, subject, content, .. } = arrival.cause();
        cited.add(id.clone(), subject.to_owned(), content.clone());
        let rendered =
            render::ambiguous(&meant, &arrival.from, &arrival.id, &workspace.setting(&arrival.from, &cited));
        send_from_wilco(workspace, None, &arrival.from, rendered, &[])?;
    }
    Ok(taken)
}

fn talk(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    effect: &'static str,
) -> Result<Taken, Refused> {
    if arrival.to.is_empty() {
        return Err(Refused::invalid("/to", "is required: the name of an agent"));
    }
    workspace.settings().authority.check(&TokenHolder::of(arrival.post), Right::Conversation)?;
    let position = workspace.reserve();
    let reading =
        Reading { exchange: None, rule: None, meaning: Meaning::Conversation.into(), effect: effect.into() };
    let mut outgoing = Outgoing { reading: Some(reading), ..Outgoing::plain(&arrival.to) };
    if effect == NOT_UNDERSTOOD {
        outgoing.mark_unread(arrival)?;
    }
    let place = JournalPlace { position, exchange: None };
    Ok((store_arrival(workspace, arrival, place, outgoing)?, None))
}

/// Tells the sender how its message was taken.
fn notify(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    reason: &str,
    text: String,
) -> Result<(), Refused> {
    let content = Map::from_iter([
        ("type".to_owned(), json!(MessageType::ProtocolNotice)),
        ("message".to_owned(), json!(text)),
        ("reason".to_owned(), json!(reason)),
        ("about".to_owned(), json!(arrival.id)),
    ]);
    let rendered = Rendered { subject: format!("About your message: {reason}"), priority: "normal", content };
    Ok(send_from_wilco(workspace, None, &arrival.from, rendered, &[])?)
}
