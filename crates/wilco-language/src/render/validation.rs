//! What Wilco says in a validation.

use serde_json::{Map, Value, json};
use wilco_protocol::exchange::Texts;
use wilco_protocol::validation::{
    Duty, Label, Notice, Phase, Relief, Say, State, Status, Trouble, error_id, escalation_id, id, timeout_id,
};
use wilco_protocol::{Exchange, Name, Span};

use super::{Rendered, Setting, escalation};

pub(super) fn say(state: &State, to: &Name, say: &Say, setting: &Setting<'_>) -> Rendered {
    match say {
        Say::Request { phase, again } => {
            let text = "Please check, and say PASS or FAIL with every failure.";
            let message = about(state, *phase, "validation-request", Label::Request, text);
            high(message.with("again", json!(again)))
        }
        Say::Trigger { phase, again } => {
            let one = &state.phases[*phase];
            let text = "Please check again: fixes were made.";
            let message = about(state, *phase, "revalidation-trigger", Label::Trigger, text)
                .with("previous_failures", failures(one, setting))
                .with("fixes", fixes(one, setting))
                .with("again", json!(again));
            high(message)
        }
        Say::FailureReport { phase } => {
            let text = "The check failed.";
            let message = about(state, *phase, "failure-report", Label::Report, text)
                .with("failures", failures(&state.phases[*phase], setting));
            high(message)
        }
        Say::FixRequest { phase, again } => {
            let text = "Please fix the failures, and say when it is done.";
            let message = about(state, *phase, "fix-request", Label::FixRequest, text)
                .with("failures", failures(&state.phases[*phase], setting))
                .with("again", json!(again));
            high(message)
        }
        Say::Success { phase, took, next } => {
            let next: Vec<_> = next.iter().map(|place| &state.phases[*place].name).collect();
            about(state, *phase, "success-notification", Label::Success, "The phase passed.")
                .with("total_time", json!(took))
                .with("next_phases", json!(next))
        }
        Say::Reminder { phase, duty, since, timeout, grace } => {
            let elapsed = setting.now.since(*since);
            let text = format!(
                "The {} has been running for {elapsed}; {timeout} were foreseen. Without an answer within {grace} somebody else decides.",
                duty.word()
            );
            let message =
                plain(state, *phase, "timeout-reminder", timeout_id(state, *duty, setting.now), &text)
                    .with("operation", json!(duty))
                    .with("elapsed", json!(elapsed))
                    .with("timeout", json!(timeout));
            high(message)
        }
        Say::Error { phase, duty, trouble, agent, since, message, relief } => {
            let id = error_id(state, *trouble, *since);
            let text = |key: &str| message.as_ref().and_then(|message| setting.cited.text(message, key));
            let (error, more) = trouble_text(*trouble, agent, *duty);
            let error = text("error").unwrap_or(error);
            let (recovered, next) = match relief {
                Relief::Tried => (false, more),
                Relief::Recovered => (true, "continue"),
                Relief::Escalated => (false, "escalate"),
            };
            let mut rendered = plain(state, *phase, "error-notification", id.clone(), &error)
                .with("error_id", json!(id))
                .with("error_type", json!(trouble))
                .with("context", json!(format!("{} of phase {}", duty.word(), state.phases[*phase].name)))
                .with("error", json!(error))
                .with("agent", json!(agent))
                .with("recovery_actions", json!([more]))
                .with("recovered", json!(recovered))
                .with("next_action", json!(next));
            rendered
                .content
                .extend(text("stack_trace").map(|trace| ("stack_trace".to_owned(), json!(trace))));
            high(rendered)
        }
        Say::Unreadable { phase, duty } => {
            let id = error_id(state, Trouble::InvalidResponse, setting.now);
            let text = format!("Your answer could not be read. A {} is awaited.", duty.word());
            high(plain(state, *phase, "error-notification", id.clone(), &text).with("error_id", json!(id)))
        }
        Say::Change { phase, before, after, because } => {
            change(state, *phase, *before, *after, because.word())
        }
        Say::Notice(notice) => self::notice(state, notice),
        Say::Escalation { number, again } => escalated(state, to, *number, *again, setting),
    }
}

fn trouble_text(trouble: Trouble, agent: &Name, duty: Duty) -> (String, &'static str) {
    match trouble {
        Trouble::Communication => (format!("nothing reaches {agent}"), "nudged three times"),
        Trouble::InvalidResponse => {
            (format!("an answer of {agent} cannot be read"), "ask again, with the form")
        }
        Trouble::SpecialistFailure => (format!("{agent} could not check"), "ask once more"),
        Trouble::Unresponsive => {
            (format!("{agent} has not answered: {}", duty.word()), "remind, and wait a little more")
        }
    }
}

fn high(message: Rendered) -> Rendered {
    Rendered { priority: "high", ..message }
}

fn about(state: &State, place: usize, kind: &str, label: Label, text: &str) -> Rendered {
    plain(state, place, kind, id(state, &state.phases[place], label), text)
}

