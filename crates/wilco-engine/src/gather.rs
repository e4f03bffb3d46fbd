//! What the commands of a batch will ask of the store, read together before the first is decided: one call per kind.
//!
//! It looks only at what stands in the commands and costs little to see. What it does not foresee is read when it is
//! asked for; what it foresees in vain does no harm. A read that fails here fails again where it is needed, and there it
//! is told.

use std::collections::BTreeSet;

use wilco_language::parse::{Delegation, Named, Task, Typed, Validation};
use wilco_protocol::exchange::key;
use wilco_protocol::{MessageId, Name, delegation};
use wilco_store::StoreError;

use crate::accept::answer_keys;
use crate::accept::parties::sender;
use crate::command::{Command, Order, Post};
use crate::wake::MAX_WOKEN;
use crate::workspace::{Workspace, dashed};

/// Of more exchanges that a sender takes part in, the messages that they cite are not read ahead.
const FEW: usize = 4;

/// A message with its sender, and the keys by which its exchange may be found.
struct Foreseen<'p> {
    post: &'p Post,
    from: Name,
    keys: Vec<String>,
}

pub(crate) fn gather(workspace: &mut Workspace<'_>, commands: &[Command]) -> Result<(), StoreError> {
    let mut posts = first_questions(workspace, commands)?;
    posts.retain(|one| {
        let mut places = answer_keys(one.post).into_iter().map(|key| (one.from.clone(), key));
        !places.any(|place| workspace.answer(&place).is_ok_and(|row| row.is_some()))
    });
    for one in &mut posts {
        one.keys = keys_of(workspace, one.post, &one.from)?;
    }
    workspace.lookup().fetch_found(posts.iter().flat_map(|one| one.keys.clone()).collect::<BTreeSet<_>>())?;
    let mut cited = numbers_of(workspace, commands)?;
    let mut numbers = cited.clone();
    for one in &posts {
        let incoming = &one.post.incoming;
        cited.extend(incoming.exchange.map(|id| id.number));
        if let Typed::Decision(choice) = &incoming.typed {
            cited.extend(choice.escalation.map(|id| id.exchange.number));
        }
        cited.extend(replied(workspace, one.post)?);
        for key in &one.keys {
            let found = workspace.find(key)?;
            if found.len() <= FEW {
                cited.extend(&found);
            }
            numbers.extend(found);
        }
    }
    numbers.extend(&cited);
    workspace.fetch_exchanges(numbers)?;
    last_questions(workspace, &posts, cited)
}

/// Messages, answers that were given before, orders that are reported on, places in inboxes.
fn first_questions<'p>(
    workspace: &mut Workspace<'_>,
    commands: &'p [Command],
) -> Result<Vec<Foreseen<'p>>, StoreError> {
    let (mut messages, mut answers, mut effects) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (mut posts, mut read) = (Vec::new(), Vec::new());
    for command in commands {
        match command {
            Command::Post(post) => {
                let Ok(from) = sender(workspace, post) else { continue };
                messages.extend(post.incoming.in_reply_to.iter().flat_map(spellings));
                messages.extend(post.incoming.id.clone());
                answers.extend(answer_keys(post).into_iter().map(|key| (from.clone(), key)));
                posts.push(Foreseen { post, from, keys: Vec::new() });
            }
            Command::Mark { agent, id, .. } | Command::Injected { agent, id } => {
                messages.extend(spellings(id));
                read.push((agent, id));
            }
            Command::Report { position, index, .. }
            | Command::Postpone { position, index, .. }
            | Command::Begin { position, index, .. }
            | Command::Unreached { position, index } => {
                effects.insert((*position, *index));
            }
            Command::Digest { agent, .. } => {
                messages
                    .extend(workspace.open_digest(agent).iter().flat_map(|open| open.digest.held.clone()));
            }
            Command::PutAgent(_)
            | Command::PatchAgent(_)
            | Command::RemoveAgent { .. }
            | Command::Seen { .. }
            | Command::Hooked(_)
            | Command::Called { .. }
            | Command::Waits { .. }
            | Command::Wake
            | Command::Alive
            | Command::Nudged { .. }
            | Command::Keep { .. }
            | Command::Started { .. }
            | Command::TookOver { .. } => {}
        }
    }
    workspace.fetch_messages(messages)?;
    workspace.lookup().fetch_answers(answers)?;
    workspace.lookup().fetch_effects(effects)?;
    let mut places = BTreeSet::new();
    for (agent, id) in read {
        places.extend(workspace.message_named(id)?.map(|(position, _)| (agent.clone(), position)));
    }
    workspace.lookup().fetch_places(places)?;
    Ok(posts)
}

