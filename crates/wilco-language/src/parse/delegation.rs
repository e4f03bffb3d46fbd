//! What may be said in a delegation, as typed JSON content.

use serde_json::{Map, Value};
use wilco_protocol::delegation::{AckStatus, ErrorCode, Policy, Verdict as Word};
use wilco_protocol::policy::Overrides;
use wilco_protocol::time::Span;

use super::fields::{FieldError, Fields};
use crate::read::ack::{asks, exact_status, readable};
use crate::render::bad_key;

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
const MAX_NUMBER: u64 = 1_000_000;

/// Reads the content of a known type.
pub(super) fn read(kind: &str, mut fields: Fields<'_>) -> Result<Delegation, Vec<FieldError>> {
    let task_id = task_id(&mut fields, "task_id");
    match kind {
        "task-assignment" => assignment(fields, task_id).map(Delegation::Assign),
        "task-acknowledgment" => acknowledgment(fields, task_id).map(Delegation::Ack),
        "task-acknowledgment-error" => error(fields, task_id),
        "task-clarification" => {
            let answers = answers(&mut fields);
            fields.done(|| Some(Delegation::Clarify { task_id, answers }))
        }
        "ack-request" => fields.done(|| Some(Delegation::AskAgain { task_id })),
        "verdict" => verdict(fields, task_id).map(Delegation::Verdict),
        "checkpoint-ack" => {
            if fields.get("checkpoint").is_none() {
                fields.error("checkpoint", "is required: the number of the checkpoint, from 1");
            }
            let number = fields.whole("checkpoint", 1, MAX_NUMBER);
            let (_, _) = (fields.text("status"), fields.text("summary"));
            if fields.get("next_checkpoint").is_some_and(|next| !next.is_string() && !next.is_u64()) {
                fields.error("next_checkpoint", "expected what comes next, as a text or a number");
            }
            fields.done(|| Some(Delegation::Checkpoint { task_id, number: number? as u32 }))
        }
        "task-complete" => fields.done(|| Some(Delegation::Complete { task_id })),
        "task-amend" => {
            let said = ["title", "description", "acceptance_criteria", "message"];
            if !said.iter().any(|key| fields.says(key)) {
                fields.error(
                    "message",
                    "is required: say what changes, in message, title, description or acceptance_criteria",
                );
            }
            let (_, _, _) =
                (fields.text("title"), fields.text("description"), fields.texts("acceptance_criteria"));
            if fields.get("policy").is_some() {
                fields.error("policy", "is set by the assignment; an amendment does not change it");
            }
            fields.done(|| Some(Delegation::Amend { task_id }))
        }
        "task-cancel" => fields.done(|| Some(Delegation::Cancel { task_id })),
        "stop-ack" => fields.done(|| Some(Delegation::StopAck { task_id })),
        "task-pause" => {
            let expected_duration = fields.span("expected_duration").filter(|span| !span.is_zero());
            fields.text("reason");
            fields.done(|| Some(Delegation::Pause { task_id, expected_duration }))
        }
        "pause-ack" => fields.done(|| Some(Delegation::PauseAck { task_id })),
        "task-resume" => fields.done(|| Some(Delegation::Resume { task_id })),
        "resume-ack" => fields.done(|| Some(Delegation::ResumeAck { task_id })),
        _ => {
            let time = fields.span("time");
            if fields.get("time").is_none() {
                fields.error("time", "is required: how much longer, such as 10m");
            } else if time.is_some_and(Span::is_zero) {
                fields.error("time", "expected how much longer, such as 10m, got nothing");
            }
            fields.done(|| Some(Delegation::Extend { task_id, time: time? }))
        }
    }
}

