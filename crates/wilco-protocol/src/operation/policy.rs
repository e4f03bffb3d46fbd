//! The numbers and choices of an operation, frozen into it when it starts.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strum::{EnumString, VariantNames};

use super::quorum::Quorum;
use super::words::Kind;
use crate::policy::{BadKey, Given, Overrides, Row, Rows, keys, preset, put, row, set_all};
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum OnCancel {
    Abort,
    Exclude,
}

/// What follows when the server stopped while a command ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum OnInterrupted {
    Ask,
    Retry,
}

/// No agent is reminded more often than this.
const MAX_REMINDERS: usize = 20;

const ROWS: [Row<Policy>; 11] = [
    preset("disruptive, state-change, coordinated, routine, emergency, or one of your own"),
    row("acknowledgment_timeout", "how long an agent has to answer", |policy, given| {
        policy.acknowledgment_timeout = given.deadline()?;
        policy.acknowledgment_reminder_intervals = quarters(policy.acknowledgment_timeout);
        Ok(())
    }),
    row(
        "acknowledgment_reminder_intervals",
        "when it is reminded; with another timeout at its quarters",
        |policy, given| put(&mut policy.acknowledgment_reminder_intervals, intervals(given)),
    ),
    row("extension_allowed", "whether \"wait\" gives more time", |policy, given| {
        put(&mut policy.extension_allowed, given.flag())
    }),
    row("max_extension", "how much more, once", |policy, given| {
        put(&mut policy.max_extension, given.deadline())
    }),
    row("proceed_on_timeout", "whether silence means to go on; false for coordinated", |policy, given| {
        put(&mut policy.proceed_on_timeout, given.flag())
    }),
    row("quorum", "how many must be ready: all, majority or a number", |policy, given| {
        put(&mut policy.quorum, given.read("all, majority or a number from 1"))
    }),
    row("on_cancel", "what one of several can stop: abort all of it, or exclude itself", |policy, given| {
        put(&mut policy.on_cancel, given.word())
    }),
    row("on_interrupted", "after a crash during a command: ask somebody, or retry", |policy, given| {
        put(&mut policy.on_interrupted, given.word())
    }),
    row("downtime_grace", "more time for somebody who had no chance to answer", |policy, given| {
        put(&mut policy.downtime_grace, given.deadline())
    }),
    row("result_timeout", "how long the initiator may take to say how it went", |policy, given| {
        put(&mut policy.result_timeout, given.deadline())
    }),
];

pub const KEYS: [&str; 11] = keys(&ROWS);

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

impl Rows for Policy {
    const ROWS: &'static [Row<Policy>] = &ROWS;
    const KEYS: &'static [&'static str] = &KEYS;
    const ALIASES: &'static [(&'static str, &'static str)] =
        &[(ALIASES[0], "acknowledgment_reminder_intervals")];
    const FIRST: Option<&'static str> = Some("acknowledgment_timeout");

    fn presets() -> Vec<(&'static str, Overrides)> {
        Policy::built_in().into()
    }

    /// When no preset is set, the kind of the operation decides.
    fn unset() -> Value {
        let mut unset = serde_json::to_value(Policy::default()).unwrap_or_default();
        unset["preset"] = Value::Null;
        unset
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
        set_all(self, overrides)
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
fn intervals(given: Given<'_>) -> Result<Vec<Span>, Vec<BadKey>> {
    let entries = given.entries(MAX_REMINDERS, "[30, 60, 90]")?.iter();
    let mut spans = entries.map(|entry| given.of(entry).deadline()).collect::<Result<Vec<_>, _>>()?;
    spans.sort();
    spans.dedup();
    Ok(spans)
}
