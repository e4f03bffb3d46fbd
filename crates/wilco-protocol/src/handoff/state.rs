//! Where a handoff stands. Ids, numbers and short names only: the texts stay in their messages.

use std::ops::Deref;

use serde::{Deserialize, Serialize};

use super::effect::{IssueUpdate, Published};
use super::event::Requested;
use super::words::{AckStatus, Code, Outcome};
use crate::delegation::{Questions, Understanding};
use crate::escalation::{Escalation, Incident};
use crate::judgement::Compared;
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::{Span, Time};
use crate::unread::UnreadLog;

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct State {
    /// As it was asked for; replacement, handoff id and what became of the tasks as they are now.
    pub asked: Requested,
    /// The replacement's name.
    pub agent: Name,
    /// Who was asked before, newest last.
    pub former: Vec<Former>,
    pub phase: Phase,
    /// How many documents were ordered, the name of the last of them, and the newest that is there.
    pub documents: u32,
    pub document_name: String,
    pub document: Option<Document>,
    /// Why the last one that failed could not be written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_failure: Option<String>,
    /// When this agent was handed the work, and last reminded of it.
    pub sent_at: Option<Time>,
    pub last_attempt: Option<Time>,
    pub reminders_sent: u32,
    /// The newest acknowledgement.
    pub ack: Option<AckSeen>,
    pub understanding: Option<Understanding>,
    /// What judges said, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<Compared>,
    /// The policy accepted it without a look.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unseen: bool,
    /// Wrong acknowledgements of this agent, and whether a malformed one was sent back.
    pub corrections: u32,
    pub malformed: bool,
    pub questions: Option<Questions>,
    pub answers: Vec<MessageId>,
    /// Those of them that wait for their document.
    #[serde(default)]
    pub kept: Vec<MessageId>,
    pub accepted_at: Option<Time>,
    pub overridden: Option<Overridden>,
    /// What was done to confirm it; none: not yet, or not needed.
    pub file_step: Option<FileStep>,
    pub moved_at: Option<Time>,
    pub issue_step: Option<IssueStep>,
    pub confirmation: Option<Confirmation>,
    /// Whether the audit has its entry; none while it is being written.
    pub audited: Option<bool>,
    pub escalations: Vec<Escalation>,
    pub incidents: Vec<Incident>,
    #[serde(default, skip_serializing_if = "UnreadLog::is_empty")]
    pub unread: UnreadLog,
    pub created: Time,
    pub updated: Time,
}

/// What was asked for is read as part of the state.
impl Deref for State {
    type Target = Requested;

    fn deref(&self) -> &Requested {
        &self.asked
    }
}

/// One task that is handed over.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Task {
    /// Its uuid; of a task that only the state file knows, the id it was named by.
    pub task: String,
    /// Its open delegation.
    pub delegation: Option<Delegated>,
    pub failure: Option<Failure>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Delegated {
    pub exchange: ExchangeId,
    pub task_id: String,
    /// Who asked for it, and cannot take it over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initiator: Option<Name>,
    /// The assignment, then what amended it.
    pub messages: Vec<MessageId>,
}

impl Task {
    /// Whether somebody still waits for it.
    pub fn is_wanted(&self) -> bool {
        !matches!(self.failure, Some(Failure::Ended {}))
    }

    pub(super) fn is_asked_by(&self, agent: &Name) -> bool {
        self.delegation.as_ref().is_some_and(|one| one.initiator.as_ref() == Some(agent))
    }
}

/// Why a task was not handed over whole.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// Somebody else works on it, not the agent that failed.
    Elsewhere {
        agent: Name,
    },
    /// The replacement asked for it itself.
    Own {
        agent: Name,
    },
    /// It was cancelled or completed meanwhile: there is nothing left to hand over.
    Ended {},
    /// The state file has it as this agent's.
    Foreign {
        agent: String,
    },
    StateFile {
        reason: String,
    },
    Issue {
        number: u64,
        reason: String,
    },
}

impl Failure {
    /// In a few words.
    pub fn reason(&self) -> String {
        match self {
            Failure::Elsewhere { agent } => format!("{agent} works on it, not the agent that failed"),
            Failure::Own { agent } => format!("{agent} asked for it itself, and cannot take it over"),
            Failure::Ended {} => "it was ended before it could be handed over".to_owned(),
            Failure::Foreign { agent } => format!("assigned to {agent} in the state file"),
            Failure::StateFile { reason } => reason.clone(),
            Failure::Issue { number, reason } => format!("#{number}: {reason}"),
        }
    }
}

