//! Where a delegation stands. Ids, numbers and short names only: the texts stay in their messages.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::event::Resend;
use super::policy::Policy;
use super::words::{AckStatus, Sign, Verdict};
use crate::escalation::{Escalation, Incident};
use crate::judgement::{Compared, JudgedBy};
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::{Span, Time};
use crate::unread::{UnreadEntry, UnreadLog};

/// Written after everything that happens to it, so what is not there is left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct State {
    pub id: ExchangeId,
    pub task_id: String,
    pub task_uuid: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sign: Option<Sign>,
    pub title: String,
    pub initiator: Name,
    pub requires_ack: bool,
    pub policy: Policy,
    /// The message that holds the task, and those that changed it, newest last.
    pub assignment: MessageId,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub amendments: Vec<MessageId>,
    pub assignee: Name,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former_assignees: Vec<Name>,
    /// Whom to ask next, in order: candidates first, then what agents suggested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Name>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<String>,
    pub revision: u32,
    /// The attempt at getting this assignee's answer to this revision, from 1.
    pub attempt: u32,
    pub corrections: u32,
    pub phase: Phase,
    /// A pause or resumption that the assignee has not confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unconfirmed: Option<Unconfirmed>,
    /// The newest acknowledgement that was judged or waits to be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ack: Option<MessageId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub understanding: Option<Understanding>,
    /// What judges said, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub compared: Vec<Compared>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<Questions>,
    /// Messages that answered questions about this revision, newest last, whoever asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<MessageId>,
    /// The messages that asked what they answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answered: Vec<MessageId>,
    /// The same about earlier revisions. They need not be said back, and still tell what is meant.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_answers: Vec<MessageId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier_answered: Vec<MessageId>,
    /// Vague questions were sent back once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub asked_to_be_specific: bool,
    /// Messages that showed work before any accepted acknowledgement.
    pub early_work: u32,
    /// The newest of them, since the last acknowledgement, says that the work is done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub early_completion: bool,
    /// Resends after the agent said it was busy, and those in a row after it said the network failed.
    pub busy_resends: u32,
    pub network_resends: u32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<Checkpoint>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acknowledged_at: Option<Time>,
    /// Until when the initiator may object to the understanding that was accepted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objection: Option<Time>,
    /// It did: the assignee is to stop what it began.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub objected: bool,
    /// What the assignee at work said last besides ACK and checkpoints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heard: Option<LastWord>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub escalations: Vec<Escalation>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub incidents: Vec<Incident>,
    #[serde(default, skip_serializing_if = "UnreadLog::is_empty")]
    pub unread: UnreadLog,
    /// Whether the assignee confirmed that it stopped; none while nobody asked, or the answer is awaited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_confirmed: Option<bool>,
    /// The exchange that replaced this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<ExchangeId>,
    /// The handoff that waits to move it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    /// The handoff that moved it to its assignee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed: Option<Handed>,
    pub sent_at: Time,
    /// The assignee's first acknowledgement of this revision, and whether it came in the first attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_ack: Option<FirstAck>,
    pub created: Time,
    pub updated: Time,
}

