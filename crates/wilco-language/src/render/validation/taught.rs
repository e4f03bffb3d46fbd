//! How specialists and main agents answer. Agents know nothing of Wilco, so every message that asks for an answer
//! says how to give it.

use crate::message::MessageType;
use serde_json::json;
use wilco_protocol::validation::{Duty, Label, Phase, State, id};

use super::super::Setting;
use super::super::shell::quoted;
use super::super::teaching::{curl, tool};
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
    let (loop_id, me) = (state.id, quoted(phase.specialist.as_str()));
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
    let call = json!({"issue": state.id, "status": "PASS", "message_id": id(state, phase, label), "from": phase.specialist});
    format!(
        "Answer with PASS, FAIL or ERROR (it could not be checked), in one of these ways:\n\
         - reply to this message in this form, with only one status, and no failures with PASS:\n\
         ```\n{}\n```\n\
         - wilco checked {loop_id} pass --as {me}\n\
         - wilco checked {loop_id} fail --failure \"FILE:LINE - WHAT FAILS\" --as {me}\n\
         - wilco checked {loop_id} error --error \"WHY IT COULD NOT BE CHECKED\" --as {me}\n\
         - {}\n\
         - {}",
        expected(state, phase, label),
        tool("report_validation", &call),
        curl(setting.url, &answer),
    )
}

/// How the main agent says that something is fixed.
pub(super) fn fix(state: &State, phase: &Phase, setting: &Setting<'_>) -> String {
    let (loop_id, me) = (state.id, quoted(state.main_agent.as_str()));
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
    let call = json!({
        "issue": state.id, "status": "FIXED", "fixes": ["WHAT YOU FIXED"], "files": ["FILE"], "message_id": done,
        "from": state.main_agent,
    });
    format!(
        "Say that you have it with a line: [ACK] {} - RECEIVED\n\
         When it is fixed, answer in one of these ways:\n\
         - reply to this message in this form:\n\
         ```\n{}\n```\n\
         - wilco fixed {loop_id} --fix \"WHAT YOU FIXED\" --file FILE --message-id {word} --as {me}\n\
         - {}\n\
         - {}\n\
         If you cannot fix it, send the same type with \"status\": \"cannot-fix\" and a \"reason\", or:\n\
         - wilco fixed {loop_id} --cannot \"WHY NOT\" --message-id {word} --as {me}",
        request,
        expected(state, phase, Label::FixDone),
        tool("report_validation", &call),
        curl(setting.url, &answer),
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
