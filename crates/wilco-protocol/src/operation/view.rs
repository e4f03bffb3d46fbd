//! An operation as others see it: the API, the correlator, the operation log.

use serde::Serialize;
use serde_json::{Value, json};

use super::decide::options;
use super::execute::{Execute, Step, StepState};
use super::state::{Outcome, Phase, State, Track, TrackState};
use super::timers::timers;
use super::words::Kind;
use crate::exchange::{ChecklistItem, Participant, Texts, View, key};
use crate::name::{EscalationId, ExchangeId, Name};
use crate::time::Time;

pub fn view(state: &State, texts: &dyn Texts) -> View {
    View {
        id: state.id,
        state: state.name(),
        outcome: match &state.phase {
            Phase::Ended { outcome } => Some(outcome.word()),
            Phase::Notifying { .. } | Phase::Waiting | Phase::Authorized { .. } | Phase::Executing => None,
        },
        initiator: state.initiator.clone(),
        participants: participants(state),
        subject: texts.subject(&state.opening).unwrap_or_else(|| state.operation.clone()),
        policy: serde_json::to_value(&state.policy).unwrap_or(Value::Null),
        timers: timers(state),
        checklist: checklist(state),
        created: state.created,
        updated: state.updated,
        data: data(state, texts),
    }
}

/// Who owes an answer, or may still change it.
pub fn awaits(state: &State) -> Vec<&Name> {
    let heard = |track: &&Track| match track.state {
        TrackState::Waiting | TrackState::Ready | TrackState::TimedOut => true,
        TrackState::Cancelled | TrackState::Excluded => false,
    };
    let mut awaited: Vec<_> = state.escalation().map(|open| &open.addressee).into_iter().collect();
    match &state.phase {
        Phase::Notifying { .. } | Phase::Waiting => {
            awaited.extend(state.tracks.iter().filter(heard).map(|track| &track.agent));
        }
        Phase::Authorized { .. } => awaited.push(&state.initiator),
        Phase::Executing => {}
        Phase::Ended { .. } => awaited.clear(),
    }
    awaited
}

/// What others use to find this exchange.
pub(super) fn keys(state: &State) -> Vec<String> {
    let mut keys = vec!["operation:ever".to_owned()];
    keys.extend(state.broadcast_id.as_ref().map(|id| key("broadcast", id)));
    keys.extend(awaits(state).into_iter().map(|agent| key("owes", agent.as_str())));
    keys
}

fn participants(state: &State) -> Vec<Participant> {
    let mut list = vec![Participant { agent: state.initiator.clone(), role: "initiator" }];
    list.extend(state.tracks.iter().map(|track| Participant { agent: track.agent.clone(), role: "agent" }));
    list
}

fn data(state: &State, texts: &dyn Texts) -> Value {
    let escalation = state.escalation().map(|open| EscalationId { exchange: state.id, number: open.number });
    json!({
        "operation": state.operation,
        "kind": state.kind,
        "quorum": state.policy.quorum,
        "requires_acknowledgment": state.requires_acknowledgment,
        "broadcast_id": state.broadcast_id,
        "tracks": state.tracks.iter().map(track).collect::<Vec<_>>(),
        "authorized_at": state.authorized_at,
        "execution": execution(state, texts),
        "not_understood": state.unread.shown(),
        "incidents": state.incidents.iter().map(|one| one.shown(state.id)).collect::<Vec<_>>(),
        "escalation": escalation.map(|id| id.to_string()),
        "options": options(state),
    })
}

fn track(track: &Track) -> Value {
    json!({
        "agent": track.agent,
        "state": track.state,
        "reminders_sent": track.reminders_sent,
        "extended": track.extended,
        "deadline": track.deadline,
        "answered_at": track.answered_at,
        "timeout_occurred": track.timeout_occurred,
        "grace_given": track.grace_given,
    })
}

fn execution(state: &State, texts: &dyn Texts) -> Value {
    let steps: Vec<_> = state.steps.iter().map(|one| step(one, texts)).collect();
    json!({"mode": state.execute.mode(), "result": result(state), "steps": steps})
}

