//! Where a validation stands. Ids, numbers and short names only: failures and fixes stay in their messages.

use serde::{Deserialize, Serialize};

use super::input::{COMMAND, Fingerprint};
use super::policy::Policy;
use super::words::{Duty, Status, Trouble};
use crate::escalation::{Escalation, Incident};
use crate::name::{ExchangeId, MessageId, Name};
use crate::time::{Span, Time};
use crate::unread::{UnreadEntry, UnreadLog};

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct State {
    pub id: ExchangeId,
    pub issue: String,
    pub feature: Option<String>,
    pub initiator: Name,
    pub main_agent: Name,
    pub watchers: Vec<Name>,
    /// The message that began it.
    pub opening: MessageId,
    pub policy: Policy,
    pub phases: Vec<Phase>,
    /// None while it is open.
    pub outcome: Option<Outcome>,
    pub escalations: Vec<Escalation>,
    pub incidents: Vec<Incident>,
    #[serde(default, skip_serializing_if = "UnreadLog::is_empty")]
    pub unread: UnreadLog,
    pub created: Time,
    pub updated: Time,
}

/// One specialist's part.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Phase {
    pub name: String,
    /// An agent, or `cmd:NAME`.
    pub specialist: Name,
    /// What the command is run with.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
    /// Phases of one group run together, groups one after the other.
    pub group: u32,
    pub status: Status,
    /// 0 while it is pending.
    pub iteration: u32,
    pub max_iterations: u32,
    /// The newest rounds, one for each iteration.
    pub rounds: Vec<Round>,
    /// What is awaited, while something is.
    pub awaited: Option<Awaited>,
    /// When the iteration takes too long.
    pub iteration_until: Option<Time>,
    /// How often in a row the failures were the same.
    pub same: u32,
    /// How often its command was run.
    pub runs: u32,
    pub started: Option<Time>,
    pub ended: Option<Time>,
    /// The open escalation about it, and what it was doing.
    pub escalation: Option<u32>,
    pub stopped_at: Option<Duty>,
}

/// One iteration: what was found, what was done about it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Round {
    pub iteration: u32,
    pub began: Time,
    /// The message with the failures, when it failed.
    pub failed: Option<MessageId>,
    pub failures: Fingerprint,
    /// Whether the main agent was asked to fix them.
    pub asked: bool,
    /// The message with the fixes.
    pub fixed: Option<MessageId>,
}

/// What is awaited of an agent, and until when.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Awaited {
    pub duty: Duty,
    pub since: Time,
    pub timeout: Span,
    /// When the reminder, or after it the escalation, is due. None: a command, which has a limit of its own.
    pub until: Option<Time>,
    pub reminded: bool,
    /// It showed life within the grace and got one more.
    pub moved: bool,
    /// The server was down, and it got a little more time.
    pub spared: bool,
    /// The specialist could not check and was asked once more.
    pub retried: bool,
    /// What went wrong so far and is neither over nor escalated.
    pub troubles: Vec<Open>,
}

/// A trouble that the initiator was told of.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Open {
    pub trouble: Trouble,
    pub since: Time,
    /// The message that it came with.
    pub message: Option<MessageId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Completed,
    Aborted,
}

impl Outcome {
    pub fn status(self) -> Status {
        match self {
            Outcome::Completed => Status::Completed,
            Outcome::Aborted => Status::Aborted,
        }
    }
}

impl Phase {
    /// The command that checks it, if no agent does.
    pub fn command(&self) -> Option<&str> {
        self.specialist.as_str().strip_prefix(COMMAND)
    }

    /// Whether it passed or was skipped.
    pub fn is_over(&self) -> bool {
        match self.status {
            Status::Pass | Status::Skipped => true,
            Status::Pending
            | Status::InProgress
            | Status::AwaitingFix
            | Status::Fixing
            | Status::ReChecking
            | Status::Escalated
            | Status::Fail
            | Status::Completed
            | Status::Aborted => false,
        }
    }

    /// The last round that failed.
    pub fn last_failed(&self) -> Option<&Round> {
        self.rounds.iter().rev().find(|round| round.failed.is_some())
    }

    /// Whether this run of its command is waited for.
    pub fn runs_now(&self, run: u32) -> bool {
        let checks = self.awaited.as_ref().is_some_and(|awaited| awaited.duty != Duty::Fix);
        checks && self.command().is_some() && self.runs == run
    }

