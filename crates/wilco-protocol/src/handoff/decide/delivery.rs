//! From the document to the replacement, and to another one.

use super::begin::fits;
use super::draft::Draft;
use crate::escalation::Reason;
use crate::handoff::effect::Effect;
use crate::handoff::event::{Event, Why};
use crate::handoff::order::Party;
use crate::handoff::say::{Notice, Say, ToInitiator};
use crate::handoff::state::{Document, Phase, State};
use crate::name::{MessageId, Name};
use crate::time::Time;

/// Has the document written; of a handoff that brought its address there is none to write.
pub(super) fn prepare(draft: &mut Draft<'_>) {
    if draft.state.given_url.is_some() {
        return deliver(draft, true);
    }
    write(draft);
}

fn write(draft: &mut Draft<'_>) {
    let (number, name) = (draft.state.documents + 1, name(&draft.state, draft.now));
    draft.event(Event::DocumentOrdered { number, name });
    draft.order(Effect::PublishDocument { number });
}

/// `replacement-handoff-{failed}-to-{new}-{YYYYMMDDThhmmssZ}.md`. Of two in a second the courier tells the
/// second apart: only it sees what is there.
fn name(state: &State, now: Time) -> String {
    let failed = state.failed.as_ref().map_or("unknown", |failed| failed.id.as_str());
    let text = now.to_string();
    let digits: String = text.chars().filter(|c| c.is_ascii_digit() || *c == 'T').take(15).collect();
    format!("replacement-handoff-{failed}-to-{}-{digits}Z.md", state.replacement.id)
}

/// The document is there.
pub(super) fn published(draft: &mut Draft<'_>, document: Document) {
    match is_for(&draft.state, document.number) {
        Some(For::Delivery) => {
            draft.event(Event::DocumentPublished { document });
            deliver(draft, true);
        }
        Some(For::Answers) => {
            draft.event(Event::DocumentPublished { document });
            pass_answers(draft, true);
        }
        None => {}
    }
}

pub(super) fn unpublished(draft: &mut Draft<'_>, number: u32, reason: String) {
    match is_for(&draft.state, number) {
        Some(For::Delivery) => {
            draft.event(Event::DocumentFailed { number, reason: reason.clone() });
            draft.escalate(Reason::NoDocument);
            let open = draft.state.escalation().filter(|open| open.addressee != draft.state.initiator);
            if let Some(escalation) = open.map(|open| Some(open.number)) {
                draft.tell_initiator(ToInitiator::NoDocument { reason, escalation });
            }
        }
        // The answers themselves need no document.
        Some(For::Answers) => {
            draft.event(Event::DocumentFailed { number, reason: reason.clone() });
            pass_answers(draft, false);
            draft.tell_initiator(ToInitiator::NoDocument { reason, escalation: None });
        }
        None => {}
    }
}

/// What a document is for.
enum For {
    Delivery,
    Answers,
}

/// What waits for this document, if anything still does.
fn is_for(state: &State, number: u32) -> Option<For> {
    if number != state.documents {
        return None;
    }
    match state.phase {
        Phase::Preparing => Some(For::Delivery),
        _ if state.is_delivered() && !state.kept.is_empty() => Some(For::Answers),
        _ => None,
    }
}

/// The replacement gets the answers, also when it said something else meanwhile.
fn pass_answers(draft: &mut Draft<'_>, updated: bool) {
    let until = match draft.state.phase {
        Phase::AwaitingAck { .. } | Phase::Correcting { .. } | Phase::Clarifying { publishing: true, .. } => {
            Some(draft.ack_deadline())
        }
        Phase::Escalated { ref from } if matches!(**from, Phase::Clarifying { publishing: true, .. }) => {
            Some(draft.ack_deadline())
        }
        Phase::Clarifying { .. }
        | Phase::Escalated { .. }
        | Phase::Preparing
        | Phase::InReview { .. }
        | Phase::Blocked { .. }
        | Phase::Confirming { .. }
        | Phase::Ended { .. } => None,
    };
    for message in draft.state.kept.clone() {
        // What they answer was counted when they came.
        draft.event(Event::Clarified { message: message.clone(), until, answered: Some(0) });
        draft.say_to_replacement(Say::Clarification { message, updated });
    }
}

/// The replacement is handed the work; `say`: unless the causing message does it.
pub(super) fn deliver(draft: &mut Draft<'_>, say: bool) {
    let until = draft.ack_deadline();
    draft.event(Event::Delivered { until });
    if say {
        draft.say_to_replacement(Say::Handoff);
    }
}

/// The initiator answers questions, or says more of its own accord. What comes with a document waits for it.
pub(super) fn clarify(draft: &mut Draft<'_>, message: MessageId, document: bool, answered: Option<u32>) {
    if document {
        draft.withhold();
        let all = draft.state.questions.as_ref().map_or(0, |asked| asked.count);
        draft.event(Event::AnswersKept { message, answered: Some(answered.unwrap_or(all)) });
        return write(draft);
    }
    let until = match draft.state.phase {
        Phase::AwaitingAck { .. } | Phase::Correcting { .. } | Phase::Clarifying { .. } => {
            Some(draft.ack_deadline())
        }
        Phase::Escalated { .. } if draft.state.is_asked() => Some(draft.ack_deadline()),
        Phase::Escalated { .. }
        | Phase::Preparing
        | Phase::InReview { .. }
        | Phase::Blocked { .. }
        | Phase::Confirming { .. }
        | Phase::Ended { .. } => None,
    };
    draft.event(Event::Clarified { message, until, answered });
    draft.pass_to_replacement(true);
}

/// Asks the next candidate; when there is none, somebody must decide.
pub(super) fn next_candidate(draft: &mut Draft<'_>) {
    match successor(draft) {
        Some(agent) => change(draft, &agent, Why::Rejected),
        None => draft.escalate(Reason::NoCandidate),
    }
}

/// The next of the candidates that can take over and was not asked.
pub(super) fn successor(draft: &Draft<'_>) -> Option<Name> {
    let state = &draft.state;
    let asked = |agent: &Name| *agent == state.agent() || state.former.iter().any(|one| one.agent == *agent);
    let failed = state.failed_agent();
    let can = |agent: &&Name| fits(draft.facts, agent, failed.as_ref(), &state.initiator).is_ok();
    state.candidates.iter().filter(|agent| !asked(agent)).find(can).cloned()
}

/// Somebody else is asked, under a handoff id of its own.
pub(super) fn change(draft: &mut Draft<'_>, to: &Name, because: Why) {
    let from = draft.state.agent();
    let session = draft.facts.session(to).unwrap_or_else(|| to.to_string());
    let replacement = Party { id: to.to_string(), session, github: None };
    let handoff_id = next_id(&draft.state);
    let was_delivered = draft.state.sent_at.is_some();
    draft.event(Event::ReplacementChanged { replacement, handoff_id, because });
    if was_delivered && from != *to {
        draft.notice(from.clone(), Notice::Superseded);
    }
    if because == Why::Rejected {
        draft.tell_initiator(ToInitiator::ReplacementChanged { from, to: to.clone() });
    }
    prepare(draft);
}

/// The first id with a number behind it: `handoff-7-a2`.
fn next_id(state: &State) -> String {
    let numbered = |id: &str| {
        let (bare, number) = id.rsplit_once("-a")?;
        Some((bare.to_owned(), number.parse::<u32>().ok()?))
    };
    match numbered(&state.handoff_id) {
        Some((bare, number)) => format!("{bare}-a{}", number + 1),
        None => format!("{}-a2", state.handoff_id),
    }
}
