//! Which exchange an answer belongs to. The first rule that finds something wins; nothing is guessed.
//! What a task's id finds is in `by_task`.

use std::sync::Arc;

use wilco_language::parse::{Delegation, Named, Operation, Typed};
use wilco_language::read::handoff_ack::handoff_acks;
use wilco_language::read::{self, verdict};
use wilco_protocol::exchange::key;
use wilco_protocol::{Exchange, ExchangeId, MessageId, Name, Protocol, validation};
use wilco_store::StoreError;

use super::arrival::Arrival;
use super::by_subject::{by_subject, without_reply_marks};
use super::by_task::{by_tasks, task_ids, task_in, with_others_in_text};
use super::is_wilco;
use super::named::{named_by_words, names_no_own_task};
use crate::command::{Refused, Viewer};
use crate::reads::got_escalation;
use crate::workspace::Workspace;

pub(crate) enum Correlated {
    /// Several only when one text acknowledges several tasks.
    To(Vec<Target>),
    Ambiguous(Vec<ExchangeId>),
    /// `may_classify`: nothing about it says that it answers something.
    Nothing {
        may_classify: bool,
    },
}

/// By what a message was found to belong to an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    Exchange,
    InReplyTo,
    Escalation,
    ValidationId,
    OperationId,
    HandoffId,
    TaskId,
    TextId,
    /// A text under the heading of an open task: it changes that task.
    TaskHeading,
    /// A task that is given again as it was: its next attempt.
    SameAssignment,
    Subject,
    OnlyOpen,
}

impl Rule {
    /// As it is stored in readings.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Rule::Exchange => "exchange",
            Rule::InReplyTo => "in-reply-to",
            Rule::Escalation => "escalation",
            Rule::ValidationId => "validation-id",
            Rule::OperationId => "operation-id",
            Rule::HandoffId => "handoff-id",
            Rule::TaskId => "task-id",
            Rule::TextId => "text-id",
            Rule::TaskHeading => "task-heading",
            Rule::SameAssignment => "same-assignment",
            Rule::Subject => "subject",
            Rule::OnlyOpen => "only-open",
        }
    }
}

pub(crate) struct Target {
    pub(crate) exchange: Arc<Exchange>,
    pub(crate) rule: Rule,
}

impl Target {
    /// Whether the sender itself named the exchange: then a refusal is an error, not a conversation.
    pub(crate) fn is_explicit(&self) -> bool {
        matches!(self.rule, Rule::Exchange | Rule::InReplyTo | Rule::Escalation)
    }
}

/// Only whoever began an exchange does Wilco's part in it; from others that is talk.
pub(crate) fn correlate(workspace: &mut Workspace<'_>, arrival: &Arrival<'_>) -> Result<Correlated, Refused> {
    let in_wilcos_place = arrival.incoming().typed.in_wilcos_place();
    Ok(match by_rules(workspace, arrival)? {
        Correlated::To(mut targets) if in_wilcos_place => {
            targets.retain(|one| one.is_explicit() || *one.exchange.initiator() == arrival.from);
            match targets.is_empty() {
                true => Correlated::Nothing { may_classify: false },
                false => Correlated::To(targets),
            }
        }
        found @ (Correlated::To(_) | Correlated::Ambiguous(_) | Correlated::Nothing { .. }) => found,
    })
}

