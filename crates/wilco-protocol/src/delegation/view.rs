//! A delegation as people and programs see it.

use serde_json::{Value, json};

use super::decide::options;
use super::state::{Checkpoint, Phase, State};
use super::timers::timers;
use crate::exchange::{ChecklistItem, Participant, Texts, View};
use crate::name::{EscalationId, Name};

pub fn view(state: &State, texts: &dyn Texts) -> View {
    View {
        id: state.id,
        state: state.name(),
        outcome: match &state.phase {
            Phase::Ended { outcome, .. } => Some(outcome.word()),
            _ => None,
        },
        initiator: state.initiator.clone(),
        participants: participants(state),
        subject: texts.subject(&state.assignment).unwrap_or_else(|| state.title.clone()),
        policy: serde_json::to_value(&state.policy).unwrap_or(Value::Null),
        timers: timers(state),
        checklist: checklist(state),
        created: state.created,
        updated: state.updated,
        data: data(state, texts),
    }
}

/// Who owes an answer.
pub fn awaits(state: &State) -> Option<&Name> {
    match &state.phase {
        Phase::AwaitingAck { .. }
        | Phase::Queued { .. }
        | Phase::Waiting { .. }
        | Phase::Working { .. }
        | Phase::Paused { .. } => Some(&state.assignee),
        Phase::Clarifying { .. } | Phase::InReview { .. } | Phase::Returned { .. } => Some(&state.initiator),
        Phase::Escalated { .. } => state.escalation().map(|open| &open.addressee),
        Phase::Ended { .. } => None,
    }
}

/// What others use to find this exchange.
pub(super) fn keys(state: &State) -> Vec<String> {
    let mut keys = vec![
        crate::exchange::key("task", &state.task_id.to_lowercase()),
        crate::exchange::key("uuid", &state.task_uuid),
    ];
    if state.is_open() {
        keys.push(crate::exchange::key("works", state.assignee.as_str()));
        keys.extend(state.is_unnamed().then(|| unnamed_key(&state.assignee, &state.title)));
        if let Some(owes) = awaits(state).filter(|owes| **owes != state.assignee) {
            keys.push(crate::exchange::key("owes", owes.as_str()));
        }
    }
    keys
}

/// By which a task that came without an id is found when it is given again.
pub fn unnamed_key(assignee: &Name, title: &str) -> String {
    const LONGEST: usize = 80;
    let title: String = title.trim().chars().take(LONGEST).collect();
    crate::exchange::key("unnamed", &format!("{assignee} {title}"))
}

fn participants(state: &State) -> Vec<Participant> {
    let person = |agent: &Name, role| Participant { agent: agent.clone(), role };
    let mut list = vec![person(&state.initiator, "initiator"), person(&state.assignee, "assignee")];
    list.extend(state.former_assignees.iter().map(|agent| person(agent, "former-assignee")));
    list
}

fn data(state: &State, texts: &dyn Texts) -> Value {
    let escalation = state.escalation().map(|open| EscalationId { exchange: state.id, number: open.number });
    json!({
        "task_id": state.task_id,
        "task_uuid": state.task_uuid,
        "sign": state.sign,
        "title": title(state, texts),
        "assignee": state.assignee,
        "former_assignees": state.former_assignees,
        "attempt": state.attempt,
        "revision": state.revision,
        "understanding": understanding(state, texts),
        "corrections": state.corrections,
        "questions": questions(state, texts),
        "checkpoints": state.checkpoints.iter().map(|point| checkpoint(point, texts)).collect::<Vec<_>>(),
        "acknowledged_at": state.acknowledged_at,
        "stop_confirmed": stop_confirmed(state),
        "not_understood": state.unread.shown(),
        "incidents": state.incidents.iter().map(|one| one.shown(state.id)).collect::<Vec<_>>(),
        "escalation": escalation.map(|id| id.to_string()),
        "options": options(state),
        "handoff": state.held.as_ref().map(|held| held.by),
    })
}

