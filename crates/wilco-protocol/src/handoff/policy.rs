//! The numbers and choices of a handoff, frozen into it when it starts.

use serde::{Deserialize, Serialize};

use super::order::Publish;
use crate::delegation::Judge;
use crate::policy::{BadKey, Overrides, Row, Rows, keys, put, row, set_all};
use crate::time::Span;

#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Policy {
    /// None: as the urgency says.
    pub ack_timeout: Option<Span>,
    pub understanding: Judge,
    pub max_corrections: u32,
    /// None: an issue if there is one, else Wilco itself.
    pub publish: Option<Publish>,
    pub clarification_timeout: Span,
    pub review_timeout: Span,
    pub downtime_grace: Span,
}

const MAX_CORRECTIONS: u32 = 100;

const ROWS: [Row<Policy>; 7] = [
    row(
        "ack_timeout",
        "how long the replacement has to answer; by urgency 5m, 15m or 30m",
        |policy, given| put(&mut policy.ack_timeout, given.deadline().map(Some)),
    ),
    row(
        "understanding",
        "who judges an understanding: auto, judge (or command), initiator, accept",
        |policy, given| put(&mut policy.understanding, given.word()),
    ),
    row(
        "max_corrections",
        "how many wrong ACKs are corrected before somebody must decide",
        |policy, given| put(&mut policy.max_corrections, given.whole(0..=MAX_CORRECTIONS)),
    ),
    row(
        "publish",
        "local, github-issue or github-gist; by itself an issue if there is one",
        |policy, given| put(&mut policy.publish, given.word().map(Some)),
    ),
    row("clarification_timeout", "how long the initiator may take to answer or to help", |policy, given| {
        put(&mut policy.clarification_timeout, given.deadline())
    }),
    row("review_timeout", "how long the initiator may take for a verdict", |policy, given| {
        put(&mut policy.review_timeout, given.deadline())
    }),
    row("downtime_grace", "more time for somebody who had no chance to answer", |policy, given| {
        put(&mut policy.downtime_grace, given.deadline())
    }),
];

pub const KEYS: [&str; 7] = keys(&ROWS);

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            ack_timeout: None,
            understanding: Judge::Auto,
            max_corrections: 2,
            publish: None,
            clarification_timeout: Span::minutes(15),
            review_timeout: Span::minutes(10),
            downtime_grace: Span::seconds(30),
        }
    }
}

impl Rows for Policy {
    const ROWS: &'static [Row<Policy>] = &ROWS;
    const KEYS: &'static [&'static str] = &KEYS;
}

impl Policy {
    /// Sets every key, or says which could not be set.
    pub fn set_all(&mut self, overrides: &Overrides) -> Result<(), Vec<BadKey>> {
        set_all(self, overrides)
    }
}
