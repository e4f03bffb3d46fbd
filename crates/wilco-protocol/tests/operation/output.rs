//! What Wilco does in an operation, as the lines of a transcript.

use wilco_protocol::Time;
use wilco_protocol::decision::{Effect, Problem, Refusal, Routing};
use wilco_protocol::escalation::Incident;
use wilco_protocol::operation::{
    Decision, Notice, Say, State, StepState, ToInitiator, Track, TrackState, log, options, timers,
};

use crate::harness::{arrow, clock, state_line};

pub(crate) fn incident(at: Time, incident: &Incident) -> String {
    arrow(at, format!("incident: {} {} after {} requests", incident.agent, incident.kind, incident.attempts))
}

pub(crate) fn refused(at: Time, refusal: &Refusal) -> String {
    let why = match refusal {
        Refusal::Role { expected } | Refusal::Barred { expected } => {
            format!("this is for the {expected}")
        }
        Refusal::State { expected, got } => format!("expected {expected}, got {got}"),
        Refusal::AlreadyOpen { .. } => "open already".to_owned(),
        Refusal::Field { pointer, problem } => {
            let problem = match problem {
                Problem::OwnOperation => "the initiator itself".to_owned(),
                Problem::UnknownOption { got, options } => format!("{got} is none of {}", options.join(", ")),
                Problem::UnknownEscalation => "no such escalation".to_owned(),
                Problem::NotTakingPart { got } => format!("{got} takes no part"),
                other => panic!("no operation says {other:?}"),
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
    for spoken in &decision.says {
        out += &arrow(at, format!("{}: {}", spoken.to, say(&spoken.say)));
    }
    for effect in &decision.effects {
        out += &match effect {
            Effect::RunStep { agent, run, .. } => {
                arrow(at, format!("courier: run {run} of the command for {agent}"))
            }
            Effect::CallHuman { .. } => arrow(at, "courier: call a human"),
            Effect::Judge { .. } | Effect::Handoff { .. } | Effect::RunCheck { .. } => {
                panic!("no operation orders {}", effect.word())
            }
        };
    }
    out
}

fn say(say: &Say) -> String {
    match say {
        Say::Announcement => "operation-notice".to_owned(),
        Say::Ask => "pre-operation".to_owned(),
        Say::Reminder { number, total, tone, grace } => {
            let grace = if *grace { ", with a grace" } else { "" };
            format!("reminder {number} of {total} ({}){grace}", tone.word())
        }
        Say::Extension => "extension-granted".to_owned(),
        Say::Timeout { proceeding } => format!("timeout-notice, {}", proceeds(*proceeding)),
        Say::Authorized { because } => format!("operation-authorized: {}", because.word()),
        Say::Performed { outcome } => format!("post-operation: {}", outcome.word()),
        Say::Cancelled { by } => format!("operation-cancelled by {by}"),
        Say::Aborted { because, by } => {
            let by = by.as_ref().map(|by| format!(" by {by}")).unwrap_or_default();
            format!("operation-aborted: {}{by}", because.word())
        }
        Say::Notice(Notice::Read { answer }) => format!("your answer was read as {}", answer.word()),
        Say::Notice(Notice::NoMoreTime) => "no-more-time".to_owned(),
        Say::Notice(Notice::TooLate { .. }) => "too-late".to_owned(),
        Say::Notice(Notice::NotYetAsked) => "not-yet-asked".to_owned(),
        Say::ToInitiator(ToInitiator::TimedOut { agent, after_seconds, proceeding }) => {
            format!("no answer from {agent} after {after_seconds} seconds, {}", proceeds(*proceeding))
        }
        Say::ToInitiator(ToInitiator::Excluded { agent }) => format!("{agent} is left out"),
        Say::ToInitiator(ToInitiator::ResultDue) => "how did it go?".to_owned(),
        Say::ToInitiator(ToInitiator::Executed { outcome }) => format!("executed: {}", outcome.word()),
        Say::NotUnderstood(unread) => crate::harness::not_understood(unread),
        Say::Escalation { number, again: false } => format!("escalation {number}"),
        Say::Escalation { number, again: true } => format!("escalation {number}, again"),
    }
}

fn proceeds(proceeding: Option<bool>) -> &'static str {
    match proceeding {
        Some(true) => "proceeding",
        Some(false) => "not proceeding",
        None => "undecided",
    }
}

/// Where it stands: state, the agents that are not simply waited for, steps, timers.
pub(crate) fn standing(state: &State) -> String {
    let mut text = state.name().to_owned();
    let track = |track: &Track| format!("{} {}", track.agent, track.state.word());
    let signal = state.tracks.iter().filter(|track| track.state != TrackState::Waiting).map(track);
    let steps = state.steps.iter().filter(|step| step.state != StepState::Pending);
    let steps = steps.map(|step| format!("{} {}", step.agent, step.state.word()));
    let parts: Vec<_> = if state.steps.is_empty() { signal.collect() } else { steps.collect() };
    if !parts.is_empty() {
        text += &format!(" ({})", parts.join(", "));
    }
    if let Some(open) = state.escalation() {
        text += &format!(": {}", open.reason.word());
    }
    let mut timers: Vec<_> = timers(state).iter().map(|t| format!("{} {}", t.name, clock(t.due))).collect();
    timers.dedup();
    if timers.is_empty() { text } else { format!("{text} [{}]", timers.join(", ")) }
}

/// What `show` shows.
pub(crate) fn shown(at: Time, text: &str, state: &State) -> String {
    let lines: Vec<String> = match text {
        "show log" => log(state)
            .iter()
            .map(|row| {
                let mut said = vec![row.agent.to_string()];
                for (word, is) in [
                    ("acknowledged", row.acknowledgment_received),
                    ("timed out", row.timeout_occurred),
                    ("proceeded anyway", row.proceeded_anyway),
                    ("extended", row.extended),
                ] {
                    said.extend(is.then(|| word.to_owned()));
                }
                said.push(format!("{} reminders", row.reminders_sent));
                said.push(row.result.unwrap_or("open").to_owned());
                said.join(", ")
            })
            .collect(),
        "show options" => vec![options(state).join(", ")],
        unknown => panic!("a step is `who: what`, `show …` or `end`, not {unknown}"),
    };
    lines.into_iter().map(|line| state_line(at, &line)).collect()
}
