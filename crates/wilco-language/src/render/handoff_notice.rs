//! Notices in a handoff: to the replacement about its answer, to the initiator about what happens.

use crate::message::MessageType;
use serde_json::json;
use wilco_protocol::exchange::Texts;
use wilco_protocol::handoff::{Notice, Owed, Phase, State, ToInitiator, options};
use wilco_protocol::{EscalationId, MessageId, Name};

use super::handoff::{deadline, failed, plain};
use super::to_initiator::counted;
use super::{Rendered, Setting, teaching};

/// To whoever sent something. Only what goes to a replacement names the handoff in its content.
pub(super) fn notice(state: &State, to: &Name, notice: &Notice, setting: &Setting<'_>) -> Rendered {
    let id = &state.handoff_id;
    let about = |reason: &str, text: String| {
        let message = plain(MessageType::ProtocolNotice, format!("About handoff {id}: {reason}"), text);
        let message = message.with("reason", json!(reason));
        if *to == state.initiator { message } else { message.with("handoff_id", json!(id)) }
    };
    let taught = |reason: &str, lead: String| {
        let block = teaching::handoff(state, to, deadline(state, setting.now), setting);
        let message = about(reason, lead).teaching(block);
        Rendered { priority: "high", ..message }
    };
    match notice {
        Notice::WrongId => taught(
            "wrong-handoff-id",
            format!("Your ACK does not name this handoff. Its id is {id}. Please send the ACK again."),
        ),
        Notice::Malformed => taught(
            "malformed-ack",
            format!(
                "Your answer to handoff {id} could not be read as an ACK. Please send it in this format."
            ),
        ),
        Notice::Begin => about(
            MessageType::BeginNow.name(),
            match &state.starting_from {
                Some(from) => format!("Handoff {id} is yours now. Begin at {}.", from.name),
                None => format!("Handoff {id} is yours now. Begin."),
            },
        ),
        Notice::Superseded => about(
            "superseded",
            format!(
                "This handoff has gone to {} meanwhile. Nothing is expected of you.",
                state.replacement.id
            ),
        ),
        Notice::UnclearVerdict => {
            about("unfinished-verdict", format!("Your verdict on handoff {id} cannot be used."))
                .teaching(teaching::handoff_verdict(state, setting))
        }
        Notice::Ended => about(
            "ended",
            format!("Handoff {id} has ended ({}). Your message is kept and changes nothing.", state.name()),
        ),
    }
}