/// Exchanges that are due, and those that orders are reported on for.
fn numbers_of(workspace: &mut Workspace<'_>, commands: &[Command]) -> Result<BTreeSet<u64>, StoreError> {
    let mut numbers = BTreeSet::new();
    for command in commands {
        if let Command::Report { position, index, .. } = command
            && let Some(row) = workspace.lookup().effect((*position, *index))?
            && let Ok(order) = serde_json::from_slice::<Order>(&row.body)
        {
            numbers.insert(order.effect.exchange().number);
        }
        if let Command::Wake = command {
            numbers.extend(workspace.due(MAX_WOKEN));
        }
    }
    Ok(numbers)
}

/// The exchange of the message that this one answers.
fn replied(workspace: &mut Workspace<'_>, post: &Post) -> Result<Option<u64>, StoreError> {
    let Some(parent) = &post.incoming.in_reply_to else { return Ok(None) };
    Ok(workspace.message_named(parent)?.and_then(|(_, message)| message.exchange).map(|id| id.number))
}

/// The keys by which a message is brought to its exchange, or by which the same is looked for. What it is said to
/// explicitly needs none.
fn keys_of(workspace: &mut Workspace<'_>, post: &Post, from: &Name) -> Result<Vec<String>, StoreError> {
    let incoming = &post.incoming;
    let task = |id: &str| key("task", &id.to_lowercase());
    match &incoming.typed {
        Typed::Delegation(Delegation::Assign(said)) => {
            let same = match (&said.task_id, incoming.to.first().map(|to| workspace.directory().find(to))) {
                (Some(id), _) => Some(task(id)),
                (None, Some(Ok(to))) => {
                    let subject = incoming.subject.as_deref().unwrap_or("");
                    let title = Task::of(&incoming.content, subject).title;
                    Some(delegation::unnamed_key(&to.name, &title))
                }
                (None, _) => None,
            };
            return Ok(same.into_iter().chain(said.task_uuid.as_ref().map(|id| key("uuid", id))).collect());
        }
        Typed::Validation(Validation::Start(said)) => {
            return Ok(vec![key("issue", &said.issue.to_lowercase())]);
        }
        typed if typed.starts() => return Ok(Vec::new()),
        Typed::Delegation(_)
        | Typed::Operation(_)
        | Typed::Handoff(_)
        | Typed::Validation(_)
        | Typed::Decision(_)
        | Typed::Conversation
        | Typed::Talk => {}
    }
    if incoming.exchange.is_some() || incoming.only_wilco() || replied(workspace, post)?.is_some() {
        return Ok(Vec::new());
    }
    let text = |field: &str| incoming.content.get(field).and_then(|value| value.as_str());
    let broadcast = Named::in_content(&incoming.content).broadcast_id;
    let mut keys: Vec<String> = broadcast.map(|id| key("broadcast", &id)).into_iter().collect();
    keys.extend(text("handoff_id").map(|id| key("handoff", &id.trim().to_lowercase())));
    keys.extend(text("task_id").map(task));
    keys.extend(text("message_id").map(|_| key("loop", from.as_str())));
    if keys.is_empty() {
        keys = ["works", "owes"].map(|kind| key(kind, from.as_str())).into();
    }
    Ok(keys)
}

/// What the exchanges cite, and how full the inboxes are that get something.
fn last_questions(
    workspace: &mut Workspace<'_>,
    posts: &[Foreseen<'_>],
    numbers: BTreeSet<u64>,
) -> Result<(), StoreError> {
    let (mut cited, mut inboxes) = (BTreeSet::new(), BTreeSet::new());
    for number in numbers {
        if let Some(live) = workspace.live(number)? {
            cited.extend(live.exchange.cites());
            inboxes.insert(live.exchange.initiator().clone());
        }
    }
    for text in posts.iter().flat_map(|one| &one.post.incoming.to) {
        inboxes.extend(workspace.directory().find(text).ok().map(|agent| agent.name.clone()));
    }
    inboxes.retain(|agent| workspace.asks_unread(agent));
    let most = workspace.settings().inbox_limit;
    workspace.fetch_messages(cited)?;
    workspace.lookup().fetch_unread(inboxes, most)
}

/// An id, and the other way to write it.
fn spellings(id: &MessageId) -> impl Iterator<Item = MessageId> {
    [Some(id.clone()), dashed(id)].into_iter().flatten()
}
