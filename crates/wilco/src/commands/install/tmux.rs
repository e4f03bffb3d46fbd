//! `wilco install tmux`: the agent in this tmux session is nudged by typing into it.

use std::process::{Command, ExitCode};

use anyhow::bail;
use serde_json::{Value, json};
use wilco_wire::{Agent, AgentSpec};

use super::{Args, caller};
use crate::failure::Usage;
use crate::output;
use crate::output::escape::one_line;

pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let Some(name) = &args.name else {
        return Err(Usage("who works in this session? Say it with --as NAME".to_owned()).into());
    };
    if args.user {
        return Err(Usage("--user is for files of a client; tmux has none".to_owned()).into());
    }
    let Some(session) = session() else {
        bail!("this is no tmux session: run it inside of the one in which {} works", one_line(name));
    };
    let (nudge, says) = match args.remove {
        true => (Value::Null, format!("{} is no longer nudged in tmux.", one_line(name))),
        false => {
            let says = format!("{} is nudged in the tmux session {}.", one_line(name), one_line(&session));
            (json!({"kind": "tmux"}), says)
        }
    };
    if args.dry_run {
        output::print(&format!("Would be so: {says}"));
        return Ok(ExitCode::SUCCESS);
    }
    let caller = caller(args);
    // Registering says everything anew: the rest stays as it is.
    let known = caller.client().agent(name).ok().map(|answer| known(answer.value)).unwrap_or_default();
    let session = if args.remove { known.session.clone() } else { Some(session) };
    let spec = AgentSpec { nudge: Some(nudge), session, ..known };
    caller.checked(caller.client().register(name, &spec))?;
    output::print(&says);
    Ok(ExitCode::SUCCESS)
}

/// All that may be said of an agent, as it is.
fn known(agent: Agent) -> AgentSpec {
    AgentSpec {
        name: None,
        alias: agent.alias,
        session: Some(agent.session),
        host: agent.host,
        program: agent.program,
        role: Some(agent.role),
        capabilities: Some(agent.capabilities),
        nudge: agent.nudge,
        github: agent.github,
        labels: Some(agent.labels),
        speaks: agent.speaks,
        digest: agent.digest,
        status: None,
    }
}

/// The session this runs in.
fn session() -> Option<String> {
    std::env::var_os("TMUX").filter(|value| !value.is_empty())?;
    let shown = Command::new("tmux").args(["display-message", "-p", "#S"]).output().ok()?;
    let name = String::from_utf8(shown.stdout).ok()?.trim().to_owned();
    (shown.status.success() && !name.is_empty()).then_some(name)
}
