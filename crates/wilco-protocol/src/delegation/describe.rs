//! What a delegation shows of itself.

use crate::decision::Timer;
use crate::escalation::{Escalation, Incident};
use crate::exchange::{Describe, Texts, View};
use crate::name::{ExchangeId, MessageId, Name};

use super::view::keys;
use super::{Phase, State, awaits, options, timers, untried, view};

impl Describe for State {
    fn id(&self) -> ExchangeId {
        self.id
    }

    fn initiator(&self) -> &Name {
        &self.initiator
    }

    fn participants(&self) -> Vec<Name> {
        let parties = [&self.initiator, &self.assignee];
        parties.into_iter().chain(&self.former_assignees).cloned().collect()
    }

    fn is_open(&self) -> bool {
        State::is_open(self)
    }

    fn state_name(&self) -> &'static str {
        self.name()
    }

    fn timers(&self) -> Vec<Timer> {
        timers(self)
    }

    fn own_keys(&self) -> Vec<String> {
        keys(self)
    }

    fn awaits(&self) -> Vec<&Name> {
        awaits(self).into_iter().collect()
    }

    fn is_owed_by(&self, agent: &Name) -> bool {
        let at_rest = match self.phase {
            Phase::Queued { .. } | Phase::Waiting { .. } | Phase::Working { .. } | Phase::Paused { .. } => {
                true
            }
            Phase::AwaitingAck { .. }
            | Phase::Clarifying { .. }
            | Phase::InReview { .. }
            | Phase::Returned { .. }
            | Phase::Escalated { .. }
            | Phase::Ended { .. } => false,
        };
        !at_rest && awaits(self) == Some(agent)
    }

    fn opening(&self) -> &MessageId {
        &self.assignment
    }

    fn title(&self) -> &str {
        &self.title
    }

    fn called(&self) -> &str {
        &self.task_id
    }

    fn cites(&self) -> Vec<MessageId> {
        State::cites(self)
    }

    fn escalations(&self) -> &[Escalation] {
        &self.escalations
    }

    fn options(&self) -> Vec<&'static str> {
        options(self)
    }

    fn incidents(&self) -> &[Incident] {
        &self.incidents
    }

    fn rests(&self) -> bool {
        // What is handed over is moved by its handoff.
        self.held.is_some()
            || matches!(self.phase, Phase::Working { check: None, .. } | Phase::Paused { until: None, .. })
    }

    fn view(&self, texts: &dyn Texts) -> View {
        view(self, texts)
    }

    fn next_choice(&self) -> Option<&Name> {
        untried(self)
    }
}