fn by_rules(workspace: &mut Workspace<'_>, arrival: &Arrival<'_>) -> Result<Correlated, Refused> {
    let incoming = arrival.incoming();
    if let Some(id) = incoming.exchange {
        let found = named(workspace, arrival, id, Rule::Exchange)?;
        return with_others_in_text(workspace, arrival, found);
    }
    if let Typed::Decision(choice) = &incoming.typed
        && let Some(escalation) = choice.escalation
    {
        return named(workspace, arrival, escalation.exchange, Rule::Escalation);
    }
    if let Some(parent) = &incoming.in_reply_to {
        match replied_to(workspace, arrival, parent)? {
            Replied::Unknown => return Ok(Correlated::Nothing { may_classify: false }),
            Replied::Exchange(exchange) => {
                let found = to(vec![exchange], Rule::InReplyTo);
                return with_others_in_text(workspace, arrival, found);
            }
            Replied::Talk => {}
        }
    }
    if incoming.only_wilco() {
        return Ok(Correlated::Nothing { may_classify: false });
    }
    match by_validation(workspace, arrival)? {
        Correlated::Nothing { .. } => {}
        found @ (Correlated::To(_) | Correlated::Ambiguous(_)) => return Ok(found),
    }
    match by_operation(workspace, arrival)? {
        Correlated::Nothing { .. } => {}
        found @ (Correlated::To(_) | Correlated::Ambiguous(_)) => return Ok(found),
    }
    match by_handoff(workspace, arrival)? {
        Correlated::Nothing { .. } => {}
        found @ (Correlated::To(_) | Correlated::Ambiguous(_)) => return Ok(found),
    }
    for (ids, rule) in task_ids(arrival) {
        match by_tasks(workspace, arrival, &ids, rule)? {
            Correlated::Nothing { .. } => {}
            found @ (Correlated::To(_) | Correlated::Ambiguous(_)) => return Ok(found),
        }
    }
    // What names a task is said to that task and to no other. An ACK with a wrong id is a mistake that its agent is
    // told of; a slip of anybody else must not judge or cancel another task.
    if let Typed::Delegation(said) = &incoming.typed
        && said.task_id().is_some()
        && !matches!(said, Delegation::Assign(_) | Delegation::Ack(_) | Delegation::Error { .. })
    {
        return Ok(Correlated::Nothing { may_classify: false });
    }
    let stripped = without_reply_marks(arrival.subject());
    let is_reply = stripped.len() != arrival.subject().trim().len();
    let fresh = incoming.in_reply_to.is_none() && !is_reply;
    let plain = matches!(incoming.typed, Typed::Conversation) && fresh;
    let works = workspace.find(&key("works", arrival.from.as_str()))?;
    let may_classify = plain && !reports_to(workspace, arrival, &works)?;
    if names_no_own_task(arrival) {
        return Ok(Correlated::Nothing { may_classify });
    }
    let mut awaiting = match incoming.typed.in_wilcos_place() {
        true => reminded(workspace, arrival)?,
        false => awaiting(workspace, arrival, works)?,
    };
    if may_classify && !awaiting.is_empty() {
        awaiting = but_for_tasks(workspace, arrival, awaiting)?;
    }
    if !stripped.is_empty()
        && let Some(found) = by_subject(workspace, &awaiting, stripped)?
    {
        return Ok(found);
    }
    let mut between: Vec<_> = awaiting.into_iter().filter(|exchange| addressed(arrival, exchange)).collect();
    let is_task = may_classify && task_in(workspace, arrival)?.is_some();
    if !is_task && let Some(found) = named_by_words(workspace, arrival, &between)? {
        return Ok(found);
    }
    // Whoever owes one answer and may say something elsewhere gives the answer.
    let answers = matches!(incoming.typed, Typed::Conversation | Typed::Delegation(Delegation::Ack(_)));
    let owed = |exchange: &Arc<Exchange>| exchange.is_owed_by(&arrival.from);
    if answers && between.iter().filter(|exchange| owed(exchange)).count() == 1 {
        between.retain(owed);
    }
    if between.is_empty()
        && let Some(only) = only_open(workspace, arrival, may_classify)?
    {
        between.push(only);
    }
    Ok(match between.len() {
        0 => Correlated::Nothing { may_classify },
        1 => to(between, Rule::OnlyOpen),
        // What says of itself that it is talk is no answer.
        _ if matches!(incoming.typed, Typed::Talk) => Correlated::Nothing { may_classify },
        _ => Correlated::Ambiguous(between.iter().map(|exchange| exchange.id()).collect()),
    })
}

