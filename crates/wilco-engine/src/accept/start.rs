//! Messages that begin a delegation, and those that move one.

use std::borrow::Cow;
use std::sync::Arc;
use wilco_language::message::MessageType;

use serde_json::{Map, Value};
use wilco_language::interpret::{InContext, Names, Parent, interpret};
use wilco_language::parse::{Assignment, Task};
use wilco_language::read::classify;
use wilco_protocol::decision::{Refusal, Routing};
use wilco_protocol::directory::{Directory, Mark};
use wilco_protocol::exchange::{Decision, Exchange, Said, Start, key};
use wilco_protocol::{
    ExchangeId, Meaning, MessageId, Name, Protocol, delegation, handoff, operation, validation,
};
use wilco_store::{Message, Reading};

use super::arrival::{Arrival, Defaults, JournalPlace, outgoing, pass_on, store_arrival};
use super::converse::converse;
use super::correlate::{Rule, Target, controls};
use super::examine::with_known;
use super::parties::who_is_there;
use crate::command::Refused;
use crate::digest::{Announcement, is_report};
use crate::execute::{citing, content, decide, execute, priority, refused};
use crate::layer::Live;
use crate::other_tasks::{other_tasks, understood};
use crate::workspace::Workspace;

/// The same content, however its type is spelt.
fn same(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    let canonical_name = |content: &Map<String, Value>| {
        content.get("type").and_then(Value::as_str).map(|word| word.replace('_', "-").to_lowercase())
    };
    let rest = |content: &Map<String, Value>| content.iter().filter(|(key, _)| *key != "type").count();
    canonical_name(one) == canonical_name(other)
        && rest(one) == rest(other)
        && one.iter().all(|(key, value)| key == "type" || other.get(key) == Some(value))
}

pub(crate) type Taken = (Vec<Arc<Message>>, Option<Arc<Exchange>>);

/// A `task-assignment`.
pub(crate) fn assign(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    assignment: &Assignment,
) -> Result<Taken, Refused> {
    let task = Task::of(&arrival.incoming().content, arrival.subject());
    if let Some(exchange) = same_again(workspace, arrival, assignment.task_id.as_deref(), &task.title)? {
        return say_to(workspace, arrival, vec![Target { exchange, rule: Rule::SameAssignment }]);
    }
    let inactive =
        workspace.directory().get(&arrival.to[0]).is_some_and(|to| to.mark == Some(Mark::Inactive));
    if inactive {
        let to = arrival.to[0].as_str();
        let detail = format!("{to} is inactive and takes no tasks; {}", who_is_there(workspace, to));
        return Err(Refused::invalid("/to", detail));
    }
    let policy = workspace.settings().delegation_policy(assignment.ack_timeout, &assignment.policy);
    let names = assignment.candidates.iter().map(String::as_str).enumerate();
    let policy = with_known(policy, workspace.directory(), names);
    let policy = policy.map_err(|errors| Refused::Invalid { errors })?;
    let directory = Resolver(workspace.directory());
    let candidates = assignment.candidates.iter().map(|name| directory.resolve(name)).collect();
    let id = ExchangeId { protocol: Protocol::Delegation, number: workspace.next_position() };
    let start = delegation::Assign {
        id,
        by: arrival.from.clone(),
        to: arrival.to[0].clone(),
        message: arrival.id.clone(),
        task_id: assignment.task_id.clone().unwrap_or_else(|| delegation::State::made_up_id(id)),
        task_uuid: assignment.task_uuid.clone().unwrap_or_else(|| task_uuid(workspace, &arrival.id)),
        title: task.title,
        sign: None,
        requires_ack: assignment.requires_ack,
        supersede: assignment.supersede,
        candidates,
        capabilities: assignment.capabilities.clone(),
        policy,
    };
    let defaults = dressed(arrival, MessageType::TaskAssignment.name().into());
    begin(workspace, arrival, Start::Delegation(start), defaults).map_err(Refused::from)
}

/// A plain text that was taken for a task.
pub(crate) fn enrol(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    found: classify::Task,
) -> Result<Taken, Unbegun> {
    let settings = workspace.settings().delegation_policy(None, &serde_json::Map::new());
    let policy = settings.map_err(|errors| Unbegun::Refused(Refused::Invalid { errors }))?;
    let id = ExchangeId { protocol: Protocol::Delegation, number: workspace.next_position() };
    let start = delegation::Assign {
        id,
        by: arrival.from.clone(),
        to: arrival.to[0].clone(),
        message: arrival.id.clone(),
        title: title(arrival, &found),
        task_id: found.task_id.unwrap_or_else(|| delegation::State::made_up_id(id)),
        task_uuid: task_uuid(workspace, &arrival.id),
        sign: Some(found.sign),
        requires_ack: true,
        supersede: false,
        candidates: Vec::new(),
        capabilities: Vec::new(),
        policy,
    };
    let defaults = dressed(arrival, format!("classified: {}", found.sign.word()).into());
    begin(workspace, arrival, Start::Delegation(start), defaults)
}

