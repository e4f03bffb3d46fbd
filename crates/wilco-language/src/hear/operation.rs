//! What a message means to an operation.

use wilco_protocol::operation::{Choice, Said, State, What};

use super::Heard;
use crate::parse::{Operation, Typed};
use crate::read::answer::answer;

pub(super) fn hear(state: &State, heard: &Heard<'_>) -> Said {
    let what = match &heard.incoming.typed {
        Typed::Operation(said) => typed(state, heard, said),
        Typed::Decision(choice) => What::Decide(Choice {
            option: choice.option.clone(),
            escalation: choice.escalation.map(|id| id.number),
        }),
        Typed::Conversation | Typed::Talk if heard.incoming.only_wilco() => What::Remark,
        Typed::Conversation | Typed::Talk => plain(state, heard),
        Typed::Delegation(_) | Typed::Handoff(_) | Typed::Validation(_) => What::Remark,
    };
    Said { by: heard.by.clone(), operator: heard.operator, message: heard.id.clone(), what }
}

fn typed(state: &State, heard: &Heard<'_>, said: &Operation) -> What {
    match said {
        Operation::Announce(_) => What::Remark,
        // Whoever is not asked, the initiator too, is refused by its role.
        Operation::Acknowledgment { ready, .. } => answered(heard, *ready),
        Operation::Result { done, results, .. } => {
            let of = |(name, done): &(String, bool)| (heard.resolve.resolve(name), *done);
            What::Result { done: *done, results: results.iter().map(of).collect() }
        }
        Operation::Cancel { .. } => What::Withdraw,
        // From anybody else it is only talk.
        Operation::Own { step, .. } if heard.by == state.initiator => {
            What::Own { step: *step, agents: heard.to.to_vec() }
        }
        Operation::Own { .. } => What::Remark,
    }
}

/// Plain words are an answer when they are an agent's.
fn plain(state: &State, heard: &Heard<'_>) -> What {
    if state.track(&heard.by).is_some() {
        answered(heard, heard.incoming.content.get("ready").and_then(|ready| ready.as_bool()))
    } else {
        What::Remark
    }
}

fn answered(heard: &Heard<'_>, ready: Option<bool>) -> What {
    let to_notice = heard.parent.as_ref().is_some_and(|parent| parent.kind == "protocol-notice");
    What::Answer { answer: answer(heard.incoming.text(), ready), to_notice }
}
