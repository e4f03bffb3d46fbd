//! Carrying out a decision: its events, what it says, what it orders, whom it tells, all in one
//! transaction.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use wilco_language::message::MessageType;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use wilco_language::interpret::Cited;
use wilco_language::render::{self, Rendered};
use wilco_protocol::decision::{Effect, Refusal, Spoken, Tell};
use wilco_protocol::directory;
use wilco_protocol::exchange::{Decision, Event, Exchange, Say, Signal};
use wilco_protocol::journal::{Entry, Fact, MessageEvent};
use wilco_protocol::{EscalationId, ExchangeId, MessageId, Name};
use wilco_store::{EffectRow, Message, Priority, StoreError};

use crate::checks::check;
use crate::command::{Order, Refused};
use crate::digest::{Announcement, end_digest, hold, of_wilcos, wants_digests};
use crate::exact;
use crate::facts::World;
use crate::handoff::handoff_order;
use crate::host::carried_out_by;
use crate::layer::Live;
use crate::nudge::{QUIET, nudge, rehost};
use crate::other_tasks::other_tasks;
use crate::steps::step;
use crate::workspace::Workspace;

/// A chain of tells longer than this is a mistake, and is refused whole.
const MAX_TELLS: usize = 10_000;

/// What somebody said that is about to be stored, so that it can be cited already.
pub(crate) struct Cause<'a> {
    pub(crate) id: &'a MessageId,
    pub(crate) subject: &'a str,
    pub(crate) content: &'a Arc<Map<String, Value>>,
    /// The content as it was given; none when Wilco made it.
    pub(crate) raw: Option<&'a RawValue>,
}

/// Asks an exchange to decide, with the working set as its facts.
pub(crate) fn decide(
    workspace: &mut Workspace<'_>,
    ask: impl FnOnce(&World<'_, '_>) -> Result<Decision, Refusal>,
) -> Result<Result<Decision, Refusal>, StoreError> {
    let world = World::new(workspace);
    let decided = ask(&world);
    world.finish()?;
    Ok(decided)
}

/// Carries out a decision of an exchange, and everything that follows from it.
pub(crate) fn execute(
    workspace: &mut Workspace<'_>,
    mut live: Live,
    decision: Decision,
    by: &Name,
    cause: Option<&Cause<'_>>,
) -> Result<Arc<Exchange>, Refused> {
    let exchange = advance(workspace, &mut live, decision.next, decision.events, by);
    workspace.keep(live);
    // What others hear of it comes first: of a task that replaces another, the last word is its own.
    tell_all(workspace, decision.tells, by)?;
    speak(workspace, &exchange, decision.says, cause)?;
    order_all(workspace, &exchange, decision.effects, cause)?;
    Ok(exchange)
}

/// The exchange goes on to its next state, and what happened is recorded.
fn advance(
    workspace: &mut Workspace<'_>,
    live: &mut Live,
    next: Option<Exchange>,
    events: Vec<Event>,
    by: &Name,
) -> Arc<Exchange> {
    if let Some(next) = next {
        debug_assert_eq!(
            Exchange::folded(Some(&live.exchange), &events, workspace.now()).as_ref(),
            Some(&next),
            "what is decided is what its events say"
        );
        live.exchange = Arc::new(next);
    }
    let id = live.exchange.id();
    for event in events {
        live.seq += 1;
        workspace.record(Some((id, live.seq)), by.clone(), Fact::Exchange(event));
    }
    live.exchange.clone()
}

/// Works off one tell; returns those that follow from it.
fn tell_one(workspace: &mut Workspace<'_>, tell: Tell, by: &Name) -> Result<Vec<Tell>, Refused> {
    match tell {
        Tell::Directory(input) => change_directory(workspace, input, by),
        Tell::Exchange(id, told) => {
            let Some(mut live) = workspace.live(id.number)? else { return Ok(Vec::new()) };
            let now = workspace.now();
            let exchange = live.exchange.clone();
            let decided = decide(workspace, |facts| exchange.signal(told, facts, now))?;
            let decision = decided.map_err(|refusal| refused(&refusal, Some(id)))?;
            let exchange = advance(workspace, &mut live, decision.next, decision.events, by);
            workspace.keep(live);
            speak(workspace, &exchange, decision.says, None)?;
            order_all(workspace, &exchange, decision.effects, None)?;
            Ok(decision.tells)
        }
    }
}

