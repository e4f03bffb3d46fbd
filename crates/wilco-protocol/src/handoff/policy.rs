//! The numbers and choices of a handoff, frozen into it when it starts.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::order::Publish;
use crate::delegation::Judge;
use crate::policy::{BadKey, Overrides, deadline, whole, word};
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

const MAX_CORRECTIONS: u64 = 100;

pub const KEYS: [&str; 7] = [
    "ack_timeout",
    "understanding",
    "max_corrections",
    "publish",
    "clarification_timeout",
    "review_timeout",
    "downtime_grace",
];

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

impl Policy {
    /// Sets every key, or says which could not be set.
    pub fn set_all(&mut self, overrides: &Overrides) -> Result<(), Vec<BadKey>> {
        let bad: Vec<_> = overrides.iter().filter_map(|(key, value)| self.set(key, value).err()).collect();
        if bad.is_empty() { Ok(()) } else { Err(bad) }
    }

    fn set(&mut self, key: &str, value: &Value) -> Result<(), BadKey> {
        match key {
            "ack_timeout" => self.ack_timeout = Some(deadline(key, value)?),
            "understanding" => {
                let words = [
                    ("auto", Judge::Auto),
                    ("initiator", Judge::Initiator),
                    ("command", Judge::Command),
                    ("accept", Judge::Accept),
                ];
                self.understanding = word(key, value, &words)?;
            }
            "max_corrections" => self.max_corrections = whole(key, value, MAX_CORRECTIONS)?,
            "publish" => {
                let ways = [Publish::Local, Publish::GithubIssue, Publish::GithubGist];
                self.publish = Some(word(key, value, &ways.map(|way| (way.word(), way)))?);
            }
            "clarification_timeout" => self.clarification_timeout = deadline(key, value)?,
            "review_timeout" => self.review_timeout = deadline(key, value)?,
            "downtime_grace" => self.downtime_grace = deadline(key, value)?,
            unknown => return Err(BadKey::unknown(unknown, &KEYS)),
        }
        Ok(())
    }
}
