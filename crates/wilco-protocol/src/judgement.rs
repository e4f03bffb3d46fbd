//! What a judge of understandings said, as the journal keeps it. Replay asks nobody.

use serde::{Deserialize, Serialize};
use strum::{EnumString, IntoStaticStr};

use crate::delegation::{Understanding, Verdict};
use crate::exchange::Event;
use crate::name::Name;
use crate::time::Time;
use crate::{delegation, handoff};

/// Who settled how an understanding is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum JudgedBy {
    /// Wilco's own comparison with the task's words.
    Rule,
    /// The configured model or program.
    Judge,
    Initiator,
    /// The policy takes anything.
    Policy,
}

impl JudgedBy {
    pub const ALL: [JudgedBy; 4] = [JudgedBy::Rule, JudgedBy::Judge, JudgedBy::Initiator, JudgedBy::Policy];

    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// A judge's word. Whether it counts is decided by rule.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    IntoStaticStr,
    EnumString,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum JudgeWord {
    Correct,
    Partial,
    WrongSummary,
    WrongTask,
    Unsure,
}

impl JudgeWord {
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// What a judge answered, who it is and what that cost.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct JudgeRecord {
    pub provider: String,
    /// The version of the prompt; none where a program reads the task itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub verdict: JudgeWord,
    /// Criteria by their number, from 1.
    pub covered: Vec<u16>,
    pub missing: Vec<u16>,
    /// What would change the scope.
    pub added: Vec<String>,
    pub reason: String,
    pub took_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<JudgeTokens>,
    /// It was asked only to be compared with the initiator.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
}

/// What an answer cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct JudgeTokens {
    pub input: u64,
    pub output: u64,
}

impl JudgeRecord {
    /// Indexes of the criteria that it found covered and missing.
    pub(crate) fn indexes(&self) -> (Vec<u16>, Vec<u16>) {
        let from_zero = |numbers: &[u16]| numbers.iter().filter_map(|number| number.checked_sub(1)).collect();
        (from_zero(&self.covered), from_zero(&self.missing))
    }
}

/// What a judge said of an ACK beside what its initiator said.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Compared {
    pub at: Time,
    pub agent: Name,
    pub judge: JudgeWord,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shadow: bool,
    /// What the initiator said of the same ACK.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub initiator: Option<Verdict>,
}

/// Of more judgements in one exchange than this the oldest are not compared.
const MOST_COMPARED: usize = 50;

/// Keeps what the judge said, and what the initiator says after it, or said before it.
pub(crate) fn compare(
    compared: &mut Vec<Compared>,
    judge: Option<&JudgeRecord>,
    understanding: &Understanding,
    agent: &Name,
    at: Time,
) {
    let given = understanding.verdict.filter(|_| understanding.by() == Some(JudgedBy::Initiator));
    if let Some(judge) = judge {
        if compared.len() >= MOST_COMPARED {
            compared.remove(0);
        }
        let (agent, shadow) = (agent.clone(), judge.shadow);
        return compared.push(Compared { at, agent, judge: judge.verdict, shadow, initiator: given });
    }
    if let (Some(last), Some(verdict)) = (compared.last_mut(), given) {
        last.initiator.get_or_insert(verdict);
    }
}

/// Who gave the verdict that this event records, if it records one. A judge in the shadow gives none.
pub fn judged_by(event: &Event) -> Option<JudgedBy> {
    match event {
        Event::Delegation(delegation::Event::Judged { judge: Some(judge), .. })
        | Event::Handoff(handoff::Event::Judged { judge: Some(judge), .. })
            if judge.shadow =>
        {
            None
        }
        Event::Delegation(delegation::Event::Judged { understanding, .. }) => understanding.by(),
        Event::Handoff(handoff::Event::Judged { understanding, .. }) => understanding.by(),
        Event::Delegation(_) | Event::Handoff(_) | Event::Operation(_) | Event::Validation(_) => None,
    }
}

/// Characters of what a state keeps of a reason.
const LONGEST_REASON: usize = 1_200;

/// States hold no text of unknown length.
pub(crate) fn bounded_reason(reason: &str) -> String {
    reason.chars().take(LONGEST_REASON).collect()
}
