//! A handoff as others see it: the API and the correlator.

use serde_json::{Value, json};

use super::checklist::checklist;
use super::decide::options;
use super::order::{Party, Progress};
use super::state::{Phase, State, Task};
use super::timers::timers;
use crate::delegation::Verdict;
use crate::exchange::{Participant, Texts, View, key};
use crate::name::{EscalationId, Name};

pub fn view(state: &State, texts: &dyn Texts) -> View {
    View {
        id: state.id,
        state: state.name(),
        outcome: match &state.phase {
            Phase::Ended { outcome } => Some(outcome.word()),
            Phase::Preparing
            | Phase::AwaitingAck { .. }
            | Phase::Correcting { .. }
            | Phase::InReview { .. }
            | Phase::Clarifying { .. }
            | Phase::Blocked { .. }
            | Phase::Escalated { .. }
            | Phase::Confirming { .. } => None,
        },
        initiator: state.initiator.clone(),
        participants: participants(state),
        subject: texts.subject(&state.opening).unwrap_or_else(|| state.handoff_id.clone()),
        policy: policy(state),
        timers: timers(state),
        checklist: checklist(state),
        created: state.created,
        updated: state.updated,
        data: data(state, texts),
    }
}

/// The policy with what follows from the urgency.
fn policy(state: &State) -> Value {
    let mut policy = serde_json::to_value(&state.policy).unwrap_or(Value::Null);
    policy["ack_timeout"] = json!(state.ack_timeout());
    policy
}

/// Who owes an answer.
pub fn awaits(state: &State) -> Vec<&Name> {
    let mut awaited: Vec<_> = state.escalation().map(|open| &open.addressee).into_iter().collect();
    match &state.phase {
        Phase::AwaitingAck { .. } | Phase::Correcting { .. } => awaited.push(&state.agent),
        Phase::InReview { .. } | Phase::Clarifying { .. } => awaited.push(&state.initiator),
        Phase::Blocked { .. } => awaited.extend([&state.agent, &state.initiator]),
        Phase::Escalated { .. } if state.is_delivered() => awaited.push(&state.agent),
        Phase::Preparing | Phase::Escalated { .. } | Phase::Confirming { .. } => {}
        Phase::Ended { .. } => awaited.clear(),
    }
    awaited
}

/// What others use to find this exchange.
pub(super) fn keys(state: &State) -> Vec<String> {
    let mut keys = vec!["handoff:ever".to_owned(), key("handoff", &state.handoff_id.to_lowercase())];
    keys.extend(state.former.iter().map(|former| key("handoff", &former.handoff_id.to_lowercase())));
    keys.extend(awaits(state).iter().map(|agent| key("owes", agent.as_str())));
    if state.is_open() {
        keys.extend(state.tasks.iter().map(|task| key("handed", &task.task)));
    }
    keys
}

/// Everybody with a role, each once.
pub(crate) fn participants(state: &State) -> Vec<Participant> {
    let mut list: Vec<Participant> = Vec::new();
    let mut add = |agent: Name, role| {
        if !list.iter().any(|known| known.agent == agent) {
            list.push(Participant { agent, role });
        }
    };
    add(state.initiator.clone(), "initiator");
    add(state.agent(), "replacement");
    state.failed_agent().into_iter().for_each(|agent| add(agent, "failed-agent"));
    state.former.iter().for_each(|former| add(former.agent.clone(), "former-replacement"));
    add(state.controller.clone(), "controller");
    list
}

fn data(state: &State, texts: &dyn Texts) -> Value {
    let escalation = state.escalation().map(|open| EscalationId { exchange: state.id, number: open.number });
    json!({
        "handoff_id": state.handoff_id,
        "failed_agent": state.failed.as_ref().map(|failed| &failed.id),
        "failed_session": state.failed.as_ref().map(|failed| &failed.session),
        "replacement": state.replacement.id,
        "replacement_session": state.replacement.session,
        "former_replacements": state.former.iter().map(|former| json!({
            "agent": former.agent, "handoff_id": former.handoff_id,
        })).collect::<Vec<_>>(),
        "controller": state.controller,
        "notification_id": state.notification_id,
        "reason": texts.said(&state.opening, "reason"),
        "urgency": state.urgency,
        "tasks": state.uuids(),
        "delegations": state.tasks.iter().map(task).collect::<Vec<_>>(),
        "issues": state.issues,
        "pulls": state.pulls,
        "starting_from": state.starting_from.as_ref().map(|from| &from.name),
        "document": document(state),
        "document_failure": state.document_failure,
        "last_known_progress": last_known_progress(state),
        "ack": ack(state, texts),
        "understanding": understanding(state),
        "corrections": state.corrections,
        "questions": questions(state, texts),
        "reminders_sent": state.reminders_sent,
        "sent_at": state.sent_at,
        "confirmation": confirmation(state),
        "not_understood": state.unread.shown(),
        "incidents": state.incidents.iter().map(|one| one.shown(state.id)).collect::<Vec<_>>(),
        "escalation": escalation.map(|id| id.to_string()),
        "options": options(state),
    })
}