/// What is waited for. Data lives in the phase in which it exists.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "kebab-case")]
pub enum Phase {
    /// The assignee owes an ACK. `backing_off`: the attempt timed out, the next begins at `until`.
    AwaitingAck { until: Time, backing_off: bool },
    /// The initiator owes answers.
    Clarifying { until: Time, reminded: bool },
    /// The initiator owes a verdict; until `judging`, the configured judge may give it.
    /// `why`: what the judge that was asked before could not settle.
    InReview {
        until: Time,
        reminded: bool,
        judging: Option<Time>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// The assignee does something else first; `checks` counts the steps taken, `behind` is what it was
    /// found to do at the first of them.
    Queued { until: Time, checks: u8, behind: Vec<ExchangeId> },
    /// The assignee could not take it now; resent at `until`.
    Waiting { because: Resend, until: Time },
    /// The initiator owes an amendment.
    Returned { until: Time, reminded: bool },
    /// The assignee works. `check` is when its next checkpoint is due.
    Working { check: Option<Time>, checks: u8 },
    /// `until`: when the initiator is reminded; `again`: how long until it is reminded once more.
    Paused {
        until: Option<Time>,
        #[serde(default)]
        again: Option<Span>,
    },
    /// Somebody owes a decision; `from` is where it came from.
    Escalated { from: Box<Phase> },
    /// Ended. `stop`: until when the assignee's confirmation that it stopped is awaited.
    Ended { outcome: Outcome, stop: Option<Time> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Outcome {
    Completed,
    Cancelled,
    Failed,
}

impl Outcome {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A stop that is not confirmed: its confirmation is awaited, or did not come in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    Awaited,
    Unconfirmed,
}

/// A handoff that is under way.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Held {
    pub by: ExchangeId,
    pub initiator: Name,
    /// The failed agent was asked again since it was told to stop.
    #[serde(default)]
    pub asked_again: bool,
}

/// A handoff that is settled. The assignee repeats what it understood.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Handed {
    pub by: ExchangeId,
    pub state_file: bool,
    pub repetitions: u32,
}

/// A request to pause or resume that waits for its confirmation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Unconfirmed {
    pub resume: bool,
    /// When the initiator is told that nothing came; none once it was told.
    pub until: Option<Time>,
    pub expected_duration: Option<Span>,
}

/// How an acknowledgement was judged. Criteria are named by their index in the task.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Understanding {
    /// In thousandths.
    pub score: u16,
    pub verdict: Option<Verdict>,
    pub covered: Vec<u16>,
    pub missing: Vec<u16>,
    /// The initiator's verdict, when it is one: its `missing` texts stand there.
    pub judged_by: Option<MessageId>,
    /// What the judge command found missing, in its own words, cut to a bound.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub said_missing: Vec<String>,
    /// Who gave the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<JudgedBy>,
}

impl Understanding {
    /// Who gave its verdict, if it has one. Older ones say it by the message that gave it.
    pub fn by(&self) -> Option<JudgedBy> {
        let given = self.judged_by.as_ref().map(|_| JudgedBy::Initiator);
        self.verdict.and(self.by.or(given))
    }
}

/// The open questions of an acknowledgement.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Questions {
    pub asked_in: MessageId,
    pub count: u32,
    pub answered: u32,
    pub at: Time,
}

impl Questions {
    pub fn open(&self) -> bool {
        self.answered < self.count
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FirstAck {
    pub at: Time,
    pub in_time: bool,
    pub status: AckStatus,
}

/// A message of the assignee, and when it came.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LastWord {
    pub message: MessageId,
    pub at: Time,
}

/// A checkpoint, planned in an ACK or reached. Its texts stand in `message`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Checkpoint {
    pub number: u32,
    pub by: Name,
    pub message: MessageId,
    /// None while it is only planned.
    pub reached: Option<Time>,
    /// The ACK that planned it, once it is reached: its name stands there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planned_in: Option<MessageId>,
}

/// Of more amendments than this the oldest are not repeated to another agent.
pub(super) const MAX_AMENDMENTS: usize = 100;
/// More checkpoints than this are refused.
pub const MAX_CHECKPOINTS: u32 = 1000;

impl State {
    pub fn is_open(&self) -> bool {
        !matches!(self.phase, Phase::Ended { .. })
    }

    /// What is known of the stop that this agent was asked for when the task ended.
    pub fn stop_of(&self, agent: &Name) -> Option<Stop> {
        let Phase::Ended { stop, .. } = &self.phase else { return None };
        match (stop, self.stop_confirmed) {
            _ if self.assignee != *agent => None,
            (Some(_), _) => Some(Stop::Awaited),
            (None, Some(false)) => Some(Stop::Unconfirmed),
            (None, Some(true) | None) => None,
        }
    }

    /// Whether questions wait for the initiator's answer, also after somebody was asked to decide because
    /// of them.
    pub fn is_asked(&self) -> bool {
        match &self.phase {
            Phase::Escalated { from } => matches!(**from, Phase::Clarifying { .. }),
            phase => matches!(phase, Phase::Clarifying { .. }),
        }
    }

    /// Whether it came without a task id and was given one.
    pub fn is_unnamed(&self) -> bool {
        let number = self.task_id.strip_prefix("task-");
        number.and_then(|number| number.parse().ok()) == Some(self.id.number)
    }

