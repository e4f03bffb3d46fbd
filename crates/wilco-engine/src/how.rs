//! How an agent is nudged, as its profile says it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use wilco_language::parse::FieldError;
use wilco_protocol::directory::Agent;

use crate::hooks::SESSION_LABEL;

/// How an agent wants to be nudged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    /// A line is typed into this pane.
    Tmux {
        target: String,
    },
    Webhook {
        url: String,
    },
    /// The program that the configuration has under this name.
    Command {
        name: String,
    },
    /// A line is queued for this session of Codex, on this machine.
    Codex {
        thread: Option<String>,
    },
}

const KINDS: [&str; 4] = ["tmux", "webhook", "command", "codex"];

impl How {
    /// Whether it can be done on the agent's machine only.
    pub fn is_local(&self) -> bool {
        match self {
            How::Tmux { .. } | How::Command { .. } | How::Codex { .. } => true,
            How::Webhook { .. } => false,
        }
    }

    /// Reads what an agent's profile says; `session`: where it works.
    pub fn read(value: &Value, session: &str) -> Result<How, FieldError> {
        let wrong = |key: &str, detail: &str| FieldError {
            pointer: format!("/nudge/{key}"),
            detail: detail.to_owned(),
        };
        let text = |key: &str| value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let legal = |key: &str| match value.get(key) {
            None | Some(Value::Null | Value::String(_)) => Ok(()),
            Some(_) => Err(wrong(key, "expected a text")),
        };
        if value.get("secret").is_some() {
            return Err(wrong("secret", "stands in the configuration of the server, as nudge.secret"));
        }
        match text("kind") {
            Some("tmux") => {
                legal("target")?;
                // Exactly this session: tmux would also take one whose name only begins like it.
                let target = text("target").map_or_else(|| format!("={session}:"), str::to_owned);
                if target.starts_with('-') || target.chars().any(char::is_control) {
                    return Err(wrong("target", "expected the name of a tmux session, window or pane"));
                }
                Ok(How::Tmux { target })
            }
            Some("webhook") => match text("url") {
                Some(url) if is_address(url) => Ok(How::Webhook { url: url.to_owned() }),
                // It is not shown: there may be a password in it.
                Some(_) => {
                    Err(wrong("url", "expected http://host/path or https://host/path, without a password"))
                }
                None => Err(wrong("url", "is required: the address that is called")),
            },
            Some("command") => match text("command").or_else(|| text("name")) {
                Some(name) => Ok(How::Command { name: name.to_owned() }),
                None => Err(wrong("command", "is required: a name from nudge.commands")),
            },
            Some("codex") => match text("thread") {
                Some(thread) if !is_uuid(thread) => {
                    Err(wrong("thread", "expected the id of a session of Codex, a UUID"))
                }
                thread => Ok(How::Codex { thread: thread.map(str::to_owned) }),
            },
            Some(_) | None => Err(wrong("kind", &format!("expected {}", KINDS.join(", ")))),
        }
    }

    /// How this agent is nudged; none if it is not. A session that its nudge does not name is the one that its
    /// hooks named last.
    pub fn of(agent: &Agent) -> Option<Result<How, FieldError>> {
        let how = How::read(agent.profile.nudge.as_ref()?, agent.session());
        let session = agent.profile.labels.get(SESSION_LABEL).filter(|id| is_uuid(id)).cloned();
        Some(how.and_then(|how| match how {
            How::Codex { thread } => match thread.or(session) {
                Some(thread) => Ok(How::Codex { thread: Some(thread) }),
                None => Err(FieldError {
                    pointer: "/nudge/thread".to_owned(),
                    detail: "no hook of Codex has named a session; see wilco doctor codex".to_owned(),
                }),
            },
            other @ (How::Tmux { .. } | How::Webhook { .. } | How::Command { .. }) => Ok(other),
        }))
    }

    /// Whether it makes a client begin a turn, which it may do only when none runs.
    pub(crate) fn begins_a_turn(&self) -> bool {
        match self {
            How::Tmux { .. } | How::Codex { .. } => true,
            How::Webhook { .. } | How::Command { .. } => false,
        }
    }

    pub fn kind(&self) -> &'static str {
        match self {
            How::Codex { .. } => "codex",
            How::Tmux { .. } => "tmux",
            How::Webhook { .. } => "webhook",
            How::Command { .. } => "command",
        }
    }
}

fn is_uuid(text: &str) -> bool {
    let shape = |c: char| if c.is_ascii_hexdigit() { 'x' } else { c };
    text.chars().map(shape).eq("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx".chars())
}

/// Whether it names a host to call and nobody to call it as.
fn is_address(url: &str) -> bool {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    host.is_some_and(|host| !host.is_empty() && !host.contains('@'))
}
