//! How an operation is performed: by its initiator, by nobody, or by a configured command per agent.

use serde::{Deserialize, Serialize};
use strum::IntoStaticStr;

use crate::name::Name;
use crate::time::{Span, Time};

/// Who performs it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Execute {
    /// The initiator, who says what came of it.
    Manual,
    /// Somebody who does not say: it is over when it is authorized.
    None,
    Command(Command),
}

impl Execute {
    /// The word in JSON.
    pub fn mode(&self) -> &'static str {
        match self {
            Execute::Manual => "manual",
            Execute::None => "none",
            Execute::Command(_) => "command",
        }
    }
}

/// A configured program, run once per agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Command {
    /// The name of the program, then its arguments; placeholders stand in arguments only.
    pub argv: Vec<String>,
    pub max_parallel: u32,
    /// In real time, whatever clock Wilco goes by.
    pub time_limit: Span,
    pub keep_going: bool,
}

/// What may stand in an argument as `{agent}`.
pub const PLACEHOLDERS: [&str; 3] = ["agent", "session", "operation"];

/// The placeholders in an argument: `{word}`. Other braces are just braces.
pub fn placeholders(argument: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = argument;
    while let Some(open) = rest.find('{') {
        rest = &rest[open + 1..];
        let Some(close) = rest.find(['{', '}']) else { break };
        let word = &rest[..close];
        let named = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if rest[close..].starts_with('}') && named {
            found.push(word);
        }
        rest = &rest[close..];
    }
    found
}

/// One run of the command, for one agent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Step {
    pub agent: Name,
    pub state: StepState,
    /// How often it was started.
    pub runs: u32,
    /// It was interrupted, and somebody decided to go on as if it had been done.
    pub accepted: bool,
    pub exit_code: Option<i32>,
    pub started: Option<Time>,
    pub ended: Option<Time>,
    /// While it waits for its machine: how long.
    #[serde(default)]
    pub waits_until: Option<Time>,
}

impl Step {
    pub fn pending(agent: Name) -> Step {
        Step {
            agent,
            state: StepState::Pending,
            runs: 0,
            accepted: false,
            exit_code: None,
            started: None,
            ended: None,
            waits_until: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum StepState {
    Pending,
    Running,
    /// The machine that is to run it, or ran it, is gone.
    Waiting,
    Succeeded,
    Failed,
    Interrupted,
    Skipped,
}

impl StepState {
    /// Whether a report of its run is waited for.
    pub fn is_awaited(self) -> bool {
        matches!(self, StepState::Running | StepState::Waiting)
    }

    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// What came of one run. The texts are bounded by whoever ran it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepEnd {
    pub exit_code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// Why there is no exit code, or why it does not count.
    pub failure: Option<String>,
}

impl StepEnd {
    pub fn succeeded(&self) -> bool {
        self.failure.is_none() && self.exit_code == Some(0)
    }
}

#[cfg(test)]
mod tests {
    use super::placeholders;

    #[test]
    fn op_10_placeholders_are_words_in_braces() {
        assert_eq!(placeholders("--name={agent}/{session}"), ["agent", "session"]);
        assert_eq!(placeholders("{\"a\": {operation}}"), ["operation"]);
        assert_eq!(placeholders("{{agent}}"), ["agent"]);
        for none in ["", "{", "}", "{}", "{ agent }", "{a-b}", "agent"] {
            assert!(placeholders(none).is_empty(), "{none}");
        }
    }
}
