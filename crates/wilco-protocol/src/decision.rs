//! What a protocol answers when it is asked to decide: events, what to say, what to do, whom to tell;
//! or a refusal that names what was expected and what came.
//!
//! Nothing here is prose. Rendering a `Say` or a `Refusal` into words is the language's work.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::delegation::Judge;
use crate::judgement::JudgeRecord;
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::{Span, Time};
use crate::{directory, exchange, handoff};

/// The result of one input. `N` is the protocol's state, `E` are its events, `S` what it says.
#[derive(Debug, Clone, PartialEq)]
pub struct Decision<N, E, S> {
    /// The state after it: that before it with the events folded in. None when nothing happened.
    pub next: Option<N>,
    /// What happened, in order; what the journal keeps.
    pub events: Vec<E>,
    /// Messages that Wilco sends.
    pub says: Vec<Spoken<S>>,
    /// What the courier does after the commit.
    pub effects: Vec<Effect>,
    /// Inputs to other exchanges or to the directory, worked off in the same transaction.
    pub tells: Vec<Tell>,
    /// Where the message that caused this goes.
    pub routing: Routing,
    /// Whether the message that caused this could not be read.
    pub unread: bool,
}

impl<N, E, S> Default for Decision<N, E, S> {
    fn default() -> Self {
        Decision {
            next: None,
            events: Vec::new(),
            says: Vec::new(),
            effects: Vec::new(),
            tells: Vec::new(),
            routing: Routing::AsAddressed,
            unread: false,
        }
    }
}

/// Something said to one agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spoken<S> {
    pub to: Name,
    pub say: S,
}

/// Where the incoming message goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Routing {
    /// To whom it is addressed, as it is.
    AsAddressed,
    /// To these agents, whoever it is addressed to; `teach` adds how to answer.
    Reach { agents: Vec<Name>, teach: bool },
    /// To nobody: it was meant for Wilco.
    Withheld,
}

/// An order to the courier, run after the commit. Its result returns as a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "effect", rename_all = "kebab-case")]
pub enum Effect {
    /// Let the configured judge look at an acknowledgement. Repeatable.
    Judge { exchange: ExchangeId, ack: MessageId },
    /// Reach a person about an open escalation. Repeatable.
    CallHuman { exchange: ExchangeId, escalation: u32 },
    /// Run the command of an operation for one agent. Once: started and not reported is interrupted.
    RunStep { exchange: ExchangeId, agent: Name, run: u32 },
    /// Run the command that checks a phase of a validation. Once: started and not reported, it could not check.
    RunCheck { exchange: ExchangeId, phase: usize, run: u32 },
    /// Documents, files and issues of a handoff. Repeatable.
    Handoff { exchange: ExchangeId, order: handoff::Effect },
}

impl Effect {
    /// What is ordered, in a word.
    pub fn word(&self) -> &'static str {
        match self {
            Effect::Judge { .. } => "judge",
            Effect::CallHuman { .. } => "call-human",
            Effect::RunStep { .. } => "run-step",
            Effect::RunCheck { .. } => "run-check",
            Effect::Handoff { order, .. } => order.word(),
        }
    }

    /// The exchange that gets its report.
    pub fn exchange(&self) -> ExchangeId {
        match self {
            Effect::Judge { exchange, .. }
            | Effect::CallHuman { exchange, .. }
            | Effect::RunStep { exchange, .. }
            | Effect::RunCheck { exchange, .. }
            | Effect::Handoff { exchange, .. } => *exchange,
        }
    }

    /// What to report of an order that was under way when the server stopped and must not be carried out
    /// again by itself. None: it is repeatable.
    pub fn interrupted(&self) -> Option<Report> {
        match self {
            Effect::Judge { .. } | Effect::CallHuman { .. } | Effect::Handoff { .. } => None,
            Effect::RunStep { agent, run, .. } => {
                Some(Report::StepInterrupted { agent: agent.clone(), run: *run })
            }
            Effect::RunCheck { phase, run, .. } => {
                Some(Report::CheckInterrupted { phase: *phase, run: *run })
            }
        }
    }
}

/// What an effect brought back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "report", rename_all = "kebab-case")]
pub enum Report {
    Judged {
        ack: MessageId,
        verdict: crate::delegation::Verdict,
        correction: Option<String>,
        missing: Vec<String>,
        #[serde(default)]
        judge: Option<Box<JudgeRecord>>,
    },
    /// It answered, and the initiator decides: `why`, or because it was asked only to be compared.
    JudgeDeferred {
        ack: MessageId,
        judge: Box<JudgeRecord>,
        why: Option<String>,
    },
    JudgeFailed {
        ack: MessageId,
        reason: String,
    },
    HumanCalled {
        escalation: u32,
        reached: bool,
    },
    /// Its machine is about to run it.
    StepBegins {
        agent: Name,
        run: u32,
    },
    /// Its machine is gone; its order stands.
    StepWaits {
        agent: Name,
        run: u32,
    },
    StepEnded {
        agent: Name,
        run: u32,
        end: crate::operation::StepEnd,
    },
    StepInterrupted {
        agent: Name,
        run: u32,
    },
    CheckEnded {
        phase: usize,
        run: u32,
        end: crate::operation::StepEnd,
    },
    CheckInterrupted {
        phase: usize,
        run: u32,
    },
    Handoff(handoff::Report),
}

/// An input to somebody else, in the same transaction.
#[derive(Debug, Clone, PartialEq)]
pub enum Tell {
    Exchange(ExchangeId, exchange::Signal),
    Directory(directory::Input),
}