pub(super) fn to_initiator(state: &State, say: &ToInitiator, setting: &Setting<'_>) -> Rendered {
    let (id, agent) = (&state.handoff_id, &state.replacement.id);
    let about = |reason: &str, text: String| {
        let message = plain(MessageType::ProtocolNotice, format!("Handoff {id}: {reason}"), text);
        message.with("reason", json!(reason)).with("replacement_agent", json!(agent))
    };
    let asks = |reason: &str, text: String| Rendered { priority: "high", ..about(reason, text) };
    let ack = state.ack.as_ref().map(|ack| &ack.message);
    match say {
        ToInitiator::NoTasks => {
            let failed = failed(state);
            let text = format!(
                "{failed} has no open task to move. {agent} is told so, and the replacement of {failed} goes on without one."
            );
            about("no-open-task", text)
        }
        ToInitiator::NoDocument { reason, escalation: None } => about(
            "document-failed",
            format!(
                "The new document of handoff {id} could not be written: {reason}. {agent} got your answers without it. \
                 Mend that, then send them with the document again."
            ),
        ),
        ToInitiator::NoDocument { reason, escalation: Some(number) } => {
            let escalation = EscalationId { exchange: state.id, number: *number };
            let taught = teaching::decide(escalation, &state.initiator, &options(state), None, setting);
            let text = format!(
                "The document of handoff {id} could not be written: {reason}. {agent} was told nothing. \
                 Mend that, then choose retry."
            );
            asks("document-failed", text).teaching(taught).with("escalation", json!(escalation.to_string()))
        }
        ToInitiator::Questions => questions(state, "clarification-needed", asks, setting),
        ToInitiator::ReviewAck => {
            let stated = ack.map(|ack| setting.cited.understanding(ack)).unwrap_or_default();
            let why = match &state.phase {
                Phase::InReview { why, .. } => why.as_deref(),
                _ => None,
            };
            let left = why.map(|why| format!("\n\nThe judge did not settle it: {why}")).unwrap_or_default();
            let text = format!("{agent} acknowledged handoff {id}. Its understanding:\n{stated}{left}");
            let score = state.understanding.as_ref().map(|judged| f64::from(judged.score) / 1000.0);
            asks("verdict-needed", text)
                .teaching(teaching::handoff_verdict(state, setting))
                .with("understanding", json!(stated))
                .with("score", json!(score))
                .with("judge", json!(why))
        }
        ToInitiator::ReviewMalformed => {
            let said = ack.map(|ack| words(ack, setting)).unwrap_or_default();
            let text = format!(
                "{agent} answered handoff {id} twice in a form that is no ACK. Its words:\n{said}\n\n\
                 Does it confirm that it understood?"
            );
            asks("verdict-needed", text)
                .teaching(teaching::handoff_verdict(state, setting))
                .with("understanding", json!(said))
        }
        ToInitiator::Blocked => {
            let said = ack.and_then(|ack| setting.cited.text(ack, "message")).unwrap_or_default();
            let text = format!(
                "{agent} cannot set up its environment for handoff {id}. {said}\nHelp it; its next ready ACK resolves this."
            );
            asks("environment-issue", text)
        }
        ToInitiator::Reminder { of } => match of {
            Owed::Answers => questions(state, "clarification-due", asks, setting),
            Owed::Verdict => asks(
                "verdict-due",
                format!("The ACK of {agent} for handoff {id} still waits for your verdict."),
            )
            .teaching(teaching::handoff_verdict(state, setting)),
            Owed::Help => asks(
                "help-due",
                format!(
                    "{agent} still cannot set up its environment for handoff {id}, and waits for your help."
                ),
            ),
        },
        ToInitiator::ReplacementChanged { from, to } => {
            about("replacement-changed", format!("{from} rejected the handoff. {to} is asked now, as {id}."))
        }
        ToInitiator::Ended => about("ended", ended(state)),
    }
}

fn ended(state: &State) -> String {
    let (failed, agent) = (failed(state), &state.replacement.id);
    if state.moved_at.is_none() {
        return format!("The work of {failed} was not handed over: {}.", state.name());
    }
    match state.tasks.iter().filter(|task| task.is_wanted()).count() {
        0 => format!("{agent} replaces {failed}: {}. There was no open task to move.", state.name()),
        tasks => {
            format!("The work of {failed} went to {agent}: {}. {}", state.name(), counted(tasks, "task"))
        }
    }
}

fn questions(
    state: &State,
    reason: &str,
    asks: impl Fn(&str, String) -> Rendered,
    setting: &Setting<'_>,
) -> Rendered {
    let asked =
        state.questions.as_ref().map(|asked| setting.cited.questions(&asked.asked_in)).unwrap_or_default();
    let mut lines: Vec<_> =
        asked.iter().enumerate().map(|(place, text)| format!("{}. {text}", place + 1)).collect();
    if let Some(asked) = state.questions.as_ref().filter(|_| lines.is_empty()) {
        lines.push(format!("It lists no questions. Its words: {}", words(&asked.asked_in, setting)));
    }
    let text = format!(
        "{} asks before it takes over ({}):\n{}",
        state.replacement.id,
        state.handoff_id,
        lines.join("\n"),
    );
    asks(reason, text).teaching(teaching::handoff_clarify(state, setting)).with("questions", json!(asked))
}

/// What an answer says, in its text or as its understanding.
fn words(answer: &MessageId, setting: &Setting<'_>) -> String {
    let text = setting.cited.text(answer, "message").filter(|text| !text.trim().is_empty());
    text.unwrap_or_else(|| setting.cited.understanding(answer))
}
