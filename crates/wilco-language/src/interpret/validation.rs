//! What a message means to a validation.

use wilco_protocol::validation::{
    Choice, Fingerprint, Label, Named, Phase, Said, State, Statement, Status, id, is_id, named, options,
};

use super::InContext;
use crate::parse::{Operation, Typed, Validation};
use crate::read::claim::About;
use crate::read::courtesy::is_courtesy;
use crate::read::decision::decision;
use crate::read::fingerprint::digest;
use crate::read::fix::{FixReply, fix};
use crate::read::result::{found, is_of_other};
use crate::read::validation::{Answer, Problem, Reading, message_id, reading};

pub(super) fn interpret(state: &State, context: &InContext<'_>) -> Said {
    let what = match &context.incoming.typed {
        Typed::Validation(said) => typed(state, context, said),
        Typed::Decision(choice) => Statement::Decide(Choice {
            option: choice.option.clone(),
            escalation: choice.escalation.map(|id| id.number),
            phase: choice.phase.clone(),
            iterations: choice.iterations,
            time: choice.time,
        }),
        // An acknowledgement by any name.
        Typed::Operation(Operation::Acknowledgment { .. }) if context.by == state.main_agent => {
            Statement::Acknowledged { named: id_of(state, context, None) }
        }
        Typed::Operation(_) | Typed::Delegation(_) | Typed::Handoff(_) => Statement::Remark,
        Typed::Conversation | Typed::Talk if context.incoming.only_wilco() => Statement::Remark,
        Typed::Conversation | Typed::Talk => text(state, context),
    };
    context.said(what)
}

fn typed(state: &State, context: &InContext<'_>, said: &Validation) -> Statement {
    let named = id_of(state, context, said.message_id());
    match said {
        Validation::Start(_) => Statement::Remark,
        Validation::Result { finding, failures, .. } => {
            Statement::Result { named, finding: *finding, failures: Fingerprint(digest(failures)) }
        }
        Validation::Acknowledgment { .. } => Statement::Acknowledged { named },
        Validation::Completion { fixed: true, .. } => Statement::Fixed { named },
        Validation::Completion { fixed: false, .. } => Statement::CannotFix { named },
    }
}

/// Words count as an answer from whoever may give it: in the form, else in sentences of whoever is awaited.
fn text(state: &State, context: &InContext<'_>) -> Statement {
    let body = context.incoming.text();
    let specialist = state.phases.iter().any(|phase| phase.specialist == context.by);
    let main = context.by == state.main_agent;
    if !specialist && !main {
        let unread = || if is_courtesy(body) { Statement::Courtesy } else { Statement::Remark };
        return decided(state, context).map_or_else(unread, Statement::Decide);
    }
    // What is said of another issue answers nothing here.
    let of_other =
        state.phases.iter().any(|phase| is_checking(phase, context) && of_another(state, phase, body));
    if of_other {
        return Statement::Remark;
    }
    let read = reading(body);
    let unclear = matches!(
        &read,
        None | Some(Reading {
            answer: Answer::Unreadable { problem: Problem::NoStatus | Problem::NoFixes },
            ..
        })
    );
    if let Some(said) = in_sentences(state, context).filter(|_| unclear) {
        return said;
    }
    let Some(read) = read else {
        return if is_courtesy(body) { Statement::Courtesy } else { Statement::Remark };
    };
    let named = id_of(state, context, read.id.as_deref());
    match read.answer {
        Answer::Result { finding, failures, .. } if specialist => {
            Statement::Result { named, finding, failures: Fingerprint(digest(&failures)) }
        }
        Answer::Acknowledged if main => Statement::Acknowledged { named },
        Answer::Fixed { .. } if main => Statement::Fixed { named },
        Answer::CannotFix { .. } if main => Statement::CannotFix { named },
        Answer::Unreadable { .. } => Statement::Unreadable { named },
        Answer::Result { .. } | Answer::Acknowledged | Answer::Fixed { .. } | Answer::CannotFix { .. } => {
            Statement::Remark
        }
    }
}

/// What whoever is awaited says in sentences.
fn in_sentences(state: &State, context: &InContext<'_>) -> Option<Statement> {
    let body = context.incoming.text();
    let named = id_of(state, context, None);
    if let Some(phase) = state.phases.iter().find(|phase| is_checking(phase, context)) {
        let found = of_check(state, phase, |about| found(body, about))?;
        return Some(Statement::Result {
            named,
            finding: found.finding,
            failures: Fingerprint(digest(&found.failures)),
        });
    }
    let fixes = |phase: &&Phase| matches!(phase.status, Status::AwaitingFix | Status::Fixing);
    let phase = state.phases.iter().find(fixes).filter(|_| context.by == state.main_agent)?;
    let ids = [Label::FixRequest, Label::FixDone].map(|label| id(state, phase, label));
    match fix(body, &About { ids: &[&ids[0], &ids[1], &state.issue], title: "" }) {
        FixReply::Acknowledged => Some(Statement::Acknowledged { named }),
        FixReply::Fixed(_) => Some(Statement::Fixed { named }),
        FixReply::CannotFix(_) => Some(Statement::CannotFix { named }),
        FixReply::Courtesy | FixReply::Unread => None,
    }
}

fn is_checking(phase: &Phase, context: &InContext<'_>) -> bool {
    phase.specialist == context.by && matches!(phase.status, Status::InProgress | Status::ReChecking)
}

fn of_another(state: &State, phase: &Phase, body: &str) -> bool {
    of_check(state, phase, |about| is_of_other(body, about))
}

/// Reads with what the check of a phase is called.
fn of_check<R>(state: &State, phase: &Phase, read: impl FnOnce(&About<'_>) -> R) -> R {
    let ids = [Label::Request, Label::Result, Label::Trigger, Label::TriggerResult]
        .map(|label| id(state, phase, label));
    let ids: Vec<&str> = ids.iter().map(String::as_str).chain([state.issue.as_str()]).collect();
    read(&About { ids: &ids, title: &phase.name })
}

/// What the initiator decides in words about the only open escalation.
fn decided(state: &State, context: &InContext<'_>) -> Option<Choice> {
    let mut open = state.escalations.iter().filter(|one| one.closed.is_none());
    open.next().filter(|_| open.next().is_none() && context.by == state.initiator)?;
    let id = state.id.to_string();
    let decided =
        decision(context.incoming.text(), &options(state), &About { ids: &[&id, &state.issue], title: "" })?;
    let whole = decided.option != "extend" || decided.time.is_some();
    whole.then(|| Choice { option: decided.option, time: decided.time, ..Choice::default() })
}

/// The place that its id names: in the content, in the text, else in the message that it answers.
fn id_of(state: &State, context: &InContext<'_>, given: Option<&str>) -> Named {
    let content = context.incoming.content.get("message_id").and_then(|id| id.as_str());
    let said = || message_id(context.incoming.text());
    let parent = || context.parent.as_ref().and_then(|parent| parent.message_id.clone());
    let id = given.or(content).filter(|id| is_id(id)).map(str::to_owned).or_else(said).or_else(parent);
    id.map_or(Named::Nothing, |id| named(state, &id))
}
