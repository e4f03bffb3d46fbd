//! Where an operation stands. Ids, numbers and short names only: the texts stay in their messages, and
//! what commands printed stays in the journal.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use super::execute::{Execute, Step, StepState};
use super::policy::Policy;
use super::quorum::Tally;
use super::words::Kind;
use crate::escalation::{Escalation, Incident};
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::Time;
use crate::unread::UnreadLog;

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct State {
    pub id: ExchangeId,
    /// What is to be done, in a word: `restart`.
    pub operation: String,
    pub kind: Kind,
    pub initiator: Name,
    /// The message that announced it.
    pub opening: MessageId,
    /// With several agents: what their messages have in common.
    pub broadcast_id: Option<String>,
    pub requires_acknowledgment: bool,
    /// Whether the request itself said what silence leads to.
    pub silence_foreseen: bool,
    pub policy: Policy,
    pub execute: Execute,
    pub tracks: Vec<Track>,
    pub phase: Phase,
    /// When the handshake began; none while it is only announced.
    pub asked_at: Option<Time>,
    pub authorized_at: Option<Time>,
    pub steps: Vec<Step>,
    /// The initiator's word on how it went, and on each agent.
    pub result: Option<MessageId>,
    pub results: Vec<(Name, bool)>,
    pub escalations: Vec<Escalation>,
    pub incidents: Vec<Incident>,
    #[serde(default, skip_serializing_if = "UnreadLog::is_empty")]
    pub unread: UnreadLog,
    pub created: Time,
    pub updated: Time,
}

/// One agent's part.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Track {
    pub agent: Name,
    pub state: TrackState,
    /// When it was asked last; none while it is only announced.
    #[serde(default)]
    pub asked_at: Option<Time>,
    /// Until when its answer is awaited; none when none is.
    pub deadline: Option<Time>,
    /// When it is reminded next, in order.
    pub reminders: Vec<Time>,
    /// How many reminders were due so far, and when the last of them was.
    pub reminders_past: u32,
    pub last_reminder: Option<Time>,
    pub reminders_sent: u32,
    pub extended: bool,
    /// It said no, and has not been ready since.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// It had no chance to answer, and got a little more time.
    pub grace_given: bool,
    pub timeout_occurred: bool,
    /// It was ready before its deadline.
    pub ready_in_time: bool,
    pub answered_at: Option<Time>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum TrackState {
    Waiting,
    Ready,
    Cancelled,
    TimedOut,
    Excluded,
}

impl TrackState {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// What is waited for. Data lives in the phase in which it exists.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "in", rename_all = "kebab-case")]
pub enum Phase {
    /// Announced; the handshake begins at `until`.
    Notifying {
        until: Time,
    },
    /// The agents owe answers.
    Waiting,
    /// The initiator performs it and owes a result; none while somebody is asked to decide.
    Authorized {
        until: Option<Time>,
        reminded: bool,
    },
    /// The command runs.
    Executing,
    Ended {
        outcome: Outcome,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Outcome {
    Done,
    Failed,
    Cancelled,
    Aborted,
}

impl Outcome {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

impl Phase {
    pub fn name(&self) -> &'static str {
        match self {
            Phase::Notifying { .. } => "notifying",
            Phase::Waiting => "waiting",
            Phase::Authorized { .. } => "authorized",
            Phase::Executing => "executing",
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

    pub fn track(&self, agent: &Name) -> Option<&Track> {
        self.tracks.iter().find(|track| track.agent == *agent)
    }

    pub fn several(&self) -> bool {
        self.tracks.len() > 1
    }

    /// Whether agents may still answer: it is not decided whether it goes on.
    pub fn undecided(&self) -> bool {
        matches!(self.phase, Phase::Notifying { .. } | Phase::Waiting)
    }

    pub fn tally(&self) -> Tally {
        let count = |state| self.tracks.iter().filter(|track| track.state == state).count() as u32;
        Tally {
            ready: count(TrackState::Ready),
            waiting: count(TrackState::Waiting),
            timed_out: count(TrackState::TimedOut),
        }
    }

    /// How many steps are in this state.
    pub fn steps_in(&self, state: StepState) -> usize {
        self.steps.iter().filter(|step| step.state == state).count()
    }

    /// How many steps are to report yet.
    pub fn steps_awaited(&self) -> usize {
        self.steps.iter().filter(|step| step.state.is_awaited()).count()
    }

    /// How the run of a step stands, if its report is waited for.
    pub fn awaited_step(&self, agent: &Name, run: u32) -> Option<StepState> {
        let of = |step: &&Step| step.agent == *agent && step.runs == run;
        let step = self.steps.iter().find(of).filter(|_| self.is_open())?;
        Some(step.state).filter(|state| state.is_awaited())
    }

    /// Messages whose texts the view and what is said need.
    pub fn cites(&self) -> Vec<MessageId> {
        let mut ids = vec![self.opening.clone()];
        ids.extend(self.result.clone());
        ids
    }
}

impl Track {
    pub(super) fn new(agent: Name) -> Track {
        Track {
            agent,
            state: TrackState::Waiting,
            asked_at: None,
            deadline: None,
            reminders: Vec::new(),
            reminders_past: 0,
            last_reminder: None,
            reminders_sent: 0,
            extended: false,
            refused: false,
            grace_given: false,
            timeout_occurred: false,
            ready_in_time: false,
            answered_at: None,
        }
    }

    /// Which reminders there are in all, past and to come.
    pub fn total_reminders(&self) -> u32 {
        self.reminders_past + self.reminders.len() as u32
    }
}