fn task(task: &Task) -> Value {
    json!({
        "task_uuid": task.task,
        "task_id": task.delegation.as_ref().map(|one| &one.task_id),
        "exchange": task.delegation.as_ref().map(|one| one.exchange),
        "failure": task.failure.as_ref().map(|failure| failure.reason()),
    })
}

fn document(state: &State) -> Value {
    match (&state.document, &state.given_url) {
        (Some(document), _) => json!({
            "name": document.name,
            "url": document.published.url,
            "bytes": document.published.bytes,
            "published_as": document.published.published_as,
            "failures": document.published.failures,
            "at": document.published.at,
        }),
        (None, Some(url)) => {
            json!({"name": null, "url": url, "bytes": null, "published_as": "given", "failures": [], "at": state.created})
        }
        (None, None) => Value::Null,
    }
}

fn ack(state: &State, texts: &dyn Texts) -> Value {
    if let Some(overridden) = &state.overridden {
        let reason = texts.said(&overridden.message, "reason").or(texts.said(&overridden.message, "note"));
        return json!({
            "status": "acknowledged_with_delay",
            "by": overridden.by,
            "reason": reason,
            "at": overridden.at,
        });
    }
    let Some(ack) = &state.ack else { return Value::Null };
    json!({
        "status": ack.status,
        "by": state.replacement.id,
        "message": ack.message,
        "received_at": ack.at,
        "handoff_id_matches": ack.id_matches,
        "understanding": texts.understanding(&ack.message),
        "understanding_verified": verified(state),
        "starting_from": texts.starting_from(&ack.message),
        "starting_from_matches": ack.starting_from_matches,
        "questions": texts.questions(&ack.message),
        "verified_at": state.accepted_at,
    })
}

/// How far the failed agent got: the state file knows best.
pub fn last_known_progress(state: &State) -> Option<Progress> {
    let in_file = state.file_step.as_ref().and_then(|step| step.progress).map(Progress::Percent);
    in_file.or_else(|| state.progress.clone())
}

/// Whether the understanding was found right.
pub(super) fn verified(state: &State) -> bool {
    state.understanding.as_ref().and_then(|judged| judged.verdict) == Some(Verdict::Correct)
}

fn understanding(state: &State) -> Value {
    let Some(judged) = &state.understanding else { return Value::Null };
    json!({"score": f64::from(judged.score) / 1000.0, "verdict": judged.verdict, "by": judged.by()})
}

fn questions(state: &State, texts: &dyn Texts) -> Vec<String> {
    match &state.questions {
        Some(asked) if asked.open() && state.accepted_at.is_none() => texts.questions(&asked.asked_in),
        _ => Vec::new(),
    }
}

fn confirmation(state: &State) -> Value {
    let Some(confirmation) = &state.confirmation else { return Value::Null };
    let reasons = |wanted: bool| -> Vec<_> {
        let tasks = state.tasks.iter().filter(|task| task.is_wanted() == wanted);
        tasks
            .filter_map(|task| Some(json!({"uuid": task.task, "reason": task.failure.as_ref()?.reason()})))
            .collect()
    };
    let (failed, ended) = (reasons(true), reasons(false));
    let aborted = state.moved_at.is_none();
    json!({
        "status": confirmation.outcome.status(),
        "sent_at": confirmation.at,
        "code": confirmation.code,
        "tasks_reassigned": if aborted { 0 } else { state.tasks.len() - failed.len() - ended.len() },
        "failed_tasks": failed,
        "ended_tasks": ended,
        "audited": state.audited,
    })
}

impl Party {
    /// Without its login, as messages name it.
    pub fn shown(&self) -> Value {
        json!({"id": self.id, "session": self.session})
    }
}
