//! What may be said in a delegation, as typed JSON content.

use serde_json::{Map, Value};
use wilco_protocol::delegation::{AckStatus, ErrorCode, Policy, Verdict as Word};
use wilco_protocol::time::Span;

use super::content::Read;
use super::fields::Fields;
use crate::read::ack::{asks, exact_status, readable};

#[derive(Debug, Clone, PartialEq)]
pub enum Delegation {
    Assign(Assignment),
    Ack(Acknowledgment),
    Error {
        task_id: Option<String>,
        code: ErrorCode,
        retry_after: Option<Span>,
        alternatives: Vec<String>,
    },
    Clarify {
        task_id: Option<String>,
        answers: Option<u32>,
    },
    /// The initiator asks for the ACK itself.
    AskAgain {
        task_id: Option<String>,
    },
    Verdict(Verdict),
    Checkpoint {
        task_id: Option<String>,
        number: u32,
    },
    Complete {
        task_id: Option<String>,
    },
    Amend {
        task_id: Option<String>,
    },
    Cancel {
        task_id: Option<String>,
    },
    StopAck {
        task_id: Option<String>,
    },
    Pause {
        task_id: Option<String>,
        expected_duration: Option<Span>,
    },
    PauseAck {
        task_id: Option<String>,
    },
    Resume {
        task_id: Option<String>,
    },
    ResumeAck {
        task_id: Option<String>,
    },
    Extend {
        task_id: Option<String>,
        time: Span,
    },
}

