//! How an operation begins.

use super::Decision;
use super::draft::Draft;
use super::perform;
use crate::decision::{Facts, Problem, Refusal};
use crate::name::Name;
use crate::operation::apply::announced;
use crate::operation::event::{Announced, Begun, Event, Why};
use crate::operation::input::Operate;
use crate::operation::say::Say;
use crate::time::Time;

/// Begins an operation, or says what stands against it.
pub fn begin(operate: Operate, facts: &dyn Facts, now: Time) -> Result<Decision, Refusal> {
    if operate.to.contains(&operate.by) {
        return Err(Refusal::Field { pointer: "/to".into(), problem: Problem::OwnOperation });
    }
    let requires_acknowledgment = operate.requires_acknowledgment;
    let first = Announced {
        id: operate.id,
        operation: operate.operation,
        kind: operate.kind,
        initiator: operate.by,
        agents: operate.to,
        opening: operate.message,
        broadcast_id: operate.broadcast_id,
        requires_acknowledgment,
        silence_foreseen: operate.silence_foreseen,
        policy: operate.policy,
        execute: operate.execute,
        begins: operate.pre_notice.map(|span| now.plus(span)),
    };
    let announced_only = first.begins.is_some();
    let state = announced(&first, now);
    let mut draft = Draft::born(Event::Announced(Box::new(first)), state, facts, now);
    if announced_only {
        draft.withhold();
        draft.say_to_agents(&Say::Announcement);
    } else {
        let agents = draft.agents();
        draft.teach(agents.clone());
        ask(&mut draft, agents);
    }
    Ok(draft.finish())
}

/// The handshake begins, or begins again for some.
pub(super) fn ask(draft: &mut Draft<'_>, agents: Vec<Name>) {
    if !draft.state.requires_acknowledgment {
        return perform::authorize(draft, Why::NotRequired);
    }
    let policy = &draft.state.policy;
    let deadline = draft.after(policy.acknowledgment_timeout);
    let reminders = policy.reminders().into_iter().map(|span| draft.after(span)).collect();
    draft.event(Event::Asked(Begun { agents, deadline, reminders }));
}
