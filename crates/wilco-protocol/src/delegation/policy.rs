//! The numbers and choices of a delegation, frozen into it when it starts.

use serde::{Deserialize, Serialize};
use strum::{EnumString, VariantNames};

use crate::policy::{BadKey, Overrides, Row, Rows, keys, preset, put, row, set_all};
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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Judge {
    Auto,
    Initiator,
    Command,
    Accept,
    /// What names every criterion and contradicts none is accepted at once, and its initiator may object.
    Objection,
    /// The same as `Command`, by its newer name.
    #[serde(rename = "judge")]
    #[strum(serialize = "judge")]
    Configured,
}

impl Judge {
    /// Whether it leaves judging to the configured judge, whatever Wilco itself thinks.
    pub fn names_a_judge(self) -> bool {
        match self {
            Judge::Configured | Judge::Command => true,
            Judge::Auto | Judge::Objection | Judge::Initiator | Judge::Accept => false,
        }
    }
}

/// What to do with an agent that is at capacity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, EnumString, VariantNames)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum OnBusy {
    Wait,
    Reassign,
}

/// No agent is asked more often than this.
const MAX_RETRIES: usize = 20;
const MAX_CORRECTIONS: u32 = 100;

const ROWS: [Row<Policy>; 13] = [
    preset("`critical` asks three times with growing waits"),
    row("ack_timeout", "how long the first attempt waits", |policy, given| {
        put(&mut policy.ack_timeout, given.deadline())
    }),
    row("retry_timeouts", "how long each further attempt waits", |policy, given| {
        put(&mut policy.retry_timeouts, given.deadlines(MAX_RETRIES, r#"["2m"]"#))
    }),
    row("base_wait", "the wait before a further attempt; it doubles each time", |policy, given| {
        put(&mut policy.base_wait, given.span())
    }),
    row("max_wait", "the longest such wait", |policy, given| put(&mut policy.max_wait, given.deadline())),
    row("clarification_timeout", "how long the initiator may take to answer or amend", |policy, given| {
        put(&mut policy.clarification_timeout, given.deadline())
    }),
    row("review_timeout", "how long the initiator may take for a verdict", |policy, given| {
        put(&mut policy.review_timeout, given.deadline())
    }),
    row("queued_check", "the time between the steps for a queued task", |policy, given| {
        put(&mut policy.queued_check, given.deadline())
    }),
    row(
        "checkpoint_timeout",
        "how long an agent may work without a word; 0 or none for ever",
        |policy, given| put(&mut policy.checkpoint_timeout, given.optional_deadline()),
    ),
    row("max_corrections", "wrong understandings before an escalation", |policy, given| {
        put(&mut policy.max_corrections, given.whole(0..=MAX_CORRECTIONS))
    }),
    row(
        "understanding",
        "who judges: auto, judge (or command), initiator, accept or objection",
        |policy, given| put(&mut policy.understanding, given.word()),
    ),
    row("on_busy", "what to do with a busy agent: wait or reassign", |policy, given| {
        put(&mut policy.on_busy, given.word())
    }),
    row(
        "downtime_grace",
        "more time for somebody who could not answer because the server was down",
        |policy, given| put(&mut policy.downtime_grace, given.deadline()),
    ),
];

pub const KEYS: [&str; 13] = keys(&ROWS);

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
            checkpoint_timeout: Some(Span::minutes(120)),
            max_corrections: 2,
            understanding: Judge::Auto,
            on_busy: OnBusy::Wait,
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
    pub fn built_in() -> [(&'static str, Overrides); 2] {
        let critical = Overrides::from([
            ("retry_timeouts".to_owned(), serde_json::json!(["2m", "1m"])),
            ("base_wait".to_owned(), serde_json::json!("30s")),
        ]);
        [("standard", Overrides::new()), ("critical", critical)]
    }

    /// Sets every key, or says which could not be set; `preset` must have been applied before.
    pub fn set_all(&mut self, overrides: &Overrides) -> Result<(), Vec<BadKey>> {
        set_all(self, overrides)
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
