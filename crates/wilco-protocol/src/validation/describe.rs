//! What a validation shows of itself.

use super::decide::options;
use super::state::{Phase, State};
use super::timers::timers;
use super::view::{awaits, keys, title, view};
use super::words::Duty;
use crate::exchange::{Describe, describe_alike};
use crate::name::{MessageId, Name};
use crate::todo::{Todo, Wanted};

impl Describe for State {
    describe_alike!();

    fn participants(&self) -> Vec<Name> {
        self.agents()
    }

    fn awaits(&self) -> Vec<&Name> {
        awaits(self)
    }

    fn is_party(&self, agent: &Name) -> bool {
        let checks = self.phases.iter().any(|phase| phase.specialist == *agent);
        checks || *agent == self.initiator || *agent == self.main_agent
    }

    fn own_todo(&self, agent: &Name) -> Vec<Todo> {
        let open = self.phases.iter().enumerate().filter(|_| self.is_open());
        let wanted = |(place, phase): (usize, &Phase)| {
            let awaited = phase.awaited.as_ref()?;
            let wanted = match awaited.duty {
                Duty::Fix => Wanted::Fix { phase: place },
                Duty::Validation | Duty::Revalidation => Wanted::Check { phase: place },
            };
            (self.doer(phase, awaited.duty) == *agent).then(|| wanted.due(awaited.until))
        };
        open.filter_map(wanted).collect()
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
