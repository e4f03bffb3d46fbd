//! The question of an operation as its agents see it, and how their answers were read.

use crate::message::MessageType;
use serde_json::{Map, Value, json};
use wilco_protocol::Name;
use wilco_protocol::operation::{Answer, State};

use super::operation::{seconds, silence};
use super::{Setting, teaching};

/// The announcement with its ids, the time there is, and how to answer.
pub(super) fn asked(
    state: &State,
    to: &Name,
    original: &Map<String, Value>,
    setting: &Setting<'_>,
) -> Map<String, Value> {
    let mut content = named(state, original);
    let said = original.get("message").and_then(Value::as_str).unwrap_or("").trim_end();
    content.insert("requires_acknowledgment".to_owned(), json!(state.requires_acknowledgment));
    if !state.requires_acknowledgment {
        let text = format!("{said}\n\n---\nThis is for your information. No answer is needed.\n---");
        content.insert("message".to_owned(), json!(text));
        return content;
    }
    let deadline = state.track(to).and_then(|track| track.deadline);
    let left = seconds(deadline, setting.now);
    let policy = &state.policy;
    let reminders: Vec<_> = policy.reminders().iter().map(|span| span.as_seconds()).collect();
    content.entry("acknowledgment_timeout").or_insert(json!(policy.acknowledgment_timeout.as_seconds()));
    content.entry("acknowledgment_reminder_intervals").or_insert(json!(reminders));
    let own = original.get("acknowledgment_instructions").and_then(Value::as_object);
    content.insert("acknowledgment_instructions".to_owned(), instructions(state, own));
    content.insert("deadline".to_owned(), json!(deadline));
    let block = format!(
        "---\n\
         ACKNOWLEDGMENT REQUIRED. Please finish your current work and reply with \"ok\" when ready.\n\
         {} waits up to {left} seconds. {}\n\
         \n\
         {}\n---",
        state.initiator,
        silence(state),
        teaching::answer(state, to, setting),
    );
    content.insert("message".to_owned(), json!(said));
    teaching::teach(&mut content, block);
    content
}

/// A message with the ids of its operation.
pub(super) fn named(state: &State, original: &Map<String, Value>) -> Map<String, Value> {
    let mut content = original.clone();
    // Only Wilco teaches.
    content.remove("teaching");
    content.insert("operation_id".to_owned(), json!(state.id));
    content.extend(state.broadcast_id.as_ref().map(|id| ("broadcast_id".to_owned(), json!(id))));
    content
}

/// The same, made anew from the message that announced it.
pub(super) fn again(state: &State, to: &Name, setting: &Setting<'_>) -> Map<String, Value> {
    let original = setting.cited.content(&state.opening).cloned().unwrap_or_default();
    let mut content = asked(state, to, &original, setting);
    content.insert("type".to_owned(), json!(MessageType::PreOperation));
    content
}

/// What each answer leads to, in the initiator's own words where it gave some. Who may not have more time is not
/// told to ask for it.
fn instructions(state: &State, own: Option<&Map<String, Value>>) -> Value {
    let mut how = Map::new();
    how.insert("ready".to_owned(), json!("Reply with 'ok' to proceed"));
    if state.policy.extension_allowed {
        let more = state.policy.max_extension.as_seconds();
        how.insert(
            "need_time".to_owned(),
            json!(format!("Reply with 'wait' for more time (up to {more} seconds, once)")),
        );
    }
    how.insert("cancel".to_owned(), json!("Reply with 'cancel' to abort the operation"));
    let allowed = |key: &&String| state.policy.extension_allowed || *key != "need_time";
    let own = own.into_iter().flatten().filter(|(key, _)| allowed(key));
    how.extend(own.map(|(key, text)| (key.clone(), text.clone())));
    Value::Object(how)
}

/// How an answer was read, in a sentence.
pub(super) fn read_as(state: &State, to: &Name, answer: Answer, excluded: bool) -> String {
    let operation = &state.operation;
    let (or_wait, for_time) = match teaching::more_time(state, to) {
        true => ("\"wait\" or ", "\"wait\" for more time, "),
        false => ("", ""),
    };
    match answer {
        Answer::Ready => format!(
            "Your answer was read as: ready for {operation}. Reply {or_wait}\"cancel\" if that is wrong."
        ),
        Answer::Cancel => {
            format!("Your answer was read as: cancel. You are left out of {operation}; the rest goes on.")
        }
        Answer::Refuse if !excluded => format!(
            "Your answer was read as: no. {operation} does not go on over it: at the end of your time its initiator decides. \
             Reply \"ok\" when ready, {for_time}or \"cancel\" to end it."
        ),
        Answer::Wait | Answer::Refuse | Answer::Information if excluded => {
            format!(
                "You are left out of {operation}, so nobody waits for you. Reply \"ok\" to take part after all."
            )
        }
        Answer::Wait | Answer::Refuse | Answer::Information => format!(
            "Your message was read as information about {operation}, not as an answer. \
             Reply \"ok\" when ready, {for_time}or \"cancel\"."
        ),
    }
}