/// Begins an exchange of any protocol.
pub(crate) fn begin(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    start: Start,
    defaults: Defaults,
) -> Result<Taken, Unbegun> {
    let now = workspace.now();
    let decided = decide(workspace, |facts| Exchange::begin(start, facts, now));
    let decision = decided.map_err(Refused::from)?.map_err(Unbegun::Refusal)?;
    Ok(begun(workspace, arrival, decision, defaults)?)
}

/// The exchange exists from its first event on; its message comes before that.
fn begun(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    mut decision: Decision,
    defaults: Defaults,
) -> Result<Taken, Refused> {
    let position = workspace.reserve();
    let Some(exchange) = decision.next.take() else {
        return Err(Refused::Conflict { detail: "nothing began".to_owned(), exchange: None });
    };
    debug_assert_eq!(Exchange::folded(None, &decision.events, workspace.now()).as_ref(), Some(&exchange));
    // Its message takes seq 1, so its first event is the second.
    let live = Live { exchange: Arc::new(exchange), seq: 1, keys: Arc::default(), alarm: None };
    let routing = decision.routing.clone();
    let exchange = execute(workspace, live, decision, &arrival.from, Some(&arrival.cause()))?;
    let mut outgoing = outgoing(workspace, arrival, &exchange, &routing)?;
    pass_on(workspace, arrival, &exchange, &mut outgoing)?;
    outgoing.reading = Some(Reading {
        exchange: Some(exchange.id()),
        rule: Some(defaults.rule.clone()),
        meaning: defaults.meaning.into(),
        effect: exchange.state_name().into(),
    });
    outgoing.defaults = Some(defaults);
    let place = JournalPlace { position, exchange: Some((exchange.id(), 1)) };
    let messages = store_arrival(workspace, arrival, place, outgoing)?;
    Ok((messages, Some(exchange)))
}

/// An open delegation by the same sender to the same agent with the same content.
pub(crate) fn same_again(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    task_id: Option<&str>,
    title: &str,
) -> Result<Option<Arc<Exchange>>, Refused> {
    let among = match task_id {
        Some(id) => key("task", &id.to_lowercase()),
        None => delegation::unnamed_key(&arrival.to[0], title),
    };
    for number in workspace.find(&among)? {
        let Some(live) = workspace.live(number)? else { continue };
        let Exchange::Delegation(state) = &*live.exchange else { continue };
        let pair = state.initiator == arrival.from && state.assignee == arrival.to[0];
        if !pair || !state.is_open() || !state.amendments.is_empty() {
            continue;
        }
        let first = content(workspace, &state.assignment.clone())?;
        if first.is_some_and(|first| same(&first, &arrival.incoming().content)) {
            return Ok(Some(live.exchange));
        }
    }
    Ok(None)
}

/// A message to the exchanges that it belongs to.
pub(crate) fn say_to(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    targets: Vec<Target>,
) -> Result<Taken, Refused> {
    let mut decided = Vec::new();
    for target in targets {
        let said = heard(workspace, arrival, &target)?;
        let (meaning, is_remark) = (meaning(&said), is_remark(&said));
        let (now, again) = (workspace.now(), said.clone());
        match decide(workspace, |facts| target.exchange.said(said, facts, now))? {
            Ok(decision) => decided.push((target, again, decision, meaning)),
            // Whoever only remarks on an exchange of others just talks.
            Err(Refusal::Role { .. }) if is_remark || !target.is_explicit() => {}
            Err(refusal) => {
                return Err(refused(&refusal, Some(target.exchange.id())));
            }
        }
    }
    keep_what_is_read(&mut decided);
    if decided.is_empty() {
        return converse(workspace, arrival, false);
    }
    move_them(workspace, arrival, decided)
}

/// Words that name tasks may be the answer to something else that is owed one: that counts as soon as it is read
/// there, and the tasks hear only what they can read. What was read comes first.
fn keep_what_is_read(decided: &mut Vec<Decided>) {
    let named = decided.iter().any(|(target, ..)| target.rule == Rule::TextId);
    let guess = decided.iter().find(|(target, ..)| target.rule == Rule::OnlyOpen && named);
    match guess.map(|(_, _, decision, _)| decision.unread) {
        Some(true) => decided.retain(|(target, ..)| target.rule != Rule::OnlyOpen),
        Some(false) => decided.retain(|(_, _, decision, _)| !decision.unread),
        None => {}
    }
    decided.sort_by_key(|(_, _, decision, _)| decision.unread);
}

