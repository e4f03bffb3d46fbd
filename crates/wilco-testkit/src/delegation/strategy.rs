//! What may happen to a delegation, at random.

use proptest::prelude::*;
use wilco_protocol::decision::Report;
use wilco_protocol::delegation::{
    Ack, AckStatus, AgentError, Choice, ErrorCode, Judge, OnBusy, Policy, Ruling, Said, Scored, Sign, Signal,
    Statement, Understanding, Verdict,
};
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Span};

#[derive(Debug, Clone)]
pub enum Step {
    Say(Said),
    Signal(Signal),
    Report(Report),
    /// Time passes, every wake at its instant.
    Wait(Span),
    /// Time passes while the server is down.
    Down(Span),
    /// A wake although perhaps nothing is due.
    Wake,
}

pub fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        12 => said(),
        1 => signal().prop_map(Step::Signal),
        1 => report().prop_map(Step::Report),
        4 => (0u64..1500).prop_map(|seconds| Step::Wait(Span::seconds(seconds))),
        1 => (0u64..3600).prop_map(|seconds| Step::Down(Span::seconds(seconds))),
        1 => Just(Step::Wake),
    ];
    prop::collection::vec(step, 0..40)
}

#[derive(Debug, Clone)]
pub struct Opening {
    pub policy: Policy,
    pub requires_ack: bool,
    pub sign: Option<Sign>,
    pub candidates: Vec<Name>,
    pub capabilities: Vec<String>,
    pub away: Vec<Name>,
}

pub fn opening() -> impl Strategy<Value = Opening> {
    let sign =
        prop_oneof![3 => Just(None), 1 => Just(Some(Sign::TaskHeading)), 1 => Just(Some(Sign::Checklist))];
    let capabilities = prop_oneof![Just(vec![]), Just(vec!["rust".to_owned()])];
    (policy(), prop::bool::weighted(0.8), sign, names(), capabilities, names()).prop_map(
        |(policy, requires_ack, sign, candidates, capabilities, away)| Opening {
            policy,
            requires_ack,
            sign,
            candidates,
            capabilities,
            away,
        },
    )
}

fn policy() -> impl Strategy<Value = Policy> {
    let retries = prop::collection::vec((1u64..200).prop_map(Span::seconds), 0..3);
    let judge = prop_oneof![
        Just(Judge::Auto),
        Just(Judge::Initiator),
        Just(Judge::Command),
        Just(Judge::Accept),
        Just(Judge::Objection)
    ];
    let busy = prop_oneof![Just(OnBusy::Wait), Just(OnBusy::Reassign)];
    let check = prop::option::of((1u64..900).prop_map(Span::seconds));
    (retries, 0u64..90, judge, busy, check, 0u32..3, 1u64..900).prop_map(
        |(retry_timeouts, base_wait, understanding, on_busy, checkpoint_timeout, max_corrections, review)| {
            Policy {
                retry_timeouts,
                base_wait: Span::seconds(base_wait),
                understanding,
                on_busy,
                checkpoint_timeout,
                max_corrections,
                review_timeout: Span::seconds(review),
                ..Policy::default()
            }
        },
    )
}

fn name() -> impl Strategy<Value = Name> {
    prop_oneof![5 => Just("worker"), 5 => Just("boss"), 3 => Just("helper"), 2 => Just("carol"), 1 => Just("ghost")]
        .prop_map(Name::new)
}

fn names() -> impl Strategy<Value = Vec<Name>> {
    prop::collection::vec(name(), 0..3)
}

fn message() -> impl Strategy<Value = MessageId> {
    (0u8..20).prop_map(|number| MessageId::new(format!("msg-{number}")))
}

fn exchange() -> ExchangeId {
    ExchangeId { protocol: Protocol::Delegation, number: 99 }
}

fn signal() -> impl Strategy<Value = Signal> {
    prop_oneof![
        1 => Just(Signal::Superseded { by: exchange() }),
        4 => name().prop_map(|agent| Signal::AgentReturned { agent }),
    ]
}

fn report() -> impl Strategy<Value = Report> {
    prop_oneof![
        (message(), verdict()).prop_map(|(ack, verdict)| Report::Judged {
            ack,
            verdict,
            correction: None,
            missing: vec![],
            judge: None,
        }),
        message().prop_map(|ack| Report::JudgeFailed { ack, reason: "exit code 1".to_owned() }),
        Just(Report::HumanCalled { escalation: 1, reached: true }),
    ]
}

/// The likely speaker says it, mostly.
fn said() -> impl Strategy<Value = Step> {
    let agents = prop_oneof![6 => Just(None), 1 => name().prop_map(Some)];
    (agents, prop::bool::weighted(0.1), message(), what()).prop_map(|(by, operator, message, what)| {
        let likely = if of_agent(&what) { "assignee" } else { "boss" };
        Step::Say(Said { by: by.unwrap_or_else(|| likely.into()), operator, message, to_notice: false, what })
    })
}

