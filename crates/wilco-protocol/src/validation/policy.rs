//! The numbers of a validation, frozen into it when it starts.

use serde::{Deserialize, Serialize};

use super::words::Duty;
use crate::policy::{BadKey, Overrides, Row, Rows, keys, preset, put, row, set_all};
use crate::time::Span;

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Policy {
    pub preset: String,
    /// A phase that failed so often is escalated.
    pub max_iterations: u32,
    pub validation_timeout: Span,
    pub fix_timeout: Span,
    pub revalidation_timeout: Span,
    /// How long after the reminder silence is escalated.
    pub reminder_grace: Span,
    pub iteration_timeout: Span,
    /// The same failures so often in a row are escalated.
    pub deadlock_after: u32,
    /// What an agent gets when the server was down.
    pub downtime_grace: Span,
}

/// No loop goes round more often than this without a decision.
pub const MAX_ITERATIONS: u64 = 100;

const ROWS: [Row<Policy>; 9] = [
    preset("standard, or one of your own"),
    row("max_iterations", "how often a phase may fail before somebody decides", |policy, given| {
        put(&mut policy.max_iterations, given.whole(1..=MAX_ITERATIONS as u32))
    }),
    row("validation_timeout", "how long a specialist has for its first check", |policy, given| {
        put(&mut policy.validation_timeout, given.deadline())
    }),
    row("fix_timeout", "how long the main agent has for a fix", |policy, given| {
        put(&mut policy.fix_timeout, given.deadline())
    }),
    row("revalidation_timeout", "how long a specialist has to check a fix", |policy, given| {
        put(&mut policy.revalidation_timeout, given.deadline())
    }),
    row("reminder_grace", "how long after the reminder silence is escalated", |policy, given| {
        put(&mut policy.reminder_grace, given.deadline())
    }),
    row("iteration_timeout", "how long one round may take in all", |policy, given| {
        put(&mut policy.iteration_timeout, given.deadline())
    }),
    row("deadlock_after", "the same failures so often in a row are escalated", |policy, given| {
        put(&mut policy.deadlock_after, given.whole(1..=MAX_ITERATIONS as u32))
    }),
    row(
        "downtime_grace",
        "more time for somebody who could not answer because the server was down",
        |policy, given| put(&mut policy.downtime_grace, given.deadline()),
    ),
];

pub const KEYS: [&str; 9] = keys(&ROWS);

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            preset: "standard".to_owned(),
            max_iterations: 5,
            validation_timeout: Span::minutes(30),
            fix_timeout: Span::minutes(30),
            revalidation_timeout: Span::minutes(30),
            reminder_grace: Span::minutes(5),
            iteration_timeout: Span::minutes(105),
            deadlock_after: 3,
            downtime_grace: Span::seconds(30),
        }
    }
}

impl Rows for Policy {
    const ROWS: &'static [Row<Policy>] = &ROWS;
    const KEYS: &'static [&'static str] = &KEYS;

    fn presets() -> Vec<(&'static str, Overrides)> {
        Policy::built_in().into()
    }
}

impl Policy {
    /// The presets that exist without any configuration, as what they change.
    pub fn built_in() -> [(&'static str, Overrides); 1] {
        [("standard", Overrides::new())]
    }

    /// Sets every key, or says which could not be set; `preset` must have been applied before.
    pub fn set_all(&mut self, overrides: &Overrides) -> Result<(), Vec<BadKey>> {
        set_all(self, overrides)
    }

    /// How long somebody has for its part.
    pub fn timeout(&self, duty: Duty) -> Span {
        match duty {
            Duty::Validation => self.validation_timeout,
            Duty::Fix => self.fix_timeout,
            Duty::Revalidation => self.revalidation_timeout,
        }
    }
}