/// As it was given, unless an amendment gave another.
fn title(state: &State, texts: &dyn Texts) -> String {
    let changed = !state.amendments.is_empty();
    let amended = changed.then(|| texts.title(&state.assignment, &state.amendments)).flatten();
    amended.filter(|title| !title.is_empty()).unwrap_or_else(|| state.title.clone())
}

fn understanding(state: &State, texts: &dyn Texts) -> Value {
    let Some(judged) = &state.understanding else { return Value::Null };
    let criteria = texts.criteria(&state.assignment, &state.amendments);
    let named = |indexes: &[u16]| -> Vec<String> {
        indexes.iter().filter_map(|index| criteria.get(usize::from(*index)).cloned()).collect()
    };
    let said = judged.judged_by.as_ref().map(|verdict| texts.missing(verdict)).unwrap_or_default();
    let missing = match (said.is_empty(), judged.said_missing.is_empty()) {
        (false, _) => said,
        (true, false) => judged.said_missing.clone(),
        (true, true) => named(&judged.missing),
    };
    let lacks = |text: &String| missing.iter().any(|one| one.trim().eq_ignore_ascii_case(text.trim()));
    let covered: Vec<_> = named(&judged.covered).into_iter().filter(|text| !lacks(text)).collect();
    let mut shown = json!({
        "score": f64::from(judged.score) / 1000.0,
        "verdict": judged.verdict,
        "covered": covered,
        "missing": missing,
        "by": judged.by(),
    });
    if let Some(judge) = asked_judge(&state.phase) {
        shown["judge"] = judge;
    }
    shown
}

/// Whether the judge is being asked, and what it could not settle.
fn asked_judge(phase: &Phase) -> Option<Value> {
    match phase {
        Phase::InReview { judging: Some(_), .. } => Some(json!({"asked": true})),
        Phase::InReview { why, .. } => why.as_ref().map(|why| json!({"asked": false, "left": why})),
        Phase::Escalated { from } => asked_judge(from),
        _ => None,
    }
}

/// The open questions, as they were asked.
fn questions(state: &State, texts: &dyn Texts) -> Vec<String> {
    match &state.questions {
        Some(asked) if asked.open() => {
            texts.questions(&asked.asked_in).into_iter().skip(asked.answered as usize).collect()
        }
        _ => Vec::new(),
    }
}

fn checkpoint(point: &Checkpoint, texts: &dyn Texts) -> Value {
    match point.reached {
        None => json!({
            "checkpoint": point.number,
            "agent": point.by,
            "name": texts.planned(&point.message, point.number),
            "status": "planned",
            "summary": null,
            "at": null,
        }),
        Some(at) => {
            let said = texts.checkpoint(&point.message);
            json!({
                "checkpoint": point.number,
                "agent": point.by,
                "name": said.name.or_else(|| planned_name(point, texts)),
                "status": said.status,
                "summary": said.summary,
                "at": at,
            })
        }
    }
}

/// The name that the ACK planned it under.
pub fn planned_name(point: &Checkpoint, texts: &dyn Texts) -> Option<String> {
    point.planned_in.as_ref().and_then(|ack| texts.planned(ack, point.number))
}

/// Null while nobody was asked to stop.
fn stop_confirmed(state: &State) -> Option<bool> {
    match &state.phase {
        Phase::Ended { stop: Some(_), .. } => Some(false),
        _ => state.stop_confirmed,
    }
}

/// The initiator's checklist, computed from what happened.
fn checklist(state: &State) -> Vec<ChecklistItem> {
    let item = ChecklistItem::new;
    let needed = |done: bool| state.requires_ack.then_some(done);
    let ack = state.first_ack.as_ref();
    let understood = state.acknowledged_at.filter(|_| state.requires_ack);
    let assigned = if state.requires_ack { understood } else { Some(state.sent_at) };
    let asked = state.questions.as_ref();
    vec![
        item("sent", Some(true), Some(state.sent_at)),
        item("ack-in-time", needed(ack.is_some_and(|ack| ack.in_time)), ack.map(|ack| ack.at)),
        item("understanding", needed(understood.is_some()), understood),
        item("questions", asked.map(|questions| !questions.open()), asked.map(|questions| questions.at)),
        item("assigned", Some(assigned.is_some()), assigned),
    ]
}
