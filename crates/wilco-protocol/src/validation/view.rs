//! A validation as others see it: the API, the correlator, the report.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::decide::options;
use super::state::{Phase, State};
use super::timers::timers;
use super::words::Status;
use crate::escalation::Escalation;
use crate::exchange::{ChecklistItem, Failure, Participant, Texts, View, key};
use crate::name::{EscalationId, Name};
use crate::time::Time;

/// How many failures are named as the most frequent.
const MOST_FREQUENT: usize = 5;

pub fn view(state: &State, texts: &dyn Texts) -> View {
    View {
        id: state.id,
        state: state.name(),
        outcome: state.outcome.map(|outcome| outcome.status().word()),
        initiator: state.initiator.clone(),
        participants: participants(state),
        subject: texts.subject(&state.opening).unwrap_or_else(|| title(state).to_owned()),
        policy: serde_json::to_value(&state.policy).unwrap_or(Value::Null),
        timers: timers(state),
        checklist: checklist(state),
        created: state.created,
        updated: state.updated,
        data: data(state, texts),
    }
}

/// What it is shown under when the message that began it had no subject.
pub(super) fn title(state: &State) -> &str {
    state.feature.as_deref().unwrap_or(&state.issue)
}

/// Who owes an answer.
pub fn awaits(state: &State) -> Vec<&Name> {
    if !state.is_open() {
        return Vec::new();
    }
    let mut awaited: Vec<_> = open(state).map(|escalation| &escalation.addressee).collect();
    for phase in state.phases.iter().filter(|phase| phase.awaited.is_some()) {
        let fixes = phase.awaits(super::words::Duty::Fix);
        if fixes {
            awaited.push(&state.main_agent);
        } else if phase.command().is_none() {
            awaited.push(&phase.specialist);
        }
    }
    awaited
}

fn open(state: &State) -> impl Iterator<Item = &Escalation> {
    state.escalations.iter().filter(|escalation| escalation.closed.is_none())
}

/// What others use to find this exchange.
pub(super) fn keys(state: &State) -> Vec<String> {
    let mut keys = vec!["validation:ever".to_owned(), key("issue", &state.issue.to_lowercase())];
    if state.is_open() {
        keys.extend(state.agents().iter().map(|agent| key("loop", agent.as_str())));
    }
    keys.extend(awaits(state).into_iter().map(|agent| key("owes", agent.as_str())));
    keys
}

fn participants(state: &State) -> Vec<Participant> {
    let mut list = vec![Participant { agent: state.initiator.clone(), role: "initiator" }];
    list.push(Participant { agent: state.main_agent.clone(), role: "main-agent" });
    let specialists = state.phases.iter().map(|phase| phase.specialist.clone());
    list.extend(specialists.map(|agent| Participant { agent, role: "specialist" }));
    let watchers = state.watchers.iter().filter(|agent| **agent != state.initiator).cloned();
    list.extend(watchers.map(|agent| Participant { agent, role: "watcher" }));
    list
}

fn data(state: &State, texts: &dyn Texts) -> Value {
    let escalation = state.escalation().map(|open| EscalationId { exchange: state.id, number: open.number });
    json!({
        "issue": state.issue,
        "feature": state.feature,
        "status": state.status().code(),
        "phase": state.phase().map(|phase| &phase.name),
        "phases": state.phases.iter().map(|one| phase(state, one, texts)).collect::<Vec<_>>(),
        "main_agent": state.main_agent,
        "watchers": state.watchers,
        "iterations": state.phases.iter().map(|phase| phase.iteration).sum::<u32>(),
        "escalations": state.escalations.iter().map(|one| one.number).max().unwrap_or(0),
        "frequent_failures": frequent(state, texts),
        "not_understood": state.unread.shown(),
        "incidents": state.incidents.iter().map(|one| one.shown(state.id)).collect::<Vec<_>>(),
        "escalation": escalation.map(|id| id.to_string()),
        "options": options(state),
    })
}

fn phase(state: &State, phase: &Phase, texts: &dyn Texts) -> Value {
    let escalation = phase.escalation.map(|number| EscalationId { exchange: state.id, number });
    json!({
        "name": phase.name,
        "specialist": phase.specialist,
        "status": phase.status.code(),
        "iteration": phase.iteration,
        "max_iterations": phase.max_iterations,
        "failures": failures(phase, texts),
        "escalation": escalation.map(|id| id.to_string()),
        "started": phase.started,
        "ended": phase.ended,
    })
}

/// What is wrong as far as is known; nothing once it passed.
fn failures(phase: &Phase, texts: &dyn Texts) -> Vec<Failure> {
    let failed = phase.last_failed().filter(|_| phase.status != Status::Pass);
    failed.and_then(|round| round.failed.as_ref()).map(|message| texts.failures(message)).unwrap_or_default()
}

/// The failures that came up most often, and how often.
fn frequent(state: &State, texts: &dyn Texts) -> Vec<Value> {
    let rounds = state.phases.iter().flat_map(|phase| &phase.rounds);
    let failed = rounds.filter_map(|round| round.failed.as_ref());
    let mut counts: BTreeMap<(String, String), u32> = BTreeMap::new();
    for failure in failed.flat_map(|message| texts.failures(message)) {
        *counts.entry((failure.location, failure.error)).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(failure, count)| (Reverse(*count), failure.clone()));
    let of = |((location, error), count): ((String, String), u32)| json!({"location": location, "error": error, "count": count});
    counts.into_iter().take(MOST_FREQUENT).map(of).collect()
}

fn checklist(state: &State) -> Vec<ChecklistItem> {
    let item = |item, done: bool, at: Option<Time>| ChecklistItem::new(item, Some(done), at);
    let started = state.phases.iter().filter_map(|phase| phase.started).min();
    let over = state.phases.iter().all(Phase::is_over);
    let ended = state.phases.iter().filter_map(|phase| phase.ended).max().filter(|_| over);
    let decided = open(state).next().is_none();
    vec![
        item("requested", started.is_some(), started),
        item("phases over", over, ended),
        item("decided", decided, None),
        item("told", !state.is_open(), Some(state.updated).filter(|_| !state.is_open())),
    ]
}
