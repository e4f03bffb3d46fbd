//! The numbers and choices of an operation, frozen into it when it starts.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::quorum::Quorum;
use super::words::Kind;
use crate::policy::{BadKey, Overrides, deadline, flag, word};
use crate::time::Span;

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Policy {
    pub preset: String,
    pub acknowledgment_timeout: Span,
    pub acknowledgment_reminder_intervals: Vec<Span>,
    pub extension_allowed: bool,
    pub max_extension: Span,
    pub proceed_on_timeout: bool,
    pub quorum: Quorum,
    pub on_cancel: OnCancel,
    pub on_interrupted: OnInterrupted,
    pub downtime_grace: Span,
    pub result_timeout: Span,
}

/// What follows when one of several agents cancels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnCancel {
    Abort,
    Exclude,
}

/// What follows when the server stopped while a command ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnInterrupted {
    Ask,
    Retry,
}

/// No agent is reminded more often than this.
const MAX_REMINDERS: usize = 20;

pub const KEYS: [&str; 11] = [
    "preset",
    "acknowledgment_timeout",
    "acknowledgment_reminder_intervals",
    "extension_allowed",
    "max_extension",
    "proceed_on_timeout",
    "quorum",
    "on_cancel",
    "on_interrupted",
    "downtime_grace",
    "result_timeout",
];

/// Another name that a key may have in a request.
pub const ALIASES: [&str; 1] = ["reminder_intervals"];

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            preset: Kind::Disruptive.word().to_owned(),
            acknowledgment_timeout: Span::seconds(120),
            acknowledgment_reminder_intervals: quarters(Span::seconds(120)),
            extension_allowed: true,
            max_extension: Span::seconds(60),
            proceed_on_timeout: true,
            quorum: Quorum::All,
            on_cancel: OnCancel::Abort,
            on_interrupted: OnInterrupted::Ask,
            downtime_grace: Span::seconds(30),
            result_timeout: Span::minutes(15),
        }
    }
}

impl Policy {
    /// The presets that exist without any configuration, as what they change.
    pub fn built_in() -> [(&'static str, Overrides); 5] {
        let of = |pairs: &[(&str, Value)]| {
            pairs.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect::<Overrides>()
        };
        [
            (Kind::Disruptive.word(), Overrides::new()),
            (Kind::StateChange.word(), Overrides::new()),
            (Kind::Coordinated.word(), of(&[("proceed_on_timeout", json!(false))])),
            ("routine", of(&[("acknowledgment_timeout", json!(60))])),
            (
                "emergency",
                of(&[
                    ("acknowledgment_timeout", json!(30)),
                    ("acknowledgment_reminder_intervals", json!([10, 20])),
                ]),
            ),
        ]
    }

    /// Sets every key, or says which could not be set; `preset` must have been applied before. Another
    /// timeout without intervals has its reminders at the quarters.
    pub fn set_all(&mut self, overrides: &Overrides) -> Result<(), Vec<BadKey>> {
        let timeout = overrides.iter().filter(|(key, _)| *key == "acknowledgment_timeout");
        let others = overrides.iter().filter(|(key, _)| *key != "acknowledgment_timeout");
        let bad: Vec<_> =
            timeout.chain(others).filter_map(|(key, value)| self.set(key, value).err()).collect();
        if bad.is_empty() { Ok(()) } else { Err(bad) }
    }

    fn set(&mut self, key: &str, value: &Value) -> Result<(), BadKey> {
        match key {
            "preset" => {}
            "acknowledgment_timeout" => {
                self.acknowledgment_timeout = deadline(key, value)?;
                self.acknowledgment_reminder_intervals = quarters(self.acknowledgment_timeout);
            }
            "acknowledgment_reminder_intervals" | "reminder_intervals" => {
                self.acknowledgment_reminder_intervals = intervals(key, value)?;
            }
            "extension_allowed" => self.extension_allowed = flag(key, value)?,
            "max_extension" => self.max_extension = deadline(key, value)?,
            "proceed_on_timeout" => self.proceed_on_timeout = flag(key, value)?,
            "quorum" => {
                self.quorum = serde_json::from_value(value.clone())
                    .map_err(|_| BadKey::value(key, "all, majority or a number from 1"))?;
            }
            "on_cancel" => {
                let words = [("abort", OnCancel::Abort), ("exclude", OnCancel::Exclude)];
                self.on_cancel = word(key, value, &words)?;
            }
            "on_interrupted" => {
                let words = [("ask", OnInterrupted::Ask), ("retry", OnInterrupted::Retry)];
                self.on_interrupted = word(key, value, &words)?;
            }
            "downtime_grace" => self.downtime_grace = deadline(key, value)?,
            "result_timeout" => self.result_timeout = deadline(key, value)?,
            unknown => return Err(BadKey::unknown(unknown, &KEYS)),
        }
        Ok(())
    }

    /// When an agent is reminded, counted from the beginning; what lies at or past the timeout is dropped.
    pub fn reminders(&self) -> Vec<Span> {
        let within = |span: &&Span| **span < self.acknowledgment_timeout;
        self.acknowledgment_reminder_intervals.iter().filter(within).copied().collect()
    }
}

fn quarters(timeout: Span) -> Vec<Span> {
    (1..=3)
        .map(|part| Span::millis(timeout.as_millis() / 4 * part + timeout.as_millis() % 4 * part / 4))
        .collect()
}

/// In order, each once.
fn intervals(key: &str, value: &Value) -> Result<Vec<Span>, BadKey> {
    let mut spans = match value.as_array() {
        Some(items) if items.len() <= MAX_REMINDERS => {
            items.iter().map(|item| deadline(key, item)).collect::<Result<Vec<_>, _>>()?
        }
        _ => {
            let detail = format!("a list of at most {MAX_REMINDERS} durations, such as [30, 60, 90]");
            return Err(BadKey::value(key, detail));
        }
    };
    spans.sort();
    spans.dedup();
    Ok(spans)
}
