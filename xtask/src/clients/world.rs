//! One client with a home, a project, a model and a server of its own, and what is played with it.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use wilco_testkit::model_server::{ModelServer, Turn};

use super::Pinned;
use super::checks::{Check, Seen};
use super::install::{Installed, cache};
use super::program::{Ended, Running, run};
use crate::workspace::root;

/// The longest that a client may take for one prompt: opencode looks for its plugins' packages at first.
const LONGEST: Duration = Duration::from_secs(120);
const UNDERSTANDING: &str = "I add a login page; wrong passwords are refused";
/// What is sent while a tool runs, and while nothing does.
const MEANWHILE: &str = "The colour changed to green.";
const IDLE: &str = "Are you still there, bob?";

pub(crate) struct World {
    client: &'static str,
    installed: Installed,
    folder: PathBuf,
    model: ModelServer,
    server: Option<Running>,
    url: String,
}

impl World {
    pub(crate) fn new(client: &'static Pinned, installed: Installed) -> anyhow::Result<World> {
        let folder = cache().join(format!("run-{}", client.word));
        for fresh in ["project", "data", "state"] {
            let _ = std::fs::remove_dir_all(folder.join(fresh));
            std::fs::create_dir_all(folder.join(fresh))?;
        }
        // Clients look for the root of a repository, and must not find this one.
        std::fs::create_dir_all(folder.join("project/.git"))?;
        // The home is kept: opencode fetches packages for its plugins into it.
        for kept in ["home", "tmp"] {
            std::fs::create_dir_all(folder.join(kept))?;
        }
        let model = ModelServer::start()?;
        let mut world =
            World { client: client.word, installed, folder, model, server: None, url: String::new() };
        world.start_server()?;
        Ok(world)
    }

    /// Everything, in order: each scene goes on with what the one before left.
    pub(crate) fn play(mut self, shows: bool) -> anyhow::Result<Vec<Check>> {
        self.wilco(&["install", self.client, "--as", "bob", "--url", &self.url.clone(), "--yes"])?;
        self.settings()?;
        self.wilco(&["agent", "register", "bob"])?;
        self.wilco(&[
            "delegate",
            "bob",
            "--as",
            "anna",
            "--task",
            "GH-1",
            "--title",
            "Add a login page",
            "--criterion",
            "wrong passwords are refused",
        ])?;
        let meanwhile = format!("wilco send bob '{MEANWHILE}' --as anna --url {}", self.url);
        let ack = json!({"task_id": "GH-1", "status": "received", "understanding": UNDERSTANDING});
        self.model.play([
            Turn::Shell(meanwhile),
            Turn::Say("I looked at it.".to_owned()),
            Turn::Wilco("acknowledge_task", ack),
            Turn::Wilco(
                "checkpoint",
                json!({"task_id": "GH-1", "checkpoint": 1, "summary": "The form is there"}),
            ),
            Turn::Wilco("complete_task", json!({"task_id": "GH-1"})),
            Turn::Say("It is done.".to_owned()),
        ]);
        let ended = self.prompt("hello")?;
        let seen = Seen::of(&self.model.requests());
        if shows {
            println!("{}", seen.about_wilco());
        }
        let messages = self.json(&["search", "--to", "bob", "--json"]).unwrap_or_default();
        let mut checks = vec![
            Check::that("the turn ends well", ended.success),
            Check::that(
                "the task arrives when a session begins, fenced",
                seen.is_fenced("wrong passwords are refused"),
            ),
            Check::that("with how to answer it", seen.outside("wilco ack GH-1 received --as bob")),
            Check::that("what comes while a tool runs arrives after it, fenced", seen.is_fenced(MEANWHILE)),
            Check::that("a stop is held up for what is owed", seen.outside("before you stop")),
        ];
        let exchange = self.json(&["show", "GH-1", "--as", "anna", "--json"])?;
        checks.push(Check::that("the model completes it through MCP", exchange["state"] == "completed"));
        checks.push(Check::that("the server knows that it was injected", self.delivered(&messages)?));
        checks.extend(self.down()?);
        checks.push(self.idle()?);
        Ok(checks)
    }

    /// Whether the task got into the context, by the journal.
    fn delivered(&self, _: &Value) -> anyhow::Result<bool> {
        let log = self.output(&["audit", "export", "--as", "operator"]).unwrap_or_default();
        Ok(log.contains("message-injected"))
    }

    /// Without a server nothing is disturbed.
    fn down(&mut self) -> anyhow::Result<Vec<Check>> {
        self.server = None;
        self.model.play([Turn::Shell("echo OK".to_owned()), Turn::Say("It is done.".to_owned())]);
        let ended = self.prompt("hello again")?;
        let quiet = !ended.out.to_lowercase().contains("hook") || self.client != "qwen";
        let seen = Seen::of(&self.model.requests());
        let silent = !seen.outside("Wilco: bob");
        println!("  ({} without a server: {:.1} s)", self.client, ended.took.as_secs_f32());
        Ok(vec![Check::that(
            "without a server the turn ends as ever, and nothing is said",
            ended.success && silent && quiet,
        )])
    }

