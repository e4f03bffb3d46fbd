//! One client with a home, a project, a model and a server of its own.

use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::Value;
use wilco_testkit::model_server::ModelServer;

use super::Pinned;
use super::checks::Seen;
use super::install::{Installed, cache};
use super::program::{Ended, Running, run};
use crate::workspace::root;

/// The longest that a client may take for one prompt: opencode looks for its plugins' packages at first.
pub(super) const LONGEST: Duration = Duration::from_secs(150);

pub(super) struct World {
    pub(super) client: &'static str,
    pub(super) installed: Installed,
    pub(super) folder: PathBuf,
    pub(super) model: ModelServer,
    server: Option<Running>,
    pub(super) url: String,
    /// What the client and what it starts have for `WILCO_TOKEN`.
    pub(super) token: Option<String>,
    /// What this program has for it.
    own_token: Option<String>,
    /// Whether the client's `wilco` is one that writes down how long it takes.
    pub(super) is_timed: bool,
}

impl World {
    pub(super) fn new(client: &'static Pinned, installed: Installed) -> anyhow::Result<World> {
        let folder = cache().join(format!("run-{}", client.word));
        for fresh in ["data", "state"] {
            let _ = std::fs::remove_dir_all(folder.join(fresh));
            std::fs::create_dir_all(folder.join(fresh))?;
        }
        // Homes and what is installed beside a plugin are kept: opencode fetches packages into both.
        let project = folder.join("project");
        for entry in std::fs::read_dir(&project).into_iter().flatten().flatten() {
            if entry.file_name() != ".opencode" {
                let _ = std::fs::remove_dir_all(entry.path()).or_else(|_| std::fs::remove_file(entry.path()));
            }
        }
        let _ = std::fs::remove_dir_all(project.join(".opencode/plugin"));
        // Clients look for the root of a repository, and must not find this one.
        std::fs::create_dir_all(project.join(".git"))?;
        for kept in ["home", "tmp"] {
            std::fs::create_dir_all(folder.join(kept))?;
        }
        let (client, model) = (client.word, ModelServer::start()?);
        let (url, token, own_token) = (String::new(), None, None);
        let (server, is_timed) = (None, false);
        let mut world = World { client, installed, folder, model, server, url, token, own_token, is_timed };
        world.start_server(&[])?;
        world.install()?;
        world.settings()?;
        world.wilco(&["agent", "register", "bob"])?;
        Ok(world)
    }

    pub(super) fn install(&self) -> anyhow::Result<()> {
        self.wilco(&["install", self.client, "--as", "bob", "--url", &self.url, "--yes"])
    }

    pub(super) fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    pub(super) fn program() -> PathBuf {
        root().join("target/debug/wilco")
    }

    pub(super) fn stop_server(&mut self) {
        self.server = None;
    }

    /// Starts it where it was before.
    pub(super) fn start_server(&mut self, options: &[&str]) -> anyhow::Result<()> {
        let address = self.url.strip_prefix("http://").unwrap_or("127.0.0.1:0").to_owned();
        let mut command = self.command(&World::program());
        command
            .args(["serve", "--listen", &address])
            .args(options)
            .arg("--data")
            .arg(self.folder.join("data"));
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

    /// From now on every call needs a token: the client has that of its agent, this program an operator's.
    pub(super) fn require_tokens(&mut self) -> anyhow::Result<()> {
        let config = self.folder.join("wilco.toml");
        std::fs::write(&config, "auth = \"required\"\n")?;
        let data = self.folder.join("data");
        let create = |words: &[&str]| {
            let mut command = self.command(&World::program());
            let done = command.args(["token", "create"]).args(words).arg("--data").arg(&data).output()?;
            ensure!(done.status.success(), "a token: {}", String::from_utf8_lossy(&done.stderr));
            anyhow::Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned())
        };
        let (bob, operator) = (create(&["bob"])?, create(&["ops", "--role", "operator"])?);
        (self.token, self.own_token) = (Some(bob), Some(operator));
        self.stop_server();
        self.start_server(&["--config", &config.display().to_string()])
    }

    /// From now on the client's `wilco` writes down how long each hook takes.
    pub(super) fn time_hooks(&mut self) -> anyhow::Result<()> {
        let folder = self.folder.join("timing");
        std::fs::create_dir_all(&folder)?;
        let script = format!(
            "#!/bin/bash\nbegun=$EPOCHREALTIME\n{} \"$@\"\ncode=$?\nended=$EPOCHREALTIME\n\
             [ \"$1\" = hook ] && echo $((${{ended/./}} - ${{begun/./}})) >> {}\nexit $code\n",
            World::program().display(),
            folder.join("log").display()
        );
        std::fs::write(folder.join("wilco"), script)?;
        let _ = std::fs::remove_file(folder.join("log"));
        std::fs::set_permissions(folder.join("wilco"), PermissionsExt::from_mode(0o755))?;
        self.is_timed = true;
        Ok(())
    }

    /// How long each took.
    pub(super) fn hooks_took(&self) -> anyhow::Result<Vec<Duration>> {
        let log = std::fs::read_to_string(self.folder.join("timing/log"))?;
        log.lines().map(|line| Ok(Duration::from_micros(line.parse()?))).collect()
    }

    /// Waits for something that the model is sent.
    pub(super) fn until(&self, limit: Duration, wanted: impl Fn(&Seen) -> bool) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < limit {
            if wanted(&Seen::of(&self.model.requests())) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        false
    }

    /// A command in the project, with nothing of the environment of whoever plays.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("WILCO_")) {
            command.env_remove(name);
        }
        for name in
            ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "TMUX", "TMUX_PANE", "AI_MAESTRO_AGENT_ID"]
        {
            command.env_remove(name);
        }
        command.current_dir(self.project()).envs(self.environment());
        command
    }

    /// One prompt, to its end.
    pub(super) fn prompt(&self, words: &str) -> anyhow::Result<Ended> {
        let ended = run(&mut self.prompted(words), LONGEST)?;
        if !ended.success {
            println!("{} failed: {}", self.client, ended.out);
        }
        Ok(ended)
    }

    pub(super) fn output(&self, words: &[&str]) -> anyhow::Result<String> {
        let mut command = self.command(&World::program());
        if let Some(token) = &self.own_token {
            command.env("WILCO_TOKEN", token);
        }
        let done = command.args(words).env("WILCO_URL", &self.url).output()?;
        let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        ensure!(done.status.success(), "wilco {}: {out}{err}", words.join(" "));
        Ok(out.into_owned())
    }

    pub(super) fn wilco(&self, words: &[&str]) -> anyhow::Result<()> {
        self.output(words).map(drop)
    }

    pub(super) fn json(&self, words: &[&str]) -> anyhow::Result<Value> {
        Ok(serde_json::from_str(&self.output(words)?)?)
    }
}
