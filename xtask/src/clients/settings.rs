//! What each client needs to ask the model and nobody else, and how it is started.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;
use serde_json::{Value, json};

use super::world::World;
use crate::workspace::root;

impl World {
    /// The variables of everything that runs here: a home of its own, and programs where they are looked for.
    pub(super) fn environment(&self) -> Vec<(String, String)> {
        let text = |path: PathBuf| path.display().to_string();
        let folder = |program: &PathBuf| program.parent().map(|folder| folder.display().to_string());
        let node = self.installed.node.as_ref().and_then(folder);
        let timing = self.is_timed.then(|| text(self.folder.join("timing")));
        let own = [timing, node, folder(&self.installed.program), Some(text(root().join("target/debug")))];
        let usual = std::env::var("PATH").unwrap_or_default();
        let path = own.into_iter().flatten().chain([usual]).collect::<Vec<_>>().join(":");
        let mut all = vec![
            ("PATH".to_owned(), path),
            ("HOME".to_owned(), text(self.folder.join("home"))),
            ("PWD".to_owned(), text(self.project())),
            ("TMPDIR".to_owned(), text(self.folder.join("tmp"))),
            ("TMUX_TMPDIR".to_owned(), text(self.folder.join("tmp"))),
            ("XDG_STATE_HOME".to_owned(), text(self.folder.join("state"))),
            ("TERM".to_owned(), "xterm-256color".to_owned()),
        ];
        let model = self.model.address;
        let own: &[(&str, String)] = match self.client {
            "codex" => &[("MODEL_KEY", "x".to_owned())],
            "gemini" => &[
                ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
                ("GEMINI_API_KEY", "x".to_owned()),
                ("GOOGLE_GEMINI_BASE_URL", format!("http://{model}")),
                ("GEMINI_TELEMETRY_ENABLED", "false".to_owned()),
            ],
            "qwen" => &[
                ("OPENAI_API_KEY", "x".to_owned()),
                ("OPENAI_BASE_URL", format!("http://{model}/v1")),
                ("OPENAI_MODEL", "model".to_owned()),
            ],
            "opencode" => &[
                ("OPENCODE_DISABLE_AUTOUPDATE", "1".to_owned()),
                ("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned()),
                ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1".to_owned()),
            ],
            _ => &[
                ("ANTHROPIC_BASE_URL", format!("http://{model}")),
                ("ANTHROPIC_API_KEY", "x".to_owned()),
                ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
                ("DISABLE_TELEMETRY", "1".to_owned()),
                ("DISABLE_ERROR_REPORTING", "1".to_owned()),
                ("DISABLE_AUTOUPDATER", "1".to_owned()),
            ],
        };
        all.extend(own.iter().map(|(name, value)| ((*name).to_owned(), value.clone())));
        all.extend(self.token.iter().map(|token| ("WILCO_TOKEN".to_owned(), token.clone())));
        all
    }

    /// The client, without arguments.
    pub(super) fn started(&self) -> Command {
        match &self.installed.node {
            Some(node) => {
                let mut command = self.command(node);
                command.arg(&self.installed.program);
                command
            }
            None => self.command(&self.installed.program),
        }
    }

    /// One prompt, after which it ends.
    pub(super) fn prompted(&self, words: &str) -> Command {
        let mut command = self.started();
        match self.client {
            "codex" => command.args([
                "exec",
                "--json",
                "--skip-git-repo-check",
                "--dangerously-bypass-hook-trust",
                words,
            ]),
            "gemini" => command.args(["-y", "-m", "gemini-2.5-pro", "-p", words]),
            "qwen" => command.args(["-y", words]),
            "opencode" => command.args(["run", words]),
            _ => command.args(["-p", words, "--allowedTools", "Bash,mcp__wilco"]),
        };
        command
    }

    /// The words that start it for a person.
    pub(super) fn interactive(&self) -> Vec<String> {
        let own: &[&str] = match self.client {
            "codex" => &["--dangerously-bypass-hook-trust"],
            "gemini" => &["-y", "-m", "gemini-2.5-pro"],
            "qwen" => &["-y"],
            _ => &[],
        };
        let node = self.installed.node.iter().map(|node| node.display().to_string());
        let program = [self.installed.program.display().to_string()];
        node.chain(program).chain(own.iter().map(|word| (*word).to_owned())).collect()
    }

    pub(super) fn settings(&self) -> anyhow::Result<()> {
        let (home, model) = (self.folder.join("home"), self.model.address);
        match self.client {
            "codex" => write(
                home.join(".codex/config.toml"),
                &format!(
                    "model = \"model\"\nmodel_provider = \"local\"\napproval_policy = \"never\"\n\
                 sandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n\
                 [analytics]\nenabled = false\n[model_providers.local]\nname = \"local\"\n\
                 base_url = \"http://{model}/v1\"\nenv_key = \"MODEL_KEY\"\nwire_api = \"responses\"\n\
                 request_max_retries = 0\nstream_max_retries = 0\n[projects.\"{}\"]\ntrust_level = \"trusted\"\n",
                    self.project().display()
                ),
            ),
            "gemini" | "qwen" => {
                let kind = if self.client == "gemini" { "gemini-api-key" } else { "openai" };
                let settings = json!({
                    "security": {"auth": {"selectedType": kind}},
                    "privacy": {"usageStatisticsEnabled": false},
                    "telemetry": {"enabled": false},
                    "general": {"disableAutoUpdate": true, "enableAutoUpdate": false, "disableUpdateNag": true},
                });
                write(home.join(format!(".{}/settings.json", self.client)), &settings.to_string())
            }
            "opencode" => {
                let provider = json!({"npm": "@ai-sdk/openai-compatible", "name": "Local",
                    "options": {"baseURL": format!("http://{model}/v1"), "apiKey": "x"},
                    "models": {"model": {"name": "model", "tool_call": true, "limit": {"context": 100_000, "output": 4000}}}});
                self.change_json("opencode.json", |settings| {
                    for (key, value) in [
                        ("autoupdate", json!(false)),
                        ("share", json!("disabled")),
                        ("model", json!("local/model")),
                        ("small_model", json!("local/model")),
                        ("enabled_providers", json!(["local"])),
                        ("permission", json!({"edit": "allow", "bash": "allow"})),
                        ("provider", json!({"local": provider})),
                    ] {
                        settings[key] = value;
                    }
                })
            }
            _ => Ok(()),
        }
    }

    /// What a person may take out: the hook of a session's beginning. opencode tells both with the prompt.
    pub(super) fn only_prompts(&self) -> anyhow::Result<Changed> {
        let file = match self.client {
            "codex" => ".codex/hooks.json",
            "gemini" => ".gemini/settings.json",
            "qwen" => ".qwen/settings.json",
            "opencode" => "opencode.json",
            _ => ".claude/settings.json",
        };
        let changed = Changed::begin(self.project().join(file))?;
        self.change_json(file, |settings| {
            if let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) {
                hooks.remove("SessionStart");
            }
        })?;
        Ok(changed)
    }

