//! What a message means to a validation.

use wilco_protocol::validation::{Choice, Fingerprint, Named, Said, State, What, is_id, named};

use super::Heard;
use crate::parse::{Operation, Typed, Validation};
use crate::read::ack::acks;
use crate::read::fingerprint::digest;

pub(super) fn hear(state: &State, heard: &Heard<'_>) -> Said {
    let what = match &heard.incoming.typed {
        Typed::Validation(said) => typed(state, heard, said),
        Typed::Decision(choice) => What::Decide(Choice {
            option: choice.option.clone(),
            escalation: choice.escalation.map(|id| id.number),
            phase: choice.phase.clone(),
            iterations: choice.iterations,
            time: choice.time,
        }),
        // An acknowledgement by any name.
        Typed::Operation(Operation::Acknowledgment { .. }) if heard.by == state.main_agent => {
            What::Acknowledged { named: id_of(state, heard, None) }
        }
        Typed::Operation(_) | Typed::Delegation(_) | Typed::Handoff(_) => What::Remark,
        Typed::Conversation | Typed::Talk if heard.incoming.only_wilco() => What::Remark,
        Typed::Conversation | Typed::Talk => text(state, heard),
    };
    Said { by: heard.by.clone(), operator: heard.operator, message: heard.id.clone(), what }
}

fn typed(state: &State, heard: &Heard<'_>, said: &Validation) -> What {
    let named = id_of(state, heard, said.message_id());
    match said {
        Validation::Start(_) => What::Remark,
        Validation::Result { finding, failures, .. } => {
            What::Result { named, finding: *finding, failures: Fingerprint(digest(failures)) }
        }
        Validation::Acknowledgment { .. } => What::Acknowledged { named },
        Validation::Completion { fixed: true, .. } => What::Fixed { named },
        Validation::Completion { fixed: false, .. } => What::CannotFix { named },
    }
}

/// Plain words: `[ACK] FIXREQ-…`, or a remark.
fn text(state: &State, heard: &Heard<'_>) -> What {
    let acked = acks(heard.incoming.text()).into_iter().map(|ack| ack.task_id().to_owned());
    match acked.map(|id| named(state, &id)).find(|named| matches!(named, Named::Round { .. })) {
        Some(named) => What::Acknowledged { named },
        None => What::Remark,
    }
}

/// The place that its id names: in the content, in the text, else in the message that it answers.
fn id_of(state: &State, heard: &Heard<'_>, given: Option<&str>) -> Named {
    let content = heard.incoming.content.get("message_id").and_then(|id| id.as_str());
    let acked =
        || acks(heard.incoming.text()).into_iter().map(|ack| ack.task_id().to_owned()).find(|id| is_id(id));
    let parent = || heard.parent.as_ref().and_then(|parent| parent.message_id.clone());
    let id = given.or(content).filter(|id| is_id(id)).map(str::to_owned).or_else(acked).or_else(parent);
    id.map_or(Named::Nothing, |id| named(state, &id))
}
