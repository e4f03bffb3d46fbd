//! PERF-9: a command from process start to exit, against a program that does nothing.

use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, bail};

use crate::pages::SHORT_AGENT;
use crate::server::Server;
use crate::statistics::Distribution;

const STARTS: usize = 40;

/// Medians in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Starts {
    pub(crate) inbox: f64,
    pub(crate) hook: f64,
    pub(crate) nothing: f64,
}

/// Starts all by turns. The hook is the one that runs most often, after a tool.
pub(crate) fn starts(binary: &Path, wilco: &Server) -> anyhow::Result<Starts> {
    let url = format!("http://{}", wilco.address);
    let (mut inbox, mut hook, mut nothing) = (Vec::new(), Vec::new(), Vec::new());
    let home = tempfile::tempdir()?;
    let said = home.path().join("said");
    std::fs::write(&said, r#"{"session_id": "0192aa3e-7c1d-7b52-9f0e-3a5d2b6c4e11", "cwd": "/src"}"#)?;
    for _ in 0..STARTS {
        let mut command = Command::new(binary);
        command.args(["inbox", "--as", SHORT_AGENT, "--url", &url]).stdin(Stdio::null());
        inbox.push(time(&mut command)?);
        let mut command = Command::new(binary);
        command.args(["hook", "codex", "PostToolUse", "--as", SHORT_AGENT, "--url", &url]);
        hook.push(time(command.env("XDG_STATE_HOME", home.path()).stdin(File::open(&said)?))?);
        nothing.push(time(&mut Command::new("/bin/true"))?);
    }
    let median = |times| Distribution::of(times).context("nothing was started").map(|times| times.median());
    Ok(Starts { inbox: median(inbox)?, hook: median(hook)?, nothing: median(nothing)? })
}

fn time(command: &mut Command) -> anyhow::Result<f64> {
    command.stdout(Stdio::null());
    let begun = Instant::now();
    let status =
        command.status().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let took = begun.elapsed().as_secs_f64() * 1e3;
    if !status.success() {
        bail!("{} ended with {status}", command.get_program().display());
    }
    Ok(took)
}
