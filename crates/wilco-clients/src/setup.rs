//! What a person chose, and what follows from it for each file.

use serde_json::{Value, json};

use crate::block::Marks;
use crate::client::AgentClient;
use crate::edit::Edit;
use crate::json::{COMMAND, Insertion};
use crate::teach;

/// Where a server listens unless somebody says otherwise.
pub const DEFAULT_URL: &str = "http://127.0.0.1:23000";

/// How long a waiter of Claude Code may stay: a day.
const WAITER_SECONDS: u64 = 86_400;

/// What was chosen at the installation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setup {
    /// The agent's name; without one each session gets its own.
    pub name: Option<String>,
    /// The server, when it is not at the default address.
    pub url: Option<String>,
}

/// A file, and what goes into it.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedFile {
    /// Relative to the project, or to the user's directory of the client.
    pub path: &'static str,
    pub edit: Edit,
}

/// All files of a client.
pub fn planned(client: AgentClient, setup: &Setup, is_user: bool) -> Vec<PlannedFile> {
    let layout = if is_user { client.of_user() } else { client.in_project() };
    let edits = client.edits(setup, &layout);
    edits.into_iter().map(|(path, edit)| PlannedFile { path, edit }).collect()
}

/// What the person still has to do, which nobody can do for them.
pub fn next_steps(client: AgentClient, setup: &Setup, is_user: bool) -> Vec<String> {
    let mut steps = Vec::new();
    match client {
        AgentClient::Codex => {
            steps.push(
                "Codex runs no hook that you have not trusted: at its next start it says \"Hooks need review\"; \
                 choose \"Review hooks\" or \"Trust all and continue\"."
                    .to_owned(),
            );
            if !is_user {
                steps.push("Codex reads .codex only in a project that you trust; it asks at its start.".to_owned());
            }
        }
        AgentClient::Gemini if !is_user => steps.push(
            "Gemini CLI runs hooks of a project only in a trusted folder: start it here and run /permissions, or \
             answer its question with \"Trust folder\"."
                .to_owned(),
        ),
        AgentClient::ClaudeCode if !is_user => {
            steps.push("Claude Code asks at its next start whether to use the server wilco of .mcp.json: agree.".to_owned());
        }
        AgentClient::Opencode => {
            steps.push("opencode loads its plugins when it starts: start it again.".to_owned());
        }
        AgentClient::Gemini | AgentClient::ClaudeCode | AgentClient::Qwen => {}
    }
    let who = setup.name.as_deref().unwrap_or("NAME");
    steps.push(format!(
        "If the server asks for tokens: wilco token create {who}, and start {} with WILCO_TOKEN set to it. No file \
         holds it.",
        client.title()
    ));
    steps
}

impl Setup {
    /// The options of a command that the agent runs; who has no name puts this word in its place.
    pub(crate) fn options(&self, nameless: &str) -> Vec<String> {
        let mut options = vec!["--as".to_owned(), self.name.clone().unwrap_or_else(|| nameless.to_owned())];
        options.extend(self.address());
        options
    }

    fn address(&self) -> Vec<String> {
        self.url.iter().flat_map(|url| ["--url".to_owned(), url.clone()]).collect()
    }

    /// The options of what a client runs: without a name it names nobody.
    fn given(&self) -> Vec<String> {
        let name = self.name.iter().flat_map(|name| ["--as".to_owned(), name.clone()]);
        name.chain(self.address()).collect()
    }

