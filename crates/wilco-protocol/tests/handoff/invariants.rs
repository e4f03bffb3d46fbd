//! What the laws and the model of handoffs look at: a small world, what a replacement may answer, and
//! what holds in every state.

use wilco_protocol::decision::{Effect as Ordered, Facts, Report as Came};
use wilco_protocol::delegation::{Judge, Ruling, Scored, Understanding, Verdict};
use wilco_protocol::handoff::{
    Ack, AckStatus, Decision, Delegated, Effect, Input, Named, Party, Phase, Policy, Publish, Published,
    Replace, Report, Requested, State, Statement, Task, apply, decide, timers,
};
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Time};

/// Two tasks, each with its delegation.
pub(crate) const TASKS: [(&str, u64); 2] = [("uuid-1", 1), ("uuid-2", 2)];

/// `carol` may take over from `helper`; nobody has anything else.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct World {
    pub(crate) down: bool,
}

/// How a handoff begins: the choices that change what may follow.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Choices {
    pub(crate) direct: bool,
    pub(crate) candidate: bool,
    pub(crate) state_file: bool,
    pub(crate) issues: bool,
    pub(crate) judge: Judge,
}

impl Choices {
    pub(crate) fn replace(self) -> Replace {
        let party = |id: &str| Party { id: id.to_owned(), session: format!("{id}-session"), github: None };
        let task = |(uuid, number): (&str, u64)| {
            let exchange = ExchangeId { protocol: Protocol::Delegation, number };
            let delegation = Delegated {
                exchange,
                task_id: format!("GH-{number}"),
                initiator: None,
                messages: Vec::new(),
            };
            Task { task: uuid.to_owned(), delegation: Some(delegation), failure: None }
        };
        let first = Requested {
            id: ExchangeId { protocol: Protocol::Handoff, number: 1 },
            initiator: "boss".into(),
            controller: "ecos".into(),
            operators: "operator".into(),
            opening: MessageId::new("opening"),
            given_url: self.direct.then(|| "https://example.test/42".to_owned()),
            own_document: false,
            notification_id: "n-1".to_owned(),
            failed: Some(party("worker")),
            urgency: Default::default(),
            policy: Policy { max_corrections: 1, understanding: self.judge, ..Policy::default() },
            tasks: TASKS.map(task).to_vec(),
            issues: if self.issues { vec![42, 43] } else { Vec::new() },
            pulls: Vec::new(),
            candidates: self.candidate.then(|| Name::new("carol")).into_iter().collect(),
            starting_from: None,
            progress: None,
            state_file: self.state_file,
            github: self.issues,
            keeps_failed: false,
            handoff_id: "h-1".to_owned(),
            replacement: party("helper"),
        };
        Replace { first, deliver: false }
    }
}

/// What a replacement answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Answer {
    Ready,
    Unsure,
    Blank,
    OtherId,
    OtherCheckpoint,
    Questions,
    Environment,
    Rejected,
    Malformed,
}

impl Answer {
    pub(crate) const ALL: [Answer; 9] = [
        Answer::Ready,
        Answer::Unsure,
        Answer::Blank,
        Answer::OtherId,
        Answer::OtherCheckpoint,
        Answer::Questions,
        Answer::Environment,
        Answer::Rejected,
        Answer::Malformed,
    ];

    pub(crate) fn what(self) -> Statement {
        let understanding = Understanding {
            score: 500,
            verdict: None::<Verdict>,
            covered: Vec::new(),
            missing: Vec::new(),
            judged_by: None,
            said_missing: Vec::new(),
            by: None,
        };
        let ruling = match self {
            Answer::Unsure => Ruling::Unsure,
            Answer::Blank => Ruling::Blank,
            _ => Ruling::Correct,
        };
        let status = match self {
            Answer::Malformed => return Statement::Malformed,
            Answer::Questions => AckStatus::NeedsClarification,
            Answer::Environment => AckStatus::EnvironmentIssue,
            Answer::Rejected => AckStatus::Rejected,
            _ => AckStatus::ReadyToProceed,
        };
        Statement::Ack(Ack {
            status,
            named: if self == Answer::OtherId { Named::Other } else { Named::This },
            scored: Some(Scored { understanding, ruling }),
            states_understanding: self != Answer::Blank,
            starting_from_matches: self != Answer::OtherCheckpoint,
            questions: u32::from(self == Answer::Questions),
        })
    }
}

/// What was ordered and has not been reported.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Order {
    Courier(Effect),
    Judge(MessageId),
}

