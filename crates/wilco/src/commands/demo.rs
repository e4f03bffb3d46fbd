//! `wilco demo`: a real server and simulated agents that show what Wilco does, told in short sentences.
//!
//! Everything goes over HTTP to a server in a process of its own; nothing is played back.

mod scenes;
mod server;
mod stage;

use std::io::IsTerminal;
use std::process::ExitCode;

use server::Server;
use stage::Stage;

use crate::output::{self, Screen, exchange};

/// Watch a server and simulated agents, in under half a minute
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco demo\n  wilco demo --stay")]
pub(crate) struct Args {
    /// Keep the server up afterwards, until Ctrl-C; it stays up anyway when you watch in a terminal
    #[arg(long)]
    pub(crate) stay: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let watched = std::io::stdout().is_terminal();
    let server = Server::start()?;
    let stage = Stage::new(server.url(), watched);
    stage.tell(&format!("A Wilco server listens on {}. Its data is temporary.", server.url()));
    scenes::play(&stage)?;
    end(&stage)?;
    if args.stay || watched {
        output::print(&format!(
            "\nThe server stays up. Look around with:\n  \
             wilco status --url {url}\n  wilco exchanges --url {url}\nCtrl-C ends it.",
            url = server.url()
        ));
        until_interrupted()?;
    }
    server.stop()?;
    Ok(ExitCode::SUCCESS)
}

fn end(stage: &Stage) -> anyhow::Result<()> {
    let verified = stage.verify()?;
    stage.tell(&format!(
        "All of it is on record: {} events, each linked to the one before by its hash. The chain is whole.",
        verified.events.unwrap_or_default()
    ));
    let screen = Screen::of_stdout();
    output::print(&format!("\n{}", exchange::list(&stage.exchanges()?, super::now(None), &screen)));
    Ok(())
}

fn until_interrupted() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(tokio::signal::ctrl_c())?)
}
