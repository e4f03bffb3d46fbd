//! The words of a validation: where a phase stands, what a specialist found, what is awaited of whom.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

/// Where a phase, or the whole loop, stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "kebab-case")]
pub enum Status {
    Pending,
    InProgress,
    AwaitingFix,
    Fixing,
    ReChecking,
    Escalated,
    /// Recorded and left at once.
    Fail,
    Pass,
    Skipped,
    Completed,
    Aborted,
}

impl Status {
    /// The word in messages and in `data.status`: `IN_PROGRESS`.
    pub fn code(self) -> &'static str {
        match self {
            Status::Pending => "PENDING",
            Status::InProgress => "IN_PROGRESS",
            Status::AwaitingFix => "AWAITING_FIX",
            Status::Fixing => "FIXING",
            Status::ReChecking => "RE_CHECKING",
            Status::Escalated => "ESCALATED",
            Status::Fail => "FAIL",
            Status::Pass => "PASS",
            Status::Skipped => "SKIPPED",
            Status::Completed => "COMPLETED",
            Status::Aborted => "ABORTED",
        }
    }

    /// The name of the state of an exchange: `in-progress`.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// What a specialist says came of its check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Finding {
    Pass,
    Fail,
    /// It could not check.
    Error,
}

impl Finding {
    pub fn code(self) -> &'static str {
        match self {
            Finding::Pass => "PASS",
            Finding::Fail => "FAIL",
            Finding::Error => "ERROR",
        }
    }
}

/// What is awaited of somebody, with a clock of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Duty {
    /// The specialist's first check.
    Validation,
    /// The main agent's fix.
    Fix,
    /// The specialist's check of a fix.
    Revalidation,
}

impl Duty {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// What can go wrong besides a failed check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Trouble {
    /// A message did not reach its agent.
    Communication,
    /// An answer could not be read.
    InvalidResponse,
    /// A specialist could not check.
    SpecialistFailure,
    /// Whoever is awaited did not answer in time.
    Unresponsive,
}

impl Trouble {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// What became of a trouble when it is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relief {
    /// It has just come up, and something is being done about it.
    Tried,
    Recovered,
    Escalated,
}
