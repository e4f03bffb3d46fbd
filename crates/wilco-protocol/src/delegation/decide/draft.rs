//! A decision in the making: the state as it will be, and what has been decided so far.

use super::Decision;
use crate::decision::{Effect, Facts, Routing, Spoken, Tell};
use crate::delegation::apply::apply;
use crate::delegation::event::Event;
use crate::delegation::say::{Say, ToInitiator};
use crate::delegation::state::{Outcome, Phase, State};
use crate::escalation::{Escalation, Evidence, Reason, addressee};
use crate::name::{MessageId, Name};
use crate::time::{Span, Time};

pub(super) struct Draft<'a> {
    pub(super) state: State,
    pub(super) facts: &'a dyn Facts,
    pub(super) now: Time,
    pub(super) decision: Decision,
    /// The assignee's message that is decided on.
    pub(super) said: Option<MessageId>,
}

impl<'a> Draft<'a> {
    pub(super) fn new(state: &State, facts: &'a dyn Facts, now: Time) -> Draft<'a> {
        Draft { state: state.clone(), facts, now, decision: Decision::default(), said: None }
    }

    /// Records what happened; later steps of the same decision see it.
    pub(super) fn event(&mut self, event: Event) {
        apply(&mut self.state, &event, self.now);
        self.decision.events.push(event);
    }

    pub(super) fn say(&mut self, to: Name, say: Say) {
        self.decision.says.push(Spoken { to, say });
    }

    pub(super) fn say_to_assignee(&mut self, say: Say) {
        self.say(self.state.assignee.clone(), say);
    }

    pub(super) fn tell_initiator(&mut self, say: ToInitiator) {
        self.say(self.state.initiator.clone(), Say::ToInitiator(say));
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        self.decision.effects.push(effect);
    }

    pub(super) fn tell(&mut self, tell: Tell) {
        self.decision.tells.push(tell);
    }

    /// The causing message must reach the assignee, and teach it how to answer when asked to and an ACK
    /// is required.
    pub(super) fn pass_to_assignee(&mut self, teach: bool) {
        let teach = teach && self.state.requires_ack;
        self.decision.routing = Routing::Reach { agents: vec![self.state.assignee.clone()], teach };
    }

    pub(super) fn withhold(&mut self) {
        self.decision.routing = Routing::Withheld;
    }

    pub(super) fn after(&self, span: Span) -> Time {
        self.now.plus(span)
    }

    pub(super) fn ack_deadline(&self) -> Time {
        self.after(self.state.policy.ack_timeout)
    }

    /// Until when the agent is to answer; where no ACK is required, when its next checkpoint is due.
    pub(super) fn answer_deadline(&self) -> Option<Time> {
        if self.state.requires_ack { Some(self.ack_deadline()) } else { self.next_check() }
    }

    /// When the next checkpoint is due, if anybody wants one.
    pub(super) fn next_check(&self) -> Option<Time> {
        self.state.policy.checkpoint_timeout.map(|span| self.after(span))
    }

    /// Opens an escalation to the initiator, unless one is open.
    pub(super) fn escalate(&mut self, reason: Reason) {
        if self.state.escalation().is_some() {
            return;
        }
        let state = &self.state;
        let evidence = Evidence {
            agent: state.assignee.clone(),
            spared: reason == Reason::NoAcknowledgment && state.spares_its_agent(),
            attempts: state.attempt,
            corrections: state.corrections,
            delivery: self.facts.delivery(state.id, &state.assignee),
            said: self.said_about(reason),
            stuck: None,
        };
        let (id, addressee) = (state.id, addressee(&state.initiator, self.facts));
        let before = &state.escalations;
        let escalation = Escalation::next(before, reason, addressee.clone(), evidence, self.facts, self.now);
        let number = escalation.number;
        self.event(Event::Escalated { escalation });
        self.say(addressee, Say::Escalation { number, again: false });
        self.effect(Effect::CallHuman { exchange: id, escalation: number });
    }

    /// What the assignee said that somebody must decide about.
    fn said_about(&self, reason: Reason) -> Option<MessageId> {
        let state = &self.state;
        if reason == Reason::NoClarification {
            return state.questions.as_ref().map(|questions| questions.asked_in.clone());
        }
        let is_about_an_ack = matches!(
            reason,
            Reason::NoCandidate | Reason::CapabilityMismatch | Reason::NoVerdict | Reason::QueueStuck
        );
        self.said.clone().or_else(|| state.ack.clone()).filter(|_| is_about_an_ack)
    }

    /// Ends the exchange. An assignee that was told to stop is to confirm it.
    pub(super) fn end(&mut self, outcome: Outcome) {
        let stop = match outcome {
            Outcome::Completed => None,
            Outcome::Cancelled | Outcome::Failed => Some(self.ack_deadline()),
        };
        self.event(Event::Ended { outcome, stop });
    }

    /// An exchange that left `escalated` by itself closes its escalation.
    pub(super) fn finish(mut self) -> Decision {
        let open = self.state.escalation().is_some();
        if open && !matches!(self.state.phase, Phase::Escalated { .. }) {
            self.event(Event::EscalationClosed { option: None, by: None });
        }
        super::handover::repeated(&mut self);
        self.decision
    }
}
