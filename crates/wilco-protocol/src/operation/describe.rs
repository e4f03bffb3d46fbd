//! What an operation shows of itself.

use crate::decision::Timer;
use crate::escalation::{Escalation, Incident};
use crate::exchange::{Describe, Texts, View};
use crate::name::{ExchangeId, MessageId, Name};

use super::view::keys;
use super::{State, StepState, Track, TrackState, awaits, options, timers, view};

impl Describe for State {
    fn id(&self) -> ExchangeId {
        self.id
    }

    fn initiator(&self) -> &Name {
        &self.initiator
    }

    fn participants(&self) -> Vec<Name> {
        let agents = self.tracks.iter().map(|track| &track.agent);
        [&self.initiator].into_iter().chain(agents).cloned().collect()
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

    fn is_owed_by(&self, agent: &Name) -> bool {
        let said = |track: &Track| track.state == TrackState::Ready;
        awaits(self).contains(&agent) && !self.track(agent).is_some_and(said)
    }

    fn opening(&self) -> &MessageId {
        &self.opening
    }

    fn title(&self) -> &str {
        &self.operation
    }

    fn called(&self) -> &str {
        &self.operation
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
        // A command that runs has a bound of its own.
        self.steps_in(StepState::Running) > 0
    }

    fn view(&self, texts: &dyn Texts) -> View {
        view(self, texts)
    }

    fn broadcast_id(&self) -> Option<&str> {
        self.broadcast_id.as_deref()
    }
}
