//! A decision in the making: the state as it will be, and what has been decided so far.

use super::Decision;
use crate::decision::{Effect, Facts, Routing, Spoken};
use crate::escalation::{Escalation, Evidence, Reason, addressee};
use crate::name::Name;
use crate::operation::apply::{announced, apply};
use crate::operation::event::{Announced, Event, Why};
use crate::operation::say::{Say, ToInitiator};
use crate::operation::state::{Outcome, State, Track};
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

    /// An operation that only begins.
    pub(super) fn born(first: Announced, facts: &'a dyn Facts, now: Time) -> Draft<'a> {
        let mut decision = Decision::default();
        let state = announced(&first, now);
        decision.events.push(Event::Announced(Box::new(first)));
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

    /// To every agent of the operation, also to those that are out of it.
    pub(super) fn say_to_agents(&mut self, say: &Say) {
        for agent in self.agents() {
            self.say(agent, say.clone());
        }
    }

    pub(super) fn tell_initiator(&mut self, say: ToInitiator) {
        self.say(self.state.initiator.clone(), Say::ToInitiator(say));
    }

    pub(super) fn effect(&mut self, effect: Effect) {
        self.decision.effects.push(effect);
    }

    pub(super) fn withhold(&mut self) {
        self.decision.routing = Routing::Withheld;
    }

    /// The causing message must reach these, with how to answer it.
    pub(super) fn teach(&mut self, agents: Vec<Name>) {
        self.decision.routing = Routing::Reach { agents, teach: true };
    }

    pub(super) fn after(&self, span: Span) -> Time {
        self.now.plus(span)
    }

    pub(super) fn agents(&self) -> Vec<Name> {
        self.state.tracks.iter().map(|track| track.agent.clone()).collect()
    }

    /// The agents whose track is such.
    pub(super) fn agents_where(&self, such: impl Fn(&Track) -> bool) -> Vec<Name> {
        self.state.tracks.iter().filter(|track| such(track)).map(|track| track.agent.clone()).collect()
    }

    /// Opens an escalation to the initiator about an agent, unless one is open.
    pub(super) fn escalate(&mut self, reason: Reason, agent: Name) {
        if self.state.escalation().is_some() {
            return;
        }
        let state = &self.state;
        let attempts = state.track(&agent).map_or(1, |track| track.reminders_sent + 1);
        let delivery = self.facts.delivery(state.id, &agent);
        let evidence =
            Evidence { agent, spared: false, attempts, corrections: 0, delivery, said: None, stuck: None };
        let (id, addressee) = (state.id, addressee(&state.initiator, self.facts));
        let before = &state.escalations;
        let escalation = Escalation::next(before, reason, addressee.clone(), evidence, self.facts, self.now);
        let number = escalation.number;
        self.event(Event::Escalated { escalation });
        self.say(addressee, Say::Escalation { number, again: false });
        self.effect(Effect::CallHuman { exchange: id, escalation: number });
    }

    /// Ends it, and tells everybody once.
    pub(super) fn end(&mut self, outcome: Outcome, because: Why, by: Option<Name>) {
        self.event(Event::Ended { outcome, because });
        let initiator = self.state.initiator.clone();
        let (say, knows) = match outcome {
            // Whoever performed it knows; what a command did its initiator is told otherwise.
            Outcome::Done | Outcome::Failed => (Say::Performed { outcome }, true),
            Outcome::Cancelled => {
                let by = by.unwrap_or_else(|| initiator.clone());
                let knows = by == initiator;
                (Say::Cancelled { by }, knows)
            }
            Outcome::Aborted => (Say::Aborted { because, by }, false),
        };
        self.say_to_agents(&say);
        if !knows {
            self.say(initiator, say);
        }
    }

    /// Ends it when nobody is to say how it went.
    pub(super) fn end_quietly(&mut self) {
        self.event(Event::Ended { outcome: Outcome::Done, because: Why::Performed });
    }

    /// An exchange that went on by itself closes its escalation.
    pub(super) fn finish(mut self) -> Decision {
        let open = self.state.escalation().is_some();
        if open && !super::choice::still_asks(&self.state) {
            self.event(Event::EscalationClosed { option: None, by: None });
        }
        self.decision
    }
}
