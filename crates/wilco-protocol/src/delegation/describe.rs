//! What a delegation shows of itself.

use crate::exchange::{Describe, describe_alike};
use crate::name::{MessageId, Name};

use super::view::keys;
use super::{Phase, State, awaits, options, timers, untried, view};

impl Describe for State {
    describe_alike!();

    fn participants(&self) -> Vec<Name> {
        let parties = [&self.initiator, &self.assignee];
        parties.into_iter().chain(&self.former_assignees).cloned().collect()
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

    fn rests(&self) -> bool {
        // What is handed over is moved by its handoff.
        self.held.is_some()
            || matches!(self.phase, Phase::Working { check: None, .. } | Phase::Paused { until: None, .. })
    }

    fn next_choice(&self) -> Option<&Name> {
        untried(self)
    }
}