    /// The id of a task that came without one.
    pub fn made_up_id(exchange: ExchangeId) -> String {
        format!("task-{}", exchange.number)
    }

    /// The name of the state, as the API shows it.
    pub fn name(&self) -> &'static str {
        self.phase.name()
    }

    /// The open escalation.
    pub fn escalation(&self) -> Option<&Escalation> {
        self.escalations.last().filter(|escalation| escalation.closed.is_none())
    }

    /// The newest that the assignee reached; another agent's count for another agent.
    pub fn last_checkpoint(&self) -> u32 {
        let own = |checkpoint: &&Checkpoint| checkpoint.reached.is_some() && checkpoint.by == self.assignee;
        let reached = self.checkpoints.iter().filter(own);
        reached.map(|checkpoint| checkpoint.number).max().unwrap_or(0)
    }

    /// What the assignee said last since the task is its own: words, a checkpoint, its ACK.
    pub(super) fn last_word(&self) -> Option<LastWord> {
        let reached = self
            .checkpoints
            .iter()
            .filter(|point| point.by == self.assignee)
            .filter_map(|point| point.reached.map(|at| LastWord { message: point.message.clone(), at }));
        let ack = self.ack.clone().zip(self.acknowledged_at);
        let ack = ack.map(|(message, at)| LastWord { message, at });
        reached.chain(ack).chain(self.heard.clone()).max_by_key(|word| word.at)
    }

    /// Enrolled only because of a checklist or placeholders: too weak a sign to replace anybody.
    pub fn weakly_signed(&self) -> bool {
        matches!(self.sign, Some(Sign::Checklist | Sign::Placeholders))
    }

    /// Whether its agent is not replaced for its silence alone: it showed work, or the task may be none.
    pub(super) fn spares_its_agent(&self) -> bool {
        self.early_work > 0 || self.weakly_signed()
    }

    /// What the assignee said instead of its ACK.
    pub fn unread_answer(&self) -> Option<&UnreadEntry> {
        self.unread.instead_of_answer(&self.assignee)
    }

    /// Messages whose texts the view needs.
    pub fn cites(&self) -> Vec<MessageId> {
        let mut ids = vec![self.assignment.clone()];
        ids.extend(self.amendments.iter().cloned());
        ids.extend(self.ack.clone());
        ids.extend(self.understanding.as_ref().and_then(|judged| judged.judged_by.clone()));
        ids.extend(self.questions.as_ref().map(|questions| questions.asked_in.clone()));
        ids.extend(self.answers.iter().chain(&self.answered).cloned());
        ids.extend(self.earlier_answers.iter().chain(&self.earlier_answered).cloned());
        ids.extend(self.checkpoints.iter().map(|checkpoint| checkpoint.message.clone()));
        ids.extend(self.checkpoints.iter().filter_map(|checkpoint| checkpoint.planned_in.clone()));
        ids.extend(self.unread_answer().map(|said| said.message.clone()));
        ids.extend(self.escalations.iter().filter_map(Escalation::quotes).cloned());
        ids.sort();
        ids.dedup();
        ids
    }
}

impl Phase {
    /// Whether the task counts as assigned: it is being worked on, or was when somebody was asked to decide.
    pub fn at_work(&self) -> bool {
        match self {
            Phase::Working { .. } | Phase::Paused { .. } => true,
            Phase::Escalated { from } => from.at_work(),
            Phase::AwaitingAck { .. }
            | Phase::Clarifying { .. }
            | Phase::InReview { .. }
            | Phase::Queued { .. }
            | Phase::Waiting { .. }
            | Phase::Returned { .. }
            | Phase::Ended { .. } => false,
        }
    }

    pub fn name(&self) -> &'static str {
        match self {
            Phase::AwaitingAck { .. } => "awaiting-ack",
            Phase::Clarifying { .. } => "clarifying",
            Phase::InReview { .. } => "in-review",
            Phase::Queued { .. } => "queued",
            Phase::Waiting { .. } => "waiting",
            Phase::Returned { .. } => "returned",
            Phase::Working { .. } => "working",
            Phase::Paused { .. } => "paused",
            Phase::Escalated { .. } => "escalated",
            Phase::Ended { outcome, .. } => outcome.word(),
        }
    }
}
