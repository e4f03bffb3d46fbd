//! PERF-9: a command from process start to exit, against a program that does nothing.

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
    pub(crate) nothing: f64,
}

/// Starts both by turns.
pub(crate) fn starts(binary: &Path, wilco: &Server) -> anyhow::Result<Starts> {
    let url = format!("http://{}", wilco.address);
    let (mut inbox, mut nothing) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let mut command = Command::new(binary);
        inbox.push(time(command.args(["inbox", "--as", SHORT_AGENT, "--url", &url]))?);
        nothing.push(time(&mut Command::new("/bin/true"))?);
    }
    let median = |times| Distribution::of(times).context("nothing was started").map(|times| times.median());
    Ok(Starts { inbox: median(inbox)?, nothing: median(nothing)? })
}

fn time(command: &mut Command) -> anyhow::Result<f64> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let begun = Instant::now();
    let status =
        command.status().with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let took = begun.elapsed().as_secs_f64() * 1e3;
    if !status.success() {
        bail!("{} ended with {status}", command.get_program().display());
    }
    Ok(took)
}
