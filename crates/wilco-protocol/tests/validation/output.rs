//! What Wilco does in a validation, as the lines of a transcript.

use wilco_protocol::Time;
use wilco_protocol::decision::{Effect, Problem, Refusal, Routing};
use wilco_protocol::escalation::Incident;
use wilco_protocol::validation::{
    Decision, Label, Notice, Phase, Relief, Say, State, error_id, id, options, timers,
};

use crate::harness::{arrow, clock, state_line};

pub(crate) fn incident(at: Time, incident: &Incident) -> String {
    arrow(at, format!("incident: {} {}", incident.agent, incident.kind))
}

pub(crate) fn runs(at: Time, phase: &Phase, run: u32) -> String {
    arrow(at, format!("courier: run {run} of {}", phase.specialist))
}

pub(crate) fn refused(at: Time, refusal: &Refusal) -> String {
    let why = match refusal {
        Refusal::Role { expected } | Refusal::Barred { expected } => format!("this is for the {expected}"),
        Refusal::State { expected, got } => format!("expected {expected}, got {got}"),
        Refusal::AlreadyOpen { key, value, exchange } => format!("{key} {value} is open as {exchange}"),
        Refusal::Field { pointer, problem } => {
            let problem = match problem {
                Problem::NoPhases => "no phases".to_owned(),
                Problem::PhaseTwice { got } => format!("the phase {got} twice"),
                Problem::SpecialistTwice { got } => format!("the specialist {got} twice"),
                Problem::NoSuchPhase { got } => format!("no phase {got}"),
                Problem::WhichPhase => "which phase?".to_owned(),
                Problem::MissingExtension => "by what?".to_owned(),
                Problem::UnknownOption { got, options } => format!("{got} is none of {}", options.join(", ")),
                Problem::UnknownEscalation => "no such escalation".to_owned(),
                other => panic!("no validation says {other:?}"),
            };
            format!("{pointer}: {problem}")
        }
    };
    arrow(at, format!("refused: {why}"))
}

pub(crate) fn decided(at: Time, state: &State, decision: &Decision) -> String {
    let mut out = match &decision.routing {
        Routing::Withheld => arrow(at, "(this message reaches nobody)"),
        Routing::AsAddressed => String::new(),
        Routing::Reach { .. } => panic!("no validation passes a message on"),
    };
    for spoken in &decision.says {
        out += &arrow(at, format!("{}: {}", spoken.to, say(state, &spoken.say)));
    }
    for effect in &decision.effects {
        match effect {
            Effect::CallHuman { .. } => out += &arrow(at, "courier: call a human"),
            Effect::RunCheck { .. } => {}
            other => panic!("no validation orders {}", other.word()),
        }
    }
    out
}

fn again(again: bool) -> &'static str {
    if again { ", again" } else { "" }
}

fn say(state: &State, say: &Say) -> String {
    let label = |place: usize, label| id(state, &state.phases[place], label);
    let name = |place: usize| state.phases[place].name.as_str();
    match say {
        Say::Request { phase, again: more } => format!("{}{}", label(*phase, Label::Request), again(*more)),
        Say::Trigger { phase, again: more } => format!("{}{}", label(*phase, Label::Trigger), again(*more)),
        Say::FailureReport { phase } => label(*phase, Label::Report),
        Say::FixRequest { phase, again: more } => {
            format!("{}{}", label(*phase, Label::FixRequest), again(*more))
        }
        Say::Success { phase, took, next } => {
            let next: Vec<_> = next.iter().map(|place| name(*place)).collect();
            let next = if next.is_empty() { String::new() } else { format!(", next {}", next.join(", ")) };
            format!("{} after {took}{next}", label(*phase, Label::Success))
        }
        Say::Reminder { phase, duty, timeout, grace, .. } => {
            format!("timeout-reminder of the {} of {}: {timeout}, {grace} left", duty.word(), name(*phase))
        }
        Say::Error { trouble, since, agent, relief, .. } => {
            let became = match relief {
                Relief::Tried => "occurred",
                Relief::Recovered => "recovered",
                Relief::Escalated => "escalated",
            };
            format!("{} of {agent}: {became}", error_id(state, *trouble, *since))
        }
        Say::Unreadable { phase, duty } => format!("the form of a {} of {}", duty.word(), name(*phase)),
        Say::Change { phase, before, after, because } => {
            let entity = phase.map_or("loop", name);
            format!("status-change of {entity}: {} to {}, {}", before.code(), after.code(), because.word())
        }
        Say::Notice(notice) => match notice {
            Notice::OtherIteration { phase, named, current } => {
                format!("{} is in iteration {current}, not {named}", name(*phase))
            }
            Notice::OtherLoop => "that id is of another loop".to_owned(),
            Notice::OutOfTurn { phase } => format!("out of turn ({})", phase.map_or("no phase", name)),
            Notice::WhichPhase { phases } => {
                let names: Vec<_> = phases.iter().map(|place| name(*place)).collect();
                format!("which of {}?", names.join(", "))
            }
            Notice::Paused { phase } => format!("{} waits for a decision", name(*phase)),
            Notice::Over => "it is over".to_owned(),
            Notice::NotNeeded { phase } => format!("{} is not needed any more", name(*phase)),
        },
        Say::NotUnderstood(unread) => crate::harness::not_understood(unread),
        Say::Escalation { number, again: more } => format!("escalation {number}{}", again(*more)),
    }
}

/// Where it stands: the state, each phase with its iteration, escalations, timers.
pub(crate) fn standing(state: &State) -> String {
    let phase = |phase: &Phase| {
        format!("{} {} {}/{}", phase.name, phase.status.code(), phase.iteration, phase.max_iterations)
    };
    let phases: Vec<_> = state.phases.iter().map(phase).collect();
    let mut text = format!("{} ({})", state.name(), phases.join(", "));
    let open = state.escalations.iter().filter(|one| one.closed.is_none());
    let reasons: Vec<_> = open.map(|one| one.reason.word()).collect();
    if !reasons.is_empty() {
        text += &format!(": {}", reasons.join(", "));
    }
    let mut timers: Vec<_> = timers(state).iter().map(|t| format!("{} {}", t.name, clock(t.due))).collect();
    timers.dedup();
    if timers.is_empty() { text } else { format!("{text} [{}]", timers.join(", ")) }
}

/// What `show` shows.
pub(crate) fn shown(at: Time, text: &str, state: &State) -> String {
    let line = match text {
        "show options" => options(state).join(", "),
        "show evidence" => {
            let open =
                state.escalation().and_then(|open| open.evidence.stuck.as_ref()).expect("an escalation");
            let arrived: Vec<_> = open.arrived.iter().map(|id| id.as_str()).collect();
            format!("{} iterations of {}, arrived: {}", open.iterations, open.phase, arrived.join(", "))
        }
        "show phase" => state.phase().map_or("none", |phase| phase.name.as_str()).to_owned(),
        unknown => panic!("a step is `who: what`, `show …` or `end`, not {unknown}"),
    };
    state_line(at, &line)
}