fn plain(state: &State, place: usize, kind: &str, id: String, text: &str) -> Rendered {
    let phase = &state.phases[place];
    let content = Map::from_iter([
        ("type".to_owned(), json!(kind)),
        ("message".to_owned(), json!(text)),
        ("message_id".to_owned(), json!(id)),
        ("issue".to_owned(), json!(state.issue)),
        ("phase".to_owned(), json!(phase.name)),
        ("specialist".to_owned(), json!(phase.specialist)),
        ("status".to_owned(), json!(phase.status.code())),
        ("iteration".to_owned(), json!(phase.iteration)),
        ("max_iterations".to_owned(), json!(phase.max_iterations)),
    ]);
    Rendered { subject: format!("[{id}] {}", phase.name), priority: "normal", content }
}

fn failures(phase: &Phase, setting: &Setting<'_>) -> Value {
    let failed = phase.last_failed().and_then(|round| round.failed.as_ref());
    json!(failed.map(|message| setting.cited.failures(message)).unwrap_or_default())
}

fn fixes(phase: &Phase, setting: &Setting<'_>) -> Value {
    let fixed = phase.last_failed().and_then(|round| round.fixed.as_ref());
    let fixes = fixed.and_then(|message| setting.cited.content(message)?.get("fixes"));
    fixes.cloned().unwrap_or_else(|| json!([]))
}

fn change(state: &State, place: Option<usize>, before: Status, after: Status, because: &str) -> Rendered {
    let entity = place.map_or("validation-orchestrator", |place| state.phases[place].specialist.as_str());
    let text = format!("{entity}: {} to {}", before.code(), after.code());
    let mut content = Map::from_iter([
        ("type".to_owned(), json!("status-change")),
        ("message".to_owned(), json!(text)),
        ("issue".to_owned(), json!(state.issue)),
        ("entity".to_owned(), json!(entity)),
        ("previous_status".to_owned(), json!(before.code())),
        ("new_status".to_owned(), json!(after.code())),
        ("reason".to_owned(), json!(because)),
    ]);
    content.extend(place.map(|place| ("phase".to_owned(), json!(state.phases[place].name))));
    Rendered { subject: format!("[{}] {text}", state.issue), priority: "low", content }
}

fn notice(state: &State, notice: &Notice) -> Rendered {
    let name = |place: &usize| state.phases[*place].name.clone();
    let (reason, text) = match notice {
        Notice::OtherIteration { phase, named, current } => (
            "other-iteration",
            format!(
                "{} is in iteration {current}, and your message names {named}. Nothing changed.",
                name(phase)
            ),
        ),
        Notice::OtherLoop => ("other-loop", "Your message names another loop. Nothing changed.".to_owned()),
        Notice::OutOfTurn { .. } => (
            "out-of-turn",
            format!("That is not awaited now: {} is {}. Nothing changed.", state.issue, state.name()),
        ),
        Notice::WhichPhase { phases } => {
            let names: Vec<_> = phases.iter().map(name).collect();
            ("which-phase", format!("Several phases wait: {}. Name one of them.", names.join(", ")))
        }
        Notice::Paused { phase } => {
            ("paused", format!("{} waits for a decision; your message was kept for it.", name(phase)))
        }
        Notice::Over => {
            ("over", format!("The validation of {} is {}. Nothing changed.", state.issue, state.name()))
        }
        Notice::NotNeeded { phase } => {
            ("not-needed", format!("{} is decided otherwise; nothing more is needed from you.", name(phase)))
        }
    };
    let content = Map::from_iter([
        ("type".to_owned(), json!("protocol-notice")),
        ("message".to_owned(), json!(text)),
        ("reason".to_owned(), json!(reason)),
        ("issue".to_owned(), json!(state.issue)),
        ("state".to_owned(), json!(state.name())),
    ]);
    Rendered { subject: format!("[{}] {reason}", state.issue), priority: "normal", content }
}

fn escalated(state: &State, to: &Name, number: u32, again: bool, setting: &Setting<'_>) -> Rendered {
    let exchange = Exchange::Validation(state.clone());
    let opened = state.escalations.iter().find(|one| one.number == number);
    let place = state.phases.iter().position(|phase| phase.escalation == Some(number)).unwrap_or(0);
    let phase = &state.phases[place];
    let at = opened.map_or(setting.now, |one| one.opened);
    let took = phase.started.map_or(Span::ZERO, |started| at.since(started));
    let history: Vec<_> = phase
        .rounds
        .iter()
        .map(|round| {
            let failed = round.failed.as_ref().map(|message| setting.cited.failures(message));
            json!({"iteration": round.iteration, "failures": failed.unwrap_or_default(), "fixed": round.fixed.is_some()})
        })
        .collect();
    let message = escalation::message(&exchange, to, number, again, setting)
        .unwrap_or_else(|| plain(state, place, "escalation", String::new(), ""));
    message
        .with("message_id", json!(escalation_id(state, phase, at)))
        .with("issue", json!(state.issue))
        .with("phase", json!(phase.name))
        .with("specialist", json!(phase.specialist))
        .with("iterations", json!(phase.iteration))
        .with("time", json!(took))
        .with("persistent_failures", failures(phase, setting))
        .with("history", json!(history))
}