/// Changes the directory. An agent that returns is asked how its open tasks go.
pub(crate) fn change_directory(
    workspace: &mut Workspace<'_>,
    input: directory::Input,
    by: &Name,
) -> Result<Vec<Tell>, Refused> {
    let Some(event) = directory::decide(workspace.directory(), input, workspace.now()) else {
        return Ok(Vec::new());
    };
    let returned = match &event {
        directory::Event::AgentReturned { name, .. } => Some(name.clone()),
        directory::Event::AgentRegistered { .. }
        | directory::Event::AgentChanged { .. }
        | directory::Event::AgentRemoved { .. }
        | directory::Event::AgentUnresponsive { .. }
        | directory::Event::AgentReplaced { .. } => None,
    };
    end_digest(workspace, &event)?;
    let changed = match &event {
        directory::Event::AgentChanged { agent } => Some(agent.name.clone()),
        _ => None,
    };
    workspace.change_agent(event, by.clone());
    if let Some(agent) = changed {
        rehost(workspace, &agent);
    }
    let Some(agent) = returned else { return Ok(Vec::new()) };
    let open = workspace.find(&wilco_protocol::exchange::key("works", agent.as_str()))?;
    let mut tells = Vec::new();
    for number in open {
        if let Some(live) = workspace.live(number)? {
            let told = Signal::Delegation(wilco_protocol::delegation::Signal::AgentReturned {
                agent: agent.clone(),
            });
            tells.push(Tell::Exchange(live.exchange.id(), told));
        }
    }
    Ok(tells)
}

/// Changes the directory and works off what follows.
pub(crate) fn change_directory_fully(
    workspace: &mut Workspace<'_>,
    input: directory::Input,
    by: &Name,
) -> Result<(), Refused> {
    let tells = change_directory(workspace, input, by)?;
    tell_all(workspace, tells, by)
}

/// Works off tells, and what follows from them.
pub(crate) fn tell_all(workspace: &mut Workspace<'_>, tells: Vec<Tell>, by: &Name) -> Result<(), Refused> {
    let (mut tells, mut count) = (VecDeque::from(tells), 0);
    while let Some(tell) = tells.pop_front() {
        count += 1;
        if count > MAX_TELLS {
            let detail = "too many exchanges are affected".to_owned();
            return Err(Refused::Conflict { detail, exchange: None });
        }
        tells.extend(tell_one(workspace, tell, by)?);
    }
    Ok(())
}

fn speak(
    workspace: &mut Workspace<'_>,
    exchange: &Exchange,
    says: Vec<Spoken<Say>>,
    cause: Option<&Cause<'_>>,
) -> Result<(), Refused> {
    if says.is_empty() {
        return Ok(());
    }
    let mut cited = citing(workspace, exchange, cause)?;
    for id in says.iter().filter_map(|spoken| spoken.say.cites()) {
        workspace.cite(id, &mut cited)?;
    }
    for spoken in says {
        let rendered = render::say(exchange, &spoken.to, &spoken.say, &workspace.setting(&spoken.to, &cited));
        if let Some(controller) = copied_to(workspace, exchange, &spoken.to, &rendered) {
            // Its own copy: what it teaches is for the one who reads it.
            let copy =
                render::say(exchange, &controller, &spoken.say, &workspace.setting(&controller, &cited));
            send(workspace, exchange, &controller, copy, &[])?;
        }
        let given = match exact::is_needed(&rendered.content) {
            true => given(workspace, exchange, &spoken.say, cause)?,
            false => Vec::new(),
        };
        let given: Vec<_> = given.iter().map(Box::as_ref).collect();
        send(workspace, exchange, &spoken.to, rendered, &given)?;
    }
    Ok(())
}

/// The contents that a message may repeat, as they were given.
fn given(
    workspace: &mut Workspace<'_>,
    exchange: &Exchange,
    say: &Say,
    cause: Option<&Cause<'_>>,
) -> Result<Vec<Box<RawValue>>, StoreError> {
    let mut given: Vec<_> = cause.and_then(|cause| cause.raw).map(ToOwned::to_owned).into_iter().collect();
    for id in exchange.cites().iter().chain(say.cites()) {
        given.extend(workspace.message(id)?.map(|(_, message)| message.content.clone()));
    }
    Ok(given)
}

