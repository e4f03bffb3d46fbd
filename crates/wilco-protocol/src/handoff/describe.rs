//! What a handoff shows of itself.

use crate::exchange::{Describe, describe_alike};
use crate::name::{MessageId, Name};

use super::view::keys;
use super::view::participants;
use super::{Phase, State, awaits, options, timers, untried, view};

impl Describe for State {
    describe_alike!();

    fn participants(&self) -> Vec<Name> {
        participants(self).into_iter().map(|person| person.agent).collect()
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

    fn rests(&self) -> bool {
        // What the courier is doing has a bound of its own.
        matches!(
            self.phase,
            Phase::Preparing | Phase::Confirming { .. } | Phase::Clarifying { publishing: true, .. }
        )
    }

    fn next_choice(&self) -> Option<&Name> {
        untried(self)
    }
}