    pub(crate) fn hooks(&self, client: AgentClient) -> Edit {
        let entry = |event: &'static str| {
            let words: Vec<String> = self.given().iter().map(|word| quoted(word)).collect();
            let command = format!("{COMMAND}{} {event} {}", client.word(), words.join(" "));
            let handler = json!({
                "type": "command",
                "command": command.trim_end(),
                "timeout": client.timeout(event),
            });
            let mut handlers = vec![handler];
            if client == AgentClient::ClaudeCode && event == "Stop" {
                // It stays while the session rests, and wakes it.
                handlers.push(json!({
                    "type": "command",
                    "command": format!("{} --wait", command.trim_end()),
                    "asyncRewake": true,
                    "timeout": WAITER_SECONDS,
                }));
            }
            // Only hooks of tools are chosen by a matcher; without one they run after every tool.
            Insertion::Hook { event, group: json!({"hooks": handlers}) }
        };
        Edit::Json(client.events().into_iter().map(entry).collect())
    }

    pub(crate) fn mcp(&self, client: AgentClient) -> Edit {
        let arguments = ["mcp", "--tools", "agent"].map(str::to_owned).into_iter().chain(self.given());
        let arguments: Vec<String> = arguments.collect();
        let server = |server: Value| Edit::Json(vec![Insertion::Server { parent: "mcpServers", server }]);
        match client {
            AgentClient::ClaudeCode => server(json!({
                "type": "stdio",
                "command": "wilco",
                "args": arguments,
                "env": {"WILCO_TOKEN": "${WILCO_TOKEN:-}"},
            })),
            AgentClient::Gemini | AgentClient::Qwen => server(json!({
                "command": "wilco",
                "args": arguments,
                "env": {"WILCO_TOKEN": "${WILCO_TOKEN}"},
            })),
            AgentClient::Codex => {
                // Codex hands on only the variables that are named.
                let variables = match &self.name {
                    Some(_) => json!(["WILCO_TOKEN", "WILCO_TOKEN_FILE"]),
                    None => json!(["WILCO_AGENT", "WILCO_TOKEN", "WILCO_TOKEN_FILE"]),
                };
                let list = |items: Value| {
                    let items = items.as_array().cloned().unwrap_or_default();
                    items.iter().map(Value::to_string).collect::<Vec<_>>().join(", ")
                };
                Edit::Toml(vec![
                    "command = \"wilco\"".to_owned(),
                    format!("args = [{}]", list(json!(arguments))),
                    format!("env_vars = [{}]", list(variables)),
                ])
            }
            AgentClient::Opencode => {
                let command: Vec<String> = std::iter::once("wilco".to_owned()).chain(arguments).collect();
                let server = json!({
                    "type": "local",
                    "command": command,
                    "environment": {"WILCO_TOKEN": "{env:WILCO_TOKEN}"},
                    "enabled": true,
                });
                Edit::Json(vec![Insertion::Server { parent: "mcp", server }])
            }
        }
    }

    pub(crate) fn instructions(&self, client: AgentClient) -> Edit {
        let begin =
            format!("<!-- wilco {0} begin: `wilco install {0} --remove` takes this out -->", client.word());
        let marks = Marks { begin, end: format!("<!-- wilco {} end -->", client.word()) };
        Edit::Block { marks, lines: teach::lines(client, self) }
    }

    /// opencode has no hooks that are commands: its plugin runs them.
    pub(crate) fn plugin(&self) -> Edit {
        let begin = "// wilco opencode begin: `wilco install opencode --remove` takes this out".to_owned();
        let marks = Marks { begin, end: "// wilco opencode end".to_owned() };
        let text = include_str!("opencode.js").replace("OPTIONS", &json!(self.given()).to_string());
        Edit::Block { marks, lines: text.lines().map(str::to_owned).collect() }
    }
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/:@%+,=[]".contains(c);
    match word.chars().all(is_plain) && !word.is_empty() && !word.contains(['[', ']']) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cli_34_the_plugin_calls_a_hook_for_every_event() {
        let setup = Setup { name: Some("bob".to_owned()), url: None };
        let Edit::Block { lines, .. } = setup.plugin() else { panic!("a file of its own") };
        let plugin = lines.join("\n");
        for event in AgentClient::Opencode.events() {
            assert!(plugin.contains(&format!("hook(\"{event}\", ")), "{event}: {plugin}");
        }
        assert!(plugin.contains(r#"const options = ["--as","bob"]"#), "{plugin}");
    }
}