    /// Whether this is awaited.
    pub fn awaits(&self, duty: Duty) -> bool {
        self.awaited.as_ref().is_some_and(|awaited| awaited.duty == duty)
    }
}

impl State {
    pub fn is_open(&self) -> bool {
        self.outcome.is_none()
    }

    /// The phases that run now: those of the first group that is not over.
    pub fn current(&self) -> impl Iterator<Item = (usize, &Phase)> {
        let group = self.phases.iter().find(|phase| !phase.is_over()).map(|phase| phase.group);
        let open = group.filter(|_| self.is_open());
        self.phases.iter().enumerate().filter(move |(_, phase)| Some(phase.group) == open)
    }

    /// The status of the loop: that of the least advanced phase that runs.
    pub fn status(&self) -> Status {
        if let Some(outcome) = self.outcome {
            return outcome.status();
        }
        let open = self.current().filter(|(_, phase)| !phase.is_over());
        // When all are over, it is about to end as its last phase did.
        let last = || self.phases.last().map_or(Status::Pass, |phase| phase.status);
        open.map(|(_, phase)| phase.status).min().unwrap_or_else(last)
    }

    /// The phase that runs alone.
    pub fn phase(&self) -> Option<&Phase> {
        let mut current = self.current();
        let first = current.next();
        first.filter(|_| current.next().is_none()).map(|(_, phase)| phase)
    }

    /// The name of the state, as the API shows it.
    pub fn name(&self) -> &'static str {
        self.status().word()
    }

    /// The oldest open escalation.
    pub fn escalation(&self) -> Option<&Escalation> {
        self.escalations.iter().find(|escalation| escalation.closed.is_none())
    }

    /// Whether its ids name the specialist everywhere.
    pub fn several(&self) -> bool {
        self.phases.len() > 1
    }

    /// Who is to do this part of a phase.
    pub fn doer(&self, phase: &Phase, duty: Duty) -> Name {
        match duty {
            Duty::Validation | Duty::Revalidation => phase.specialist.clone(),
            Duty::Fix => self.main_agent.clone(),
        }
    }

    /// Everybody who takes part, each once; commands are not somebody.
    pub fn agents(&self) -> Vec<Name> {
        let specialists = self.phases.iter().filter(|phase| phase.command().is_none());
        let mut agents = vec![self.initiator.clone(), self.main_agent.clone()];
        agents.extend(specialists.map(|phase| phase.specialist.clone()));
        agents.extend(self.watchers.iter().cloned());
        let mut seen = Vec::new();
        agents.retain(|agent| {
            !seen.contains(agent) && {
                seen.push(agent.clone());
                true
            }
        });
        agents
    }

    /// What whoever is awaited in this phase said instead of its answer.
    pub fn unread_answer(&self, place: usize) -> Option<MessageId> {
        let phase = self.phases.get(place)?;
        let awaited = phase.awaited.as_ref()?;
        let said = self.unread.instead_of_answer(&self.doer(phase, awaited.duty));
        // One word after the reminder shows life and gets its grace; it need not be an answer.
        let answers = |said: &&UnreadEntry| said.at >= awaited.since && (!awaited.moved || said.count > 1);
        let said = said.filter(answers).map(|said| said.message.clone());
        let garbled = |open: &&Open| open.trouble == Trouble::InvalidResponse;
        said.or_else(|| awaited.troubles.iter().find(garbled).and_then(|open| open.message.clone()))
    }

    /// Messages whose texts the view and what is said need.
    pub fn cites(&self) -> Vec<MessageId> {
        let rounds = self.phases.iter().flat_map(|phase| &phase.rounds);
        let of_rounds = rounds.flat_map(|round| [round.failed.clone(), round.fixed.clone()]).flatten();
        let awaited = self.phases.iter().filter_map(|phase| phase.awaited.as_ref());
        let troubles = awaited.flat_map(|awaited| &awaited.troubles).filter_map(|open| open.message.clone());
        let quoted = self.escalations.iter().filter_map(Escalation::quotes).cloned();
        let unread = (0..self.phases.len()).filter_map(|place| self.unread_answer(place));
        [self.opening.clone()]
            .into_iter()
            .chain(of_rounds)
            .chain(troubles)
            .chain(unread)
            .chain(quoted)
            .collect()
    }
}
