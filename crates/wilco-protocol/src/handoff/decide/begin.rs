//! How a handoff begins.

use super::Decision;
use super::delivery::{deliver, prepare};
use super::draft::Draft;
use crate::decision::{Facts, Problem, Refusal};
use crate::delegation::Signal;
use crate::directory::Mark;
use crate::handoff::apply::requested;
use crate::handoff::event::{Event, Requested};
use crate::handoff::input::Replace;
use crate::handoff::say::{Say, ToInitiator};
use crate::name::Name;
use crate::time::Time;

/// Begins a handoff, or says what stands against it.
pub fn begin(replace: Replace, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
    let Replace { first, deliver: readable } = replace;
    let direct = first.given_url.is_some();
    let agent = Name::new(&first.replacement.id);
    let pointer = if direct { "/to" } else { "/content/replacement_agent" };
    let failed = first.failed.as_ref().map(|failed| Name::new(&failed.id));
    fits(facts, &agent, failed.as_ref(), &first.initiator)
        .map_err(|problem| Refusal::Field { pointer: pointer.into(), problem })?;
    if let Some(unknown) = first.candidates.iter().find(|agent| !facts.is_registered(agent)) {
        let problem = Problem::UnknownAgent { got: unknown.to_string() };
        return Err(Refusal::Field { pointer: "/content/candidates".into(), problem });
    }
    undisputed(&first, facts)?;
    let tasks: Vec<_> = first.tasks.iter().filter_map(|task| task.delegation.clone()).collect();
    let others = first.tasks.iter().filter(|task| task.delegation.is_none());
    let others: Vec<_> = others.map(|task| task.task.clone()).collect();
    let state = requested(&first, now);
    let mut draft = Draft::born(Event::Requested(Box::new(first)), state, facts, now);
    let (by, initiator) = (draft.state.id, draft.state.initiator.clone());
    for task in tasks {
        draft.tell_delegation(task.exchange, Signal::HandoffBegan { by, initiator: initiator.clone() });
    }
    // Its delegations tell it themselves.
    let stops = !others.is_empty() && !draft.state.keeps_failed;
    if let Some(failed) = failed.filter(|failed| stops && facts.is_registered(failed)) {
        draft.say(failed, Say::Cancel { tasks: others });
    }
    if draft.state.tasks.is_empty() {
        draft.tell_initiator(ToInitiator::NoTasks);
    }
    if direct {
        deliver(&mut draft, false);
        draft.pass_to_replacement(true);
    } else {
        prepare(&mut draft);
        if !readable {
            draft.withhold();
        }
    }
    Ok(draft.finish())
}

/// Whether an agent can take over.
pub(super) fn fits(
    facts: &dyn Facts,
    agent: &Name,
    failed: Option<&Name>,
    initiator: &Name,
) -> Result<(), Problem> {
    let got = agent.to_string();
    if failed == Some(agent) {
        return Err(Problem::ReplacementFailed { got });
    }
    if !facts.is_registered(agent) {
        return Err(Problem::UnknownAgent { got });
    }
    if agent == initiator {
        return Err(Problem::SelfAssigned);
    }
    match facts.mark(agent) {
        Some(mark @ (Mark::Inactive | Mark::Unresponsive)) => {
            Err(Problem::ReplacementAway { got, status: mark.word() })
        }
        Some(Mark::Hibernated) | None => Ok(()),
    }
}

/// No task is handed over twice at a time, and no handoff id is another's.
fn undisputed(first: &Requested, facts: &dyn Facts) -> Result<(), Refusal> {
    if let Some(exchange) = facts.handoff_with_id(&first.handoff_id) {
        let value = first.handoff_id.clone();
        return Err(Refusal::AlreadyOpen { key: "handoff_id", value, exchange });
    }
    let disputed = first.tasks.iter().find_map(|task| Some((facts.handed_over(&task.task)?, task)));
    match disputed {
        Some((exchange, task)) => {
            Err(Refusal::AlreadyOpen { key: "task", value: task.task.clone(), exchange })
        }
        None => Ok(()),
    }
}
