//! Confirming: the state file, then registry and delegations in one transaction, then issues, then the word to
//! the controller and the entry in the audit.

use super::delivery;
use super::draft::Draft;
use crate::decision::Tell;
use crate::delegation::Signal;
use crate::directory;
use crate::escalation::Reason;
use crate::handoff::effect::{Effect, IssueUpdate, Report, TaskUpdate, Updated};
use crate::handoff::event::Event;
use crate::handoff::say::{Say, ToInitiator};
use crate::handoff::state::{Document, Failure, Phase, Step, Task};
use crate::handoff::words::{Code, Outcome};

/// The ACK is verified, or was overridden.
pub(super) fn begin(draft: &mut Draft<'_>) {
    if draft.state.state_file {
        draft.event(Event::StateFileOrdered);
        draft.order(Effect::UpdateStateFile);
    } else {
        hand_over(draft, Vec::new());
    }
}

/// What came of an order, if it is the one that is waited for.
pub(super) fn reported(draft: &mut Draft<'_>, report: Report) {
    let step = match draft.state.phase {
        Phase::Confirming { step } => Some(step),
        _ => None,
    };
    match (report, step) {
        (Report::DocumentPublished { number, name, published }, _) => {
            delivery::published(draft, Document { number, name, published });
        }
        (Report::DocumentFailed { number, reason }, _) => delivery::unpublished(draft, number, reason),
        (Report::StateFileUpdated { tasks }, Some(Step::StateFile)) => {
            let failures = foreign(&tasks);
            draft.event(Event::StateFileUpdated { tasks });
            hand_over(draft, failures);
        }
        (Report::StateFileFailed { reason }, Some(Step::StateFile)) => {
            draft.event(Event::StateFileFailed { reason: reason.clone() });
            let failure = Failure::StateFile { reason };
            let failures =
                draft.state.tasks.iter().map(|task| (task.task.clone(), failure.clone())).collect();
            hand_over(draft, failures);
        }
        (Report::IssuesUpdated { issues, pulls }, Some(Step::Issues)) => {
            let failures = unsettled(draft, &issues);
            draft.event(Event::IssuesUpdated { issues, pulls, failures });
            conclude(draft);
        }
        (Report::IssuesFailed { reason }, Some(Step::Issues)) => {
            let lost = |number: &u64| IssueUpdate {
                number: *number,
                assignee_changed: false,
                labels_changed: false,
                comment: None,
                failure: Some(reason.clone()),
            };
            let issues: Vec<_> = draft.state.issues.iter().map(lost).collect();
            let failures = unsettled(draft, &issues);
            draft.event(Event::IssuesFailed { reason, failures });
            conclude(draft);
        }
        (Report::AuditAppended, _) if draft.state.audited != Some(true) => draft.event(Event::AuditAppended),
        (Report::AuditFailed { reason }, _) if draft.state.audited.is_none() => {
            draft.event(Event::AuditFailed { reason });
        }
        (
            Report::StateFileUpdated { .. }
            | Report::StateFileFailed { .. }
            | Report::IssuesUpdated { .. }
            | Report::IssuesFailed { .. }
            | Report::AuditAppended
            | Report::AuditFailed { .. },
            _,
        ) => {}
    }
}

/// Tasks that the state file has as somebody else's.
fn foreign(tasks: &[TaskUpdate]) -> Vec<(String, Failure)> {
    let foreign = |one: &TaskUpdate| match &one.updated {
        Updated::Foreign { agent } => Some((one.task.clone(), Failure::Foreign { agent: agent.clone() })),
        Updated::Moved | Updated::Absent => None,
    };
    tasks.iter().filter_map(foreign).collect()
}

/// Tasks whose issue could not be updated. The state file says which issue a task has; else the lists pair up,
/// and where they do not, an issue is every task's.
fn unsettled(draft: &Draft<'_>, issues: &[IssueUpdate]) -> Vec<(String, Failure)> {
    let state = &draft.state;
    let in_file = |task: &Task| {
        let known = state.file_step.as_ref().map(|step| step.issues.as_slice()).unwrap_or_default();
        known.iter().find(|(name, _)| *name == task.task).map(|(_, number)| *number)
    };
    let paired = state.tasks.len() == state.issues.len();
    let mut failures = Vec::new();
    for (place, task) in state.tasks.iter().enumerate() {
        let own = in_file(task).or_else(|| state.issues.get(place).copied().filter(|_| paired));
        let is_its = |one: &&IssueUpdate| own.is_none_or(|number| number == one.number);
        let failed = issues.iter().filter(is_its).find_map(|one| Some((one.number, one.failure.clone()?)));
        failures
            .extend(failed.map(|(number, reason)| (task.task.clone(), Failure::Issue { number, reason })));
    }
    failures
}