/// How many questions are answered, if that is said one by one. Those at the end may be left open.
fn answers(fields: &mut Fields<'_>) -> Option<u32> {
    let listed = fields.texts("answers");
    fields.text("message");
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

fn assignment(mut fields: Fields<'_>, task_id_: Option<String>) -> Result<Assignment, Vec<FieldError>> {
    let (_, _) = (fields.text("title"), fields.text("message"));
    if !fields.says("title") && !fields.says("message") {
        fields.error("title", "is required: a title, or a message that says what to do");
    }
    if task_id_.as_deref().is_some_and(|id| !readable(id)) {
        fields.error(
            "task_id",
            "cannot be written in an ACK ([ACK] ID - RECEIVED): use letters, digits and . _ - / # without spaces",
        );
    }
    let (_, _) = (fields.text("description"), fields.texts("acceptance_criteria"));
    let task_uuid = task_id(&mut fields, "task_uuid");
    let requires_ack = fields.flag("requires_ack").unwrap_or(true);
    let ack_timeout = fields.minutes("ack_timeout_minutes");
    let supersede = fields.flag("supersede").unwrap_or(false);
    let candidates = fields.texts("candidates").unwrap_or_default();
    let capabilities = fields.texts("capabilities").unwrap_or_default();
    let policy = policy(&mut fields);
    fields.done(|| {
        Some(Assignment {
            task_id: task_id_,
            task_uuid,
            requires_ack,
            ack_timeout,
            supersede,
            candidates,
            capabilities,
            policy,
        })
    })
}

/// The keys of a policy. Whether its preset exists, the configuration says.
fn policy(fields: &mut Fields<'_>) -> Map<String, Value> {
    let policy = fields.object("policy").cloned().unwrap_or_default();
    let overrides: Overrides = policy.clone().into_iter().collect();
    if let Err(bad) = Policy::default().set_all(&overrides) {
        for bad in bad {
            fields.error(&format!("policy/{}", bad.key), bad_key(&bad).detail);
        }
    }
    if policy.get("preset").is_some_and(|preset| !preset.is_string()) {
        fields.error("policy/preset", "expected the name of a preset");
    }
    policy
}

fn acknowledgment(
    mut fields: Fields<'_>,
    task_id: Option<String>,
) -> Result<Acknowledgment, Vec<FieldError>> {
    const STATUSES: [&str; 5] = ["received", "needs-clarification", "confirmed", "rejected", "queued"];
    let status = fields.one_of("status", &STATUSES, exact_status);
    let understanding = fields.text("understanding").or_else(|| fields.text("understanding_summary"));
    let mut questions = fields.texts("questions").unwrap_or_default();
    questions.retain(|question| asks(question));
    let planned = fields.texts("estimated_checkpoints").unwrap_or_default().len() as u32;
    let revision = fields.whole("revision", 1, MAX_NUMBER).map(|number| number as u32);
    if status == Some(AckStatus::Rejected) {
        fields.required("reason", "say why the task is rejected");
    }
    fields.done(|| {
        Some(Acknowledgment {
            task_id,
            status: status?,
            understanding: understanding.unwrap_or_default(),
            questions,
            planned,
            revision,
        })
    })
}

fn error(mut fields: Fields<'_>, task_id: Option<String>) -> Result<Delegation, Vec<FieldError>> {
    let code = fields.required(
        "error_code",
        "RESOURCE_UNAVAILABLE, CAPABILITY_MISMATCH, NETWORK_ERROR, INVALID_TASK_FORMAT or AGENT_SHUTTING_DOWN",
    );
    let retry_after = fields.minutes("retry_after_minutes");
    let alternatives = fields.texts("alternative_agents").unwrap_or_default();
    fields.text("error_message");
    fields.done(|| {
        let code = match code?.trim().to_ascii_uppercase().replace('-', "_").as_str() {
            "RESOURCE_UNAVAILABLE" => ErrorCode::ResourceUnavailable,
            "CAPABILITY_MISMATCH" => ErrorCode::CapabilityMismatch,
            "INVALID_TASK_FORMAT" => ErrorCode::InvalidTaskFormat,
            "AGENT_SHUTTING_DOWN" => ErrorCode::AgentShuttingDown,
            // An unknown code stays in the message and is treated like a passing fault.
            _ => ErrorCode::NetworkError,
        };
        Some(Delegation::Error { task_id, code, retry_after, alternatives })
    })
}

fn verdict(mut fields: Fields<'_>, task_id: Option<String>) -> Result<Verdict, Vec<FieldError>> {
    const VERDICTS: [&str; 4] = ["correct", "wrong-task", "wrong-summary", "partial"];
    let verdict = fields.one_of("verdict", &VERDICTS, verdict_word);
    let wrong = fields.errors.len();
    let missing = fields.texts("missing").unwrap_or_default();
    let wrong = fields.errors.len() > wrong;
    match verdict {
        Some(Word::WrongSummary) => {
            fields.required("correction", "say what the correct understanding is");
        }
        Some(Word::Partial) if missing.iter().all(|item| item.trim().is_empty()) && !wrong => {
            fields.error("missing", "is required: a list of what the understanding lacks");
        }
        Some(Word::Partial | Word::Correct | Word::WrongTask) | None => {}
    }
    fields.text("note");
    fields.done(|| Some(Verdict { task_id, verdict: verdict?, missing }))
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
