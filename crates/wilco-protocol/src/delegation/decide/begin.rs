//! How a delegation begins.

use super::Decision;
use super::draft::Draft;
use crate::decision::{Facts, Problem, Refusal, Tell};
use crate::delegation::apply;
use crate::delegation::event::{Assigned, Event};
use crate::delegation::input::{Assign, Signal};
use crate::delegation::say::{Notice, Say, ToInitiator};
use crate::delegation::words::Sign;
use crate::exchange;
use crate::name::ExchangeId;
use crate::time::Time;

/// Begins a delegation, or says what stands against it.
pub fn begin(assign: Assign, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
    if assign.by == assign.to {
        return Err(Refusal::Field { pointer: "/to".into(), problem: Problem::SelfAssigned });
    }
    if let Some(unknown) = assign.candidates.iter().find(|agent| !facts.is_registered(agent)) {
        let problem = Problem::UnknownAgent { got: unknown.to_string() };
        return Err(Refusal::Field { pointer: "/content/candidates".into(), problem });
    }
    let superseded = superseded(&assign, facts)?;
    let first = assigned(&assign, now);
    let state = apply::assigned(&first, now);
    let mut draft = Draft::born(Event::Assigned(Box::new(first)), state, facts, now);
    draft.reach(vec![assign.to.clone()], assign.requires_ack);
    if !assign.requires_ack {
        draft.say_to_assignee(Say::BeginNow);
    }
    notices(&mut draft, &assign);
    if let Some(first) = superseded {
        draft.say_to_assignee(Say::Notice(Notice::SoleAssignee));
        let signal = exchange::Signal::Delegation(Signal::Superseded { by: assign.id });
        draft.tell(Tell::Exchange(first, signal));
    }
    Ok(draft.finish())
}

/// The open delegation that this one replaces, or the refusal to have two.
fn superseded(assign: &Assign, facts: &dyn Facts) -> Result<Option<ExchangeId>, Refusal> {
    let same_task = facts.task_of(&assign.by, &assign.task_id);
    if let (Some(exchange), false) = (same_task, assign.supersede) {
        return Err(Refusal::AlreadyOpen { key: "task_id", value: assign.task_id.clone(), exchange });
    }
    match facts.task_with_uuid(&assign.task_uuid) {
        Some(exchange) if same_task != Some(exchange) => {
            Err(Refusal::AlreadyOpen { key: "task_uuid", value: assign.task_uuid.clone(), exchange })
        }
        Some(_) | None => Ok(same_task),
    }
}

fn assigned(assign: &Assign, now: Time) -> Assigned {
    let until = if assign.requires_ack {
        Some(now.plus(assign.policy.ack_timeout))
    } else {
        assign.policy.checkpoint_timeout.map(|span| now.plus(span))
    };
    Assigned {
        id: assign.id,
        task_id: assign.task_id.clone(),
        task_uuid: assign.task_uuid.clone(),
        sign: assign.sign,
        title: assign.title.clone(),
        initiator: assign.by.clone(),
        assignee: assign.to.clone(),
        assignment: assign.message.clone(),
        requires_ack: assign.requires_ack,
        candidates: assign.candidates.clone(),
        capabilities: assign.capabilities.clone(),
        policy: assign.policy.clone(),
        until,
    }
}

fn notices(draft: &mut Draft<'_>, assign: &Assign) {
    for (exchange, other) in draft.facts.task_of_others(&assign.by, &assign.task_id) {
        draft.tell_initiator(ToInitiator::SameTaskElsewhere { exchange });
        draft.say(other, Say::ToInitiator(ToInitiator::SameTaskElsewhere { exchange: assign.id }));
    }
    if matches!(assign.sign, Some(Sign::Checklist | Sign::Placeholders)) {
        draft.tell_initiator(ToInitiator::EnrolledByWeakSign);
    }
}
