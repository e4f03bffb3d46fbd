//! What Wilco does in a handoff, as the lines of a transcript.

use wilco_protocol::Time;
use wilco_protocol::decision::{Effect, Problem, Refusal, Routing, Tell};
use wilco_protocol::delegation::Signal;
use wilco_protocol::escalation::Incident;
use wilco_protocol::exchange::{self, CheckpointText, Texts};
use wilco_protocol::handoff::{Decision, Notice, Owed, Say, State, ToInitiator, options, timers, view};
use wilco_protocol::{MessageId, directory};

use crate::harness::{arrow, clock, state_line};

pub(crate) fn incident(at: Time, incident: &Incident) -> String {
    arrow(at, format!("incident: {} {} after {} attempts", incident.agent, incident.kind, incident.attempts))
}

pub(crate) fn refused(at: Time, refusal: &Refusal) -> String {
    let why = match refusal {
        Refusal::Role { expected } | Refusal::Barred { expected } => format!("this is for the {expected}"),
        Refusal::State { expected, got } => format!("expected {expected}, got {got}"),
        Refusal::AlreadyOpen { key, value, exchange } => format!("{key} {value} is open as {exchange}"),
        Refusal::Field { pointer, problem } => {
            let problem = match problem {
                Problem::UnknownOption { got, options } => format!("{got} is none of {}", options.join(", ")),
                Problem::UnknownAgent { got } => format!("nobody knows {got}"),
                Problem::ReplacementFailed { got } => format!("{got} is the failed agent"),
                Problem::ReplacementAway { got, status } => format!("{got} is {status}"),
                Problem::SelfAssigned => "the initiator itself".to_owned(),
                Problem::NoCandidateLeft => "nobody is left".to_owned(),
                Problem::MissingNote => "says no reason".to_owned(),
                other => panic!("no handoff says {other:?}"),
            };
            format!("{pointer}: {problem}")
        }
    };
    arrow(at, format!("refused: {why}"))
}

pub(crate) fn decided(at: Time, decision: &Decision) -> String {
    let mut out = match &decision.routing {
        Routing::AsAddressed => String::new(),
        Routing::Reach { agents, .. } => {
            let names: Vec<_> = agents.iter().map(|name| name.as_str()).collect();
            arrow(at, format!("{}: this message, with how to answer", names.join(", ")))
        }
        Routing::Withheld => arrow(at, "(this message reaches nobody)"),
    };
    for tell in &decision.tells {
        out += &arrow(at, signal(tell));
    }
    for spoken in &decision.says {
        out += &arrow(at, format!("{}: {}", spoken.to, say(&spoken.say)));
    }
    for effect in &decision.effects {
        out += &arrow(
            at,
            format!(
                "courier: {}",
                match effect {
                    Effect::CallHuman { .. } => "call a human",
                    other => other.word(),
                }
            ),
        );
    }
    out
}

fn signal(tell: &Tell) -> String {
    match tell {
        Tell::Exchange(id, exchange::Signal::Delegation(signal)) => match signal {
            Signal::HandoffBegan { .. } => format!("{id}: its time stands still"),
            Signal::HandedOver { to, .. } => format!("{id}: goes to {to}"),
            Signal::HandoffFailed { .. } => format!("{id}: escalated, nobody took it over"),
            Signal::AgentReplaced { .. } => format!("{id}: escalated, its agent was replaced"),
            other => panic!("no handoff tells {other:?}"),
        },
        Tell::Directory(directory::Input::Replaced { agent, by, .. }) => {
            format!("directory: {agent} is inactive, replaced by {by}")
        }
        other => panic!("no handoff tells {other:?}"),
    }
}

