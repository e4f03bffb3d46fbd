//! What a validation shows of itself.

use super::decide::options;
use super::state::State;
use super::timers::timers;
use super::view::{awaits, keys, title, view};
use crate::exchange::{Describe, describe_alike};
use crate::name::{MessageId, Name};

impl Describe for State {
    describe_alike!();

    fn participants(&self) -> Vec<Name> {
        self.agents()
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

    /// The clock of an iteration runs in every phase that is open.
    fn rests(&self) -> bool {
        false
    }

    fn voice(&self) -> Name {
        Name::orchestrator()
    }
}