    /// An idle session is woken by what comes.
    fn idle(&mut self) -> anyhow::Result<Check> {
        let what = "an idle session is woken and told";
        self.start_server()?;
        let address = self.url.clone();
        self.wilco(&["install", self.client, "--as", "bob", "--url", &address, "--yes"])?;
        self.model.play([Turn::Say("I am here.".to_owned())]);
        let tmux = super::checks::Tmux::start(&self.folder)?;
        tmux.begin(&self.interactive(), &self.environment())?;
        tmux.type_when_ready("hello")?;
        if !self.until(LONGEST, |seen| seen.turns >= 1) {
            println!("{}", tmux.shown());
            return Ok(Check::that(what, false));
        }
        self.wilco(&["send", "bob", IDLE, "--as", "anna"])?;
        let woken = self.until(Duration::from_secs(60), |seen| seen.is_fenced(IDLE));
        if !woken {
            println!("{}", tmux.shown());
        }
        self.tidy_up();
        Ok(Check::that(what, woken))
    }

    fn until(&self, limit: Duration, wanted: impl Fn(&Seen) -> bool) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < limit {
            if wanted(&Seen::of(&self.model.requests())) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        false
    }

    /// Codex leaves a daemon behind, which it ends itself when it is asked.
    fn tidy_up(&self) {
        if self.client == "codex" {
            let mut stop = self.started();
            let _ = run(stop.args(["app-server", "daemon", "stop"]), Duration::from_secs(10));
        }
    }

    fn start_server(&mut self) -> anyhow::Result<()> {
        let mut command = self.command(&root().join("target/debug/wilco"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(self.folder.join("data"));
        let mut child = command.stdout(Stdio::piped()).spawn().context("the server could not be started")?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        let running = Running(child);
        match line.trim().strip_prefix("wilco listening on ") {
            Some(url) => self.url = url.to_owned(),
            None => bail!("the server said {line:?}"),
        }
        self.server = Some(running);
        Ok(())
    }

    /// The variables of everything that runs here: a home of its own, and programs where they are looked for.
    fn environment(&self) -> Vec<(String, String)> {
        let text = |path: PathBuf| path.display().to_string();
        let node = self
            .installed
            .node
            .as_ref()
            .and_then(|node| node.parent())
            .map(|folder| format!("{}:", folder.display()));
        let own = self
            .installed
            .program
            .parent()
            .map(|folder| format!("{}:", folder.display()))
            .unwrap_or_default();
        let path = format!(
            "{}{own}{}:{}",
            node.unwrap_or_default(),
            text(root().join("target/debug")),
            std::env::var("PATH").unwrap_or_default()
        );
        let mut all = vec![
            ("PATH".to_owned(), path),
            ("HOME".to_owned(), text(self.folder.join("home"))),
            ("PWD".to_owned(), text(self.folder.join("project"))),
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
        all
    }

    fn command(&self, program: &std::path::Path) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("WILCO_")) {
            command.env_remove(name);
        }
        for name in
            ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "TMUX", "TMUX_PANE", "AI_MAESTRO_AGENT_ID"]
        {
            command.env_remove(name);
        }
        command.current_dir(self.folder.join("project")).envs(self.environment());
        command
    }

    /// The client, without arguments.
    fn started(&self) -> Command {
        match &self.installed.node {
            Some(node) => {
                let mut command = self.command(node);
                command.arg(&self.installed.program);
                command
            }
            None => self.command(&self.installed.program),
        }
    }

    /// One prompt, to its end.
    fn prompt(&self, words: &str) -> anyhow::Result<Ended> {
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
        run(&mut command, LONGEST)
    }

    /// The words that start it for a person.
    fn interactive(&self) -> Vec<String> {
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

    /// What the client needs to ask the model, and nobody else.
    fn settings(&self) -> anyhow::Result<()> {
        let (home, project, model) =
            (self.folder.join("home"), self.folder.join("project"), self.model.address);
        let write = |path: PathBuf, text: String| {
            std::fs::create_dir_all(path.parent().context("a folder")?)?;
            std::fs::write(path, text).context("settings")
        };
        match self.client {
            "codex" => write(
                home.join(".codex/config.toml"),
                format!(
                    "model = \"model\"\nmodel_provider = \"local\"\napproval_policy = \"never\"\n\
                 sandbox_mode = \"danger-full-access\"\ncheck_for_update_on_startup = false\n\
                 [analytics]\nenabled = false\n[model_providers.local]\nname = \"local\"\n\
                 base_url = \"http://{model}/v1\"\nenv_key = \"MODEL_KEY\"\nwire_api = \"responses\"\n\
                 request_max_retries = 0\nstream_max_retries = 0\n[projects.\"{}\"]\ntrust_level = \"trusted\"\n",
                    project.display()
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
                write(home.join(format!(".{}/settings.json", self.client)), settings.to_string())
            }
            "opencode" => {
                let path = project.join("opencode.json");
                let mut settings: Value = serde_json::from_str(&std::fs::read_to_string(&path)?)?;
                let provider = json!({"npm": "@ai-sdk/openai-compatible", "name": "Local",
                    "options": {"baseURL": format!("http://{model}/v1"), "apiKey": "x"},
                    "models": {"model": {"name": "model", "tool_call": true, "limit": {"context": 100_000, "output": 4000}}}});
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
                write(path, settings.to_string())
            }
            _ => Ok(()),
        }
    }

    fn output(&self, words: &[&str]) -> anyhow::Result<String> {
        let mut command = self.command(&root().join("target/debug/wilco"));
        let done = command.args(words).env("WILCO_URL", &self.url).output()?;
        let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        ensure!(done.status.success(), "wilco {}: {out}{err}", words.join(" "));
        Ok(out.into_owned())
    }

    fn wilco(&self, words: &[&str]) -> anyhow::Result<()> {
        self.output(words).map(drop)
    }

    fn json(&self, words: &[&str]) -> anyhow::Result<Value> {
        Ok(serde_json::from_str(&self.output(words)?)?)
    }
}
