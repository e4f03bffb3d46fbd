//! The delivered form of a message that somebody sent: its own fields, and what Wilco adds to them.

use serde_json::{Map, Value, json};
use wilco_protocol::delegation::State;
use wilco_protocol::exchange::Texts;
use wilco_protocol::{Exchange, MessageId, Name};

use super::delegation::deadline;
use super::{Setting, announced, handoff, teaching};
use crate::message::MessageType;
use crate::parse::Task;
use crate::read::asked::asks_for_ack;

/// What a message looks like to the agent that it must reach.
pub fn delivered(
    exchange: &Exchange,
    to: &Name,
    original: &Map<String, Value>,
    teach: bool,
    setting: &Setting<'_>,
) -> Map<String, Value> {
    match exchange {
        Exchange::Delegation(state) => taught_if(teach, state, to, original, setting),
        Exchange::Operation(state) => announced::asked(state, to, original, setting),
        // What is said in a loop goes to Wilco, which says it in its own words.
        Exchange::Validation(_) => original.clone(),
        Exchange::Handoff(state) => handoff::passed(state, to, original, setting),
    }
}

/// What a message looks like to everybody else, where that is not as it was written.
pub fn identified(exchange: &Exchange, original: &Map<String, Value>) -> Option<Map<String, Value>> {
    let Exchange::Operation(state) = exchange else { return None };
    Some(announced::named(state, original)).filter(|named| named != original)
}

/// The subject and priority that scripts match on, for a message that came without them.
pub fn usual_subject(
    exchange: &Exchange,
    of: Option<MessageType>,
    named: Option<&str>,
) -> Option<(String, &'static str)> {
    let Exchange::Handoff(state) = exchange else { return None };
    // Who was asked before may still speak of its own handoff.
    let former = named.filter(|named| state.former.iter().any(|former| former.handoff_id == *named));
    let id = former.unwrap_or(&state.handoff_id);
    let entry = match of? {
        of @ (MessageType::HandoffAck | MessageType::HandoffClarification | MessageType::HandoffReminder) => {
            of.entry()
        }
        _ => return None,
    };
    Some((entry.subject?.replace("{handoff_id}", id), entry.priority?))
}

/// The subject of a message that is passed on and came without one.
pub fn passed_subject(exchange: &Exchange, of: Option<MessageType>) -> String {
    let task = exchange.called();
    if let Exchange::Handoff(_) = exchange {
        return format!("[CLARIFICATION] Re: Handoff {task}");
    }
    use MessageType as T;
    let subject = match of {
        Some(of @ (T::TaskClarification | T::TaskAmend | T::TaskCancel | T::TaskPause | T::TaskResume)) => {
            of.entry().subject
        }
        _ => None,
    };
    subject.unwrap_or("About: {task_id}").replace("{task_id}", task)
}

/// With how to acknowledge it, or as it is.
pub(super) fn taught_if(
    teach: bool,
    state: &State,
    to: &Name,
    original: &Map<String, Value>,
    setting: &Setting<'_>,
) -> Map<String, Value> {
    if teach { with_teaching(state, to, original, setting) } else { worded(state, to, original, setting) }
}

/// The message with the ids of its task, and with how to confirm it where it asks for that. One that came without a
/// text gets one.
fn worded(
    state: &State,
    to: &Name,
    original: &Map<String, Value>,
    setting: &Setting<'_>,
) -> Map<String, Value> {
    let mut content = named(state, original);
    let said = text_of(original, "message");
    if let Some((ask, confirm)) = to_confirm(MessageType::of(original)) {
        let title = super::form::one_line(&state.title);
        let mut parts = vec![format!("{ask} {} ({title}), and confirm it.", state.task_id)];
        parts.extend(text_of(original, "reason").map(|reason| format!("Reason: {reason}")));
        parts.extend(said.map(str::to_owned));
        content.insert("message".to_owned(), json!(parts.join("\n\n")));
        teaching::teach(&mut content, teaching::confirm(state, to, confirm, setting));
    } else if said.is_none() {
        content.insert("message".to_owned(), json!(body(state, original)));
    }
    content
}

fn text_of<'a>(content: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    content.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
}

/// What a request asks for that is to be confirmed, and by which message.
fn to_confirm(of: Option<MessageType>) -> Option<(&'static str, MessageType)> {
    match of? {
        MessageType::TaskCancel => Some(("Stop working on", MessageType::StopAck)),
        MessageType::TaskPause => Some(("Pause", MessageType::PauseAck)),
        MessageType::TaskResume => Some(("Go on with", MessageType::ResumeAck)),
        _ => None,
    }
}

/// The message with the ids of its task.
fn named(state: &State, original: &Map<String, Value>) -> Map<String, Value> {
    let mut content = original.clone();
    // Only Wilco teaches.
    content.remove("teaching");
    content.insert("task_id".to_owned(), json!(state.task_id));
    content.insert("task_uuid".to_owned(), json!(state.task_uuid));
    content.insert("revision".to_owned(), json!(state.revision));
    content
}

fn with_teaching(
    state: &State,
    to: &Name,
    original: &Map<String, Value>,
    setting: &Setting<'_>,
) -> Map<String, Value> {
    let mut content = named(state, original);
    let asks = |text: &str| asks_for_ack(text, &state.task_id, state.revision);
    if original.get("message").and_then(Value::as_str).is_some_and(asks) {
        return content;
    }
    let text = match MessageType::of(original) {
        Some(MessageType::TaskAmend) => amended(state, original),
        Some(MessageType::TaskClarification) => {
            let now = whole_task(state, setting);
            format!("{}\n\nThe task as it is now:\n\n{now}", body(state, original))
        }
        _ => body(state, original),
    };
    let block = teaching::acknowledge(state, to, deadline(state, setting.now), setting);
    content.insert("message".to_owned(), json!(text));
    teaching::teach(&mut content, block);
    content
}

