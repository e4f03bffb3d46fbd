//! What a validation shows of itself.

use super::decide::options;
use super::state::State;
use super::timers::timers;
use super::view::{awaits, keys, title, view};
use crate::decision::Timer;
use crate::escalation::{Escalation, Incident};
use crate::exchange::{Describe, Texts, View};
use crate::name::{ExchangeId, MessageId, Name};

impl Describe for State {
    fn id(&self) -> ExchangeId {
        self.id
    }

    fn initiator(&self) -> &Name {
        &self.initiator
    }

    fn participants(&self) -> Vec<Name> {
        self.agents()
    }

    fn is_open(&self) -> bool {
        self.is_open()
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
        title(self)
    }

    fn called(&self) -> &str {
        &self.issue
    }

    fn cites(&self) -> Vec<MessageId> {
        self.cites()
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

    /// The clock of an iteration runs in every phase that is open.
    fn rests(&self) -> bool {
        false
    }

    fn view(&self, texts: &dyn Texts) -> View {
        view(self, texts)
    }

    fn voice(&self) -> Name {
        Name::orchestrator()
    }
}
