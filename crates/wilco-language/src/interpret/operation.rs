//! What a message means to an operation.

use wilco_protocol::operation::{Answer, Choice, Said, State, Statement, options};

use super::InContext;
use crate::parse::{Operation, Typed};
use crate::read::claim::About;
use crate::read::courtesy::is_courtesy;
use crate::read::decision::decision;
use crate::read::embedded::object;
use crate::read::readiness::readiness;

pub(super) fn interpret(state: &State, context: &InContext<'_>) -> Said {
    let what = match &context.incoming.typed {
        Typed::Operation(said) => typed(state, context, said),
        Typed::Decision(choice) => Statement::Decide(Choice {
            option: choice.option.clone(),
            escalation: choice.escalation.map(|id| id.number),
        }),
        Typed::Conversation | Typed::Talk if context.incoming.only_wilco() => Statement::Remark,
        Typed::Conversation | Typed::Talk => plain(state, context),
        Typed::Delegation(_) | Typed::Handoff(_) | Typed::Validation(_) => Statement::Remark,
    };
    context.said(what)
}

fn typed(state: &State, context: &InContext<'_>, said: &Operation) -> Statement {
    match said {
        Operation::Announce(_) => Statement::Remark,
        // Whoever is not asked, the initiator too, is refused by its role.
        Operation::Acknowledgment { operation, .. }
            if operation.operation_id.is_some_and(|id| id != state.id) =>
        {
            Statement::Remark
        }
        Operation::Acknowledgment { ready, .. } => answered(state, context, *ready),
        Operation::Result { done, results, .. } => {
            let of = |(name, done): &(String, bool)| (context.resolve.resolve(name), *done);
            Statement::Result { done: *done, results: results.iter().map(of).collect() }
        }
        Operation::Cancel { .. } => Statement::Withdraw,
        // From anybody else it is only talk.
        Operation::Own { step, .. } if context.by == state.initiator => {
            Statement::Own { step: *step, agents: context.to.to_vec() }
        }
        Operation::Own { .. } => Statement::Remark,
    }
}

/// Plain words are an answer when they are an agent's.
fn plain(state: &State, context: &InContext<'_>) -> Statement {
    if state.track(&context.by).is_some() {
        let ready = context.incoming.content.get("ready").and_then(|ready| ready.as_bool());
        return answered(state, context, ready);
    }
    let escalation = state.escalation().filter(|_| context.by == state.initiator);
    let ids = [
        state.id.to_string(),
        escalation.map_or(String::new(), |open| format!("{}-e{}", state.id, open.number)),
    ];
    let about = About { ids: &[&ids[0], &ids[1]], title: "" };
    let decided = escalation.and_then(|_| decision(context.incoming.text(), &options(state), &about));
    match decided {
        Some(decided) => Statement::Decide(Choice { option: decided.option, escalation: None }),
        None if is_courtesy(context.incoming.text()) => Statement::Courtesy,
        None => Statement::Remark,
    }
}

/// `Ok, ready for op-7` names the operation itself; any other name there is somebody else's.
fn answered(state: &State, context: &InContext<'_>, ready: Option<bool>) -> Statement {
    // Words inside an object that could not be read are none of its writer's.
    if ready.is_none() && object(context.incoming.text()).is_some() {
        return Statement::Answer { answer: Answer::Information };
    }
    let text = context.incoming.text().replace(&format!(" for {}", state.id), "");
    Statement::Answer { answer: readiness(&text, ready) }
}
