//! What a draft of a delegation's decision says and records besides what all do.

use crate::delegation::event::Event;
use crate::delegation::say::{Say, ToInitiator};
use crate::delegation::state::{Outcome, State};
use crate::draft;
use crate::escalation::{Evidence, Reason, addressee};
use crate::name::MessageId;
use crate::time::Time;

pub(super) type Draft<'a> = draft::Draft<'a, State>;

impl Draft<'_> {
    pub(super) fn say_to_assignee(&mut self, say: Say) {
        self.say(self.state.assignee.clone(), say);
    }

    pub(super) fn tell_initiator(&mut self, say: ToInitiator) {
        self.say(self.state.initiator.clone(), Say::ToInitiator(say));
    }

    /// The causing message must reach the assignee, and teach it how to answer when asked to and an ACK
    /// is required.
    pub(super) fn pass_to_assignee(&mut self, teach: bool) {
        let teach = teach && self.state.requires_ack;
        self.reach(vec![self.state.assignee.clone()], teach);
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
            silent_since: (reason == Reason::NoCheckpoint)
                .then(|| state.last_word().map_or(state.sent_at, |last| last.at)),
            stuck: None,
        };
        let addressee = addressee(&state.initiator, self.facts);
        let event = |escalation| Event::Escalated { escalation };
        let say = |number| Say::Escalation { number, again: false };
        self.open_escalation(reason, addressee, evidence, event, say);
    }

    /// What the assignee said that somebody must decide about.
    fn said_about(&self, reason: Reason) -> Option<MessageId> {
        let state = &self.state;
        if reason == Reason::NoClarification {
            return state.questions.as_ref().map(|questions| questions.asked_in.clone());
        }
        if reason == Reason::Unreadable {
            return state.unread_answer().map(|said| said.message.clone());
        }
        if reason == Reason::NoCheckpoint {
            return state.last_word().map(|last| last.message);
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
}