fn say(say: &Say) -> String {
    match say {
        Say::Handoff => "replacement_handoff".to_owned(),
        Say::Reminder { number, grace } => {
            format!("handoff_reminder {number}{}", if *grace { ", with a grace" } else { "" })
        }
        Say::Correction { understanding, starting_from, .. } => {
            let what: Vec<_> = [("understanding", *understanding), ("starting_from", *starting_from)]
                .into_iter()
                .filter(|(_, wrong)| *wrong)
                .map(|(word, _)| word)
                .collect();
            format!("handoff-correction: {}", what.join(" and "))
        }
        Say::Judgement { .. } => "handoff-correction by the judge".to_owned(),
        Say::Clarification { updated: true, .. } => "handoff_clarification, with the new document".to_owned(),
        Say::Clarification { updated: false, .. } => "handoff_clarification, without a document".to_owned(),
        Say::Cancel { tasks } => format!("task-cancel of {}", tasks.join(", ")),
        Say::Notice(notice) => match notice {
            Notice::WrongId => "your ACK names another handoff",
            Notice::Malformed => "that is no ACK, here is its form",
            Notice::Begin => "begin now",
            Notice::Superseded => "somebody else has it now",
            Notice::UnclearVerdict => "your verdict cannot be used",
            Notice::Ended => "this has ended",
        }
        .to_owned(),
        Say::ToInitiator(said) => match said {
            ToInitiator::NoTasks => "there is no open task to move".to_owned(),
            ToInitiator::NoDocument { reason, escalation } => {
                let settle = escalation.map(|number| format!(", decide escalation {number}"));
                format!("the document is not there: {reason}{}", settle.unwrap_or_default())
            }
            ToInitiator::Questions => "questions".to_owned(),
            ToInitiator::ReviewAck => "is this understanding right?".to_owned(),
            ToInitiator::ReviewMalformed => "are these words an ACK?".to_owned(),
            ToInitiator::Blocked => "its environment is the trouble".to_owned(),
            ToInitiator::Reminder { of: Owed::Answers } => "reminder: answers".to_owned(),
            ToInitiator::Reminder { of: Owed::Verdict } => "reminder: verdict".to_owned(),
            ToInitiator::Reminder { of: Owed::Help } => "reminder: help".to_owned(),
            ToInitiator::ReplacementChanged { from, to } => format!("{to} is asked instead of {from}"),
            ToInitiator::Ended => "it has ended".to_owned(),
        },
        Say::Confirmation => "replacement_confirmation".to_owned(),
        Say::NotUnderstood(unread) => crate::harness::not_understood(unread),
        Say::Escalation { number, again: false } => format!("escalation {number}"),
        Say::Escalation { number, again: true } => format!("escalation {number}, again"),
    }
}

/// Where it stands: state, whose turn, timers.
pub(crate) fn standing(state: &State) -> String {
    let mut text = format!("{} ({})", state.name(), state.replacement.id);
    if let Some(open) = state.escalation() {
        text += &format!(": {}", open.reason.word());
    }
    let timers: Vec<_> = timers(state).iter().map(|t| format!("{} {}", t.name, clock(t.due))).collect();
    if timers.is_empty() { text } else { format!("{text} [{}]", timers.join(", ")) }
}

struct NoTexts;

impl Texts for NoTexts {
    fn subject(&self, _: &MessageId) -> Option<String> {
        None
    }
    fn title(&self, _: &MessageId, _: &[MessageId]) -> Option<String> {
        None
    }
    fn criteria(&self, _: &MessageId, _: &[MessageId]) -> Vec<String> {
        Vec::new()
    }
    fn questions(&self, _: &MessageId) -> Vec<String> {
        Vec::new()
    }
    fn missing(&self, _: &MessageId) -> Vec<String> {
        Vec::new()
    }
    fn planned(&self, _: &MessageId, _: u32) -> Option<String> {
        None
    }
    fn checkpoint(&self, _: &MessageId) -> CheckpointText {
        CheckpointText::default()
    }
}

/// What `show` shows.
pub(crate) fn shown(at: Time, text: &str, state: &State) -> String {
    let lines: Vec<String> = match text {
        "show options" => vec![options(state).join(", ")],
        all if all.starts_with("show checklist") => view(state, &NoTexts)
            .checklist
            .iter()
            .filter(|item| item.item.contains(all.trim_start_matches("show checklist").trim_start()))
            .map(|item| {
                let done = match item.done {
                    Some(true) => "x",
                    Some(false) => " ",
                    None => "-",
                };
                let evidence = item.evidence.as_deref().filter(|text| !text.is_empty());
                let evidence = evidence.map(|text| format!(" ({text})")).unwrap_or_default();
                format!("[{done}] {}: {}{evidence}", item.section.unwrap_or(""), item.item)
            })
            .collect(),
        key => {
            let key = key
                .strip_prefix("show ")
                .unwrap_or_else(|| panic!("a step is `who: what` or `show …`, not {key}"));
            vec![view(state, &NoTexts).data[key].to_string()]
        }
    };
    lines.into_iter().map(|line| state_line(at, &line)).collect()
}
