//! The shipped binary as a server, in a process of its own, on a directory of its own.
//!
//! A `Server` is also a `Caller`: what is asked of it goes over HTTP. It is killed by its id when it is dropped.

mod calls;
pub(crate) mod realm;
mod scene;
mod stream;

use std::io::{BufRead, BufReader, Read};
use std::ops::Deref;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tempfile::TempDir;
use wilco_protocol::Name;
use wilco_server::{Role, Tokens};

pub(crate) use calls::Caller;
pub(crate) use scene::{in_time, pointers, until};
pub(crate) use wilco_testkit::scene::{ack, said, task, task_with, text};

/// No call takes longer, waiting included.
pub(crate) const PATIENCE: Duration = Duration::from_secs(90);

#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    caller: Caller,
    pub(crate) url: String,
    pub(crate) data: TempDir,
    options: Vec<String>,
    environment: Vec<(String, String)>,
}

impl Deref for Server {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

/// How a server is to be started, when it is not the usual way.
#[derive(Debug)]
pub(crate) struct Setup {
    config: Option<String>,
    options: Vec<String>,
    environment: Vec<(String, String)>,
    unheard: bool,
}

impl Setup {
    /// Time stands still, everything else is as shipped.
    pub(crate) fn new() -> Setup {
        let options = vec!["--test-clock".to_owned()];
        Setup { config: None, options, environment: Vec::new(), unheard: false }
    }

    /// Nobody reads what it writes to stderr, and it cannot be written.
    pub(crate) fn unheard(mut self) -> Setup {
        self.unheard = true;
        self
    }

    /// Time runs.
    pub(crate) fn real_clock(mut self) -> Setup {
        self.options.retain(|option| !option.starts_with("--test-clock"));
        self
    }

    /// With this configuration file.
    pub(crate) fn config(mut self, toml: &str) -> Setup {
        self.config = Some(toml.to_owned());
        self
    }

    /// With one more option.
    pub(crate) fn option(mut self, option: &str) -> Setup {
        self.options.push(option.to_owned());
        self
    }

    /// With this in its environment.
    pub(crate) fn environment(mut self, name: &str, value: &str) -> Setup {
        self.environment.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The clock stands at this time, in place of now.
    pub(crate) fn clock_at(self, time: &str) -> Setup {
        self.real_clock().option(&format!("--test-clock={time}"))
    }

    pub(crate) fn start(self) -> Server {
        self.start_on(tempfile::tempdir().unwrap())
    }

    /// On a directory that may have something in it.
    pub(crate) fn start_on(mut self, data: TempDir) -> Server {
        self.configure(data.path());
        let mut command = command(data.path(), &self.options, &self.environment);
        if self.unheard {
            command.stderr(Stdio::piped());
        }
        // Who asks for a log finds it beside the data.
        if self.environment.iter().any(|(name, _)| name == "WILCO_LOG") {
            command.stderr(std::fs::File::create(data.path().join("test-log.txt")).unwrap());
        }
        let (mut child, url) = spawn(command);
        drop(child.stderr.take());
        let Setup { options, environment, .. } = self;
        Server { child, caller: Caller::new(&url), url, data, options, environment }
    }

    /// Runs a server that is expected to end by itself: its exit code, and what it said.
    pub(crate) fn run_to_end(self) -> (Option<i32>, String) {
        let data = tempfile::tempdir().unwrap();
        self.run_to_end_on(data.path())
    }

    pub(crate) fn run_to_end_on(mut self, data: &Path) -> (Option<i32>, String) {
        self.configure(data);
        let mut child =
            command(data, &self.options, &self.environment).stderr(Stdio::piped()).spawn().unwrap();
        let (mut line, mut said) = (String::new(), String::new());
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        if !line.is_empty() {
            let _ = child.kill();
            panic!("it stays up: {line}");
        }
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (child.wait().unwrap().code(), said)
    }

    fn configure(&mut self, data: &Path) {
        let Some(toml) = &self.config else { return };
        let path = data.join("test-config.toml");
        std::fs::write(&path, toml).unwrap();
        self.options.extend(["--config".to_owned(), path.to_str().unwrap().to_owned()]);
    }
}

impl Server {
    /// A server whose time stands still.
    pub(crate) fn start() -> Server {
        Setup::new().start()
    }

    fn on(data: TempDir, options: Vec<String>, environment: Vec<(String, String)>) -> Server {
        let (child, url) = spawn(command(data.path(), &options, &environment));
        Server { child, caller: Caller::new(&url), url, data, options, environment }
    }

    /// Killed without a warning, and started again on the same directory.
    pub(crate) fn restart(self) -> Server {
        let clock = self.options.iter().any(|option| option.starts_with("--test-clock"));
        self.restart_with(clock.then(|| "--test-clock".to_owned()))
    }

    /// Up again when the clock has moved on meanwhile.
    pub(crate) fn restart_at(self, time: &str) -> Server {
        self.restart_with(Some(format!("--test-clock={time}")))
    }

    /// Started again after it has ended.
    pub(crate) fn up_again(self) -> Server {
        self.restart()
    }

    fn restart_with(mut self, clock: Option<String>) -> Server {
        self.end();
        let data = std::mem::replace(&mut self.data, tempfile::tempdir().unwrap());
        let mut options = self.options.clone();
        options.retain(|option| !option.starts_with("--test-clock"));
        options.extend(clock);
        Server::on(data, options, self.environment.clone())
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn end(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Waits until it has ended by itself.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn terminate(&mut self) -> ExitStatus {
        rustix::process::kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        self.child.wait().unwrap()
    }

    /// Of its process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// `127.0.0.1:PORT`.
    pub(crate) fn address(&self) -> &str {
        self.url.strip_prefix("http://").unwrap()
    }

    /// Without any token, and without the headers of other calls.
    pub(crate) fn caller(&self) -> Caller {
        self.caller.clone()
    }

    /// Somebody with a new token.
    pub(crate) fn with_token(&self, name: &str, role: Role) -> Caller {
        let tokens = match realm::on_postgres() {
            true => Tokens::in_schema(realm::target(self.data.path())),
            false => Tokens::new(self.data.path()),
        };
        let made = tokens.create(Name::new(name), role).unwrap();
        if realm::on_postgres() {
            // A node knows of it within a second.
            until("the token counts", || self.caller().token(&made.secret).get("/v1/agents").0 == 200);
        }
        self.caller().token(&made.secret)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

fn command(data: &Path, options: &[String], environment: &[(String, String)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wilco"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("WILCO_")) {
        command.env_remove(name);
    }
    command.args(["serve", "--data"]).arg(data).args(options);
    if !options.iter().any(|option| option.starts_with("--listen")) {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    if realm::on_postgres() {
        command.envs(realm::environment(data));
    }
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    command.env("XDG_CONFIG_HOME", data).current_dir(data).stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

fn spawn(mut command: Command) -> (Child, String) {
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("wilco listening on ").unwrap_or_else(|| panic!("{line:?}"));
    let url = url.to_owned();
    (child, url)
}
