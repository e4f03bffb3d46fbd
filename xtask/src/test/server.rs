//! The built server, for steps that ask it something.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail};

use crate::workspace::{program, root};

/// A server whose time stands still, and its address.
pub(super) fn start(data: &Path) -> anyhow::Result<(Child, String)> {
    let mut server = Command::new(root().join("target/debug/wilco"))
        .args(["serve", "--listen", "127.0.0.1:0", "--test-clock", "--data"])
        .arg(data)
        .stdout(Stdio::piped())
        .spawn()
        .context("the server could not be started")?;
    let mut line = String::new();
    if let Some(out) = server.stdout.take() {
        BufReader::new(out).read_line(&mut line)?;
    }
    match line.trim().strip_prefix("wilco listening on ") {
        Some(url) => Ok((server, url.to_owned())),
        None => bail!("the server said {line:?}"),
    }
}

/// Something to ask about: an agent with a task. What the server answered.
pub(super) fn delegated(url: &str) -> anyhow::Result<String> {
    let wilco = |arguments: &[&str]| -> anyhow::Result<String> {
        let done = program("target/debug/wilco").args(arguments).env("WILCO_URL", url).output()?;
        anyhow::ensure!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        Ok(String::from_utf8(done.stdout)?)
    };
    wilco(&["agent", "register", "worker"])?;
    wilco(&["delegate", "worker", "--as", "boss", "--task", "T-1", "--title", "Logout", "--json"])
}
