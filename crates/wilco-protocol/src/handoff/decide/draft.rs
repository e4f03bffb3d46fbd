//! A decision in the making: the state as it will be, and what has been decided so far.

use super::Decision;
use crate::decision::{Effect, Facts, Routing, Spoken, Tell};
use crate::escalation::{Escalation, Evidence, Reason};
use crate::exchange;
use crate::handoff::apply::{apply, requested};
use crate::handoff::effect::Effect as Order;
use crate::handoff::event::{Event, Requested};
use crate::handoff::say::{Notice, Say, ToInitiator};
use crate::handoff::state::{Phase, State};
use crate::name::{ExchangeId, Name};
use crate::time::{Span, Time};

pub(super) struct Draft<'a> {
    pub(super) state: State,
    pub(super) facts: &'a dyn Facts,
    pub(super) now: Time,
    decision: Decision,
}

impl<'a> Draft<'a> {
    pub(super) fn new(state: &State, facts: &'a dyn Facts, now: Time) -> Draft<'a> {
        Draft { state: state.clone(), facts, now, decision: Decision::default() }
    }

    /// A handoff that only begins.
    pub(super) fn born(first: Requested, facts: &'a dyn Facts, now: Time) -> Draft<'a> {
        let state = requested(&first, now);
        let mut decision = Decision::default();
        decision.events.push(Event::Requested(Box::new(first)));
        Draft { state, facts, now, decision }
    }

    /// Records what happened; later steps of the same decision see it.
    pub(super) fn event(&mut self, event: Event) {
        apply(&mut self.state, &event, self.now);
        self.decision.events.push(event);
    }

    pub(super) fn say(&mut self, to: Name, say: Say) {
        self.decision.says.push(Spoken { to, say });
    }

    pub(super) fn say_to_replacement(&mut self, say: Say) {
        self.say(self.state.agent(), say);
    }

    pub(super) fn notice(&mut self, to: Name, notice: Notice) {
        self.say(to, Say::Notice(notice));
    }

    pub(super) fn tell_initiator(&mut self, say: ToInitiator) {
        self.say(self.state.initiator.clone(), Say::ToInitiator(say));
    }

    pub(super) fn tell(&mut self, tell: Tell) {
        self.decision.tells.push(tell);
    }

    pub(super) fn tell_delegation(&mut self, id: ExchangeId, signal: crate::delegation::Signal) {
        self.tell(Tell::Exchange(id, exchange::Signal::Delegation(signal)));
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        self.decision.effects.push(effect);
    }

    /// Orders something from the courier.
    pub(super) fn order(&mut self, order: Order) {
        let exchange = self.state.id;
        self.effect(Effect::Handoff { exchange, order });
    }

    pub(super) fn withhold(&mut self) {
        self.decision.routing = Routing::Withheld;
    }

    /// The causing message reaches the replacement, and teaches it how to answer when asked to.
    pub(super) fn pass_to_replacement(&mut self, teach: bool) {
        self.decision.routing = Routing::Reach { agents: vec![self.state.agent()], teach };
    }

    pub(super) fn after(&self, span: Span) -> Time {
        self.now.plus(span)
    }

    pub(super) fn ack_deadline(&self) -> Time {
        self.after(self.state.ack_timeout())
    }

    /// The deadline of a new answer; none while somebody is asked to decide, who settles it.
    pub(super) fn answer_deadline(&self) -> Option<Time> {
        let asked = matches!(self.state.phase, Phase::Escalated { .. });
        (!asked).then(|| self.ack_deadline())
    }

    /// Whoever decides: the controller, or the operators when nobody knows it.
    pub(super) fn controller(&self) -> Name {
        let known = self.facts.is_registered(&self.state.controller);
        if known { self.state.controller.clone() } else { self.state.operators.clone() }
    }

    /// Opens an escalation to the controller, unless one is open.
    pub(super) fn escalate(&mut self, reason: Reason) {
        if self.state.escalation().is_some() {
            return;
        }
        let (state, addressee) = (&self.state, self.controller());
        let agent = state.agent();
        // Of silence, and of a document that nobody got to see, there is nothing to quote.
        let answered = !matches!(reason, Reason::NoAcknowledgment | Reason::NoDocument);
        let evidence = Evidence {
            attempts: state.reminders_sent + 1,
            corrections: state.corrections,
            delivery: self.facts.delivery(state.id, &agent),
            agent,
            spared: false,
            said: state.ack.as_ref().map(|seen| seen.message.clone()).filter(|_| answered),
            stuck: None,
        };
        let (id, before) = (state.id, &state.escalations);
        let escalation = Escalation::next(before, reason, addressee.clone(), evidence, self.facts, self.now);
        let number = escalation.number;
        self.event(Event::Escalated { escalation });
        self.say(addressee, Say::Escalation { number, again: false });
        self.effect(Effect::CallHuman { exchange: id, escalation: number });
    }

    /// An exchange that left `escalated` by itself closes its escalation.
    pub(super) fn finish(mut self) -> Decision {
        let open = self.state.escalation().is_some();
        if open && !matches!(self.state.phase, Phase::Escalated { .. }) {
            self.event(Event::EscalationClosed { option: None, by: None });
        }
        self.decision
    }
}