fn step(step: &Step, texts: &dyn Texts) -> Value {
    let printed = texts.printed(&step.agent);
    json!({
        "agent": step.agent,
        "state": step.state,
        "exit_code": step.exit_code,
        "stdout": printed.stdout,
        "stderr": printed.stderr,
        "failure": printed.failure,
        "runs": step.runs,
        "started": step.started,
        "ended": step.ended,
    })
}

/// How it went, as far as is known.
fn result(state: &State) -> Option<&'static str> {
    match (&state.phase, &state.execute) {
        (Phase::Ended { outcome: Outcome::Done }, Execute::None) => Some("unknown"),
        (Phase::Ended { outcome }, _) => Some(outcome.word()),
        (Phase::Notifying { .. } | Phase::Waiting | Phase::Authorized { .. } | Phase::Executing, _) => None,
    }
}

fn checklist(state: &State) -> Vec<ChecklistItem> {
    let item = ChecklistItem::new;
    let tally = state.tally();
    let all_ready = tally.ready > 0 && tally.ready == tally.remaining();
    let needed = |done: bool| state.requires_acknowledgment.then_some(done);
    let last = state.tracks.iter().filter_map(|track| track.answered_at).max();
    let ended = !state.is_open();
    let asked = state.asked_at.or(state.authorized_at);
    vec![
        item("notified", Some(asked.is_some()), asked),
        item("ready", needed(all_ready), last.filter(|_| all_ready)),
        item("authorized", Some(state.authorized_at.is_some()), state.authorized_at),
        item("told", Some(ended), Some(state.updated).filter(|_| ended)),
    ]
}

/// A row of the operation log: one agent's part in one operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LogRow {
    pub exchange: ExchangeId,
    pub operation: String,
    pub kind: Kind,
    pub agent: Name,
    /// It was ready before its deadline.
    pub acknowledgment_received: bool,
    pub timeout_occurred: bool,
    /// Performed without this agent's "ready".
    pub proceeded_anyway: bool,
    pub reminders_sent: u32,
    pub extended: bool,
    pub answered_at: Option<Time>,
    pub result: Option<&'static str>,
}

/// The rows of an operation, one per agent.
pub fn log(state: &State) -> Vec<LogRow> {
    state.tracks.iter().map(|track| row(state, track)).collect()
}

fn row(state: &State, track: &Track) -> LogRow {
    let without = match track.state {
        TrackState::Waiting | TrackState::TimedOut => true,
        TrackState::Ready | TrackState::Cancelled | TrackState::Excluded => false,
    };
    LogRow {
        exchange: state.id,
        operation: state.operation.clone(),
        kind: state.kind,
        agent: track.agent.clone(),
        acknowledgment_received: track.state == TrackState::Ready && track.ready_in_time,
        timeout_occurred: track.timeout_occurred,
        proceeded_anyway: without && state.authorized_at.is_some() && !withdrawn(state),
        reminders_sent: track.reminders_sent,
        extended: track.extended,
        answered_at: track.answered_at,
        result: result_of(state, &track.agent),
    }
}

/// Whether it was taken back before it was performed.
fn withdrawn(state: &State) -> bool {
    matches!(state.phase, Phase::Ended { outcome: Outcome::Cancelled | Outcome::Aborted })
}

/// How it went for one agent: what its step came to, what the initiator says of it, or the whole.
fn result_of(state: &State, agent: &Name) -> Option<&'static str> {
    if let Some(step) = state.steps.iter().find(|step| step.agent == *agent) {
        return match step.state {
            StepState::Pending | StepState::Running | StepState::Waiting => None,
            StepState::Succeeded => Some("done"),
            StepState::Failed => Some("failed"),
            StepState::Interrupted => Some("interrupted"),
            StepState::Skipped => Some("skipped"),
        };
    }
    let excluded = state.track(agent).is_some_and(|track| track.state == TrackState::Excluded);
    if excluded && state.authorized_at.is_some() && !state.is_open() {
        return Some("excluded");
    }
    let said = state.results.iter().find(|(name, _)| name == agent);
    said.map(|(_, done)| if *done { "done" } else { "failed" }).or(result(state))
}
