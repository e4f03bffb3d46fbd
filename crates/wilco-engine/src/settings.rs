//! What the configuration says to the engine.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use wilco_protocol::decision::JUDGE_PATIENCE;
use wilco_protocol::policy::Overrides;
use wilco_protocol::{Name, Span};

use crate::authority::Authority;
use crate::command_rule::CommandRule;

#[derive(Debug, Clone)]
pub struct Settings {
    /// The server's address, for commands that can be pasted.
    pub url: String,
    /// Whether every call needs a token.
    pub requires_token: bool,
    pub auto_enrol: bool,
    pub auto_register: AutoRegister,
    pub default_sender: Name,
    pub authority: Authority,
    pub escalation: EscalationSettings,
    pub delegation: PolicySettings,
    pub operation: PolicySettings,
    /// The commands that an operation may run.
    pub operation_commands: BTreeMap<String, CommandRule>,
    pub validation: PolicySettings,
    /// The commands that may check a phase.
    pub validation_commands: BTreeMap<String, CommandRule>,
    pub judge: JudgeSettings,
    pub inbox_limit: usize,
    pub nudge: NudgeSettings,
    pub handoff: HandoffSettings,
}

/// Who is told of handoffs, and what there is to change besides Wilco's own records.
#[derive(Debug, Clone)]
pub struct HandoffSettings {
    pub controller: Name,
    pub policy: Overrides,
    /// Whether a state file is configured, and a repository.
    pub state_file: bool,
    pub github: bool,
    /// The node that has the state file; none: whoever writes.
    pub host: Option<String>,
}

impl Default for HandoffSettings {
    fn default() -> HandoffSettings {
        HandoffSettings {
            controller: Name::new("ecos-controller"),
            policy: Overrides::new(),
            state_file: false,
            github: false,
            host: None,
        }
    }
}

/// Who judges besides Wilco and the initiators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgeSettings {
    /// Whether there is one for those who name it.
    pub named: bool,
    /// Whether it is asked by itself, before the initiator.
    pub auto: bool,
    /// How long to wait for it before the initiator is asked.
    pub patience: Span,
    /// Whether it is asked only to be compared with the initiator.
    pub shadow: bool,
}

impl Default for JudgeSettings {
    fn default() -> JudgeSettings {
        JudgeSettings { named: false, auto: false, patience: JUDGE_PATIENCE, shadow: false }
    }
}

/// What agents may ask to be nudged by.
#[derive(Debug, Clone, Default)]
pub struct NudgeSettings {
    /// The names of the configured programs.
    pub commands: BTreeSet<String>,
    /// Whether webhooks are configured.
    pub webhooks: bool,
}

#[derive(Debug, Clone)]
pub struct EscalationSettings {
    pub reminder: Span,
    pub controller: Option<Name>,
    /// Whether a command or webhook is configured that reaches a person.
    pub reaches_human: bool,
}

/// Who is registered by being written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutoRegister {
    /// Whoever gets a conversation, not whoever is given a task.
    Conversations,
    All,
    None,
}

/// A protocol's policy as configured: what holds always, and the named presets.
#[derive(Debug, Clone, Default)]
pub struct PolicySettings {
    pub base: Overrides,
    pub presets: BTreeMap<String, Overrides>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            url: "http://127.0.0.1:23000".to_owned(),
            requires_token: false,
            auto_enrol: true,
            auto_register: AutoRegister::Conversations,
            default_sender: Name::new("operator"),
            authority: Authority::default(),
            escalation: EscalationSettings {
                reminder: Span::minutes(30),
                controller: None,
                reaches_human: false,
            },
            delegation: PolicySettings::default(),
            operation: PolicySettings::default(),
            operation_commands: BTreeMap::new(),
            validation: PolicySettings::default(),
            validation_commands: BTreeMap::new(),
            judge: JudgeSettings::default(),
            inbox_limit: 100_000,
            nudge: NudgeSettings::default(),
            handoff: HandoffSettings::default(),
        }
    }
}

impl Settings {
    /// Agents that the configuration gives a role.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Name> {
        let controllers = self.escalation.controller.iter().chain([&self.handoff.controller]);
        let commands = self.operation_commands.values().chain(self.validation_commands.values());
        let runners = commands.flat_map(|command| command.may());
        controllers.chain([&self.default_sender]).chain(self.authority.names()).chain(runners)
    }
}

impl PolicySettings {
    /// The preset for whoever chooses none.
    pub(crate) fn preset(&self) -> Option<&str> {
        self.base.get("preset").and_then(Value::as_str)
    }
}
