//! What Wilco does, as the lines of a transcript.

use wilco_protocol::decision::{Effect, Problem, Refusal, Routing, Tell};
use wilco_protocol::delegation::{
    CancelReason, Decision, Notice, Outcome, Phase, Say, State, ToInitiator, options, timers, view,
};
use wilco_protocol::escalation::Incident;
use wilco_protocol::exchange::{CheckpointText, Texts};
use wilco_protocol::{ExchangeId, MessageId, Time, directory};

use crate::harness::{arrow, clock, state_line};

/// Nothing is said and nothing moves; something may have been written down.
pub(crate) fn nothing(at: Time, recorded: bool) -> String {
    arrow(at, if recorded { "nothing, but it is recorded" } else { "nothing" })
}

pub(crate) fn decided(at: Time, id: ExchangeId, decision: &Decision) -> String {
    let mut out = match &decision.routing {
        Routing::AsAddressed => String::new(),
        Routing::Reach { agents, teach } => {
            let how = if *teach { ", with how to answer" } else { "" };
            agents.iter().map(|agent| arrow(at, format!("{agent}: this message{how}"))).collect()
        }
        Routing::Withheld => arrow(at, "(this message reaches nobody)"),
    };
    for spoken in &decision.says {
        out += &arrow(at, format!("{}: {}", spoken.to, say(&spoken.say)));
    }
    for effect in &decision.effects {
        out += &match effect {
            Effect::Judge { ack, .. } => arrow(at, format!("courier: let the judge look at {ack}")),
            Effect::CallHuman { escalation, .. } => {
                arrow(at, format!("courier: call a human about escalation {escalation}"))
            }
            Effect::RunStep { .. } | Effect::RunCheck { .. } => panic!("no delegation runs a command"),
            Effect::Handoff { order, .. } => arrow(at, format!("courier: {}", order.word())),
        };
    }
    for tell in &decision.tells {
        if let Tell::Exchange(other, _) = tell {
            out += &arrow(at, format!("{other}: superseded by {id}"));
        }
    }
    out
}

pub(crate) fn incident(at: Time, incident: &Incident) -> String {
    let Incident { kind, agent, attempts, delivery, .. } = incident;
    let delivery = serde_json::to_value(delivery).unwrap_or_default();
    let delivery = delivery.as_str().unwrap_or_default().to_owned();
    arrow(at, format!("incident: {agent} {kind} after attempt {attempts}, {delivery}"))
}

pub(crate) fn directory(at: Time, event: &directory::Event) -> String {
    match event {
        directory::Event::AgentUnresponsive { name, .. } => {
            arrow(at, format!("directory: {name} unresponsive"))
        }
        directory::Event::AgentReturned { name, was } => {
            arrow(at, format!("directory: {name} active again, was {}", was.word()))
        }
        other => panic!("no delegation changes the directory like that: {other:?}"),
    }
}

pub(crate) fn refused(at: Time, refusal: &Refusal) -> String {
    let why = match refusal {
        Refusal::Role { expected } | Refusal::Barred { expected } => {
            format!("this is for the {expected}")
        }
        Refusal::State { expected, got } => format!("expected {expected}, got {got}"),
        Refusal::AlreadyOpen { key, value, exchange } => format!("{key} {value} is open in {exchange}"),
        Refusal::Field { pointer, problem } => format!("{pointer}: {}", self::problem(problem)),
    };
    arrow(at, format!("refused: {why}"))
}

fn problem(problem: &Problem) -> String {
    match problem {
        Problem::UnknownOption { got, options } => format!("{got} is none of {}", options.join(", ")),
        Problem::UnknownAgent { got } => format!("{got} is not registered"),
        Problem::SelfAssigned => "the initiator itself".to_owned(),
        Problem::AssigneeRemoved { got } => format!("{got} was removed"),
        Problem::UnknownEscalation => "no such escalation".to_owned(),
        Problem::NoCandidateLeft => "no candidate left".to_owned(),
        Problem::NothingUnread => "everything was read".to_owned(),
        Problem::MissingStatus => "as which ACK?".to_owned(),
        Problem::NothingAcknowledged => "nothing was acknowledged".to_owned(),
        Problem::NoDeadlineRuns => "no deadline runs".to_owned(),
        Problem::MissingTime => "how long?".to_owned(),
        other => panic!("no delegation says {other:?}"),
    }
}

