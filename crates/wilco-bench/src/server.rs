//! The processes that are measured: started on a free port, ended by their ids.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rustix::process::{Pid, Signal, kill_process};

/// What stands before the address in the first line of a server.
pub(crate) const ANNOUNCEMENT: &str = "listening on http://";

/// How long a server may take to end before it is killed.
const GRACE: Duration = Duration::from_secs(10);

/// A running server; dropping it ends the process.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// The server under test, on a data directory of its own.
    pub(crate) fn wilco(binary: &Path, data: &Path) -> anyhow::Result<Server> {
        Server::wilco_on(binary, data, None)
    }

    /// The same with its data in this PostgreSQL.
    pub(crate) fn wilco_on(binary: &Path, data: &Path, store: Option<&str>) -> anyhow::Result<Server> {
        let mut command = Command::new(binary);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(data);
        // What the caller has configured for itself must not reach the server.
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("WILCO_"))
        {
            command.env_remove(name);
        }
        let config = data.with_extension("toml");
        // Its messages bring more names in a day than anybody else would.
        std::fs::write(&config, "limits.owner_names = 1000000\n")?;
        command.args(store.into_iter().flat_map(|url| ["--store", url]));
        Server::start(command.arg("--config").arg(config))
    }

    /// The reference.
    pub(crate) fn echo() -> anyhow::Result<Server> {
        Server::start(Command::new(std::env::current_exe()?).arg("echo"))
    }

    /// A server that does not say where it listens, so it is told where; waits until it takes connections.
    pub(crate) fn told(command: &mut Command, address: SocketAddr) -> anyhow::Result<Server> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let until = Instant::now() + GRACE;
        while TcpStream::connect(address).is_err() {
            if let Some(status) = child.try_wait()? {
                bail!("{} ended with {status}", command.get_program().display());
            }
            if Instant::now() > until {
                let _ = child.kill();
                let _ = child.wait();
                bail!("{} does not listen on {address}", command.get_program().display());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(Server { child, address })
    }

    fn start(command: &mut Command) -> anyhow::Result<Server> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        let address = line.split_once(ANNOUNCEMENT).and_then(|(_, address)| address.trim().parse().ok());
        match address {
            Some(address) => Ok(Server { child, address }),
            None => {
                let _ = child.kill();
                let status = child.wait()?;
                bail!("{} did not say where it listens ({status})", command.get_program().display());
            }
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(id) = Pid::from_raw(self.child.id().cast_signed()) {
            // It may have ended by itself; then there is nobody to tell.
            let _ = kill_process(id, Signal::TERM);
        }
        let until = Instant::now() + GRACE;
        while Instant::now() < until {
            if let Ok(Some(_)) = self.child.try_wait() {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
