//! The numbers of a validation, frozen into it when it starts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::words::Duty;
use crate::policy::{BadKey, Overrides, deadline};
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

pub const KEYS: [&str; 9] = [
    "preset",
    "max_iterations",
    "validation_timeout",
    "fix_timeout",
    "revalidation_timeout",
    "reminder_grace",
    "iteration_timeout",
    "deadlock_after",
    "downtime_grace",
];

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

impl Policy {
    /// The presets that exist without any configuration, as what they change.
    pub fn built_in() -> [(&'static str, Overrides); 1] {
        [("standard", Overrides::new())]
    }

    /// Sets every key, or says which could not be set; `preset` must have been applied before.
    pub fn set_all(&mut self, overrides: &Overrides) -> Result<(), Vec<BadKey>> {
        let bad: Vec<_> = overrides.iter().filter_map(|(key, value)| self.set(key, value).err()).collect();
        if bad.is_empty() { Ok(()) } else { Err(bad) }
    }

    fn set(&mut self, key: &str, value: &Value) -> Result<(), BadKey> {
        match key {
            "preset" => {}
            "max_iterations" => self.max_iterations = counted(key, value)?,
            "validation_timeout" => self.validation_timeout = deadline(key, value)?,
            "fix_timeout" => self.fix_timeout = deadline(key, value)?,
            "revalidation_timeout" => self.revalidation_timeout = deadline(key, value)?,
            "reminder_grace" => self.reminder_grace = deadline(key, value)?,
            "iteration_timeout" => self.iteration_timeout = deadline(key, value)?,
            "deadlock_after" => self.deadlock_after = counted(key, value)?,
            "downtime_grace" => self.downtime_grace = deadline(key, value)?,
            unknown => return Err(BadKey::unknown(unknown, &KEYS)),
        }
        Ok(())
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

fn counted(key: &str, value: &Value) -> Result<u32, BadKey> {
    match value.as_u64() {
        Some(number @ 1..=MAX_ITERATIONS) => Ok(number as u32),
        _ => Err(BadKey::value(key, format!("a whole number from 1 to {MAX_ITERATIONS}"))),
    }
}
