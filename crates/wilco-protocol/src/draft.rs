//! A decision in the making: the state as it will be, and what has been decided so far. Each protocol adds what
//! it alone says and records.

use std::borrow::Cow;
use std::fmt;

use crate::decision::{Decision, Effect, Facts, Routing, Spoken, Tell};
use crate::escalation::{Escalation, Evidence, Reason};
use crate::machine::{Decided, Machine};
use crate::name::{MessageId, Name};
use crate::time::{Span, Time};

pub struct Draft<'a, M: Machine> {
    /// Copied with the first event only.
    pub(crate) state: Cow<'a, M>,
    pub(crate) facts: &'a dyn Facts,
    pub(crate) now: Time,
    decision: Decided<M>,
    /// The message that is decided on, where a protocol quotes it.
    pub(crate) said: Option<MessageId>,
}

impl<M: Machine> fmt::Debug for Draft<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Draft").field("decision", &self.decision).finish_non_exhaustive()
    }
}

impl<'a, M: Machine> Draft<'a, M> {
    pub(crate) fn new(state: &'a M, facts: &'a dyn Facts, now: Time) -> Draft<'a, M> {
        Draft { state: Cow::Borrowed(state), facts, now, decision: Decision::default(), said: None }
    }

    /// An exchange that only begins: its first event, and the state after it.
    pub(crate) fn born(first: M::Event, state: M, facts: &'a dyn Facts, now: Time) -> Draft<'a, M> {
        let decision = Decision { events: vec![first], ..Decision::default() };
        Draft { state: Cow::Owned(state), facts, now, decision, said: None }
    }

    /// Records what happened; later steps of the same decision see it.
    pub(crate) fn event(&mut self, event: M::Event) {
        M::record(self, event);
    }

    /// The same, and nothing is said of it.
    pub(crate) fn fold(&mut self, event: M::Event) {
        self.state.to_mut().apply(&event, self.now);
        self.decision.events.push(event);
    }

    pub(crate) fn events(&self) -> &[M::Event] {
        &self.decision.events
    }

    pub(crate) fn say(&mut self, to: Name, say: M::Say) {
        self.decision.says.push(Spoken { to, say });
    }

    pub(crate) fn effect(&mut self, effect: Effect) {
        self.decision.effects.push(effect);
    }

    pub(crate) fn tell(&mut self, tell: Tell) {
        self.decision.tells.push(tell);
    }

    /// The causing message must reach these; `teach`: with how to answer it.
    pub(crate) fn reach(&mut self, agents: Vec<Name>, teach: bool) {
        self.decision.routing = Routing::Reach { agents, teach };
    }

    pub(crate) fn withhold(&mut self) {
        self.decision.routing = Routing::Withheld;
    }

    pub(crate) fn mark_unread(&mut self) {
        self.decision.unread = true;
    }

    pub(crate) fn after(&self, span: Span) -> Time {
        self.now.plus(span)
    }

    /// Opens an escalation: it is recorded, its addressee is told, and a person is called.
    pub(crate) fn open_escalation(
        &mut self,
        reason: Reason,
        addressee: Name,
        evidence: Evidence,
        event: impl FnOnce(Escalation) -> M::Event,
        say: impl FnOnce(u32) -> M::Say,
    ) {
        let before = self.state.escalations();
        let escalation = Escalation::next(before, reason, addressee.clone(), evidence, self.facts, self.now);
        let number = escalation.number;
        self.event(event(escalation));
        self.say(addressee, say(number));
        self.effect(Effect::CallHuman { exchange: self.state.id(), escalation: number });
    }

    pub(crate) fn finish(mut self) -> Decided<M> {
        M::settle(&mut self);
        let next = match self.state {
            Cow::Owned(state) => Some(state),
            Cow::Borrowed(_) => None,
        };
        Decision { next, ..self.decision }
    }
}
