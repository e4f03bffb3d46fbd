//! What a command found, as the content of the message that it is heard by.

use serde_json::{Map, Value, json};
use wilco_protocol::operation::StepEnd;
use wilco_protocol::validation::{Duty, Finding, Label, Phase, State, id};

use crate::read::failures::printed;

/// Exit codes with which a shell says that it could not run something.
const COULD_NOT_RUN: [i32; 2] = [126, 127];
/// What is kept of an output that explains an error.
const TRACE: usize = 4000;

/// Exit code 0 passed; a program that could not run or did not end by itself could not check; all else failed.
/// `end`: none when the server stopped meanwhile.
pub fn checked(state: &State, phase: &Phase, end: Option<&StepEnd>) -> Map<String, Value> {
    let again = phase.awaits(Duty::Revalidation);
    let (kind, label) = match again {
        true => ("revalidation-result", Label::TriggerResult),
        false => ("validation-result", Label::Result),
    };
    let mut content = Map::from_iter([
        ("type".to_owned(), json!(kind)),
        ("message_id".to_owned(), json!(id(state, phase, label))),
    ]);
    let mut say = |finding: Finding, text: String| {
        content.insert("status".to_owned(), json!(finding.code()));
        content.insert("message".to_owned(), json!(format!("{}: {text}", finding.code())));
    };
    let failure = |end: &StepEnd| end.failure.clone().unwrap_or_else(|| "it has no exit code".to_owned());
    let error = match end {
        None => Some("the server stopped while it ran".to_owned()),
        Some(end) => match end.exit_code.filter(|_| end.failure.is_none()) {
            None => Some(failure(end)),
            Some(code) if COULD_NOT_RUN.contains(&code) => Some(format!("it ended with exit code {code}")),
            Some(0) => {
                say(Finding::Pass, format!("{} ended with exit code 0", phase.specialist));
                None
            }
            Some(code) => {
                say(Finding::Fail, format!("{} ended with exit code {code}", phase.specialist));
                let failures = printed(&phase.name, &end.stdout, &end.stderr, code);
                let listed = failures.iter().map(|one| json!({"location": one.location, "error": one.error}));
                let listed: Vec<_> = listed.collect();
                content.insert("failures".to_owned(), json!(listed));
                None
            }
        },
    };
    if let Some(error) = error {
        content.insert("status".to_owned(), json!(Finding::Error.code()));
        content.insert("message".to_owned(), json!(format!("ERROR: {error}")));
        content.insert("error".to_owned(), json!(error));
        let output = end.map(|end| format!("{}{}", end.stdout, end.stderr)).unwrap_or_default();
        let output = output.trim();
        if !output.is_empty() {
            let from = output.char_indices().rev().nth(TRACE - 1).map_or(0, |(at, _)| at);
            content.insert("stack_trace".to_owned(), json!(&output[from..]));
        }
    }
    content
}
