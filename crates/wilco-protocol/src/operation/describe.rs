//! What an operation shows of itself.

use crate::exchange::{Describe, describe_alike};
use crate::name::{MessageId, Name};

use super::view::keys;
use super::{State, StepState, Track, TrackState, awaits, options, timers, view};

impl Describe for State {
    describe_alike!();

    fn participants(&self) -> Vec<Name> {
        let agents = self.tracks.iter().map(|track| &track.agent);
        [&self.initiator].into_iter().chain(agents).cloned().collect()
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

    fn rests(&self) -> bool {
        // A command that runs has a bound of its own.
        self.steps_in(StepState::Running) > 0
    }

    fn broadcast_id(&self) -> Option<&str> {
        self.broadcast_id.as_deref()
    }
}