impl Delegation {
    /// The task it names.
    pub fn task_id(&self) -> Option<&str> {
        match self {
            Delegation::Assign(Assignment { task_id, .. })
            | Delegation::Ack(Acknowledgment { task_id, .. })
            | Delegation::Verdict(Verdict { task_id, .. })
            | Delegation::Error { task_id, .. }
            | Delegation::Clarify { task_id, .. }
            | Delegation::AskAgain { task_id }
            | Delegation::Checkpoint { task_id, .. }
            | Delegation::Complete { task_id }
            | Delegation::Amend { task_id }
            | Delegation::Cancel { task_id }
            | Delegation::StopAck { task_id }
            | Delegation::Pause { task_id, .. }
            | Delegation::PauseAck { task_id }
            | Delegation::Resume { task_id }
            | Delegation::ResumeAck { task_id }
            | Delegation::Extend { task_id, .. } => task_id.as_deref(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Assignment {
    pub task_id: Option<String>,
    pub task_uuid: Option<String>,
    pub requires_ack: bool,
    pub ack_timeout: Option<Span>,
    pub supersede: bool,
    pub candidates: Vec<String>,
    pub capabilities: Vec<String>,
    pub policy: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Acknowledgment {
    pub task_id: Option<String>,
    pub status: AckStatus,
    pub understanding: String,
    pub questions: Vec<String>,
    pub planned: u32,
    pub revision: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub task_id: Option<String>,
    pub verdict: Word,
    pub missing: Vec<String>,
}

pub const MAX_TASK_ID: usize = 128;

/// What says no more than which task it is about.
pub(super) fn named(mut fields: Fields<'_>, said: impl FnOnce(Option<String>) -> Delegation) -> Read {
    let task_id = task_id(&mut fields, "task_id");
    fields.done(|_| Some(said(task_id)))
}

pub(super) fn clarification(mut fields: Fields<'_>) -> Read {
    let (task_id, answers) = (task_id(&mut fields, "task_id"), answers(&mut fields));
    fields.done(|_| Some(Delegation::Clarify { task_id, answers }))
}

pub(super) fn checkpoint(mut fields: Fields<'_>) -> Read {
    let task_id = task_id(&mut fields, "task_id");
    if fields.get("next_checkpoint").is_some_and(|next| !next.is_string() && !next.is_u64()) {
        fields.error("next_checkpoint", "expected what comes next, as a text or a number");
    }
    fields.done(|fields| Some(Delegation::Checkpoint { task_id, number: fields.number("checkpoint")? }))
}

pub(super) fn amendment(mut fields: Fields<'_>) -> Read {
    let task_id = task_id(&mut fields, "task_id");
    let said = ["title", "description", "acceptance_criteria", "message"];
    if !said.iter().any(|key| fields.says(key)) {
        fields.error(
            "message",
            "is required: say what changes, in message, title, description or acceptance_criteria",
        );
    }
    if fields.get("policy").is_some() {
        fields.error("policy", "is set by the assignment; an amendment does not change it");
    }
    fields.done(|_| Some(Delegation::Amend { task_id }))
}

pub(super) fn pause(mut fields: Fields<'_>) -> Read {
    let task_id = task_id(&mut fields, "task_id");
    let expected_duration = fields.span("expected_duration").filter(|span| !span.is_zero());
    fields.done(|_| Some(Delegation::Pause { task_id, expected_duration }))
}

pub(super) fn extension(mut fields: Fields<'_>) -> Read {
    let (task_id, time) = (task_id(&mut fields, "task_id"), fields.span("time"));
    if time.is_some_and(Span::is_zero) {
        fields.error("time", "expected how much longer, such as 10m, got nothing");
    }
    fields.done(|_| Some(Delegation::Extend { task_id, time: time? }))
}

/// How many questions are answered, if that is said one by one. Those at the end may be left open.
fn answers(fields: &mut Fields<'_>) -> Option<u32> {
    let listed = fields.texts("answers");
    let wrong = listed.is_none() && fields.get("answers").is_some();
    let mut answers = listed.unwrap_or_default();
    let blank = |answer: &String| answer.trim().is_empty();
    answers.truncate(answers.iter().rposition(|answer| !blank(answer)).map_or(0, |last| last + 1));
    for at in (0..answers.len()).filter(|at| blank(&answers[*at])) {
        fields.error(&format!("answers/{at}"), format!("expected an answer to question {}", at + 1));
    }
    if !wrong && answers.is_empty() && !fields.says("message") {
        fields.error("answers", "is required: a list of answers, or a message that answers all");
    }
    Some(answers.len() as u32).filter(|count| *count > 0)
}

/// A task id: short, one line, nothing invisible.
fn task_id(fields: &mut Fields<'_>, key: &str) -> Option<String> {
    let text = fields.text(key)?;
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed.chars().count() > MAX_TASK_ID || trimmed.chars().any(char::is_control) {
        fields.error(key, format!("expected 1 to {MAX_TASK_ID} characters on one line"));
        return None;
    }
    Some(trimmed.to_owned())
}

pub(super) fn assignment(mut fields: Fields<'_>) -> Read {
    let (named, task_uuid) = (task_id(&mut fields, "task_id"), task_id(&mut fields, "task_uuid"));
    if !fields.says("title") && !fields.says("message") {
        fields.error("title", "is required: a title, or a message that says what to do");
    }
    if named.as_deref().is_some_and(|id| !readable(id)) {
        fields.error(
            "task_id",
            "cannot be written in an ACK ([ACK] ID - RECEIVED): use letters, digits and . _ - / # without spaces",
        );
    }
    let policy = fields.policy(|keys| Policy::default().set_all(keys));
    if policy.get("preset").is_some_and(|preset| !preset.is_string()) {
        fields.error("policy/preset", "expected the name of a preset");
    }
    fields.done(|fields| {
        Some(Delegation::Assign(Assignment {
            task_id: named,
            task_uuid,
            requires_ack: fields.flag("requires_ack").unwrap_or(true),
            ack_timeout: fields.minutes("ack_timeout_minutes"),
            supersede: fields.flag("supersede").unwrap_or(false),
            candidates: fields.texts("candidates").unwrap_or_default(),
            capabilities: fields.texts("capabilities").unwrap_or_default(),
            policy,
        }))
    })
}

pub(super) fn acknowledgment(mut fields: Fields<'_>) -> Read {
    let (task_id, status) = (task_id(&mut fields, "task_id"), fields.one_of("status", exact_status));
    if status == Some(AckStatus::Rejected) {
        fields.needs("reason", "say why the task is rejected");
    }
    fields.done(|fields| {
        let understanding = fields.text("understanding").or_else(|| fields.text("understanding_summary"));
        let mut questions = fields.texts("questions").unwrap_or_default();
        questions.retain(|question| asks(question));
        Some(Delegation::Ack(Acknowledgment {
            task_id,
            status: status?,
            understanding: understanding.unwrap_or_default(),
            questions,
            planned: fields.texts("estimated_checkpoints").unwrap_or_default().len() as u32,
            revision: fields.number("revision"),
        }))
    })
}

pub(super) fn error(mut fields: Fields<'_>) -> Read {
    let task_id = task_id(&mut fields, "task_id");
    fields.done(|fields| {
        let code = fields.text("error_code")?;
        let code = match code.trim().to_ascii_uppercase().replace('-', "_").as_str() {
            "RESOURCE_UNAVAILABLE" => ErrorCode::ResourceUnavailable,
            "CAPABILITY_MISMATCH" => ErrorCode::CapabilityMismatch,
            "INVALID_TASK_FORMAT" => ErrorCode::InvalidTaskFormat,
            "AGENT_SHUTTING_DOWN" => ErrorCode::AgentShuttingDown,
            // An unknown code stays in the message and is treated like a passing fault.
            _ => ErrorCode::NetworkError,
        };
        let alternatives = fields.texts("alternative_agents").unwrap_or_default();
        Some(Delegation::Error {
            task_id,
            code,
            retry_after: fields.minutes("retry_after_minutes"),
            alternatives,
        })
    })
}

pub(super) fn verdict(mut fields: Fields<'_>) -> Read {
    let (task_id, verdict) = (task_id(&mut fields, "task_id"), fields.one_of("verdict", verdict_word));
    let missing = fields.texts("missing");
    let wrong = missing.is_none() && fields.get("missing").is_some();
    let missing = missing.unwrap_or_default();
    match verdict {
        Some(Word::WrongSummary) => fields.needs("correction", "say what the correct understanding is"),
        Some(Word::Partial) if missing.iter().all(|item| item.trim().is_empty()) && !wrong => {
            fields.error("missing", "is required: a list of what the understanding lacks");
        }
        Some(Word::Partial | Word::Correct | Word::WrongTask) | None => {}
    }
    fields.done(|_| Some(Delegation::Verdict(Verdict { task_id, verdict: verdict?, missing })))
}

fn verdict_word(word: &str) -> Option<Word> {
    match word.trim().to_ascii_lowercase().replace(['_', ' '], "-").as_str() {
        "correct" => Some(Word::Correct),
        "wrong-task" => Some(Word::WrongTask),
        "wrong-summary" => Some(Word::WrongSummary),
        "partial" => Some(Word::Partial),
        _ => None,
    }
}
