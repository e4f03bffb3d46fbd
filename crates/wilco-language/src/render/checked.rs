//! What a command found, as the content of the message that it is heard by.

use crate::message::MessageType;
use serde_json::{Map, Value, json};
use wilco_protocol::Time;
use wilco_protocol::operation::StepEnd;
use wilco_protocol::validation::{Duty, Finding, Label, Phase, State, id};

use super::form;
use crate::read::failures::printed;
use crate::read::validation::Answer;

/// Exit codes with which a shell says that it could not run something.
const COULD_NOT_RUN: [i32; 2] = [126, 127];
/// What is kept of an output that explains an error.
const TRACE: usize = 4000;

/// Exit code 0 passed; a program that could not run or did not end by itself could not check; all else failed.
/// `end`: none when the server stopped meanwhile.
pub fn checked(state: &State, phase: &Phase, end: Option<&StepEnd>, now: Time) -> Map<String, Value> {
    let (kind, label) = match phase.awaits(Duty::Revalidation) {
        true => (MessageType::RevalidationResult, Label::TriggerResult),
        false => (MessageType::ValidationResult, Label::Result),
    };
    let id = id(state, phase, label);
    let answer = found(phase, end);
    let mut content = Map::from_iter([
        ("type".to_owned(), json!(kind)),
        ("message".to_owned(), json!(form::answered(&id, phase.specialist.as_str(), now, &answer))),
        ("message_id".to_owned(), json!(id)),
    ]);
    if let Answer::Result { finding, failures, error, stack_trace } = answer {
        content.insert("status".to_owned(), json!(finding.code()));
        if finding == Finding::Fail {
            content.insert("failures".to_owned(), json!(failures));
        }
        content.extend(error.map(|error| ("error".to_owned(), json!(error))));
        content.extend(stack_trace.map(|trace| ("stack_trace".to_owned(), json!(trace))));
    }
    content
}

fn found(phase: &Phase, end: Option<&StepEnd>) -> Answer {
    let result = |finding, failures| Answer::Result { finding, failures, error: None, stack_trace: None };
    let error = match end {
        None => "the server stopped while it ran".to_owned(),
        Some(end) => match end.exit_code.filter(|_| end.failure.is_none()) {
            None => end.failure.clone().unwrap_or_else(|| "it has no exit code".to_owned()),
            Some(code) if COULD_NOT_RUN.contains(&code) => format!("it ended with exit code {code}"),
            Some(0) => return result(Finding::Pass, Vec::new()),
            Some(code) => {
                return result(Finding::Fail, printed(&phase.name, &end.stdout, &end.stderr, code));
            }
        },
    };
    let output = end.map(|end| format!("{}{}", end.stdout, end.stderr)).unwrap_or_default();
    let output = output.trim();
    let from = output.char_indices().rev().nth(TRACE - 1).map_or(0, |(at, _)| at);
    let stack_trace = Some(output[from..].to_owned()).filter(|trace| !trace.is_empty());
    Answer::Result { finding: Finding::Error, failures: Vec::new(), error: Some(error), stack_trace }
}