/// What changes, of which task, and why.
fn amended(state: &State, original: &Map<String, Value>) -> String {
    let lead = format!("{} ({}) is changed.", state.task_id, super::form::one_line(&state.title));
    let why = text_of(original, "reason").map(|reason| format!("Reason: {reason}"));
    [Some(lead), why, Some(body(state, original))].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
}

/// The text of the task as it stands now.
pub(super) fn whole_task(state: &State, setting: &Setting<'_>) -> String {
    body(state, &as_amended(state, setting))
}

/// The assignment as it stands now: what was sent first, and every change since.
pub(super) fn as_amended(state: &State, setting: &Setting<'_>) -> Map<String, Value> {
    let mut content = setting.cited.content(&state.assignment).cloned().unwrap_or_default();
    if state.amendments.is_empty() && state.answers.is_empty() {
        return content;
    }
    let mut text = body(state, &content);
    if state.amendments.is_empty() {
        text.push_str(&answered(state, setting));
        content.insert("message".to_owned(), json!(text));
        return content;
    }
    let first = state.revision + 1 - state.amendments.len() as u32;
    for (id, revision) in state.amendments.iter().zip(first..) {
        text.push_str(&format!("\n\nChanged in revision {revision}:\n\n{}", changed(id, setting)));
        if let Some(description) = setting.cited.text(id, "description") {
            content.insert("description".to_owned(), json!(description));
        }
    }
    text.push_str(&answered(state, setting));
    let now = setting.cited.task(&state.assignment, &state.amendments);
    content.insert("title".to_owned(), json!(now.title));
    content.insert("acceptance_criteria".to_owned(), json!(now.criteria));
    content.insert("message".to_owned(), json!(text));
    content
}

/// What was asked about the task and answered, so that whoever gets it next need not ask again.
fn answered(state: &State, setting: &Setting<'_>) -> String {
    let asked: Vec<_> = state.answered.iter().flat_map(|ack| setting.cited.questions(ack)).collect();
    let answers: Vec<_> = state.answers.iter().map(|id| setting.cited.answer(id)).collect();
    let answers: Vec<_> = answers.iter().flat_map(|answer| answer.lines()).map(str::to_owned).collect();
    if answers.is_empty() {
        return String::new();
    }
    let bulleted = super::to_initiator::bulleted;
    let asked =
        if asked.is_empty() { String::new() } else { format!("\n\nAsked before:\n{}", bulleted(&asked)) };
    format!("{asked}\n\nAnswered:\n{}", bulleted(&answers))
}

/// What an amendment says, in words.
fn changed(id: &MessageId, setting: &Setting<'_>) -> String {
    let said = |key| setting.cited.text(id, key).filter(|text| !text.trim().is_empty());
    let message = said("message").unwrap_or_default();
    let listed = setting.cited.content(id).map(|content| Task::default().amended(content).criteria);
    let mut unsaid = listed.unwrap_or_default();
    unsaid.retain(|criterion| !message.contains(criterion.trim()));
    let mut parts = Vec::from_iter(Some(message).filter(|text| !text.is_empty()));
    parts.extend(said("title").map(|title| format!("Title: {title}")));
    parts.extend(said("description"));
    if !unsaid.is_empty() {
        parts.push(format!("### Acceptance Criteria\n{}", super::to_initiator::bulleted(&unsaid)));
    }
    parts.join("\n\n")
}

/// The text of the task: what was written, or what its fields say.
fn body(state: &State, original: &Map<String, Value>) -> String {
    if let Some(answers) = answers(state, original) {
        return answers;
    }
    let task = Task::of(original, &state.title);
    let mut parts = Vec::new();
    match &task.message {
        Some(message) => parts.push(message.trim_end().to_owned()),
        None => parts.push(format!("## Task: {} {}", state.task_id, task.title)),
    }
    let said = |text: &str| task.message.as_deref().is_some_and(|message| message.contains(text.trim()));
    if !task.description.trim().is_empty() && !said(&task.description) {
        parts.push(task.description.clone());
    }
    let unsaid: Vec<_> = task.criteria.iter().filter(|criterion| !said(criterion)).cloned().collect();
    if !unsaid.is_empty() {
        parts.push(format!("### Acceptance Criteria\n{}", super::to_initiator::bulleted(&unsaid)));
    }
    parts.join("\n\n")
}

/// Answers to questions, in the order of the questions, and what was said besides.
fn answers(state: &State, original: &Map<String, Value>) -> Option<String> {
    let given = original.get("answers")?.as_array().filter(|list| !list.is_empty())?;
    // Answers that came before were the first ones.
    let answered = state.questions.as_ref().map_or(0, |questions| questions.answered as usize);
    let from = answered.saturating_sub(given.len());
    let line =
        |(index, answer): (usize, &Value)| format!("{}. {}", from + index + 1, answer.as_str().unwrap_or(""));
    let lines: Vec<_> = given.iter().enumerate().map(line).collect();
    let besides = original.get("message").and_then(Value::as_str).map(|text| format!("\n\n{text}"));
    let answered = format!("Answers to your questions about {}:\n{}", state.task_id, lines.join("\n"));
    Some(format!("{answered}{}", besides.unwrap_or_default()))
}
