//! Why somebody must decide, in words and as fields. Depends on what was recorded when it was opened,
//! so that it reads the same later.

use crate::message::MessageType;
use serde_json::{Map, Value, json};
use wilco_protocol::escalation::{Escalation, Reason};
use wilco_protocol::{EscalationId, Exchange, Name};

use super::to_initiator::counted;
use super::{Rendered, Setting, form, teaching};
use crate::interpret::Cited;

/// What happened, to whom, and what that one said.
pub fn escalation_text(exchange: &Exchange, escalation: &Escalation, cited: &Cited) -> String {
    let happened = happened(exchange, escalation);
    match quoted(escalation, cited) {
        Some(said) if escalation.evidence.silent_since.is_some() => {
            format!("{happened} It last said: {said}")
        }
        Some(said) => format!("{happened} It said: {said}"),
        None => happened,
    }
}

/// Characters of what is quoted.
const QUOTED: usize = 400;

/// What the agent said that led to it, on one line.
fn quoted(escalation: &Escalation, cited: &Cited) -> Option<String> {
    let line = form::one_line(&cited.gist(escalation.evidence.said.as_ref()?)?);
    let cut = line.chars().count() > QUOTED;
    let short: String = line.chars().take(QUOTED).chain(cut.then_some('…')).collect();
    Some(form::inline(&short)).filter(|said| !said.is_empty())
}

/// One sentence.
fn happened(exchange: &Exchange, escalation: &Escalation) -> String {
    let agent = &escalation.evidence.agent;
    let handoff = matches!(exchange, Exchange::Handoff(_));
    let called = exchange.called();
    let subject = if handoff { format!("handoff {called}") } else { called.to_owned() };
    match escalation.reason {
        Reason::NoAcknowledgment if handoff => format!(
            "{agent} has not acknowledged {subject} after {}.",
            counted(escalation.evidence.attempts as usize, "attempt")
        ),
        Reason::NoDocument => {
            let why = match exchange {
                Exchange::Handoff(state) => state.document_failure.as_deref(),
                _ => None,
            };
            let why = why.map(|why| format!(": {why}")).unwrap_or_default();
            format!(
                "The document of {subject} could not be written{why}. {agent} was told nothing. Mend that, then choose retry."
            )
        }
        Reason::EnvironmentIssue => {
            format!("{agent} cannot set up its environment for {subject}, and nobody has helped.")
        }
        Reason::HandoffFailed => {
            format!("{subject} was to be handed over from {agent}, and nobody took it.")
        }
        Reason::AgentReplaced => {
            format!("{agent} was replaced, and {subject} was not among the tasks that were handed over.")
        }
        Reason::NoAcknowledgment => format!(
            "{agent} has not acknowledged {subject} after {}{}.",
            counted(escalation.evidence.attempts as usize, "attempt"),
            why_nobody_else(exchange, escalation),
        ),
        Reason::NoCandidate => format!("{agent} cannot take {subject}, and nobody else is left to ask."),
        Reason::CapabilityMismatch if escalation.evidence.corrections == 0 => {
            format!(
                "{agent} says that it lacks the capability for {subject}, and nobody else is left to ask."
            )
        }
        Reason::CapabilityMismatch => format!(
            "{agent} still misunderstands {subject} after {}. The task may be beyond what it can do.",
            counted(escalation.evidence.corrections as usize, "correction")
        ),
        Reason::NoClarification => format!("{agent} asked questions about {subject} that nobody answered."),
        Reason::NoVerdict => format!("Nobody judged whether {agent} understood {subject}."),
        Reason::NotAmended => format!("{agent} could not read {subject}, and nobody amended it."),
        Reason::QueueStuck => format!("{agent} queued {subject} and has not begun."),
        Reason::NoCheckpoint => match escalation.evidence.silent_since {
            Some(since) => {
                let silent = escalation.opened.since(since);
                format!("{agent} works on {subject} and has said nothing for {silent}, asked twice.")
            }
            None => format!("{agent} works on {subject} and has stopped reporting checkpoints."),
        },
        Reason::NotReached => format!(
            "{agent} has not answered about {subject} and has never seen the question. Its command would be run all the same."
        ),
        Reason::Refused => format!("{agent} said no to {subject}, and was not ready when its time was up."),
        Reason::NoResult => format!("{agent} was to perform {subject} and has not said how it went."),
        Reason::MaxIterations => {
            format!("{subject} failed its check in all {}; {agent} was to fix it.", rounds(escalation))
        }
        Reason::Timeout => format!("{agent} does not answer in the validation of {subject}."),
        Reason::IterationTimeout => {
            format!("A round of the validation of {subject} takes too long; {agent} is awaited.")
        }
        Reason::Deadlock => format!(
            "The validation of {subject} fails in the same way again and again, {} by now.",
            rounds(escalation)
        ),
        Reason::SpecialistError => format!("{agent} could not check {subject}, twice."),
        Reason::DeliveryFailed => {
            format!("Nothing reaches {agent}, who is awaited in the validation of {subject}.")
        }
        Reason::InvalidAnswer => {
            format!("The answers of {agent} in the validation of {subject} cannot be read.")
        }
        Reason::Unreadable => format!("{agent} answered about {subject}, and the answer could not be read."),
        Reason::CannotFix => format!("{agent} says that it cannot fix {subject}."),
        Reason::Interrupted => format!(
            "The command of {subject} for {agent} was interrupted: the server that was to run it stopped, or is gone. Nobody knows whether it began and how far it came."
        ),
    }
}

