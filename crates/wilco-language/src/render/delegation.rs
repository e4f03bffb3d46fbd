//! What Wilco says in a delegation.

use crate::message::MessageType;
use serde_json::{Map, Value, json};
use wilco_protocol::delegation::{CancelReason, Phase, Say, State, ToInitiator, Verdict, timers};
use wilco_protocol::exchange::{Exchange, Texts};
use wilco_protocol::{MessageId, Name, Time};

use super::not_understood::{first_line, not_understood};
use super::to_initiator::{bulleted, told};
use super::{Rendered, Setting, escalation, notice, passed, teaching};

pub(super) fn say(state: &State, to: &Name, say: &Say, setting: &Setting<'_>) -> Rendered {
    let task = &state.task_id;
    match say {
        Say::Assignment { sole, spell_out } => assignment(state, to, *sole, *spell_out, setting),
        Say::AckRequest => ack_request(state, to, setting),
        Say::Correction { judged_by } => {
            let right = judged_by.as_ref().and_then(|id| setting.cited.correction(id));
            correction(state, to, right, setting)
        }
        Say::Supplement { judged_by } => {
            supplement(state, to, missing(state, judged_by.as_ref(), setting), setting)
        }
        Say::Judgement { verdict: Verdict::Partial, missing, .. } => {
            supplement(state, to, missing.clone(), setting)
        }
        Say::Judgement { verdict: Verdict::WrongTask, correction: None, .. } => {
            assignment(state, to, false, true, setting)
        }
        Say::Judgement { verdict: _, correction: right, .. } => correction(state, to, right.clone(), setting),
        Say::WhichCriterion => which_criterion(state, to, setting),
        Say::StatusCheck { other_tasks } => status_check(state, to, other_tasks, setting),
        Say::BeginNow => begin_now(state, to, setting),
        Say::Cancel { because } => cancel(state, to, *because, setting),
        Say::Notice(kind) => {
            let (reason, text) = notice::notice(state, kind);
            let (word, subject) = (MessageType::ProtocolNotice, format!("About {task}: {reason}"));
            let message = match notice::asks_for_ack(state, kind) {
                true => taught(state, to, word, subject, text, setting),
                false => plain(state, word, subject, text),
            };
            message.with("reason", json!(reason))
        }
        Say::NotUnderstood(unread) => {
            not_understood(&Exchange::Delegation(state.clone()), to, unread, setting)
        }
        Say::ToInitiator(say) => {
            let told = told(state, say, setting);
            let subject = format!("{task}: {}", told.reason);
            let mut message = plain(state, MessageType::ProtocolNotice, subject, told.text);
            message.content.extend(told.fields);
            if let Some(how) = told.teaching {
                message.priority = "high";
                message = message.teaching(how);
            }
            if matches!(say, ToInitiator::MayObject { .. } | ToInitiator::AcceptedByJudge) {
                message.priority = "low";
            }
            message.with("reason", json!(told.reason))
        }
        Say::Escalation { number, again } => {
            let exchange = Exchange::Delegation(state.clone());
            escalation::message(&exchange, to, *number, *again, setting)
                .unwrap_or_else(|| plain(state, MessageType::Escalation, task.clone(), String::new()))
                .with("task_id", json!(task))
        }
    }
}

fn plain(state: &State, kind: MessageType, subject: String, text: String) -> Rendered {
    let content = Map::from_iter([
        ("type".to_owned(), json!(kind)),
        ("message".to_owned(), json!(text)),
        ("task_id".to_owned(), json!(state.task_id)),
    ]);
    Rendered { subject, priority: "normal", content }
}

/// A message that asks the agent for its ACK and says how to give it.
fn taught(
    state: &State,
    to: &Name,
    kind: MessageType,
    subject: String,
    text: String,
    setting: &Setting<'_>,
) -> Rendered {
    let block = teaching::acknowledge(state, to, deadline(state, setting.now), setting);
    let mut message = plain(state, kind, subject, text).teaching(block);
    message.priority = "high";
    message.with("revision", json!(state.revision))
}

/// Until when the ACK is awaited.
pub(super) fn deadline(state: &State, now: Time) -> Time {
    match &state.phase {
        Phase::AwaitingAck { until, .. } => *until,
        _ => timers(state).first().map_or(now.plus(state.policy.ack_timeout), |timer| timer.due),
    }
}

