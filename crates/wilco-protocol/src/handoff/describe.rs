//! What a handoff shows of itself.

use crate::decision::Timer;
use crate::escalation::{Escalation, Incident};
use crate::exchange::{Describe, Texts, View};
use crate::name::{ExchangeId, MessageId, Name};

use super::view::keys;
use super::view::participants;
use super::{Phase, State, awaits, options, timers, untried, view};

impl Describe for State {
    fn id(&self) -> ExchangeId {
        self.id
    }

    fn initiator(&self) -> &Name {
        &self.initiator
    }

    fn participants(&self) -> Vec<Name> {
        participants(self).into_iter().map(|person| person.agent).collect()
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
        awaits(self)
    }

    fn opening(&self) -> &MessageId {
        &self.opening
    }

    fn title(&self) -> &str {
        &self.handoff_id
    }

    fn called(&self) -> &str {
        &self.handoff_id
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
        // What the courier is doing has a bound of its own.
        matches!(
            self.phase,
            Phase::Preparing | Phase::Confirming { .. } | Phase::Clarifying { publishing: true, .. }
        )
    }

    fn view(&self, texts: &dyn Texts) -> View {
        view(self, texts)
    }

    fn next_choice(&self) -> Option<&Name> {
        untried(self)
    }
}
