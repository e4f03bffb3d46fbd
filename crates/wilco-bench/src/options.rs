//! What can be chosen on the command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

#[derive(Debug, Parser)]
#[command(name = "wilco-bench", about = "Measures wilco against references of the same run")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) part: Option<Part>,
}

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How often everything is measured, one after the other
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) rounds: u32,
    /// How long each load of a round lasts
    #[arg(long, value_name = "SECONDS", default_value = "1", value_parser = seconds)]
    pub(crate) seconds: Duration,
    /// Where the temporary data directory is made: a real disk; else beside this program
    #[arg(long, value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
    /// Also write everything that was measured to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Also watch an idle server for 60 seconds
    #[arg(long)]
    pub(crate) long: bool,
    /// The server to measure; else the `wilco` beside this program
    #[arg(long, value_name = "FILE")]
    pub(crate) wilco: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Part {
    /// The reference: answers every POST after parsing its JSON
    #[command(hide = true)]
    Echo,
    /// Put one kind of load on a server that runs already, for a profiler to watch
    Load(LoadOptions),
}

#[derive(Debug, Args)]
pub(crate) struct LoadOptions {
    /// Where the server listens
    pub(crate) server: SocketAddr,
    #[arg(value_enum)]
    pub(crate) kind: Kind,
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub(crate) connections: u16,
    #[arg(long, default_value = "5", value_parser = seconds)]
    pub(crate) seconds: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    Messages,
    Batches,
    Delegations,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "expected a number of seconds, such as 1.5".to_owned())?;
    if !(0.1..=600.0).contains(&number) {
        return Err("expected 0.1 to 600 seconds".to_owned());
    }
    Ok(Duration::from_secs_f64(number))
}