fn assignment(state: &State, to: &Name, sole: bool, spell_out: bool, setting: &Setting<'_>) -> Rendered {
    let task = passed::as_amended(state, setting);
    let mut content = passed::taught_if(state.requires_ack, state, to, &task, setting);
    let mut lead: Vec<String> = stop(state).into_iter().collect();
    if sole {
        lead.push(format!("You are the sole assignee of {} now.", state.task_id));
    }
    if spell_out {
        lead.push(format!("Your ACK does not fit this task. This task's id is exactly: {}", state.task_id));
    }
    lead.extend(note(state, setting).filter(|_| spell_out));
    if let (false, Some(Value::String(text))) = (lead.is_empty(), content.get_mut("message")) {
        *text = format!("{}\n\n{text}", lead.join("\n"));
    }
    content.insert("type".to_owned(), json!(MessageType::TaskAssignment));
    // A handoff asks for an ACK also where the task did not.
    if let (true, Some(required)) = (state.requires_ack, content.get_mut("requires_ack")) {
        *required = json!(true);
    }
    content.insert("attempt".to_owned(), json!(state.attempt));
    content.insert("sole_assignee".to_owned(), json!(sole));
    Rendered { subject: format!("Task {}: {}", state.task_id, state.title), priority: "high", content }
}

/// Its ACK was accepted, or none was asked for.
fn begin_now(state: &State, to: &Name, setting: &Setting<'_>) -> Rendered {
    let (task, subject) = (&state.task_id, format!("Begin now: {}", state.task_id));
    let text = noted(format!("{task} is yours: {}. Begin now.", state.title), state, setting);
    plain(state, MessageType::BeginNow, subject, text).teaching(teaching::work(state, to, setting))
}

/// What the initiator remarked beside its verdict.
fn note(state: &State, setting: &Setting<'_>) -> Option<String> {
    let verdict = state.understanding.as_ref().and_then(|judged| judged.judged_by.as_ref())?;
    let note = setting.cited.text(verdict, "note").filter(|note| !note.trim().is_empty())?;
    Some(format!("Note from {}: {}", state.initiator, note.trim()))
}

