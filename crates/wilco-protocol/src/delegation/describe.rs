//! What a delegation shows of itself.

use crate::exchange::{Describe, describe_alike};
use crate::judgement::Compared;
use crate::name::{MessageId, Name};
use crate::todo::{Todo, Wanted};

use super::view::keys;
use super::{Phase, State, awaits, options, timers, untried, view};

impl Describe for State {
    describe_alike!();

    fn compared(&self) -> &[Compared] {
        &self.compared
    }

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

    fn is_party(&self, agent: &Name) -> bool {
        // What the agent says while its task is handed over is evidence.
        *agent == self.initiator || (*agent == self.assignee && self.held.is_none())
    }

    fn conversation_state(&self) -> &'static str {
        match &self.unconfirmed {
            Some(asked) if self.is_open() && asked.resume => "resume-asked",
            Some(_) if self.is_open() => "pause-asked",
            Some(_) | None => self.name(),
        }
    }

    fn own_todo(&self, agent: &Name) -> Vec<Todo> {
        // While it is handed over, nobody is asked anything.
        if self.held.is_some() && self.is_open() {
            return Vec::new();
        }
        let unconfirmed = self.unconfirmed.as_ref().filter(|_| self.is_open() && *agent == self.assignee);
        let confirm = unconfirmed.map(|one| Wanted::PauseConfirmation { resume: one.resume }.due(one.until));
        let (owes, todo) = match wanted(self, &self.phase) {
            Some(found) => found,
            None => return confirm.into_iter().collect(),
        };
        confirm.into_iter().chain((owes == agent).then_some(todo)).collect()
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

/// Who owes what in a phase. An agent that somebody decides about may still answer, and no clock runs for it.
fn wanted<'a>(state: &'a State, phase: &Phase) -> Option<(&'a Name, Todo)> {
    let (agent, initiator) = (&state.assignee, &state.initiator);
    match *phase {
        Phase::AwaitingAck { until, .. } | Phase::Queued { until, .. } => {
            Some((agent, Wanted::Acknowledgment.due(until)))
        }
        Phase::Working { check, .. } => Some((agent, Wanted::Progress.due(check))),
        Phase::Ended { stop: Some(until), .. } => Some((agent, Wanted::StopConfirmation.due(until))),
        Phase::Clarifying { until, .. } => Some((initiator, Wanted::Answers.due(until))),
        // A program judges first.
        Phase::InReview { judging: Some(_), .. } => None,
        Phase::InReview { until, judging: None, .. } => Some((initiator, Wanted::Verdict.due(until))),
        Phase::Returned { until, .. } => Some((initiator, Wanted::Amendment.due(until))),
        Phase::Escalated { ref from } => wanted(state, from)
            .filter(|(owes, _)| *owes == agent)
            .map(|(owes, todo)| (owes, todo.wanted.due(None))),
        Phase::Waiting { .. } | Phase::Paused { .. } | Phase::Ended { stop: None, .. } => None,
    }
}