/// Why a silent agent keeps its task until somebody decides.
fn why_nobody_else(exchange: &Exchange, escalation: &Escalation) -> &'static str {
    let weak = matches!(exchange, Exchange::Delegation(state) if state.weakly_signed());
    match (escalation.evidence.spared, weak) {
        (false, _) => ", and nobody else can take it",
        (true, true) => ". Nobody else was asked: the message only looks like a task",
        (true, false) => ". Nobody else was asked: it has shown work on it",
    }
}

/// `3 iterations`.
fn rounds(escalation: &Escalation) -> String {
    counted(escalation.evidence.attempts as usize, "iteration")
}

/// What was seen before it was opened.
pub fn escalation_evidence(escalation: &Escalation, cited: &Cited) -> Value {
    let mut evidence = json!({
        "agent": escalation.evidence.agent,
        "attempts": escalation.evidence.attempts,
        "corrections": escalation.evidence.corrections,
        "delivery": escalation.evidence.delivery,
    });
    if let Some(said) = &escalation.evidence.said {
        evidence["message"] = json!(said);
        evidence["said"] = json!(quoted(escalation, cited));
    }
    if let Some(since) = escalation.evidence.silent_since {
        evidence["silent_since"] = json!(since);
        evidence["silent_for"] = json!(escalation.opened.since(since));
    }
    if let Some(stuck) = &escalation.evidence.stuck {
        evidence["phase"] = json!(stuck.phase);
        evidence["iterations"] = json!(stuck.iterations);
        evidence["time"] = json!(escalation.opened.since(stuck.since));
        evidence["arrived"] = json!(stuck.arrived);
    }
    evidence
}

pub(super) fn message(
    exchange: &Exchange,
    to: &Name,
    number: u32,
    again: bool,
    setting: &Setting<'_>,
) -> Option<Rendered> {
    let escalation = exchange.escalations().iter().find(|one| one.number == number)?;
    let id = EscalationId { exchange: exchange.id(), number };
    let (text, options) = (escalation_text(exchange, escalation, setting.cited), exchange.options());
    let still = if again { "Still undecided: " } else { "" };
    let taught = teaching::decide(id, to, &options, exchange.next_choice(), setting);
    let mut content = Map::new();
    content.insert("type".into(), json!(MessageType::Escalation));
    content.insert("message".into(), json!(format!("{still}{text}")));
    content.insert("escalation".into(), json!(id.to_string()));
    content.insert("reason".into(), json!(escalation.reason));
    content.insert("evidence".into(), escalation_evidence(escalation, setting.cited));
    content.insert("addressee".into(), json!(escalation.addressee));
    content.insert("opened".into(), json!(escalation.opened));
    content.insert("options".into(), json!(options));
    let subject =
        format!("{}DECISION NEEDED: {}", if again { "Reminder: " } else { "" }, escalation.reason.word());
    Some(Rendered { subject, priority: "urgent", content }.teaching(taught))
}
