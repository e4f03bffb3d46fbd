//! What a draft of a handoff's decision says and records besides what all do.

use crate::decision::{Effect, Tell};
use crate::draft;
use crate::escalation::{Evidence, Reason};
use crate::exchange;
use crate::handoff::effect::Effect as Order;
use crate::handoff::event::Event;
use crate::handoff::say::{Notice, Say, ToInitiator};
use crate::handoff::state::{Phase, State};
use crate::name::{ExchangeId, Name};
use crate::time::Time;

pub(super) type Draft<'a> = draft::Draft<'a, State>;

impl Draft<'_> {
    pub(super) fn say_to_replacement(&mut self, say: Say) {
        self.say(self.state.agent(), say);
    }

    pub(super) fn notice(&mut self, to: Name, notice: Notice) {
        self.say(to, Say::Notice(notice));
    }

    pub(super) fn tell_initiator(&mut self, say: ToInitiator) {
        self.say(self.state.initiator.clone(), Say::ToInitiator(say));
    }

    pub(super) fn tell_delegation(&mut self, id: ExchangeId, signal: crate::delegation::Signal) {
        self.tell(Tell::Exchange(id, exchange::Signal::Delegation(signal)));
    }

    /// Orders something from the courier.
    pub(super) fn order(&mut self, order: Order) {
        let exchange = self.state.id;
        self.effect(Effect::Handoff { exchange, order });
    }

    /// The causing message reaches the replacement, and teaches it how to answer when asked to.
    pub(super) fn pass_to_replacement(&mut self, teach: bool) {
        self.reach(vec![self.state.agent()], teach);
    }

    pub(super) fn ack_deadline(&self) -> Time {
        self.after(self.state.ack_timeout())
    }

    /// The deadline of a new answer; none while somebody is asked to decide, who settles it.
    pub(super) fn answer_deadline(&self) -> Option<Time> {
        let asked = matches!(self.state.phase, Phase::Escalated { .. });
        (!asked).then(|| self.ack_deadline())
    }

    /// Whoever is told how it went: the controller, or the operators when nobody knows it.
    pub(super) fn controller(&self) -> Name {
        let known = self.facts.is_registered(&self.state.controller);
        if known { self.state.controller.clone() } else { self.state.operators.clone() }
    }

    /// Whoever is asked to decide: without a controller it is the initiator, who began it and waits for it.
    fn decider(&self) -> Name {
        let known = |agent: &&Name| self.facts.is_registered(agent);
        let (state, operators) = (&self.state, &self.state.operators);
        [&state.controller, &state.initiator].into_iter().find(known).unwrap_or(operators).clone()
    }

    /// Opens an escalation to the controller, unless one is open.
    pub(super) fn escalate(&mut self, reason: Reason) {
        if self.state.escalation().is_some() {
            return;
        }
        let (state, addressee) = (&self.state, self.decider());
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
            silent_since: None,
            stuck: None,
        };
        let event = |escalation| Event::Escalated { escalation };
        let say = |number| Say::Escalation { number, again: false };
        self.open_escalation(reason, addressee, evidence, event, say);
    }
}
