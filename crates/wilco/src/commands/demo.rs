//! `wilco demo`: a real server and simulated agents that show what Wilco does, told in short sentences.
//!
//! Everything goes over HTTP to a server in a process of its own; nothing is played back.

mod fleet;
mod scenes;
mod server;
mod stage;

use std::io::IsTerminal;
use std::process::ExitCode;

use fleet::Fleet;
use server::Server;
use stage::Stage;

use crate::output::{self, Screen, exchange};

/// Watch a server and simulated agents, in under a minute
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco demo\n  wilco demo --stay")]
pub(crate) struct Args {
    /// Keep the server up afterwards, until Ctrl-C, with things for you to decide in its dashboard; it stays up anyway
    /// when you watch in a terminal
    #[arg(long)]
    pub(crate) stay: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let watched = std::io::stdout().is_terminal();
    let server = Server::start()?;
    let stage = Stage::new(server.url(), watched);
    stage.tell(&format!("A Wilco server listens on {}. Its data is temporary.", server.url()));
    stage.tell(&format!("Its dashboard: {}/", server.url()));
    scenes::play(&stage)?;
    end(&stage)?;
    if args.stay || watched {
        stay(stage, server.url())?;
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

/// The agents go on until Ctrl-C, beside whoever looks.
fn stay(stage: Stage, url: &str) -> anyhow::Result<()> {
    let (begun, ready) = std::sync::mpsc::channel();
    std::thread::spawn(move || match Fleet::begin(&stage) {
        Ok(fleet) => {
            let _ = begun.send(Ok(()));
            fleet.go_on();
        }
        Err(error) => _ = begun.send(Err(error)),
    });
    ready.recv()??;
    output::print(&format!(
        "\nThe server stays up, and its agents go on. See and decide in a browser:\n  {url}/\n\
         Or here:\n  wilco status --url {url}\n  wilco watch --url {url}\nCtrl-C ends it."
    ));
    until_interrupted()
}

fn until_interrupted() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(tokio::signal::ctrl_c())?)
}