fn of_agent(what: &Statement) -> bool {
    matches!(
        what,
        Statement::Ack(_)
            | Statement::Error(_)
            | Statement::Checkpoint { .. }
            | Statement::Complete
            | Statement::StopAck
            | Statement::PauseAck
            | Statement::ResumeAck
            | Statement::Contradiction
    )
}

fn what() -> impl Strategy<Value = Statement> {
    prop_oneof![
        8 => ack().prop_map(Statement::Ack),
        3 => error().prop_map(Statement::Error),
        3 => (1u32..5).prop_map(|number| Statement::Checkpoint { number }),
        1 => prop_oneof![
            Just(Statement::Complete), Just(Statement::StopAck), Just(Statement::Amend), Just(Statement::Cancel),
            Just(Statement::Contradiction), verdict().prop_map(|verdict| Statement::HalfVerdict { verdict }),
            Just(Statement::UnclearVerdict), Just(Statement::Remark),
            Just(Statement::Progress), Just(Statement::Doubtful), Just(Statement::Courtesy),
        ],
        3 => prop_oneof![
            Just(Statement::PauseAck), Just(Statement::ResumeAck), Just(Statement::Resume),
            prop::option::of((0u64..900).prop_map(Span::seconds))
                .prop_map(|expected_duration| Statement::Pause { expected_duration }),
        ],
        2 => prop::option::of(0u32..3).prop_map(|answers| Statement::Clarify { answers }),
        3 => (verdict(), prop::collection::vec(0u16..3, 0..3))
            .prop_map(|(verdict, missing)| Statement::Verdict { verdict, missing }),
        1 => (0u64..900).prop_map(|seconds| Statement::Extend { time: Span::seconds(seconds) }),
        1 => Just(Statement::Again),
        1 => Just(Statement::AskAgain),
        4 => choice().prop_map(Statement::Decide),
    ]
}

fn verdict() -> impl Strategy<Value = Verdict> {
    prop_oneof![
        Just(Verdict::Correct),
        Just(Verdict::WrongTask),
        Just(Verdict::WrongSummary),
        Just(Verdict::Partial)
    ]
}

fn ack() -> impl Strategy<Value = Ack> {
    let ruling = prop_oneof![
        Just(Ruling::Correct),
        Just(Ruling::Named),
        Just(Ruling::OtherTask),
        Just(Ruling::Blank),
        Just(Ruling::Empty),
        Just(Ruling::Unsure)
    ];
    let revision = prop_oneof![2 => Just(None), 3 => (1u32..4).prop_map(Some)];
    let status = prop::sample::select(AckStatus::ALL.to_vec());
    (status, prop::bool::weighted(0.9), revision, 0u32..3, any::<bool>(), ruling, 0u32..4).prop_map(
        |(status, names_task, revision, questions, vague, ruling, planned)| Ack {
            status,
            names_task,
            revision,
            questions,
            vague,
            scored: Scored { understanding: understanding(), ruling },
            planned,
        },
    )
}

fn understanding() -> Understanding {
    Understanding {
        score: 500,
        verdict: None,
        covered: vec![0],
        missing: vec![1],
        judged_by: None,
        said_missing: vec![],
        by: None,
    }
}

fn error() -> impl Strategy<Value = AgentError> {
    let code = prop_oneof![
        Just(ErrorCode::ResourceUnavailable),
        Just(ErrorCode::CapabilityMismatch),
        Just(ErrorCode::NetworkError),
        Just(ErrorCode::InvalidTaskFormat),
        Just(ErrorCode::AgentShuttingDown),
    ];
    let after = prop::option::of((0u64..200_000).prop_map(Span::seconds));
    (code, after, names()).prop_map(|(code, retry_after, alternatives)| AgentError {
        code,
        retry_after,
        alternatives,
    })
}

fn choice() -> impl Strategy<Value = Choice> {
    let options = vec!["retry", "reassign", "accept", "accept-as", "extend", "abort", "surrender"];
    let option = prop::sample::select(options);
    let status = prop::option::of(prop::sample::select(AckStatus::ALL.to_vec()));
    let number = prop_oneof![4 => Just(None), 1 => (1u32..3).prop_map(Some)];
    let time = prop::option::of((0u64..900).prop_map(Span::seconds));
    (option, number, prop::option::of(name()), time, status).prop_map(
        |(option, escalation, agent, time, status)| Choice {
            option: option.to_owned(),
            escalation,
            agent,
            time,
            status,
        },
    )
}
