//! Whose hook it is, and which server it asks.

use std::process::{Command, Stdio};

use serde_json::{Value, json};
use wilco_client::Client;
use wilco_clients::{AgentClient, DEFAULT_URL, Moment};
use wilco_protocol::directory::Interface;
use wilco_wire::HookCall;

use super::Args;
use super::session::made_name;
use crate::token;

pub(super) struct SessionPlace {
    pub(super) client: AgentClient,
    /// The client's own id of the session.
    pub(super) id: String,
    pub(super) agent: String,
    /// Nobody gave the name: it was made for this session.
    pub(super) is_made: bool,
    pub(super) url: String,
    pub(super) server: Client,
}

impl SessionPlace {
    pub(super) fn of(args: &Args, input: &Value) -> Option<SessionPlace> {
        let client = AgentClient::from_word(&args.client)?;
        let id = input["session_id"].as_str().filter(|id| !id.is_empty())?;
        let url =
            args.url.clone().or_else(|| variable("WILCO_URL")).unwrap_or_else(|| DEFAULT_URL.to_owned());
        let token = token::find(variable).ok().flatten();
        let server = Client::new(&url).speaking(Interface::Cli.word()).with_token(token.clone());
        let given = args.name.clone().or_else(|| variable("WILCO_AGENT"));
        // Whose a token is, the server knows; under another name the hook could say nothing.
        let given = given.or_else(|| token.and_then(|_| server.token_agent().ok().flatten()));
        let is_made = given.is_none();
        let agent = given.unwrap_or_else(|| made_name(input["cwd"].as_str().unwrap_or_default(), id));
        let server = server.named(Some(agent.clone()));
        Some(SessionPlace { client, id: id.to_owned(), agent, is_made, url, server })
    }

    /// Tells the server of the session: `works`, `rests` or `ends`. It registers the agent.
    pub(super) fn report(&self, what: &str, moment: Moment, is_first: bool) -> Option<()> {
        let begins = matches!(moment, Moment::SessionStart | Moment::Prompt);
        let call = HookCall {
            client: self.client.word().to_owned(),
            session: self.id.clone(),
            moment: what.to_owned(),
            host: begins.then(host).flatten(),
            // Asking tmux takes longer than all the rest.
            tmux_session: is_first.then(tmux_session).flatten(),
            wake: self.wake(),
        };
        self.server.hook(&self.agent, &call).ok().map(drop)
    }

    /// What can wake this session: Codex takes lines for it, the others are typed to where tmux shows them. Claude Code
    /// and opencode wake themselves.
    fn wake(&self) -> Option<Value> {
        match self.client {
            AgentClient::Codex => Some(json!({"kind": "codex"})),
            AgentClient::Gemini | AgentClient::Qwen => {
                variable("TMUX")?;
                Some(json!({"kind": "tmux", "target": variable("TMUX_PANE")?}))
            }
            AgentClient::ClaudeCode | AgentClient::Opencode => None,
        }
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.trim().is_empty())
}

fn tmux_session() -> Option<String> {
    variable("TMUX")?;
    let pane = variable("TMUX_PANE")?;
    let mut tmux = Command::new("tmux");
    let asked = tmux.args(["display-message", "-p", "-t", &pane, "#S"]).stdin(Stdio::null()).output().ok()?;
    let name = String::from_utf8(asked.stdout).ok()?;
    Some(name.trim().to_owned()).filter(|name| asked.status.success() && !name.is_empty())
}

fn host() -> Option<String> {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}