/// The only open exchange in which the sender takes part for whom it writes to, though nothing is awaited of it now:
/// what it says there is heard too. A text that is a task belongs to none.
fn only_open(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    may_classify: bool,
) -> Result<Option<Arc<Exchange>>, Refused> {
    if !matches!(arrival.incoming().typed, Typed::Conversation | Typed::Talk)
        || (may_classify && task_in(workspace, arrival)?.is_some())
    {
        return Ok(None);
    }
    let mut numbers = workspace.find(&key("works", arrival.from.as_str()))?;
    numbers.extend(workspace.find(&key("loop", arrival.from.as_str()))?);
    let mut found = Vec::new();
    for number in numbers {
        let own = |one: &Arc<Exchange>| {
            let initiator = one.initiator();
            let addressed = arrival.to.iter().any(|to| to == initiator || is_wilco(to));
            one.is_open() && addressed && *initiator != arrival.from && one.is_party(&arrival.from)
        };
        found.extend(workspace.live(number)?.map(|live| live.exchange).filter(own));
    }
    Ok(found.pop().filter(|_| found.is_empty()))
}

/// A text that is a task is about that task. To others that its sender began it says nothing, but for
/// open questions, which any words may answer unless a heading names a task.
fn but_for_tasks(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    mut awaiting: Vec<Arc<Exchange>>,
) -> Result<Vec<Arc<Exchange>>, Refused> {
    let Some(task) = task_in(workspace, arrival)? else { return Ok(awaiting) };
    let asked = |exchange: &Exchange| matches!(exchange, Exchange::Delegation(state) if state.is_asked());
    let headed = task.task_id.is_some();
    awaiting.retain(|exchange| *exchange.initiator() != arrival.from || (!headed && asked(exchange)));
    Ok(awaiting)
}

