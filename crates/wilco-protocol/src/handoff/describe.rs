//! What a handoff shows of itself.

use crate::exchange::{Describe, describe_alike};
use crate::judgement::Compared;
use crate::name::{MessageId, Name};
use crate::time::Time;
use crate::todo::{Todo, Wanted};

use super::view::keys;
use super::view::participants;
use super::{Phase, State, awaits, options, timers, untried, view};

impl Describe for State {
    describe_alike!();

    fn compared(&self) -> &[Compared] {
        &self.compared
    }

    fn participants(&self) -> Vec<Name> {
        participants(self).into_iter().map(|person| person.agent).collect()
    }

    fn awaits(&self) -> Vec<&Name> {
        awaits(self)
    }

    fn is_party(&self, agent: &Name) -> bool {
        *agent == self.initiator || *agent == self.agent || self.awaits().contains(&agent)
    }

    fn own_todo(&self, agent: &Name) -> Vec<Todo> {
        let acknowledge = |due: Option<Time>| (&self.agent, Wanted::HandoffAcknowledgment.due(due));
        let wanted = match self.phase {
            Phase::AwaitingAck { until } | Phase::Correcting { until } => vec![acknowledge(Some(until))],
            Phase::InReview { until, judging: None, .. } => {
                vec![(&self.initiator, Wanted::Verdict.due(until))]
            }
            Phase::Clarifying { until, publishing: false, .. } => {
                vec![(&self.initiator, Wanted::Answers.due(until))]
            }
            Phase::Blocked { until, .. } => {
                vec![acknowledge(None), (&self.initiator, Wanted::Help.due(until))]
            }
            Phase::Escalated { .. } if self.is_owed_an_ack() => vec![acknowledge(None)],
            Phase::InReview { .. }
            | Phase::Clarifying { .. }
            | Phase::Escalated { .. }
            | Phase::Preparing
            | Phase::Confirming { .. }
            | Phase::Ended { .. } => Vec::new(),
        };
        wanted.into_iter().filter(|(owes, _)| *owes == agent).map(|(_, todo)| todo).collect()
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

impl State {
    /// Whether the replacement has not acknowledged, also while somebody is asked to decide.
    fn is_owed_an_ack(&self) -> bool {
        let beneath = self.phase.beneath();
        matches!(beneath, Phase::AwaitingAck { .. } | Phase::Correcting { .. } | Phase::Blocked { .. })
    }
}