/// Registry and delegations move together.
fn hand_over(draft: &mut Draft<'_>, failures: Vec<(String, Failure)>) {
    let agent = draft.state.agent();
    let own = draft.state.tasks.iter().filter(|task| task.is_asked_by(&agent));
    let own = own.map(|task| (task.task.clone(), Failure::Own { agent: agent.clone() }));
    let over = |task: &&Task| task.delegation.as_ref().is_some_and(|one| draft.facts.has_ended(one.exchange));
    let ended = draft.state.tasks.iter().filter(over).map(|task| (task.task.clone(), Failure::Ended {}));
    let failures = ended.chain(own).chain(failures).collect();
    draft.event(Event::Moved { failures });
    let (by, to, initiator) = (draft.state.id, draft.state.agent(), draft.state.initiator.clone());
    let state_file = draft.state.state_file;
    let tasks = draft.state.tasks.clone();
    for task in &tasks {
        let Some(delegated) = &task.delegation else { continue };
        let signal = match task.failure {
            Some(Failure::Ended {}) => continue,
            Some(Failure::Elsewhere { .. } | Failure::Foreign { .. } | Failure::Own { .. }) => {
                Signal::HandoffFailed { by }
            }
            Some(Failure::StateFile { .. } | Failure::Issue { .. }) | None => {
                Signal::HandedOver { by, to: to.clone(), initiator: initiator.clone(), state_file }
            }
        };
        draft.tell_delegation(delegated.exchange, signal);
    }
    if let Some(failed) = draft.state.failed_agent().filter(|_| !draft.state.keeps_failed) {
        let named =
            |id| tasks.iter().filter_map(|task| task.delegation.as_ref()).any(|one| one.exchange == id);
        let others = draft.facts.open_tasks(&failed).into_iter().filter(|(id, _)| !named(*id));
        for (id, _) in others {
            draft.tell_delegation(id, Signal::AgentReplaced { agent: failed.clone() });
        }
        draft.tell(Tell::Directory(directory::Input::Replaced { agent: failed, by: to, exchange: by }));
    }
    let has_issues = !draft.state.issues.is_empty() || !draft.state.pulls.is_empty();
    if draft.state.github && has_issues {
        draft.event(Event::IssuesOrdered);
        draft.order(Effect::UpdateIssues);
    } else {
        conclude(draft);
    }
}

/// How it went, to the controller and into the audit.
fn conclude(draft: &mut Draft<'_>) {
    // What nobody wants any more is neither handed over nor missing.
    let wanted: Vec<_> = draft.state.tasks.iter().filter(|task| task.is_wanted()).collect();
    let failed = wanted.iter().filter(|task| task.failure.is_some()).count();
    let (outcome, code) = match failed {
        0 => (Outcome::Complete, None),
        all if all == wanted.len() => (Outcome::Failed, Some(Code::TasksNotMoved)),
        _ => (Outcome::Partial, None),
    };
    end(draft, outcome, code);
}

/// Somebody gave it up: the delegations are for their initiators to decide.
pub(super) fn abort(draft: &mut Draft<'_>, reason: Reason) {
    let code = match reason {
        Reason::NoAcknowledgment => Code::NoAckReceived,
        Reason::CapabilityMismatch => Code::UnderstandingNotVerified,
        Reason::NoCandidate => Code::ReplacementRejected,
        Reason::NoClarification => Code::NoClarification,
        Reason::NoVerdict => Code::NoVerdict,
        Reason::EnvironmentIssue => Code::EnvironmentIssue,
        Reason::NoDocument => Code::DocumentNotWritten,
        _ => Code::Aborted,
    };
    let by = draft.state.id;
    let delegations: Vec<_> = draft
        .state
        .tasks
        .iter()
        .filter_map(|task| task.delegation.as_ref())
        .map(|one| one.exchange)
        .collect();
    for id in delegations {
        draft.tell_delegation(id, Signal::HandoffFailed { by });
    }
    end(draft, Outcome::Failed, Some(code));
}

fn end(draft: &mut Draft<'_>, outcome: Outcome, code: Option<Code>) {
    draft.event(Event::Ended { outcome, code });
    let controller = draft.controller();
    draft.say(controller.clone(), Say::Confirmation);
    if draft.state.initiator != controller {
        draft.tell_initiator(ToInitiator::Ended);
    }
    draft.order(Effect::AppendAudit);
}
