//! What somebody says, as a line of a transcript, read into the protocol's inputs.
//!
//! The first words say what it is, what follows after commas says more:
//!
//! ```text
//! boss: assign GH-1 to worker, candidates helper carol, supersede
//! worker: received, unsure, revision 2
//! worker: error RESOURCE_UNAVAILABLE, retry after 10m, alternatives carol
//! boss: decide reassign, agent carol
//! ```

use serde::de::DeserializeOwned;
use serde_json::Value;
use wilco_protocol::delegation::{
    Ack, AckStatus, AgentError, Assign, Choice, ErrorCode, Policy, Ruling, Scored, Statement, Understanding,
};
use wilco_protocol::{ExchangeId, MessageId, Name, Span};

/// The words of a line: its head, and what is added after commas.
pub(crate) struct Words<'a> {
    pub(crate) head: &'a str,
    more: Vec<&'a str>,
}

impl<'a> Words<'a> {
    pub(crate) fn of(text: &'a str) -> Words<'a> {
        let mut parts = text.split(',').map(str::trim);
        Words { head: parts.next().unwrap_or(""), more: parts.collect() }
    }

    pub(crate) fn has(&self, word: &str) -> bool {
        self.more.contains(&word)
    }

    /// What follows this word: `retry after 10m` has `10m` after `retry after`.
    pub(crate) fn after(&self, word: &str) -> Option<&'a str> {
        self.more.iter().find_map(|part| part.strip_prefix(word)?.strip_prefix(' ')).map(str::trim)
    }

    fn span(&self, word: &str) -> Option<Span> {
        self.after(word).map(span)
    }

    fn number(&self, word: &str) -> Option<u32> {
        self.after(word).map(number)
    }

    fn list(&self, word: &str) -> Vec<&'a str> {
        self.after(word).map(|names| names.split(' ').collect()).unwrap_or_default()
    }

    fn names(&self, word: &str) -> Vec<Name> {
        self.list(word).into_iter().map(Name::new).collect()
    }

    /// `1 question` says 1, `2 questions` says 2.
    fn count_of(&self, word: &str) -> u32 {
        let count = |part: &&'a str| part.trim_end_matches('s').strip_suffix(word);
        self.more.iter().find_map(count).map_or(0, |count| number(count.trim()))
    }
}

fn number(text: &str) -> u32 {
    text.parse().unwrap_or_else(|_| panic!("a number expected, got {text:?}"))
}

fn span(text: &str) -> Span {
    text.parse().unwrap_or_else(|_| panic!("a duration expected, got {text:?}"))
}

pub(crate) fn word<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_value(Value::from(text)).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

/// `assign GH-1 to worker, …`.
pub(crate) fn assign(
    id: ExchangeId,
    by: &str,
    message: MessageId,
    words: &Words<'_>,
    policy: &Policy,
) -> Assign {
    let (task_id, to) = words
        .head
        .strip_prefix("assign ")
        .and_then(|rest| rest.split_once(" to "))
        .expect("assign TASK to AGENT");
    Assign {
        id,
        by: by.into(),
        to: to.into(),
        message,
        task_id: task_id.to_owned(),
        task_uuid: words.after("uuid").map_or_else(|| format!("uuid-of-{id}"), str::to_owned),
        title: format!("Task {task_id}"),
        sign: words.after("sign").map(word),
        requires_ack: !words.has("no ack"),
        supersede: words.has("supersede"),
        candidates: words.names("candidates"),
        capabilities: words.list("capabilities").into_iter().map(str::to_owned).collect(),
        policy: policy.clone(),
    }
}

pub(crate) fn what(words: &Words<'_>) -> Statement {
    let (verb, rest) = words.head.split_once(' ').unwrap_or((words.head, ""));
    match (verb, rest) {
        ("received" | "confirmed" | "needs-clarification" | "rejected" | "queued", "") => {
            Statement::Ack(ack(word(verb), words))
        }
        ("error", code) => Statement::Error(AgentError {
            code: error_code(code),
            retry_after: words.span("retry after"),
            alternatives: words.names("alternatives"),
        }),
        ("checkpoint", which) => Statement::Checkpoint { number: number(which) },
        ("complete", "") => Statement::Complete,
        ("stop-ack", "") => Statement::StopAck,
        ("pause-ack", "") => Statement::PauseAck,
        ("resume-ack", "") => Statement::ResumeAck,
        ("answer", "all") => Statement::Clarify { answers: None },
        ("answer", count) => Statement::Clarify { answers: Some(number(count)) },
        ("verdict", verdict) => Statement::Verdict {
            verdict: word(verdict),
            missing: words.list("missing").into_iter().map(|index| number(index) as u16).collect(),
        },
        ("half-verdict", verdict) => Statement::HalfVerdict { verdict: word(verdict) },
        ("verdicts", "contradicting") => Statement::UnclearVerdict,
        ("amend", "") => Statement::Amend,
        ("cancel", "") => Statement::Cancel,
        ("pause", "") => Statement::Pause { expected_duration: words.span("for") },
        ("resume", "") => Statement::Resume,
        ("extend", time) => Statement::Extend { time: span(time) },
        ("assign", "again") => Statement::Again,
        ("ack-request", "") => Statement::AskAgain,
        ("decide", option) => Statement::Decide(Choice {
            option: option.to_owned(),
            escalation: words.number("escalation"),
            agent: words.after("agent").map(Name::new),
            time: words.span("time"),
            status: words.after("status").map(word),
        }),
        ("progress", "") => Statement::Progress,
        ("doubtful", "") => Statement::Doubtful,
        ("courtesy", "") => Statement::Courtesy,
        ("remark", "") => Statement::Remark,
        ("contradiction", "") => Statement::Contradiction,
        _ => panic!("nobody can say {:?}", words.head),
    }
}

fn ack(status: AckStatus, words: &Words<'_>) -> Ack {
    let said = [
        ("blank", Ruling::Blank),
        ("empty", Ruling::Empty),
        ("unsure", Ruling::Unsure),
        ("named", Ruling::Named),
        ("other task", Ruling::OtherTask),
    ];
    let ruling =
        said.into_iter().find(|(word, _)| words.has(word)).map_or(Ruling::Correct, |(_, ruling)| ruling);
    let (score, covered, missing) = match ruling {
        Ruling::Correct => (1000, vec![0, 1], vec![]),
        Ruling::Named => (700, vec![0, 1], vec![]),
        Ruling::OtherTask | Ruling::Unsure => (500, vec![0], vec![1]),
        Ruling::Blank | Ruling::Empty => (0, vec![], vec![0, 1]),
    };
    let understanding = Understanding {
        score,
        verdict: None,
        covered,
        missing,
        judged_by: None,
        said_missing: vec![],
        by: None,
    };
    Ack {
        status,
        names_task: !words.has("wrong task"),
        revision: words.number("revision"),
        questions: words.count_of("question"),
        vague: words.has("vague"),
        scored: Scored { understanding, ruling },
        planned: words.number("plans").unwrap_or(0),
    }
}

fn error_code(text: &str) -> ErrorCode {
    match text {
        "RESOURCE_UNAVAILABLE" => ErrorCode::ResourceUnavailable,
        "CAPABILITY_MISMATCH" => ErrorCode::CapabilityMismatch,
        "NETWORK_ERROR" => ErrorCode::NetworkError,
        "INVALID_TASK_FORMAT" => ErrorCode::InvalidTaskFormat,
        "AGENT_SHUTTING_DOWN" => ErrorCode::AgentShuttingDown,
        unknown => panic!("unknown error code {unknown}"),
    }
}