/// The controller gets a copy of an escalation that its addressee may not be able to decide.
fn copied_to(workspace: &Workspace<'_>, exchange: &Exchange, to: &Name, rendered: &Rendered) -> Option<Name> {
    let controller = workspace.settings().escalation.controller.clone()?;
    let is = |key: &str, value: &str| rendered.content.get(key).and_then(Value::as_str) == Some(value);
    let away = !workspace.is_active(exchange.initiator());
    let asks = MessageType::of(&rendered.content) == Some(MessageType::Escalation);
    let copied = asks && (away || is("reason", "capability-mismatch"));
    (copied && controller != *to && workspace.directory().get(&controller).is_some()).then_some(controller)
}

/// The messages that an exchange cites, and the one that is about to be stored.
pub(crate) fn citing(
    workspace: &mut Workspace<'_>,
    exchange: &Exchange,
    cause: Option<&Cause<'_>>,
) -> Result<Cited, StoreError> {
    let mut cited = Cited::default();
    if let Some(cause) = cause {
        cited.add(cause.id.clone(), cause.subject.to_owned(), cause.content.clone());
    }
    for id in exchange.cites() {
        workspace.cite(&id, &mut cited)?;
    }
    Ok(cited)
}

/// Sends a message of Wilco's own.
pub(crate) fn send(
    workspace: &mut Workspace<'_>,
    exchange: &Exchange,
    to: &Name,
    rendered: Rendered,
    given: &[&RawValue],
) -> Result<(), StoreError> {
    send_from_wilco(workspace, Some(exchange), to, rendered, given)
}

pub(crate) fn send_from_wilco(
    workspace: &mut Workspace<'_>,
    exchange: Option<&Exchange>,
    to: &Name,
    rendered: Rendered,
    given: &[&RawValue],
) -> Result<(), StoreError> {
    let id = workspace.new_id();
    let broadcast_id = exchange.and_then(|exchange| exchange.broadcast_id()).map(str::to_owned);
    let voice = exchange.map_or_else(Name::wilco, |exchange| exchange.voice());
    let exchange = exchange.map(|exchange| exchange.id());
    let announcement = of_wilcos(&rendered);
    let content = exact::written(&rendered.content, given);
    let content = content.map_err(|error| StoreError::NotStored(Box::new(error)))?;
    let message = Message {
        id,
        from: voice,
        from_verified: true,
        from_unknown: false,
        sent_by: None,
        to: to.clone(),
        subject: rendered.subject,
        priority: priority(rendered.priority),
        content,
        delivered: None,
        in_reply_to: None,
        exchange,
        broadcast_id,
        timestamp: workspace.now(),
        reading: None,
        parsed: OnceLock::new(),
    };
    let position = workspace.reserve();
    let seq = workspace.count(exchange)?;
    let kind = rendered.content.get("type").and_then(Value::as_str).unwrap_or("").to_owned();
    // A command has no inbox.
    let inboxes = Some(to.clone()).filter(|to| !to.is_reserved()).into_iter().collect();
    store_message(workspace, position, seq, message, inboxes, kind, announcement);
    Ok(())
}

/// Stores a message at its reserved position and place in its exchange, and puts it into inboxes.
pub(crate) fn store_message(
    workspace: &mut Workspace<'_>,
    position: u64,
    seq: Option<u64>,
    message: Message,
    mut inboxes: Vec<Name>,
    kind: String,
    announcement: Announcement,
) -> Arc<Message> {
    let (id, by, exchange) = (message.id.clone(), message.from.clone(), message.exchange);
    let to = vec![message.to.clone()];
    let (stored, hash) = workspace.add_message(position, message);
    if let Announcement::Informs { until } = announcement {
        let held: Vec<_> = inboxes.extract_if(.., |agent| wants_digests(workspace, agent)).collect();
        held.iter().for_each(|agent| hold(workspace, agent, (position, id.clone()), until));
    }
    inboxes.iter().for_each(|agent| workspace.post(agent, position));
    if announcement != Announcement::Elsewhere && kind != QUIET {
        for agent in inboxes.iter().filter(|agent| **agent != by) {
            nudge(workspace, agent, position);
        }
    }
    let fact = Fact::Message(MessageEvent::MessageAccepted { id, to, inboxes, kind, hash });
    workspace.fill(
        position,
        &Entry { exchange: exchange.filter(|_| seq.is_some()), seq, at: workspace.now(), by, fact },
    );
    stored
}

