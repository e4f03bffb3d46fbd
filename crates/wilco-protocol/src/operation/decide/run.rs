//! Performing it by a command: one run for each agent, at most so many at a time, none of them twice
//! unless the policy or somebody says so.

use super::draft::Draft;
use crate::decision::{Effect, Report};
use crate::escalation::Reason;
use crate::name::Name;
use crate::operation::event::{Event, Why};
use crate::operation::execute::{Command, Execute, Step, StepState};
use crate::operation::policy::OnInterrupted;
use crate::operation::say::ToInitiator;
use crate::operation::state::{Outcome, Phase, TrackState};

pub(super) fn begin(draft: &mut Draft<'_>) {
    let agents = draft.agents_where(|track| track.state != TrackState::Excluded);
    draft.event(Event::ExecutionBegun { agents });
    advance(draft);
}

/// What came of a run, if it is the one that is waited for.
pub(super) fn reported(draft: &mut Draft<'_>, report: Report) {
    let awaited = |draft: &Draft<'_>, agent: &Name, run: u32| draft.state.awaited_step(agent, run);
    match report {
        Report::StepBegins { agent, run } if awaited(draft, &agent, run) == Some(StepState::Waiting) => {
            draft.event(Event::StepStarted { agent, run });
        }
        Report::StepWaits { agent, run } if awaited(draft, &agent, run) == Some(StepState::Running) => {
            let until = draft.after(draft.state.policy.result_timeout);
            draft.event(Event::StepWaits { agent, until });
        }
        Report::StepEnded { agent, run, end } if awaited(draft, &agent, run).is_some() => {
            draft.event(Event::StepEnded { agent, end });
            advance(draft);
        }
        Report::StepInterrupted { agent, run } if awaited(draft, &agent, run).is_some() => {
            draft.event(Event::StepInterrupted { agent: agent.clone() });
            match draft.state.policy.on_interrupted {
                OnInterrupted::Ask => draft.escalate(Reason::Interrupted, agent),
                OnInterrupted::Retry => start(draft, agent),
            }
        }
        Report::StepBegins { .. }
        | Report::StepWaits { .. }
        | Report::StepEnded { .. }
        | Report::StepInterrupted { .. }
        | Report::CheckEnded { .. }
        | Report::CheckInterrupted { .. }
        | Report::Judged { .. }
        | Report::JudgeDeferred { .. }
        | Report::JudgeFailed { .. }
        | Report::HumanCalled { .. }
        | Report::Handoff(_) => {}
    }
}

/// Its machine did not come back in time. Another run there would wait as long, so somebody decides, whatever the policy.
pub(super) fn waited_in_vain(draft: &mut Draft<'_>, place: usize) {
    let Some(agent) = draft.state.steps.get(place).map(|step| step.agent.clone()) else { return };
    draft.event(Event::StepInterrupted { agent: agent.clone() });
    draft.escalate(Reason::Interrupted, agent);
}

/// Interrupted steps that nobody decided about.
pub(super) fn interrupted(draft: &Draft<'_>) -> Vec<Name> {
    let open = |step: &&Step| step.state == StepState::Interrupted && !step.accepted;
    draft.state.steps.iter().filter(open).map(|step| step.agent.clone()).collect()
}

/// Runs them once more.
pub(super) fn again(draft: &mut Draft<'_>, agents: Vec<Name>) {
    agents.into_iter().for_each(|agent| start(draft, agent));
}

/// Leaves out what has not been started.
pub(super) fn skip(draft: &mut Draft<'_>) {
    let agents = pending(draft);
    if !agents.is_empty() {
        draft.event(Event::StepsSkipped { agents });
    }
}

/// Starts what may be started, and ends when nothing is left.
pub(super) fn advance(draft: &mut Draft<'_>) {
    let Execute::Command(command) = draft.state.execute.clone() else { return };
    let undecided = draft.state.escalation().is_some() && !interrupted(draft).is_empty();
    if !matches!(draft.state.phase, Phase::Executing) || undecided {
        return;
    }
    if draft.state.steps_in(StepState::Failed) > 0 && !command.keep_going {
        skip(draft);
    }
    start_some(draft, &command);
    if draft.state.steps_awaited() > 0 {
        return;
    }
    let went_well = |step: &Step| match step.state {
        StepState::Succeeded => true,
        StepState::Interrupted => step.accepted,
        StepState::Pending
        | StepState::Running
        | StepState::Waiting
        | StepState::Failed
        | StepState::Skipped => false,
    };
    let outcome = if draft.state.steps.iter().all(went_well) { Outcome::Done } else { Outcome::Failed };
    draft.end(outcome, Why::Performed, None);
    draft.tell_initiator(ToInitiator::Executed { outcome });
}

fn start_some(draft: &mut Draft<'_>, command: &Command) {
    let room = (command.max_parallel as usize).saturating_sub(draft.state.steps_awaited());
    pending(draft).into_iter().take(room).for_each(|agent| start(draft, agent));
}

fn pending(draft: &Draft<'_>) -> Vec<Name> {
    let pending = draft.state.steps.iter().filter(|step| step.state == StepState::Pending);
    pending.map(|step| step.agent.clone()).collect()
}

fn start(draft: &mut Draft<'_>, agent: Name) {
    let runs = draft.state.steps.iter().find(|step| step.agent == agent).map_or(0, |step| step.runs);
    draft.event(Event::StepStarted { agent: agent.clone(), run: runs + 1 });
    draft.effect(Effect::RunStep { exchange: draft.state.id, agent, run: runs + 1 });
}