fn noted(text: String, state: &State, setting: &Setting<'_>) -> String {
    [Some(text), note(state, setting)].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// To an agent that had begun, and was objected to.
fn stop(state: &State) -> Option<String> {
    let task = &state.task_id;
    state
        .objected
        .then(|| format!("Stop working on {task}: {} objects to your understanding.", state.initiator))
}

fn stopped(text: String, state: &State) -> String {
    [stop(state), Some(text)].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// With the whole task as it is now, so that nobody must look for it.
fn with_task(text: String, state: &State, setting: &Setting<'_>) -> String {
    format!("{text}\n\nThe task as it is now:\n\n{}", passed::whole_task(state, setting))
}

fn ack_request(state: &State, to: &Name, setting: &Setting<'_>) -> Rendered {
    let task = &state.task_id;
    let why = match (&state.phase, state.unread_answer()) {
        (Phase::Queued { .. }, _) => {
            format!("Nothing blocks {task} any more: what you had to do before it is done.")
        }
        (_, Some(said)) => format!(
            "I got your message of {} but could not read an ACK in it: {}",
            hour_and_minute(said.at),
            first_line(&said.message, setting.cited)
        ),
        (_, None) => format!("I sent you task {task} but have not received acknowledgment."),
    };
    let text = format!(
        "{why}\n\
         Please confirm receipt with: [ACK] {task} - {{status}}\n\
         \n\
         Status options: RECEIVED, CLARIFICATION_NEEDED, REJECTED, QUEUED"
    );
    taught(state, to, MessageType::AckRequest, format!("ACK REQUIRED: {task}"), text, setting)
        .with("attempt", json!(state.attempt))
}

/// `14:03`, in UTC.
fn hour_and_minute(at: Time) -> String {
    at.to_string().chars().skip("2026-01-31T".len()).take("14:03".len()).collect()
}

fn correction(state: &State, to: &Name, right: Option<String>, setting: &Setting<'_>) -> Rendered {
    let stated = state.ack.as_ref().map(|ack| setting.cited.understanding(ack)).unwrap_or_default();
    let right = right.unwrap_or_else(|| state.title.clone());
    let text = format!("Your understanding: {stated}. Correct understanding: {right}");
    let text = stopped(text, state);
    let text = with_task(noted(text, state, setting), state, setting);
    taught(state, to, MessageType::TaskCorrection, format!("Correction: {}", state.task_id), text, setting)
        .with("your_understanding", json!(stated))
        .with("correct_understanding", json!(right))
}

/// Vague questions go back. Who works goes on, and is told how to ask; who owes its ACK is told how to give it.
fn which_criterion(state: &State, to: &Name, setting: &Setting<'_>) -> Rendered {
    let task = &state.task_id;
    let text = format!(
        "Your questions about {task} cannot be answered as they stand. Which acceptance criterion is unclear, \
         and what exactly about it?\n{}",
        bulleted(&setting.cited.criteria(&state.assignment, &state.amendments))
    );
    let (kind, subject) = (MessageType::ProtocolNotice, format!("Which part of {task} is unclear?"));
    let message = if matches!(state.phase, Phase::AwaitingAck { .. }) {
        taught(state, to, kind, subject, text, setting)
    } else {
        let revision = if state.revision > 1 { format!(" r{}", state.revision) } else { String::new() };
        let ask = format!(
            "Nothing has changed meanwhile. Ask again with [ACK] {task}{revision} - CLARIFICATION_NEEDED, a line \
             \"Questions:\" and a numbered list below it, or with a task-acknowledgment of status \
             needs-clarification and its questions."
        );
        plain(state, kind, subject, format!("{text}\n\n{ask}"))
    };
    message.with("reason", json!("which-criterion"))
}

/// What the verdict lists, else the criteria that were not found, else everything.
fn missing(state: &State, judged_by: Option<&MessageId>, setting: &Setting<'_>) -> Vec<String> {
    let said = judged_by.map(|id| setting.cited.missing(id)).unwrap_or_default();
    if !said.is_empty() {
        return said;
    }
    let task = setting.cited.task(&state.assignment, &state.amendments);
    let judged = state.understanding.as_ref().map(|judged| judged.missing.as_slice()).unwrap_or_default();
    let named: Vec<_> =
        judged.iter().filter_map(|index| task.criteria.get(usize::from(*index)).cloned()).collect();
    match (named.is_empty(), task.criteria.is_empty()) {
        (false, _) => named,
        (true, false) => task.criteria,
        (true, true) => vec![task.title],
    }
}

fn supplement(state: &State, to: &Name, missing: Vec<String>, setting: &Setting<'_>) -> Rendered {
    let text = format!(
        "Your acknowledgement of {} leaves something out. Please confirm the full scope, including:\n{}",
        state.task_id,
        bulleted(&missing)
    );
    let text = stopped(text, state);
    let text = with_task(noted(text, state, setting), state, setting);
    taught(state, to, MessageType::TaskSupplement, format!("Still missing: {}", state.task_id), text, setting)
        .with("missing", json!(missing))
}

/// How it goes; an agent that owes its ACK is asked for that.
fn status_check(state: &State, to: &Name, other_tasks: &[String], setting: &Setting<'_>) -> Rendered {
    let task = &state.task_id;
    let others = match other_tasks {
        [] => String::new(),
        some => format!(" Your other open tasks: {}.", some.join(", ")),
    };
    let text = match state.phase {
        Phase::Queued { .. } => format!("You queued {task}. What holds you back?{others}"),
        Phase::AwaitingAck { .. } => format!("You have not acknowledged {task} yet. Do you take it?{others}"),
        _ => format!("How does {task} go? Please report a checkpoint, or say what holds you back.{others}"),
    };
    let (kind, subject) = (MessageType::StatusCheck, format!("Status of {task}?"));
    let message = match state.phase {
        Phase::AwaitingAck { .. } => taught(state, to, kind, subject, text, setting),
        _ => plain(state, kind, subject, text),
    };
    message.with("other_tasks", json!(other_tasks))
}

fn cancel(state: &State, to: &Name, because: CancelReason, setting: &Setting<'_>) -> Rendered {
    let task = &state.task_id;
    let of = state.id;
    let (reason, text) = match because {
        CancelReason::Reassigned => ("reassigned", format!("{task} was given to another agent.")),
        // It may reach somebody who got the new one just before.
        CancelReason::Superseded { by } => (
            "superseded",
            format!(
                "This ends {of}, the earlier assignment of {task}: it was assigned anew as {by}, and that one stands."
            ),
        ),
        CancelReason::HandedOver => ("handed-over", format!("{task} is being handed over to another agent.")),
        CancelReason::GivenUp => ("given-up", format!("{task} was given up.")),
        CancelReason::NotYours => {
            ("not-yours", format!("{task} is not yours any more: {} has it.", state.assignee))
        }
    };
    let what = if matches!(because, CancelReason::Superseded { .. }) { "the earlier one" } else { "it" };
    let text = format!("{text} Stop working on {what} ({}), and confirm it.", state.title);
    let mut message = plain(state, MessageType::TaskCancel, format!("Stop: {task}"), text);
    message.priority = "high";
    message
        .teaching(teaching::confirm(state, to, MessageType::StopAck, setting))
        .with("reason", json!(reason))
}