/// Where an exchange stands: state, assignee, what is counted, and its timers.
pub(crate) fn standing(state: &State) -> String {
    let mut text = state.name().to_owned();
    let timers: Vec<_> = timers(state).iter().map(|t| format!("{} {}", t.name, clock(t.due))).collect();
    if let Phase::Ended { outcome, .. } = &state.phase {
        match (state.stop_confirmed, outcome) {
            (Some(true), _) => text += ", stop confirmed",
            (Some(false), _) => text += ", stop unconfirmed",
            (None, Outcome::Completed | Outcome::Cancelled | Outcome::Failed) => {}
        }
    } else {
        text += &format!(" {}", state.assignee);
        let asking = matches!(state.phase, Phase::AwaitingAck { .. } | Phase::Escalated { .. });
        for (name, count, shown) in [
            ("attempt", state.attempt, asking && state.attempt > 1),
            ("revision", state.revision, state.revision > 1),
            ("corrections", state.corrections, asking && state.corrections > 0),
            ("checkpoint", state.last_checkpoint(), state.last_checkpoint() > 0),
        ] {
            if shown {
                text += &format!(", {name} {count}");
            }
        }
        if let Some(open) = state.escalation() {
            text += &format!(": {}", open.reason.word());
        }
    }
    if timers.is_empty() { text } else { format!("{text} [{}]", timers.join(", ")) }
}

fn say(say: &Say) -> String {
    match say {
        Say::Assignment { sole, spell_out } => {
            let sole = if *sole { ", you are the sole assignee" } else { "" };
            let spelled_out = if *spell_out { ", its id spelled out" } else { "" };
            format!("task-assignment{sole}{spelled_out}")
        }
        Say::AckRequest => "ack-request".to_owned(),
        Say::Correction { judged_by } => format!("task-correction{}", by(judged_by)),
        Say::Supplement { judged_by } => format!("task-supplement{}", by(judged_by)),
        Say::Judgement { verdict, .. } => format!("what the command said: {}", verdict.word()),
        Say::WhichCriterion => "which criterion is unclear?".to_owned(),
        Say::StatusCheck { other_tasks } if other_tasks.is_empty() => "status-check".to_owned(),
        Say::StatusCheck { other_tasks } => format!("status-check, also open: {}", other_tasks.join(", ")),
        Say::BeginNow => "begin-now".to_owned(),
        Say::Cancel { because } => format!("task-cancel, {}", cancel(because)),
        Say::Notice(notice) => format!("notice, {}", self::notice(notice)),
        Say::ToInitiator(say) => to_initiator(say),
        Say::NotUnderstood(unread) => crate::harness::not_understood(unread),
        Say::Escalation { number, again: false } => format!("escalation {number}"),
        Say::Escalation { number, again: true } => format!("escalation {number}, again"),
    }
}

fn by(verdict: &Option<MessageId>) -> String {
    verdict.as_ref().map(|id| format!(" by {id}")).unwrap_or_default()
}

fn cancel(because: &CancelReason) -> String {
    match because {
        CancelReason::Reassigned => "reassigned".to_owned(),
        CancelReason::Superseded { by } => format!("superseded by {by}"),
        CancelReason::GivenUp => "given up".to_owned(),
        CancelReason::NotYours => "not yours any more".to_owned(),
        CancelReason::HandedOver => "handed over".to_owned(),
    }
}

fn notice(notice: &Notice) -> String {
    match notice {
        Notice::UnderReview => "not yours yet".to_owned(),
        Notice::AckFirst => "acknowledge first".to_owned(),
        Notice::AlreadyWorking => "it is being worked on".to_owned(),
        Notice::WhichRevision { current } => format!("of which revision? it is {current} now"),
        Notice::StaleRevision { current } => format!("the revision is {current} now"),
        Notice::CheckpointBack { last } => format!("checkpoint {last} was reached already"),
        Notice::TooManyCheckpoints => "too many checkpoints".to_owned(),
        Notice::NothingToConfirm { what } => format!("no {what} to confirm"),
        Notice::Paused => "it is paused".to_owned(),
        Notice::HalfVerdict { verdict } => format!("the verdict {} lacks what it needs", verdict.word()),
        Notice::UnclearVerdict => "contradicting verdicts".to_owned(),
        Notice::Ended { outcome } => format!("it ended: {}", outcome.word()),
        Notice::SoleAssignee => "you are the sole assignee".to_owned(),
    }
}