/// Whom something is said to, what, what follows, and what it is called.
type Decided = (Target, Said, Decision, Meaning);

/// What followed from a message that could not be read.
pub(super) const NOT_UNDERSTOOD: &str = "not-understood";

fn move_them(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    decided: Vec<Decided>,
) -> Result<Taken, Refused> {
    let position = workspace.reserve();
    let mut first: Option<(Arc<Exchange>, u64, Routing, Reading)> = None;
    let mut also = Vec::new();
    for (target, said, mut decision, meaning) in decided {
        let id = target.exchange.id();
        let Some(mut live) = workspace.live(id.number)? else { continue };
        if first.is_some() {
            // What the ones before it led to counts: no two tasks go to the same free agent.
            let (exchange, now) = (live.exchange.clone(), workspace.now());
            let decided = decide(workspace, |facts| exchange.said(said, facts, now))?;
            decision = decided.map_err(|refusal| refused(&refusal, Some(id)))?;
        }
        let before = live.exchange.state_name();
        let (quiet, unread) = (decision.events.is_empty(), decision.unread);
        if first.is_none() {
            // The message itself is the next thing that happens in its exchange.
            live.seq += 1;
        }
        let (seq, routing) = (live.seq, decision.routing.clone());
        let after = execute(workspace, live, decision, &arrival.from, Some(&arrival.cause()))?;
        let effect = match (quiet, before == after.state_name()) {
            _ if unread => NOT_UNDERSTOOD.into(),
            (true, _) => "none".into(),
            (false, true) => "recorded".into(),
            (false, false) => format!("{before} -> {}", after.state_name()).into(),
        };
        if first.is_some() && !matches!(routing, Routing::Withheld) {
            also.push(after.initiator().clone());
        }
        let (rule, meaning) = (Some(target.rule.word().into()), meaning.into());
        first.get_or_insert((after, seq, routing, Reading { exchange: Some(id), rule, meaning, effect }));
    }
    let Some((exchange, seq, routing, reading)) = first else { return converse(workspace, arrival, false) };
    let mut outgoing = outgoing(workspace, arrival, &exchange, &routing)?;
    if reading.effect == NOT_UNDERSTOOD {
        outgoing.mark_unread(arrival)?;
    }
    pass_on(workspace, arrival, &exchange, &mut outgoing)?;
    also.retain(|initiator| *initiator != arrival.from);
    also.into_iter().for_each(|initiator| outgoing.reach(initiator));
    if is_report(&exchange, &reading) {
        outgoing.announcement = Announcement::Informs { until: None };
    }
    outgoing.reading = Some(reading);
    let place = JournalPlace { position, exchange: Some((exchange.id(), seq)) };
    let messages = store_arrival(workspace, arrival, place, outgoing)?;
    let latest = workspace.live(exchange.id().number)?.map(|live| live.exchange);
    Ok((messages, latest))
}

/// Reads what the message says to this exchange.
fn heard(workspace: &mut Workspace<'_>, arrival: &Arrival<'_>, target: &Target) -> Result<Said, Refused> {
    let incoming = arrival.incoming();
    let parent = match &incoming.in_reply_to {
        Some(id) => workspace.message(id)?.map(|(_, message)| parent(&message)),
        None => None,
    };
    let cited = citing(workspace, &target.exchange, None)?;
    let controls = controls(workspace, arrival, &target.exchange)?;
    let other_tasks = other_tasks(workspace, &target.exchange, &arrival.from, understood(incoming))?;
    let heard = InContext {
        incoming,
        id: arrival.id.clone(),
        by: arrival.from.clone(),
        to: &arrival.to,
        operator: arrival.operator(&workspace.settings().default_sender) || controls,
        parent,
        amends: target.rule == Rule::TaskHeading,
        again: target.rule == Rule::SameAssignment,
        other_tasks: &other_tasks,
        resolve: &Resolver(workspace.directory()),
    };
    let said = interpret(&target.exchange, &heard, &cited);
    judges_what_waits(workspace, incoming.in_reply_to.as_ref(), &said, &target.exchange)?;
    Ok(said)
}