/// Why nothing was decided: what was expected, what came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Only somebody in this role may say that here.
    Role { expected: &'static str },
    /// The same, however it was addressed: never just a conversation.
    Barred { expected: &'static str },
    /// That can be said only in these states.
    State { expected: &'static str, got: &'static str },
    /// Something else is open under the same key.
    AlreadyOpen { key: &'static str, value: String, exchange: ExchangeId },
    /// A field has a value that cannot be used.
    Field { pointer: Cow<'static, str>, problem: Problem },
}

/// What is wrong with a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    UnknownOption {
        got: String,
        options: Vec<&'static str>,
    },
    UnknownAgent {
        got: String,
    },
    SelfAssigned,
    /// Whoever had the task is no agent any more.
    AssigneeRemoved {
        got: String,
    },
    UnknownEscalation,
    NoCandidateLeft,
    NothingAcknowledged,
    /// Whoever is asked about was not misread.
    NothingUnread,
    MissingStatus,
    NoDeadlineRuns,
    MissingTime,
    /// An operation whose initiator is among its agents.
    OwnOperation,
    NotTakingPart {
        got: String,
    },
    /// A validation without any, or with one of them twice.
    NoPhases,
    PhaseTwice {
        got: String,
    },
    SpecialistTwice {
        got: String,
    },
    NoSuchPhase {
        got: String,
    },
    /// Several phases wait for a decision.
    WhichPhase,
    /// An extension by nothing.
    MissingExtension,
    /// The failed agent is to replace itself.
    ReplacementFailed {
        got: String,
    },
    /// A replacement that is not there to work.
    ReplacementAway {
        got: String,
        status: &'static str,
    },
    MissingNote,
}

/// A moment at which an exchange wants to be woken, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Timer {
    pub name: &'static str,
    pub due: Time,
}

/// What a decision may know of the world outside its exchange. Gathered under the one writer, so it
/// stays true until the commit; the events record what was used.
///
/// What is not said here is a calm world: everybody is known, present and reads, and nothing else is open. The
/// engine answers all of it from its records.
pub trait Facts {
    /// Whether the server was down when this instant passed.
    fn down_across(&self, _due: Time) -> bool {
        false
    }
    /// Registered, and not unresponsive, hibernated or inactive.
    fn can_take(&self, agent: &Name) -> bool {
        self.is_registered(agent)
    }
    fn is_registered(&self, _agent: &Name) -> bool {
        true
    }
    /// Active or idle agents that have all these capabilities and no open delegation, in order of name.
    fn able(&self, _capabilities: &[String]) -> Vec<Name> {
        Vec::new()
    }
    /// The open delegations that wait for this agent's work, as task ids.
    fn open_tasks(&self, _agent: &Name) -> Vec<(ExchangeId, String)> {
        Vec::new()
    }
    /// The open delegation of this task by this initiator.
    fn task_of(&self, _initiator: &Name, _task_id: &str) -> Option<ExchangeId> {
        None
    }
    /// Open delegations of this task by other initiators.
    fn task_of_others(&self, _initiator: &Name, _task_id: &str) -> Vec<(ExchangeId, Name)> {
        Vec::new()
    }
    /// Whether this exchange, which was open, has ended.
    fn has_ended(&self, _exchange: ExchangeId) -> bool {
        false
    }
    /// The open delegation with this uuid.
    fn task_with_uuid(&self, _task_uuid: &str) -> Option<ExchangeId> {
        None
    }
    /// The open validation of this issue by this initiator.
    fn validation_of(&self, _initiator: &Name, _issue: &str) -> Option<ExchangeId> {
        None
    }
    /// How far the messages of this exchange got towards this agent.
    fn delivery(&self, _exchange: ExchangeId, _agent: &Name) -> Stage {
        Stage::Read
    }
    /// Whether every nudge to this agent failed and it was not seen since: it could not know.
    fn unreached(&self, _exchange: ExchangeId, _agent: &Name, _since: Time) -> bool {
        false
    }
    /// How this agent is marked.
    fn mark(&self, _agent: &Name) -> Option<directory::Mark> {
        None
    }
    /// The session that this agent works in.
    fn session(&self, _agent: &Name) -> Option<String> {
        None
    }
    /// The open handoff of this task, and that of this handoff id.
    fn handed_over(&self, _task: &str) -> Option<ExchangeId> {
        None
    }
    fn handoff_with_id(&self, _handoff_id: &str) -> Option<ExchangeId> {
        None
    }
    /// The name that whoever runs the server sends under.
    fn operators(&self) -> Name {
        Name::new("operator")
    }
    /// How long to wait for the judge that this policy asks before the initiator; none: it asks none.
    fn judge_patience(&self, understanding: Judge) -> Option<Span> {
        understanding.names_a_judge().then_some(JUDGE_PATIENCE)
    }
    /// Whether the judge is asked only to be compared with the initiator.
    fn judge_in_shadow(&self) -> bool {
        false
    }
    /// How often the notice of an open escalation is repeated.
    fn escalation_reminder(&self) -> Span {
        Span::minutes(30)
    }
}

/// How long the judge may take, the wait for its turn and a retry included, when nothing else is configured.
pub const JUDGE_PATIENCE: Span = Span::seconds(60);

/// How far a message got. Each stage includes the ones before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    #[default]
    Stored,
    Nudged,
    Injected,
    Read,
    Acknowledged,
    Acted,
}