fn to_initiator(say: &ToInitiator) -> String {
    match say {
        ToInitiator::Questions { vague: false } => "questions".to_owned(),
        ToInitiator::Questions { vague: true } => "vague questions, consider splitting the task".to_owned(),
        ToInitiator::StillOpen { from, count } => format!("questions {} to {count} are still open", from + 1),
        ToInitiator::ReviewAck => "verdict wanted on the ACK".to_owned(),
        ToInitiator::MayObject { .. } => "it begins, and may be objected to".to_owned(),
        ToInitiator::AcceptedByJudge => "the judge accepted the ACK".to_owned(),
        ToInitiator::ReviewEarlyWork => "verdict wanted on work without ACK".to_owned(),
        ToInitiator::AmendNeeded => "the agent cannot read the task, amend it".to_owned(),
        ToInitiator::Reminder { of } => format!("reminder of {}", format!("{of:?}").to_lowercase()),
        ToInitiator::Blocked { tasks } => format!("queued behind {}", tasks.join(", ")),
        ToInitiator::Reassigned { from, to, because } => {
            format!("reassigned from {from} to {to}: {}", word_of(because))
        }
        ToInitiator::WaitingForAgent => "waiting for the agent".to_owned(),
        ToInitiator::Completed => "completed, with durations and checkpoints".to_owned(),
        ToInitiator::StopUnconfirmed => "the stop is unconfirmed".to_owned(),
        ToInitiator::PauseUnconfirmed { resume: false } => "the pause is unconfirmed".to_owned(),
        ToInitiator::PauseUnconfirmed { resume: true } => "the resumption is unconfirmed".to_owned(),
        ToInitiator::PauseOver => "the pause is over".to_owned(),
        ToInitiator::SameTaskElsewhere { exchange } => format!("{exchange} has the same task id"),
        ToInitiator::EnrolledByWeakSign => "enrolled as a task, and how to undo it".to_owned(),
        ToInitiator::FormerAgentSpoke { agent } => format!("{agent} still speaks of this task"),
        ToInitiator::Evidence { agent } => format!("evidence of {agent}"),
        ToInitiator::AmendedMeanwhile => "its amendment is kept for who takes over".to_owned(),
        ToInitiator::HandedOver { from, to } => format!("handed over from {from} to {to}"),
    }
}

fn word_of(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
}

/// What `show` shows.
pub(crate) fn shown(at: Time, what: &str, state: &State) -> String {
    let lines: Vec<String> = match what {
        "checklist" => view(state, &NoTexts).checklist.iter().map(item).collect(),
        "checkpoints" => state.checkpoints.iter().map(checkpoint).collect(),
        "options" => vec![options(state).join(", ")],
        "understanding" => vec![view(state, &NoTexts).data["understanding"].to_string()],
        "former assignees" => state.former_assignees.iter().map(ToString::to_string).collect(),
        unknown => panic!("there is no {unknown} to show"),
    };
    lines.into_iter().map(|text| state_line(at, text)).collect()
}

fn item(item: &wilco_protocol::exchange::ChecklistItem) -> String {
    let mark = match item.done {
        Some(true) => "[x]",
        Some(false) => "[ ]",
        None => "[-]",
    };
    let at = item.at.map(|at| format!(" at {}", clock(at))).unwrap_or_default();
    format!("{mark} {}{at}", item.item)
}

fn checkpoint(checkpoint: &wilco_protocol::delegation::Checkpoint) -> String {
    let reached = checkpoint.reached.map_or("planned".to_owned(), |at| format!("reached at {}", clock(at)));
    format!("checkpoint {} {reached}", checkpoint.number)
}

struct NoTexts;

impl Texts for NoTexts {
    fn title(&self, _: &MessageId, _: &[MessageId]) -> Option<String> {
        None
    }

    fn subject(&self, _: &MessageId) -> Option<String> {
        None
    }

    fn criteria(&self, _: &MessageId, _: &[MessageId]) -> Vec<String> {
        vec!["first".to_owned(), "second".to_owned()]
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
