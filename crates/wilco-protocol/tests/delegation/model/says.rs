//! Everything that somebody may do at one instant in the small world of the model.

use wilco_protocol::Span;
use wilco_protocol::delegation::{
    Ack, AckStatus, AgentError, Choice, ErrorCode, Ruling, Scored, Statement, Understanding, Verdict,
};

/// Who does it: the initiator, or one of the two agents.
pub(crate) const BOSS: &str = "boss";
pub(crate) const AGENTS: [&str; 2] = ["worker", "helper"];

/// What an agent may say. Each stands for its kind: early, late, once more.
pub(crate) fn of_agent(revision: u32) -> Vec<Statement> {
    let ack = |status, ruling, revision, questions| {
        let understanding = Understanding {
            score: 0,
            verdict: None,
            covered: vec![],
            missing: vec![],
            judged_by: None,
            said_missing: vec![],
            by: None,
        };
        let scored = Scored { understanding, ruling };
        Statement::Ack(Ack {
            status,
            names_task: true,
            revision,
            questions,
            vague: false,
            scored,
            planned: 0,
        })
    };
    let error = |code| Statement::Error(AgentError { code, retry_after: None, alternatives: Vec::new() });
    let now = Some(revision);
    vec![
        ack(AckStatus::Received, Ruling::Correct, now, 0),
        ack(AckStatus::Received, Ruling::Correct, None, 0),
        ack(AckStatus::Received, Ruling::Empty, now, 0),
        ack(AckStatus::Received, Ruling::Unsure, now, 0),
        ack(AckStatus::NeedsClarification, Ruling::Empty, now, 1),
        ack(AckStatus::Queued, Ruling::Empty, now, 0),
        ack(AckStatus::Rejected, Ruling::Empty, now, 0),
        error(ErrorCode::ResourceUnavailable),
        error(ErrorCode::NetworkError),
        error(ErrorCode::CapabilityMismatch),
        error(ErrorCode::InvalidTaskFormat),
        Statement::Checkpoint { number: 1 },
        Statement::Complete,
        Statement::StopAck,
        Statement::PauseAck,
        Statement::ResumeAck,
    ]
}

/// What the initiator may say.
pub(crate) fn of_boss() -> Vec<Statement> {
    let decide = |option: &str, agent: Option<&str>| {
        let (option, agent, time) = (option.to_owned(), agent.map(Into::into), Some(Span::minutes(1)));
        Statement::Decide(Choice { option, escalation: None, agent, time, status: None })
    };
    vec![
        Statement::Clarify { answers: None },
        Statement::Verdict { verdict: Verdict::Correct, missing: Vec::new() },
        Statement::Verdict { verdict: Verdict::Partial, missing: Vec::new() },
        Statement::Amend,
        Statement::Cancel,
        Statement::Pause { expected_duration: Some(Span::minutes(1)) },
        Statement::Resume,
        Statement::Extend { time: Span::minutes(1) },
        Statement::Again,
        Statement::AskAgain,
        decide("retry", None),
        decide("reassign", None),
        decide("reassign", Some("worker")),
        decide("accept", None),
        decide("extend", None),
        decide("abort", None),
    ]
}
