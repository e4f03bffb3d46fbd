//! What an operation shows of itself.

use crate::exchange::{Describe, describe_alike};
use crate::name::{MessageId, Name};
use crate::todo::{Todo, Wanted};

use super::view::keys;
use super::{Phase, State, StepState, Track, TrackState, awaits, options, timers, view};

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

    fn is_party(&self, agent: &Name) -> bool {
        *agent == self.initiator || self.track(agent).is_some()
    }

    fn own_todo(&self, agent: &Name) -> Vec<Todo> {
        let ready = |track: &Track| match track.state {
            TrackState::Waiting => Some(Wanted::Readiness.due(track.deadline)),
            // Late it may still answer.
            TrackState::TimedOut => Some(Wanted::Readiness.due(None)),
            TrackState::Ready | TrackState::Cancelled | TrackState::Excluded => None,
        };
        match self.phase {
            Phase::Waiting => self.track(agent).and_then(ready).into_iter().collect(),
            Phase::Authorized { until, .. } if *agent == self.initiator => {
                vec![Wanted::OperationResult.due(until)]
            }
            Phase::Notifying { .. } | Phase::Authorized { .. } | Phase::Executing | Phase::Ended { .. } => {
                Vec::new()
            }
        }
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
