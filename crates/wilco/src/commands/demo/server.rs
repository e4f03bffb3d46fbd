//! The demo's server: this same program in a process of its own, on a temporary directory.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Ends with its owner.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    url: String,
    /// Last, so that it outlives the process that uses it.
    _data: TempDir,
}

/// How long a server may take to finish what it has begun.
const DRAIN: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

impl Server {
    pub(crate) fn start() -> anyhow::Result<Server> {
        let data = tempfile::tempdir().context("cannot make a temporary directory")?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data.path().join("data"));
        // What an operation may run here: this program, which then only says its version.
        let config = data.path().join("wilco.toml");
        let program = serde_json::json!(std::env::current_exe()?);
        std::fs::write(&config, format!("[operation.commands]\nrestart-agent = {program}\n"))?;
        command.arg("--config").arg(&config);
        // The demo shows the defaults, whatever is configured here.
        command.current_dir(data.path()).env("XDG_CONFIG_HOME", data.path());
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("WILCO_"))
        {
            command.env_remove(name);
        }
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        let stdout = child.stdout.take().context("the server has no output")?;
        let mut server = Server { child, url: String::new(), _data: data };
        BufReader::new(stdout).read_line(&mut line)?;
        let said = line.trim().strip_prefix("wilco listening on ");
        server.url = said.context("the server did not start; its own words stand above")?.to_owned();
        Ok(server)
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Asks the server to finish, and waits until it has.
    pub(crate) fn stop(mut self) -> anyhow::Result<()> {
        self.ask_to_stop();
        let until = Instant::now() + DRAIN;
        loop {
            match self.child.try_wait()? {
                // Ctrl-C reaches the server as well, and that is a way to end, too.
                Some(status) if status.success() || status.code().is_none() => return Ok(()),
                Some(status) => anyhow::bail!("the server ended with {status}"),
                None if Instant::now() > until => anyhow::bail!("the server did not end in time"),
                None => thread::sleep(PAUSE),
            }
        }
    }

    fn ask_to_stop(&self) {
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