/// Where the replacement begins.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct StartingFrom {
    pub name: String,
    pub number: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Former {
    pub agent: Name,
    pub handoff_id: String,
    /// Its newest document.
    pub document: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Document {
    pub number: u32,
    pub name: String,
    #[serde(flatten)]
    pub published: Published,
}

/// An acknowledgement, and what is right about it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AckSeen {
    pub message: MessageId,
    pub at: Time,
    pub status: Option<AckStatus>,
    pub id_matches: bool,
    pub starting_from_matches: bool,
    pub questions: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Overridden {
    pub by: Name,
    /// Where the reason stands.
    pub message: MessageId,
    pub at: Time,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileStep {
    pub at: Time,
    pub failure: Option<String>,
    pub progress: Option<u32>,
    /// The issues that the file names for tasks.
    pub issues: Vec<(String, u64)>,
    /// The tasks that it has as the replacement's now.
    #[serde(default)]
    pub moved: Vec<String>,
}

impl FileStep {
    pub(super) fn failed(at: Time, reason: String) -> FileStep {
        let (issues, moved) = (Vec::new(), Vec::new());
        FileStep { at, failure: Some(reason), progress: None, issues, moved }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IssueStep {
    pub at: Time,
    pub failure: Option<String>,
    pub issues: Vec<IssueUpdate>,
    pub pulls: Vec<IssueUpdate>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Confirmation {
    pub outcome: Outcome,
    pub code: Option<Code>,
    pub at: Time,
}

/// What is waited for. Data lives in the phase in which it exists.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "kebab-case")]
pub enum Phase {
    /// The document is being written.
    Preparing,
    /// The replacement owes an ACK.
    AwaitingAck {
        until: Time,
    },
    /// It was corrected, and owes a right one.
    Correcting {
        until: Time,
    },
    /// The initiator owes a verdict; until `judging`, the configured judge may give it.
    InReview {
        until: Time,
        reminded: bool,
        judging: Option<Time>,
        /// What the judge that was asked before could not settle.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// The initiator owes answers. `publishing`: it gave them with a document, which is being written.
    Clarifying {
        until: Time,
        reminded: bool,
        publishing: bool,
    },
    /// The replacement cannot work yet, and the initiator is to help.
    Blocked {
        until: Time,
        reminded: bool,
    },
    /// Somebody owes a decision; `from` is where it came from.
    Escalated {
        from: Box<Phase>,
    },
    /// Files and issues are being changed.
    Confirming {
        step: Step,
    },
    Ended {
        outcome: Outcome,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    StateFile,
    Issues,
}

impl Phase {
    /// What an escalation interrupted, else the phase itself.
    pub(super) fn beneath(&self) -> &Phase {
        match self {
            Phase::Escalated { from } => from,
            phase => phase,
        }
    }

    pub(super) fn beneath_mut(&mut self) -> &mut Phase {
        match self {
            Phase::Escalated { from } => from,
            phase => phase,
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Phase::Preparing => "preparing",
            Phase::AwaitingAck { .. } => "awaiting-ack",
            Phase::Correcting { .. } => "correcting",
            Phase::InReview { .. } => "in-review",
            Phase::Clarifying { .. } => "clarifying",
            Phase::Blocked { .. } => "blocked",
            Phase::Escalated { .. } => "escalated",
            Phase::Confirming { .. } => "confirming",
            Phase::Ended { outcome } => outcome.word(),
        }
    }
}

impl State {
    pub fn is_open(&self) -> bool {
        !matches!(self.phase, Phase::Ended { .. })
    }

    /// The name of the state, as the API shows it.
    pub fn name(&self) -> &'static str {
        self.phase.name()
    }

    /// The open escalation.
    pub fn escalation(&self) -> Option<&Escalation> {
        self.escalations.last().filter(|escalation| escalation.closed.is_none())
    }

    pub fn agent(&self) -> Name {
        self.agent.clone()
    }

    pub fn failed_agent(&self) -> Option<Name> {
        self.failed.as_ref().map(|failed| Name::new(&failed.id))
    }

    /// How long the first answer may take.
    pub fn ack_timeout(&self) -> Span {
        self.policy.ack_timeout.unwrap_or_else(|| self.urgency.timeout())
    }

    /// What each reminder gives.
    pub fn half(&self) -> Span {
        Span::millis((self.ack_timeout().as_millis() / 2).max(1))
    }

    /// Whether the replacement may answer: it was handed the work, and nothing is settled.
    pub fn is_delivered(&self) -> bool {
        match &self.phase {
            Phase::Preparing | Phase::Confirming { .. } | Phase::Ended { .. } => false,
            Phase::Escalated { from } => !matches!(**from, Phase::Preparing),
            Phase::AwaitingAck { .. }
            | Phase::Correcting { .. }
            | Phase::InReview { .. }
            | Phase::Clarifying { .. }
            | Phase::Blocked { .. } => true,
        }
    }

    /// Whether questions wait for the initiator's answer, also while somebody is asked to decide.
    pub fn is_asked(&self) -> bool {
        matches!(self.phase.beneath(), Phase::Clarifying { .. })
    }

    /// Where the document lies, as it is told.
    pub fn url(&self) -> Option<&str> {
        self.given_url
            .as_deref()
            .filter(|_| self.document.is_none())
            .or(self.document.as_ref().map(|document| document.published.url.as_str()))
    }

    /// The tasks that the replacement can take over.
    pub fn movable(&self) -> impl Iterator<Item = &Task> {
        let elsewhere = |task: &Task| matches!(task.failure, Some(Failure::Elsewhere { .. }));
        self.tasks.iter().filter(move |task| !elsewhere(task) && !task.is_asked_by(&self.agent))
    }

    pub fn uuids(&self) -> Vec<&str> {
        self.tasks.iter().map(|task| task.task.as_str()).collect()
    }

    /// Messages whose texts the view and what is said need.
    pub fn cites(&self) -> Vec<MessageId> {
        let mut ids = vec![self.opening.clone()];
        ids.extend(
            self.tasks
                .iter()
                .filter_map(|task| task.delegation.as_ref())
                .flat_map(|one| one.messages.clone()),
        );
        ids.extend(self.ack.as_ref().map(|ack| ack.message.clone()));
        ids.extend(self.understanding.as_ref().and_then(|judged| judged.judged_by.clone()));
        ids.extend(self.questions.as_ref().map(|questions| questions.asked_in.clone()));
        ids.extend(self.answers.iter().cloned());
        ids.extend(self.overridden.as_ref().map(|overridden| overridden.message.clone()));
        ids.extend(self.escalations.iter().filter_map(Escalation::quotes).cloned());
        ids.sort();
        ids.dedup();
        ids
    }
}
