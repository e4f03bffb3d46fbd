//! The numbers and choices of a delegation, frozen into it when it starts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::policy::{BadKey, Overrides, deadline, span, whole, word};
use crate::time::Span;

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Policy {
    pub preset: String,
    pub ack_timeout: Span,
    pub retry_timeouts: Vec<Span>,
    pub base_wait: Span,
    pub max_wait: Span,
    pub clarification_timeout: Span,
    pub review_timeout: Span,
    pub queued_check: Span,
    pub checkpoint_timeout: Option<Span>,
    pub max_corrections: u32,
    pub understanding: Judge,
    pub on_busy: OnBusy,
    pub downtime_grace: Span,
}

/// Who judges an understanding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Judge {
    Auto,
    Initiator,
    Command,
    Accept,
}

/// What to do with an agent that is at capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnBusy {
    Wait,
    Reassign,
}

/// No agent is asked more often than this.
const MAX_RETRIES: usize = 20;
const MAX_CORRECTIONS: u64 = 100;

pub const KEYS: [&str; 13] = [
    "preset",
    "ack_timeout",
    "retry_timeouts",
    "base_wait",
    "max_wait",
    "clarification_timeout",
    "review_timeout",
    "queued_check",
    "checkpoint_timeout",
    "max_corrections",
    "understanding",
    "on_busy",
    "downtime_grace",
];

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            preset: "standard".to_owned(),
            ack_timeout: Span::minutes(5),
            retry_timeouts: vec![Span::minutes(2)],
            base_wait: Span::ZERO,
            max_wait: Span::minutes(2),
            clarification_timeout: Span::minutes(15),
            review_timeout: Span::minutes(10),
            queued_check: Span::minutes(15),
            checkpoint_timeout: None,
            max_corrections: 2,
            understanding: Judge::Auto,
            on_busy: OnBusy::Wait,
            downtime_grace: Span::seconds(30),
        }
    }
}

impl Policy {
    /// The presets that exist without any configuration, as what they change.
    pub fn built_in() -> [(&'static str, Overrides); 2] {
        let critical = Overrides::from([
            ("retry_timeouts".to_owned(), serde_json::json!(["2m", "1m"])),
            ("base_wait".to_owned(), serde_json::json!("30s")),
        ]);
        [("standard", Overrides::new()), ("critical", critical)]
    }

    /// Sets every key, or says which could not be set; `preset` must have been applied before.
    pub fn set_all(&mut self, overrides: &Overrides) -> Result<(), Vec<BadKey>> {
        let bad: Vec<_> =
            overrides.iter().filter_map(|(key, value)| self.set(key, value).err()).flatten().collect();
        if bad.is_empty() { Ok(()) } else { Err(bad) }
    }

    fn set(&mut self, key: &str, value: &Value) -> Result<(), Vec<BadKey>> {
        match key {
            "preset" => {}
            "ack_timeout" => self.ack_timeout = deadline(key, value)?,
            "retry_timeouts" => self.retry_timeouts = deadlines(key, value)?,
            "base_wait" => self.base_wait = span(key, value)?,
            "max_wait" => self.max_wait = deadline(key, value)?,
            "clarification_timeout" => self.clarification_timeout = deadline(key, value)?,
            "review_timeout" => self.review_timeout = deadline(key, value)?,
            "queued_check" => self.queued_check = deadline(key, value)?,
            "checkpoint_timeout" => self.checkpoint_timeout = optional(key, value)?,
            "max_corrections" => self.max_corrections = whole(key, value, MAX_CORRECTIONS)?,
            "understanding" => self.understanding = word(key, value, &JUDGES)?,
            "on_busy" => {
                self.on_busy = word(key, value, &[("wait", OnBusy::Wait), ("reassign", OnBusy::Reassign)])?;
            }
            "downtime_grace" => self.downtime_grace = deadline(key, value)?,
            unknown => return Err(vec![BadKey::unknown(unknown, &KEYS)]),
        }
        Ok(())
    }

    /// The wait before the attempt after `attempt`.
    pub fn wait_after(&self, attempt: u32) -> Span {
        self.base_wait.doubled(attempt.saturating_sub(1)).min(self.max_wait)
    }

    /// How long the attempt of this number waits for an answer; none when there is no such attempt.
    pub fn timeout_of(&self, attempt: u32) -> Option<Span> {
        match attempt {
            0 | 1 => Some(self.ack_timeout),
            later => self.retry_timeouts.get(later as usize - 2).copied(),
        }
    }
}

const JUDGES: [(&str, Judge); 4] = [
    ("auto", Judge::Auto),
    ("initiator", Judge::Initiator),
    ("command", Judge::Command),
    ("accept", Judge::Accept),
];

/// Every wrong entry is named by its place in the list.
fn deadlines(key: &str, value: &Value) -> Result<Vec<Span>, Vec<BadKey>> {
    let Some(items) = value.as_array().filter(|items| items.len() <= MAX_RETRIES) else {
        let expected = format!("a list of at most {MAX_RETRIES} durations, such as [\"2m\"]");
        return Err(vec![BadKey::value(key, expected)]);
    };
    let read = items.iter().enumerate().map(|(index, item)| deadline(&format!("{key}/{index}"), item));
    let (good, bad): (Vec<_>, Vec<_>) = read.partition(Result::is_ok);
    if bad.is_empty() {
        Ok(good.into_iter().flatten().collect())
    } else {
        Err(bad.into_iter().filter_map(Result::err).collect())
    }
}

fn optional(key: &str, value: &Value) -> Result<Option<Span>, BadKey> {
    match value {
        Value::Null => Ok(None),
        Value::String(text) if text == "none" => Ok(None),
        other => deadline(key, other).map(Some),
    }
}
