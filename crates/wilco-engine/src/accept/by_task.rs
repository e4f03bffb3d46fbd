//! The exchanges that a task's id finds: in the content, in the text, in a heading.

use std::sync::Arc;

use wilco_language::parse::{Delegation, Typed};
use wilco_language::read::classify::{Task, classify, headed};
use wilco_language::read::words::{self, Word};
use wilco_language::read::{ack, verdict};
use wilco_protocol::Exchange;
use wilco_protocol::delegation::Stop;
use wilco_protocol::exchange::key;

use super::arrival::Arrival;
use super::correlate::{Correlated, Rule, Target, addressed};
use super::is_wilco;
use crate::command::Refused;
use crate::workspace::Workspace;

/// Task ids in the content, then in the text.
pub(super) fn task_ids(arrival: &Arrival<'_>) -> Vec<(Vec<String>, Rule)> {
    let incoming = arrival.incoming();
    let typed = match &incoming.typed {
        Typed::Delegation(said) => said.task_id().map(str::to_owned),
        Typed::Operation(_)
        | Typed::Validation(_)
        | Typed::Handoff(_)
        | Typed::Decision(_)
        | Typed::Conversation
        | Typed::Talk => incoming.content.get("task_id").and_then(|id| id.as_str()).map(str::to_owned),
    };
    vec![(typed.into_iter().collect(), Rule::TaskId), (in_text(arrival), Rule::TextId)]
}

/// A text that acknowledges or judges the task it is said to, and others too, is said to each.
pub(super) fn with_others_in_text(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    found: Correlated,
) -> Result<Correlated, Refused> {
    let Correlated::To(mut targets) = found else { return Ok(found) };
    let own =
        |id: &String| targets.iter().any(|one| one.exchange.called().to_lowercase() == id.to_lowercase());
    let (own, others): (Vec<_>, Vec<_>) = in_text(arrival).into_iter().partition(own);
    if !own.is_empty()
        && !others.is_empty()
        && let Correlated::To(others) = by_tasks(workspace, arrival, &others, Rule::TextId)?
    {
        targets.extend(others);
    }
    Ok(Correlated::To(targets))
}

pub(super) fn by_tasks(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    ids: &[String],
    rule: Rule,
) -> Result<Correlated, Refused> {
    let mut targets: Vec<Target> = Vec::new();
    for id in ids {
        let mut found = of_task(workspace, arrival, id)?;
        if found.len() > 1 {
            return Ok(Correlated::Ambiguous(found.iter().map(|exchange| exchange.id()).collect()));
        }
        // A text may name a task more than once; it is said to it once.
        let known = |exchange: &Exchange| targets.iter().any(|one| one.exchange.id() == exchange.id());
        if let Some(exchange) = found.pop().filter(|exchange| !known(exchange)) {
            targets.push(Target { exchange, rule });
        }
    }
    Ok(if targets.is_empty() { Correlated::Nothing { may_classify: false } } else { Correlated::To(targets) })
}

/// The open exchanges of a task in which the sender takes part; when none is open, the newest ended.
pub(super) fn of_task(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    task_id: &str,
) -> Result<Vec<Arc<Exchange>>, Refused> {
    let mut found = Vec::new();
    for number in workspace.find(&key("task", &task_id.to_lowercase()))? {
        let live = workspace.live(number)?;
        found.extend(live.map(|live| live.exchange).filter(|one| one.participants().contains(&arrival.from)));
    }
    // What is addressed to somebody is not about a task of somebody else, even when that one is open.
    if found.iter().any(|exchange| addressed(arrival, exchange)) {
        found.retain(|exchange| addressed(arrival, exchange));
    }
    if let Some(stopped) = stopped(arrival, &found) {
        return Ok(vec![stopped]);
    }
    if found.iter().any(|exchange| exchange.is_open()) {
        found.retain(|exchange| exchange.is_open());
    } else {
        found.truncate(1);
    }
    Ok(found)
}

/// The open delegation of this task from this sender to this recipient.
pub(crate) fn open_under_heading(
    workspace: &mut Workspace<'_>,
    arrival: &Arrival<'_>,
    task_id: Option<&str>,
) -> Result<Option<Arc<Exchange>>, Refused> {
    let Some(task_id) = task_id else { return Ok(None) };
    let found = of_task(workspace, arrival, task_id)?;
    let of_this_pair = |exchange: &Arc<Exchange>| {
        let Exchange::Delegation(state) = &**exchange else { return false };
        state.is_open() && state.initiator == arrival.from && arrival.to.first() == Some(&state.assignee)
    };
    Ok(found.into_iter().find(of_this_pair))
}

/// The task that a plain text to one agent is. Under the heading of an open task it is that one, whatever its id
/// looks like.
pub(super) fn task_in(workspace: &mut Workspace<'_>, arrival: &Arrival<'_>) -> Result<Option<Task>, Refused> {
    if let Some(known) = arrival.task.get() {
        return Ok(known.clone());
    }
    let found = look_for_task(workspace, arrival)?;
    Ok(arrival.task.get_or_init(|| found).clone())
}

fn look_for_task(workspace: &mut Workspace<'_>, arrival: &Arrival<'_>) -> Result<Option<Task>, Refused> {
    let single = arrival.to.len() == 1 && !is_wilco(&arrival.to[0]);
    if !single || !workspace.settings().auto_enrol {
        return Ok(None);
    }
    let subject = arrival.incoming().subject.as_deref();
    let found = classify(subject, arrival.text);
    if found.as_ref().is_some_and(|task| task.task_id.is_some()) {
        return Ok(found);
    }
    let Some(task) = headed(subject, arrival.text) else { return Ok(found) };
    let open = open_under_heading(workspace, arrival, task.task_id.as_deref())?;
    let is_it = |open: &Exchange| Some(open.called()) == task.task_id.as_deref();
    Ok(if open.is_some_and(|open| is_it(&open)) { Some(task) } else { found })
}

/// The tasks that the words of the form name.
fn in_text(arrival: &Arrival<'_>) -> Vec<String> {
    if !matches!(arrival.incoming().typed, Typed::Conversation | Typed::Talk) {
        return Vec::new();
    }
    let (acks, verdicts) = (ack::acks(arrival.text), verdict::verdicts(arrival.text));
    let acked = acks.iter().map(|reading| reading.task_id().to_owned());
    let mut ids: Vec<_> = acked.chain(verdicts.iter().map(|reading| reading.task_id().to_owned())).collect();
    ids.extend(words::ids(arrival.text));
    ids
}

/// The ended task whose stop is confirmed: the one that waited longest, else the newest that was given up waiting for.
/// One that is open again under the same id has asked nobody to stop.
fn stopped(arrival: &Arrival<'_>, found: &[Arc<Exchange>]) -> Option<Arc<Exchange>> {
    let typed = matches!(&arrival.incoming().typed, Typed::Delegation(Delegation::StopAck { .. }));
    if !typed && !words::words(arrival.text).iter().any(|one| one.word == Word::Stopped) {
        return None;
    }
    let is = |one: &Exchange, stop| matches!(one, Exchange::Delegation(state) if state.stop_of(&arrival.from) == Some(stop));
    let awaited = found.iter().rev().find(|one| is(one, Stop::Awaited));
    awaited.or_else(|| found.iter().find(|one| is(one, Stop::Unconfirmed))).cloned()
}
