//! The clients there are: their names, where their files are, and the events of their hooks.

use crate::edit::Edit;
use crate::setup::Setup;

/// A program in which an agent works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentClient {
    ClaudeCode,
    Codex,
    Gemini,
    Qwen,
    Opencode,
}

/// When a client calls a hook, whatever it calls the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    SessionStart,
    Prompt,
    AfterTool,
    Stop,
    SessionEnd,
}

const MOMENTS: [Moment; 5] =
    [Moment::SessionStart, Moment::Prompt, Moment::AfterTool, Moment::Stop, Moment::SessionEnd];

/// Where the files of a client lie: each path is relative to the project, or to the user's directory of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Hooks, as the client's own settings; opencode has none and takes a plugin instead.
    pub hooks: &'static str,
    pub mcp: &'static str,
    pub instructions: &'static str,
}

impl AgentClient {
    pub const ALL: [AgentClient; 5] = [
        AgentClient::ClaudeCode,
        AgentClient::Codex,
        AgentClient::Gemini,
        AgentClient::Qwen,
        AgentClient::Opencode,
    ];

    /// How people and the agent directory call it.
    pub fn word(self) -> &'static str {
        match self {
            AgentClient::ClaudeCode => "claude-code",
            AgentClient::Codex => "codex",
            AgentClient::Gemini => "gemini",
            AgentClient::Qwen => "qwen",
            AgentClient::Opencode => "opencode",
        }
    }

    /// As its makers write it.
    pub fn title(self) -> &'static str {
        match self {
            AgentClient::ClaudeCode => "Claude Code",
            AgentClient::Codex => "Codex",
            AgentClient::Gemini => "Gemini CLI",
            AgentClient::Qwen => "Qwen Code",
            AgentClient::Opencode => "opencode",
        }
    }

    /// The program that starts it.
    pub fn program(self) -> &'static str {
        match self {
            AgentClient::ClaudeCode => "claude",
            AgentClient::Codex => "codex",
            AgentClient::Gemini => "gemini",
            AgentClient::Qwen => "qwen",
            AgentClient::Opencode => "opencode",
        }
    }

    pub fn from_word(word: &str) -> Option<AgentClient> {
        AgentClient::ALL.into_iter().find(|client| client.word() == word)
    }

    /// Its files in a project.
    pub fn in_project(self) -> Layout {
        let (hooks, mcp, instructions) = match self {
            AgentClient::ClaudeCode => (".claude/settings.json", ".mcp.json", "CLAUDE.md"),
            AgentClient::Codex => (".codex/hooks.json", ".codex/config.toml", "AGENTS.md"),
            AgentClient::Gemini => (".gemini/settings.json", ".gemini/settings.json", "GEMINI.md"),
            AgentClient::Qwen => (".qwen/settings.json", ".qwen/settings.json", "QWEN.md"),
            AgentClient::Opencode => (".opencode/plugin/wilco.js", "opencode.json", "AGENTS.md"),
        };
        Layout { hooks, mcp, instructions }
    }

    /// Its files beneath the user's directory of it.
    pub fn of_user(self) -> Layout {
        let (hooks, mcp, instructions) = match self {
            AgentClient::ClaudeCode => ("settings.json", ".claude.json", "CLAUDE.md"),
            AgentClient::Codex => ("hooks.json", "config.toml", "AGENTS.md"),
            AgentClient::Gemini => ("settings.json", "settings.json", "GEMINI.md"),
            AgentClient::Qwen => ("settings.json", "settings.json", "QWEN.md"),
            AgentClient::Opencode => ("plugin/wilco.js", "opencode.json", "AGENTS.md"),
        };
        Layout { hooks, mcp, instructions }
    }

    /// The events that are hooked, by the client's own names: a session begins, a prompt, a tool has run, the
    /// turn ends, the session ends.
    pub fn events(self) -> [&'static str; 5] {
        match self {
            AgentClient::ClaudeCode | AgentClient::Codex | AgentClient::Qwen => {
                ["SessionStart", "UserPromptSubmit", "PostToolUse", "Stop", "SessionEnd"]
            }
            AgentClient::Gemini => ["SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd"],
            AgentClient::Opencode => {
                ["session.created", "chat.message", "tool.execute.after", "session.idle", "session.deleted"]
            }
        }
    }

    /// When this event of the client happens; none if Wilco does not know it.
    pub fn moment(self, event: &str) -> Option<Moment> {
        let at = self.events().into_iter().position(|known| known == event)?;
        MOMENTS.get(at).copied()
    }

    /// Whether what a hook says at this moment reaches the model with `<` written as `&lt;`.
    pub fn escapes(self, moment: Moment) -> bool {
        match self {
            AgentClient::Codex => moment == Moment::Stop,
            AgentClient::Gemini => moment != Moment::Stop,
            AgentClient::Qwen => moment == Moment::Prompt,
            AgentClient::ClaudeCode | AgentClient::Opencode => false,
        }
    }

    /// How long it lets a hook run, in its own unit. A hook is done in 0.3 s; this is for a machine that hangs.
    pub(crate) fn timeout(self, event: &str) -> u64 {
        match self {
            AgentClient::Codex if event == "SessionEnd" => 3,
            AgentClient::ClaudeCode | AgentClient::Codex | AgentClient::Qwen => 5,
            AgentClient::Gemini => 5000,
            AgentClient::Opencode => 0,
        }
    }

    /// What goes into each kind of its files.
    pub(crate) fn edits(self, setup: &Setup, layout: &Layout) -> Vec<(&'static str, Edit)> {
        let hooks = match self {
            AgentClient::ClaudeCode | AgentClient::Codex | AgentClient::Gemini | AgentClient::Qwen => {
                setup.hooks(self)
            }
            AgentClient::Opencode => setup.plugin(),
        };
        let mcp = setup.mcp(self);
        let mut edits = match (hooks, mcp) {
            (Edit::Json(mut hooks), Edit::Json(mcp)) if layout.hooks == layout.mcp => {
                hooks.extend(mcp);
                vec![(layout.hooks, Edit::Json(hooks))]
            }
            (hooks, mcp) => vec![(layout.hooks, hooks), (layout.mcp, mcp)],
        };
        edits.push((layout.instructions, setup.instructions(self)));
        edits
    }
}
