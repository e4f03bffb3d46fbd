//! The words of an operation: its kinds, what an answer may say, how a reminder sounds.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::meaning::Meaning;

/// What sort of operation it is. A kind only sets defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Kind {
    Disruptive,
    StateChange,
    Coordinated,
}

impl Kind {
    pub const ALL: [Kind; 3] = [Kind::Disruptive, Kind::StateChange, Kind::Coordinated];

    /// The word in JSON: `state-change`.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// What an agent's answer says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Answer {
    /// It says nothing about readiness.
    Information,
    Ready,
    Wait,
    /// It must not happen: as `wait`, and nothing goes on over it by itself.
    #[strum(serialize = "wait")]
    Refuse,
    Cancel,
}

impl Answer {
    pub fn word(self) -> &'static str {
        self.into()
    }

    pub fn meaning(self) -> Meaning {
        match self {
            Answer::Information => Meaning::Information,
            Answer::Ready => Meaning::Ready,
            Answer::Wait | Answer::Refuse => Meaning::Wait,
            Answer::Cancel => Meaning::Cancel,
        }
    }
}

/// How a reminder sounds: the first gentle, the last final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Tone {
    Gentle,
    Firm,
    Final,
}

impl Tone {
    pub fn word(self) -> &'static str {
        self.into()
    }

    /// The tone of this reminder of so many.
    pub fn of(number: u32, total: u32) -> Tone {
        match number {
            last if last >= total => Tone::Final,
            1 => Tone::Gentle,
            _ => Tone::Firm,
        }
    }
}