impl Order {
    pub(crate) fn of(decision: &Decision) -> Vec<Order> {
        let order = |effect: &Ordered| match effect {
            Ordered::Handoff { order, .. } => Some(Order::Courier(order.clone())),
            Ordered::Judge { ack, .. } => Some(Order::Judge(ack.clone())),
            _ => None,
        };
        decision.effects.iter().filter_map(order).collect()
    }

    /// What may come back.
    pub(crate) fn reports(&self, at: Time) -> Vec<Came> {
        let ok = |number: u64| wilco_protocol::handoff::IssueUpdate {
            number,
            assignee_changed: true,
            labels_changed: true,
            comment: None,
            failure: None,
        };
        let order = match self {
            Order::Judge(ack) => {
                let judged = |verdict| Came::Judged {
                    ack: ack.clone(),
                    verdict,
                    correction: None,
                    missing: Vec::new(),
                    judge: None,
                };
                let failed = Came::JudgeFailed { ack: ack.clone(), reason: "it fell over".to_owned() };
                return vec![judged(Verdict::Correct), judged(Verdict::Partial), failed];
            }
            Order::Courier(order) => order,
        };
        let done = match order {
            Effect::PublishDocument { number } => vec![Report::DocumentPublished {
                number: *number,
                name: format!("document-{number}.md"),
                published: Published {
                    url: format!("http://127.0.0.1/{number}"),
                    bytes: 10,
                    published_as: Publish::Local,
                    failures: Vec::new(),
                    at,
                },
            }],
            Effect::UpdateStateFile => vec![in_file(false), in_file(true)],
            Effect::UpdateIssues => {
                let lost =
                    wilco_protocol::handoff::IssueUpdate { failure: Some("gone".to_owned()), ..ok(43) };
                let updated =
                    |second| Report::IssuesUpdated { issues: vec![ok(42), second], pulls: Vec::new() };
                vec![updated(ok(43)), updated(lost)]
            }
            Effect::AppendAudit => vec![Report::AuditAppended],
        };
        let failed = order.failed("the disk is full".to_owned());
        done.into_iter().chain([failed]).map(Came::Handoff).collect()
    }
}

/// The state file as it may be: the second task is somebody else's there, or not.
fn in_file(foreign: bool) -> Report {
    use wilco_protocol::handoff::{TaskUpdate, Updated};
    let task = |(task, number): (&str, u64)| TaskUpdate {
        task: task.to_owned(),
        updated: match foreign && number == 2 {
            true => Updated::Foreign { agent: "mallory".to_owned() },
            false => Updated::Moved,
        },
        issue: None,
        progress: Some(60),
    };
    Report::StateFileUpdated { tasks: TASKS.map(task).to_vec() }
}

/// G6: an open handoff has a timer, an open escalation included, or waits for the courier, who always reports.
pub(crate) fn never_stuck(state: &State, orders: &[Order]) -> bool {
    !state.is_open() || !timers(state).is_empty() || is_carried_out(state, orders)
}

/// Whether the courier is at what the handoff waits for.
fn is_carried_out(state: &State, orders: &[Order]) -> bool {
    use wilco_protocol::handoff::Step;
    let awaited = match state.phase {
        Phase::Preparing | Phase::Clarifying { publishing: true, .. } => {
            Effect::PublishDocument { number: state.documents }
        }
        Phase::Confirming { step: Step::StateFile } => Effect::UpdateStateFile,
        Phase::Confirming { step: Step::Issues } => Effect::UpdateIssues,
        _ => return false,
    };
    orders.contains(&Order::Courier(awaited))
}

/// G6 in full: left alone, it comes to somebody's decision, to an end, or to the courier.
pub(crate) fn silence_leads_somewhere(state: &State, orders: &[Order]) -> bool {
    const MOST_STEPS: usize = 20;
    let mut state = state.clone();
    for _ in 0..MOST_STEPS {
        if !state.is_open() || state.escalation().is_some() || is_carried_out(&state, orders) {
            return true;
        }
        let Some(timer) = timers(&state).first().copied() else { return false };
        let now = timer.due.max(state.updated);
        let Ok(decision) = decide(&state, Input::Wake, &World::default(), now) else { return false };
        decision.events.iter().for_each(|event| apply(&mut state, event, now));
    }
    false
}

pub(crate) fn escalation_fits_the_phase(state: &State) -> bool {
    state.escalation().is_some() == matches!(state.phase, Phase::Escalated { .. })
        && state.escalations.iter().rev().skip(1).all(|earlier| earlier.closed.is_some())
}

impl Facts for World {
    fn down_across(&self, _: Time) -> bool {
        self.down
    }
}
