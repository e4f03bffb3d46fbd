//! What a draft of an operation's decision says and records besides what all do.

use crate::draft;
use crate::escalation::{Evidence, Reason, addressee};
use crate::name::Name;
use crate::operation::event::{Event, Why};
use crate::operation::say::{Say, ToInitiator};
use crate::operation::state::{Outcome, State, Track};

pub(super) type Draft<'a> = draft::Draft<'a, State>;

impl Draft<'_> {
    /// To every agent of the operation, also to those that are out of it.
    pub(super) fn say_to_agents(&mut self, say: &Say) {
        for agent in self.agents() {
            self.say(agent, say.clone());
        }
    }

    pub(super) fn tell_initiator(&mut self, say: ToInitiator) {
        self.say(self.state.initiator.clone(), Say::ToInitiator(say));
    }

    /// The causing message must reach these, with how to answer it.
    pub(super) fn teach(&mut self, agents: Vec<Name>) {
        self.reach(agents, true);
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
        let evidence = Evidence {
            agent,
            spared: false,
            attempts,
            corrections: 0,
            delivery,
            said: None,
            silent_since: None,
            stuck: None,
        };
        let addressee = addressee(&state.initiator, self.facts);
        let event = |escalation| Event::Escalated { escalation };
        let say = |number| Say::Escalation { number, again: false };
        self.open_escalation(reason, addressee, evidence, event, say);
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
}