/// Whether an assignee writes to its initiator: that is never a task. `works`: what the sender works on.
fn reports_to(workspace: &mut Workspace<'_>, arrival: &Arrival<'_>, works: &[u64]) -> Result<bool, Refused> {
    for number in works {
        let live = workspace.live(*number)?;
        if live.is_some_and(|live| arrival.to.contains(live.exchange.initiator())) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The exchange that the sender names. What it cannot see does not exist for it.
fn named(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    id: ExchangeId,
    rule: Rule,
) -> Result<Correlated, Refused> {
    let live = workspace.live(id.number)?.filter(|live| live.exchange.id() == id);
    let Some(live) = live else {
        return Err(Refused::NotFound { detail: format!("there is no exchange {id}") });
    };
    match visible(arrival, &live.exchange) || controls(workspace, arrival, &live.exchange)? {
        true => Ok(Correlated::To(vec![Target { exchange: live.exchange, rule }])),
        false => Err(Refused::NotFound { detail: format!("there is no exchange {id}") }),
    }
}

/// Whether the controller decides what it got a copy of: it gets copies so that it can.
pub(crate) fn controls(
    workspace: &Workspace<'_>,
    arrival: &Arrival<'_>,
    exchange: &Exchange,
) -> Result<bool, StoreError> {
    let decides = matches!(arrival.incoming().typed, Typed::Decision(_))
        && workspace.settings().escalation.controller.as_ref() == Some(&arrival.from);
    Ok(decides && got_escalation(workspace.store(), &arrival.from, exchange)?)
}

fn replied_to(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    parent: &MessageId,
) -> Result<Replied, Refused> {
    let Some((_, message)) = workspace.message(parent)? else { return Ok(Replied::Unknown) };
    let Some(id) = message.exchange else { return Ok(Replied::Talk) };
    Ok(match workspace.live(id.number)? {
        Some(live) => {
            match visible(arrival, &live.exchange) || controls(workspace, arrival, &live.exchange)? {
                true => Replied::Exchange(live.exchange),
                false => Replied::Unknown,
            }
        }
        None => Replied::Talk,
    })
}

/// The loop that an id in the content or the text names. Ids are matched against loops of the sender.
fn by_validation(workspace: &mut Workspace<'_>, arrival: &Arrival<'_>) -> Result<Correlated, Refused> {
    let ids = validation_ids(arrival);
    if ids.is_empty() {
        return Ok(Correlated::Nothing { may_classify: false });
    }
    let mut found = loops(workspace, arrival, &ids, "loop")?;
    if found.is_empty() {
        found = loops(workspace, arrival, &ids, "party")?;
        found.truncate(1);
    }
    if found.len() > 1 && found.iter().any(|one| arrival.to.contains(one.initiator())) {
        found.retain(|one| arrival.to.contains(one.initiator()));
    }
    Ok(match found.len() {
        0 => Correlated::Nothing { may_classify: false },
        1 => to(found, Rule::ValidationId),
        _ => Correlated::Ambiguous(found.iter().map(|exchange| exchange.id()).collect()),
    })
}

/// The loops of the sender that one of these ids belongs to, newest first.
fn loops(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    ids: &[String],
    which: &str,
) -> Result<Vec<Arc<Exchange>>, Refused> {
    let mut found = Vec::new();
    for number in workspace.find(&key(which, arrival.from.as_str()))? {
        let Some(live) = workspace.live(number)? else { continue };
        let Exchange::Validation(state) = &*live.exchange else { continue };
        let of_it = |id: &String| matches!(validation::named(state, id), validation::Named::Round { .. });
        if ids.iter().any(of_it) {
            found.push(live.exchange);
        }
    }
    Ok(found)
}

/// The operation that the content names, or the broadcast.
fn by_operation(workspace: &mut Workspace<'_>, arrival: &Arrival<'_>) -> Result<Correlated, Refused> {
    let named = Named::in_content(&arrival.incoming().content);
    let broadcast = named.broadcast_id.or_else(|| arrival.incoming().broadcast_id.clone());
    let numbers = match (named.operation_id, broadcast) {
        (Some(id), _) => vec![id.number],
        (None, Some(id)) => workspace.find(&key("broadcast", &id))?,
        (None, None) => return Ok(Correlated::Nothing { may_classify: false }),
    };
    let mut found = Vec::new();
    for number in numbers {
        let live = workspace.live(number)?.map(|live| live.exchange);
        let is_it = |one: &Exchange| named.operation_id.is_none_or(|id| one.id() == id);
        found.extend(live.filter(|one| is_it(one) && one.participants().contains(&arrival.from)));
    }
    if found.iter().any(|exchange| exchange.is_open()) {
        found.retain(|exchange| exchange.is_open());
    } else {
        found.truncate(1);
    }
    Ok(match found.len() {
        0 => Correlated::Nothing { may_classify: false },
        1 => to(found, Rule::OperationId),
        _ => Correlated::Ambiguous(found.iter().map(|exchange| exchange.id()).collect()),
    })
}

/// The handoff that the content names, or an ACK or verdict in the text.
fn by_handoff(workspace: &mut Workspace<'_>, arrival: &Arrival<'_>) -> Result<Correlated, Refused> {
    let incoming = arrival.incoming();
    let named = incoming.content.get("handoff_id").and_then(|id| id.as_str()).map(str::to_owned);
    let mut ids: Vec<_> = named.into_iter().collect();
    if matches!(incoming.typed, Typed::Conversation | Typed::Talk) {
        ids.extend(handoff_acks(arrival.text).into_iter().map(|ack| ack.handoff_id));
        let verdicts = verdict::verdicts(arrival.text);
        ids.extend(verdicts.iter().map(|reading| reading.task_id().to_owned()));
    }
    for id in ids {
        let mut found = Vec::new();
        for number in workspace.find(&key("handoff", &id.trim().to_lowercase()))? {
            let live = workspace.live(number)?.map(|live| live.exchange);
            found.extend(live.filter(|one| one.participants().contains(&arrival.from)));
        }
        if found.iter().any(|one| one.is_open()) {
            found.retain(|one| one.is_open());
        }
        found.truncate(1);
        if !found.is_empty() {
            return Ok(to(found, Rule::HandoffId));
        }
    }
    Ok(Correlated::Nothing { may_classify: false })
}

/// The sender's open exchanges that wait for those it writes to: it does Wilco's part itself.
fn reminded(workspace: &mut Workspace<'_>, arrival: &Arrival<'_>) -> Result<Vec<Arc<Exchange>>, Refused> {
    let mut found: Vec<Arc<Exchange>> = Vec::new();
    for agent in &arrival.to {
        let mut numbers = workspace.find(&key("works", agent.as_str()))?;
        numbers.extend(workspace.find(&key("owes", agent.as_str()))?);
        for number in numbers {
            let live = workspace.live(number)?.map(|live| live.exchange);
            let own = |one: &Arc<Exchange>| {
                let waits = one.awaits().contains(&agent) && may_mean(arrival, one);
                waits && *one.initiator() == arrival.from && !found.iter().any(|known| known.id() == one.id())
            };
            let live = live.filter(own);
            found.extend(live);
        }
    }
    Ok(found)
}

/// Open exchanges that wait for the sender. `works`: what it works on.
fn awaiting(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    works: Vec<u64>,
) -> Result<Vec<Arc<Exchange>>, Refused> {
    let mut numbers = works;
    numbers.extend(workspace.find(&key("owes", arrival.from.as_str()))?);
    let mut awaiting = Vec::new();
    for number in numbers {
        let live = workspace.live(number)?;
        let waits = |one: &Arc<Exchange>| one.awaits().contains(&&arrival.from) && may_mean(arrival, one);
        awaiting.extend(live.map(|live| live.exchange).filter(waits));
    }
    Ok(awaiting)
}

/// The ids of a validation that a message names, wherever.
fn validation_ids(arrival: &Arrival<'_>) -> Vec<String> {
    let content = arrival.incoming().content.get("message_id").and_then(|id| id.as_str()).map(str::to_owned);
    let said = read::validation::message_id(arrival.text);
    content.into_iter().chain(said).filter(|id| validation::is_id(id)).collect()
}

enum Replied {
    Unknown,
    Exchange(Arc<Exchange>),
    Talk,
}

/// Whether what is said could be said to this exchange: a type belongs to its protocol.
fn may_mean(arrival: &Arrival<'_>, exchange: &Exchange) -> bool {
    let typed = &arrival.incoming().typed;
    // A fix request may be acknowledged by that word too.
    let acknowledges = matches!(typed, Typed::Operation(Operation::Acknowledgment { .. }));
    let of = exchange.id().protocol;
    typed.fits(of) || (acknowledges && of == Protocol::Validation)
}

/// What a sender with a token takes no part in does not exist for it.
fn visible(arrival: &Arrival<'_>, exchange: &Exchange) -> bool {
    match &arrival.post.viewer {
        Viewer::Agent(agent) => exchange.participants().contains(agent),
        Viewer::Local | Viewer::Operator | Viewer::ReadOnly => true,
    }
}

pub(super) fn to(exchanges: Vec<Arc<Exchange>>, rule: Rule) -> Correlated {
    Correlated::To(exchanges.into_iter().map(|exchange| Target { exchange, rule }).collect())
}

/// Whether it is addressed to somebody else who takes part, or to Wilco: a note to oneself answers nobody.
pub(super) fn addressed(arrival: &Arrival<'_>, exchange: &Exchange) -> bool {
    let parts = exchange.participants();
    let other = |to: &Name| *to != arrival.from && parts.contains(to);
    arrival.to.is_empty() || arrival.to.iter().any(|to| is_wilco(to) || other(to))
}
