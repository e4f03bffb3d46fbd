//! What a message means to a validation.

use wilco_protocol::validation::{Choice, Fingerprint, Named, Said, State, Statement, is_id, named};

use super::InContext;
use crate::parse::{Operation, Typed, Validation};
use crate::read::fingerprint::digest;
use crate::read::validation::{Answer, message_id, reading};

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
    Said { by: context.by.clone(), operator: context.operator, message: context.id.clone(), what }
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

/// Words count as an answer from whoever may give it.
fn text(state: &State, context: &InContext<'_>) -> Statement {
    let specialist = state.phases.iter().any(|phase| phase.specialist == context.by);
    let main = context.by == state.main_agent;
    let Some(read) = reading(context.incoming.text()).filter(|_| specialist || main) else {
        return Statement::Remark;
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

/// The place that its id names: in the content, in the text, else in the message that it answers.
fn id_of(state: &State, context: &InContext<'_>, given: Option<&str>) -> Named {
    let content = context.incoming.content.get("message_id").and_then(|id| id.as_str());
    let said = || message_id(context.incoming.text());
    let parent = || context.parent.as_ref().and_then(|parent| parent.message_id.clone());
    let id = given.or(content).filter(|id| is_id(id)).map(str::to_owned).or_else(said).or_else(parent);
    id.map_or(Named::Nothing, |id| named(state, &id))
}