/// A verdict may name the ACK that it judges. Whoever names an earlier one has not seen what waits now.
fn judges_what_waits(
    workspace: &mut Workspace<'_>,
    named: Option<&MessageId>,
    said: &Said,
    exchange: &Exchange,
) -> Result<(), Refused> {
    let verdict = match said {
        Said::Delegation(said) => matches!(said.what, delegation::Statement::Verdict { .. }),
        Said::Handoff(said) => matches!(said.what, handoff::Statement::Verdict { .. }),
        Said::Operation(_) | Said::Validation(_) => false,
    };
    let waits = match exchange {
        Exchange::Delegation(state) => state.ack.as_ref(),
        Exchange::Handoff(state) => state.ack.as_ref().map(|ack| &ack.message),
        Exchange::Operation(_) | Exchange::Validation(_) => None,
    };
    let (true, Some(named), Some(waits)) = (verdict, named, waits) else { return Ok(()) };
    let Some((_, message)) = workspace.message(named)?.filter(|_| named != waits) else { return Ok(()) };
    let is_ack = message.exchange == Some(exchange.id())
        && matches!(
            MessageType::of(message.values()),
            Some(MessageType::TaskAcknowledgment | MessageType::HandoffAck)
        );
    match is_ack {
        false => Ok(()),
        true => {
            let detail =
                format!("the ACK {named} is not the one that waits; {waits} does: read it, and judge that");
            Err(Refused::Conflict { detail, exchange: Some(exchange.id()) })
        }
    }
}

/// A uuid for a task. It was made just now, so the store need not be asked whose it is.
fn task_uuid(workspace: &mut Workspace<'_>, id: &MessageId) -> String {
    let uuid = uuid(workspace, id);
    workspace.lookup().nobody_has(&key("uuid", &uuid));
    uuid
}

/// A uuid that follows from the message, so that a replayed step makes the same. It begins with the time: the keys of
/// tasks that begin together then lie together in the store.
pub(super) fn uuid(workspace: &Workspace<'_>, id: &MessageId) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(workspace.head_hash()).update(id.as_str().as_bytes());
    hasher.update(&workspace.next_position().to_be_bytes());
    let mut random = [0; 10];
    hasher.finalize_xof().fill(&mut random);
    let millis = u64::try_from(workspace.now().millis()).unwrap_or_default();
    uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid().to_string()
}

/// Why nothing began: the protocol refused, or something else went wrong.
pub(crate) enum Unbegun {
    Refusal(Refusal),
    Refused(Refused),
}

impl From<Unbegun> for Refused {
    fn from(unbegun: Unbegun) -> Refused {
        match unbegun {
            Unbegun::Refusal(refusal) => refused(&refusal, None),
            Unbegun::Refused(refused) => refused,
        }
    }
}

impl From<Refused> for Unbegun {
    fn from(refused: Refused) -> Unbegun {
        Unbegun::Refused(refused)
    }
}

/// The title of a task in words: its heading's, else that of the message.
pub(super) fn title(arrival: &Arrival<'_>, found: &classify::Task) -> String {
    let own = || Task::of(&arrival.incoming().content, arrival.subject()).title;
    found.title.clone().unwrap_or_else(own)
}

/// A task keeps the envelope that its sender gave it.
fn dressed(arrival: &Arrival<'_>, rule: Cow<'static, str>) -> Defaults {
    let given = arrival.incoming().priority.as_deref().unwrap_or("normal");
    Defaults { subject: String::new(), priority: priority(given), rule, meaning: Meaning::TaskAssignment }
}

fn meaning(said: &Said) -> Meaning {
    match said {
        Said::Delegation(said) => said.what.meaning(),
        Said::Operation(said) => said.what.meaning(),
        Said::Validation(said) => said.what.meaning(),
        Said::Handoff(said) => said.what.meaning(),
    }
}

fn is_remark(said: &Said) -> bool {
    match said {
        Said::Delegation(said) => matches!(said.what, delegation::Statement::Remark),
        Said::Operation(said) => matches!(said.what, operation::Statement::Remark),
        Said::Validation(said) => matches!(said.what, validation::Statement::Remark),
        Said::Handoff(said) => matches!(said.what, handoff::Statement::Remark),
    }
}

/// What the answered message was, in the form that its reader saw.
fn parent(message: &Message) -> Parent {
    let own_form = message.delivered.as_ref().and_then(|raw| serde_json::from_str(raw.get()).ok());
    let delivered: Arc<Map<String, Value>> = own_form.unwrap_or_else(|| message.values().clone());
    let revision = delivered.get("revision").and_then(|revision| revision.as_u64());
    let revision = revision.and_then(|revision| u32::try_from(revision).ok());
    let message_id = delivered.get("message_id").and_then(|id| id.as_str()).map(str::to_owned);
    let asks = delivered.get("taught").and_then(Value::as_bool).unwrap_or(false);
    Parent { of: MessageType::of(&delivered), asks, revision, message_id }
}

#[derive(Debug)]
pub(super) struct Resolver<'a>(pub(super) &'a Directory);

impl Names for Resolver<'_> {
    fn resolve(&self, text: &str) -> Name {
        self.0.resolve(text).map_or_else(|_| Name::new(text), |agent| agent.name.clone())
    }
}
