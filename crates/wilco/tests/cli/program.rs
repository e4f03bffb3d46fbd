//! The shipped binary, started as a server on a temporary directory, and commands that speak to it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

/// A server that ends with its test.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
    pub(crate) data: TempDir,
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// What it printed; it must have succeeded.
    #[track_caller]
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self:?}");
        self.out
    }

    /// What it complained about; it must have failed with this code.
    #[track_caller]
    pub(crate) fn fails(self, code: i32) -> String {
        assert_eq!(self.code, code, "{self:?}");
        self.err
    }

    #[track_caller]
    pub(crate) fn json(self) -> Value {
        serde_json::from_str(&self.ok()).expect("JSON")
    }
}

/// The binary, with nothing of the surroundings that could name an agent or a server.
pub(crate) fn wilco() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wilco"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("WILCO_")) {
        command.env_remove(name);
    }
    command.env_remove("AI_MAESTRO_AGENT_ID").env_remove("TMUX").env_remove("NO_COLOR");
    command.env("XDG_CONFIG_HOME", "no-such-directory").stdin(Stdio::null());
    command
}

pub(crate) fn ran(command: &mut Command) -> Ran {
    let output = command.output().expect("the command runs");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Ran { code: output.status.code().unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
}

impl Server {
    /// A server whose time stands still.
    pub(crate) fn start() -> Server {
        Server::with(&["--test-clock"])
    }

    pub(crate) fn with(options: &[&str]) -> Server {
        let data = tempfile::tempdir().expect("a temporary directory");
        // For those who ask for it by name.
        std::fs::write(data.path().join("strict.toml"), "auth = \"required\"\n").expect("a file");
        let mut command = wilco();
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data.path()).args(options);
        let mut child = command.current_dir(data.path()).stdout(Stdio::piped()).spawn().expect("a server");
        let mut line = String::new();
        let stdout = child.stdout.take().expect("its output");
        BufReader::new(stdout).read_line(&mut line).expect("its first line");
        let url = line.trim().strip_prefix("wilco listening on ").unwrap_or_else(|| panic!("{line:?}"));
        Server { url: url.to_owned(), child, data }
    }

    /// A server with these agents.
    pub(crate) fn of(agents: &[&str]) -> Server {
        let server = Server::start();
        for agent in agents {
            server.run("operator", &["agent", "register", agent]).ok();
        }
        server
    }

    /// Runs a command as somebody.
    pub(crate) fn run(&self, name: &str, args: &[&str]) -> Ran {
        ran(&mut self.command(name, args))
    }

    pub(crate) fn command(&self, name: &str, args: &[&str]) -> Command {
        let mut command = wilco();
        command.args(args).env("WILCO_URL", &self.url).env("WILCO_AGENT", name);
        command
    }

    /// Runs a line in a shell that finds `wilco`, as somebody who pastes it.
    pub(crate) fn paste(&self, line: &str) -> Ran {
        ran(&mut self.shell(line))
    }

    pub(crate) fn shell(&self, line: &str) -> Command {
        let folder = Path::new(env!("CARGO_BIN_EXE_wilco")).parent().map(Path::to_owned).unwrap_or_default();
        let old = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(std::iter::once(folder).chain(std::env::split_paths(&old)));
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).env("PATH", path.expect("a path"));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("WILCO_")) {
            shell.env_remove(name);
        }
        shell.env_remove("AI_MAESTRO_AGENT_ID").env_remove("TMUX").env_remove("NO_COLOR");
        shell.env("WILCO_URL", &self.url).env("XDG_CONFIG_HOME", "no-such-directory").stdin(Stdio::null());
        shell
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let mut answer = ureq::get(format!("{}{path}", self.url)).call().expect("an answer");
        answer.body_mut().read_json().expect("JSON")
    }

    /// Posts a message; returns the status and the body.
    pub(crate) fn post(&self, message: &Value) -> (u16, Value) {
        let request = ureq::post(format!("{}/v1/messages", self.url));
        let request = request.config().http_status_as_error(false).build();
        let mut answer = request.send_json(message).expect("an answer");
        (answer.status().as_u16(), answer.body_mut().read_json().expect("JSON"))
    }

    /// Moves the test clock, and with it everything that becomes due.
    pub(crate) fn advance(&self, by: &str) {
        let moved = ureq::post(format!("{}/v1/test/clock", self.url)).send_json(json!({ "advance": by }));
        assert_eq!(moved.expect("a test clock").status(), 200);
    }

    /// The newest message of this type in somebody's inbox.
    #[track_caller]
    pub(crate) fn newest(&self, agent: &str, kind: &str) -> Value {
        let page = self.get(&format!("/v1/agents/{agent}/inbox?limit=1000"));
        let items = page["items"].as_array().expect("items");
        let found = items.iter().rev().find(|message| message["content"]["type"] == kind);
        found.unwrap_or_else(|| panic!("no {kind} in {items:#?}")).clone()
    }

    /// The state of the newest exchange of a task.
    pub(crate) fn state(&self, task: &str) -> String {
        let page = self.get(&format!("/v1/exchanges?task={task}"));
        page["items"][0]["state"].as_str().unwrap_or("none").to_owned()
    }

    /// Ends the server the polite way; returns its data directory.
    pub(crate) fn stop(mut self) -> (TempDir, PathBuf) {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).expect("a signal");
        assert!(self.child.wait().expect("an end").success());
        let data = std::mem::replace(&mut self.data, tempfile::tempdir().expect("a directory"));
        let path = data.path().to_owned();
        (data, path)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