fn order_all(
    workspace: &mut Workspace<'_>,
    exchange: &Exchange,
    effects: Vec<Effect>,
    cause: Option<&Cause<'_>>,
) -> Result<(), StoreError> {
    for effect in effects {
        let Some(payload) = payload(workspace, exchange, &effect, cause)? else { continue };
        let node = carried_out_by(workspace, exchange, &effect);
        let body = serde_json::to_vec(&Order { effect, payload });
        let body = body.map_err(|error| StoreError::NotStored(Box::new(error)))?;
        let position = workspace.next_position() - 1;
        let index = workspace.next_order();
        workspace.order(EffectRow { position, index, due: workspace.now(), attempts: 0, body, node });
    }
    Ok(())
}

/// What the courier needs to know; none when nobody is configured to do it.
fn payload(
    workspace: &mut Workspace<'_>,
    exchange: &Exchange,
    effect: &Effect,
    cause: Option<&Cause<'_>>,
) -> Result<Option<Value>, StoreError> {
    match effect {
        Effect::Judge { ack, .. } => {
            let cited = citing(workspace, exchange, cause)?;
            let (mut payload, agent) = match exchange {
                Exchange::Handoff(state) => (render::handoff_to_judge(state, ack, &cited), &state.agent),
                Exchange::Delegation(state) => {
                    (render::delegation_to_judge(state, ack, &cited), &state.assignee)
                }
                Exchange::Operation(_) | Exchange::Validation(_) => return Ok(None),
            };
            let named = other_tasks(workspace, exchange, agent, &cited.understanding(ack))?;
            if !named.is_empty() {
                payload["acknowledgment"]["other_tasks"] = json!(named);
            }
            Ok(Some(payload))
        }
        Effect::RunStep { agent, .. } => {
            let Exchange::Operation(state) = exchange else { return Ok(None) };
            Ok(Some(step(workspace, state, agent)))
        }
        Effect::Handoff { order, .. } => handoff_order(workspace, exchange, order, cause),
        Effect::RunCheck { phase, .. } => {
            let Exchange::Validation(state) = exchange else { return Ok(None) };
            Ok(check(state, *phase))
        }
        Effect::CallHuman { .. } if !workspace.settings().escalation.reaches_human => Ok(None),
        Effect::CallHuman { exchange: id, escalation } => {
            let cited = citing(workspace, exchange, cause)?;
            let opened = exchange.escalations().iter().find(|one| one.number == *escalation);
            Ok(opened.map(|one| {
                json!({
                    "escalation": EscalationId { exchange: *id, number: *escalation }.to_string(),
                    "exchange": id,
                    "reason": one.reason,
                    "text": render::escalation_text(exchange, one, &cited),
                    "evidence": render::escalation_evidence(one, &cited),
                    "addressee": one.addressee,
                    "opened": one.opened,
                    "options": exchange.options(),
                })
            }))
        }
    }
}

/// The content of a message as it stands in the store.
pub(crate) fn content(
    workspace: &mut Workspace<'_>,
    id: &MessageId,
) -> Result<Option<Arc<Map<String, Value>>>, StoreError> {
    Ok(workspace.message(id)?.map(|(_, message)| message.values().clone()))
}

pub(crate) fn priority(word: &str) -> Priority {
    match word {
        "low" => Priority::Low,
        "high" => Priority::High,
        "urgent" => Priority::Urgent,
        _ => Priority::Normal,
    }
}

/// A protocol's refusal as the door answers it.
pub(crate) fn refused(refusal: &Refusal, exchange: Option<ExchangeId>) -> Refused {
    let detail = render::refusal(refusal);
    match refusal {
        Refusal::Role { .. } | Refusal::Barred { .. } => Refused::Forbidden { detail },
        Refusal::State { .. } => Refused::Conflict { detail, exchange },
        Refusal::AlreadyOpen { exchange, .. } => Refused::Conflict { detail, exchange: Some(*exchange) },
        Refusal::Field { pointer, .. } => Refused::invalid(pointer, detail),
    }
}
