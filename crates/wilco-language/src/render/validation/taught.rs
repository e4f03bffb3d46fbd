//! How specialists and main agents answer. Agents know nothing of Wilco, so every message that asks for an answer
//! says how to give it.

use crate::message::MessageType;
use serde_json::json;
use wilco_protocol::validation::{Duty, Label, Phase, State, id};

use super::super::Setting;
use super::super::shell::quoted;
use super::super::ways::{CommandLine, Ways};
use super::label_of;
use crate::read::form::FormKind;

/// How to do what is awaited.
pub(super) fn how(state: &State, phase: &Phase, duty: Duty, setting: &Setting<'_>) -> String {
    match duty {
        Duty::Fix => fix(state, phase, setting),
        Duty::Validation | Duty::Revalidation => check(state, phase, label_of(duty), setting),
    }
}

/// How a specialist says what it found.
pub(super) fn check(state: &State, phase: &Phase, label: Label, setting: &Setting<'_>) -> String {
    let loop_id = state.id;
    let answer = json!({
        "from": phase.specialist,
        "exchange": state.id,
        "content": {
            "type": if label == Label::Result { MessageType::ValidationResult } else { MessageType::RevalidationResult },
            "message_id": id(state, phase, label),
            "status": "FAIL",
            "failures": [{"location": "FILE:LINE", "error": "WHAT FAILS", "suggestion": "WHAT WOULD HELP"}],
        },
    });
    let form = expected(state, phase, label);
    let ways = Ways {
        reply: format!("Reply in this form, with one status, and no failures with PASS:\n```\n{form}\n```"),
        briefly: "PASS, FAIL or ERROR, with what fails".to_owned(),
        commands: vec![
            CommandLine::plain(format!("checked {loop_id} pass")),
            CommandLine::with(format!("checked {loop_id} fail"), "--failure", "FILE:LINE - WHAT FAILS"),
            CommandLine::with(format!("checked {loop_id} error"), "--error", "WHY IT COULD NOT BE CHECKED"),
        ],
        verb: "checked",
        tool: "report_validation",
        arguments: json!({
            "issue": state.id, "status": "PASS", "message_id": id(state, phase, label), "from": phase.specialist,
        }),
        body: answer,
    };
    format!(
        "Answer with PASS, FAIL or ERROR (it could not be checked). {}",
        ways.taught(phase.specialist.as_str(), setting)
    )
}

/// How the main agent says that something is fixed.
pub(super) fn fix(state: &State, phase: &Phase, setting: &Setting<'_>) -> String {
    let loop_id = state.id;
    let (done, request) = (id(state, phase, Label::FixDone), id(state, phase, Label::FixRequest));
    let word = quoted(&done);
    let answer = json!({
        "from": state.main_agent,
        "exchange": state.id,
        "content": {
            "type": MessageType::FixCompletion,
            "message_id": done,
            "fixes": ["WHAT YOU FIXED"],
            "files": ["FILE"],
        },
    });
    let form = expected(state, phase, Label::FixDone);
    let ways = Ways {
        reply: format!("Reply in this form:\n```\n{form}\n```\nIf you cannot fix it, say so and why."),
        briefly: "what you fixed, or that you cannot, and why".to_owned(),
        commands: vec![
            CommandLine::with(
                format!("fixed {loop_id} --file FILE --message-id {word}"),
                "--fix",
                "WHAT YOU FIXED",
            ),
            CommandLine::with(format!("fixed {loop_id} --message-id {word}"), "--cannot", "WHY NOT"),
        ],
        verb: "fixed",
        tool: "report_validation",
        arguments: json!({
            "issue": state.id, "status": "FIXED", "fixes": ["WHAT YOU FIXED"], "files": ["FILE"],
            "message_id": done, "from": state.main_agent,
        }),
        body: answer,
    };
    format!(
        "Say that you have it with a line: [ACK] {request} - RECEIVED\n\
         When it is fixed: {}\n\
         Not to be fixed: \"status\": \"cannot-fix\" and a \"reason\".",
        ways.taught(state.main_agent.as_str(), setting)
    )
}

/// The form of an answer, with what is known filled in.
pub(super) fn expected(state: &State, phase: &Phase, label: Label) -> String {
    let id = id(state, phase, label);
    match label {
        Label::FixDone => format!(
            "## Fix Completion\n\n\
             **Message ID**: {id}\n\n\
             ### Fixes Applied\n\
             1. WHAT YOU FIXED\n\n\
             ### Files Modified\n\
             - FILE"
        ),
        _ => {
            let kind = if label == Label::Result { FormKind::Result } else { FormKind::Recheck };
            format!(
                "## {}\n\n\
                 **Message ID**: {id}\n\
                 **Status**: PASS or FAIL or ERROR\n\n\
                 ### Failure Details\n\
                 1. FILE:LINE - WHAT FAILS - WHAT WOULD HELP",
                kind.heading()
            )
        }
    }
}