    /// The same server by HTTP.
    pub(super) fn over_http(&self) -> anyhow::Result<Changed> {
        let (url, name) = (format!("{}/mcp?tools=agent", self.url), json!({"Wilco-Agent": "bob"}));
        let file = match self.client {
            "codex" => ".codex/config.toml".to_owned(),
            "gemini" | "qwen" => format!(".{}/settings.json", self.client),
            "opencode" => "opencode.json".to_owned(),
            _ => ".mcp.json".to_owned(),
        };
        let changed = Changed::begin(self.project().join(&file))?;
        match self.client {
            "codex" => write(
                self.project().join(&file),
                &format!(
                    "[mcp_servers.wilco]\nurl = \"{url}\"\nhttp_headers = {{ \"Wilco-Agent\" = \"bob\" }}\n"
                ),
            ),
            "gemini" | "qwen" => self.change_json(&file, |settings| {
                settings["mcpServers"]["wilco"] = json!({"httpUrl": url, "headers": name});
            }),
            "opencode" => self.change_json(&file, |settings| {
                settings["mcp"]["wilco"] =
                    json!({"type": "remote", "url": url, "headers": name, "oauth": false, "enabled": true});
            }),
            _ => self.change_json(&file, |settings| {
                settings["mcpServers"]["wilco"] = json!({"type": "http", "url": url, "headers": name});
            }),
        }?;
        Ok(changed)
    }

    fn change_json(&self, file: &str, change: impl FnOnce(&mut Value)) -> anyhow::Result<()> {
        let path = self.project().join(file);
        let mut settings: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
        change(&mut settings);
        write(path, &settings.to_string())
    }
}

/// A file that is changed for one scene.
pub(super) struct Changed {
    path: PathBuf,
    before: String,
}

impl Changed {
    fn begin(path: PathBuf) -> anyhow::Result<Changed> {
        let before = std::fs::read_to_string(&path)?;
        Ok(Changed { path, before })
    }
}

impl Drop for Changed {
    fn drop(&mut self) {
        let _ = std::fs::write(&self.path, &self.before);
    }
}

fn write(path: PathBuf, text: &str) -> anyhow::Result<()> {
    std::fs::create_dir_all(path.parent().context("a folder")?)?;
    std::fs::write(path, text).context("settings")
}
