//! What can be chosen on the command line.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use serde::Serialize;

#[derive(Debug, Parser)]
#[command(name = "wilco-bench", about = "Measures wilco against references of the same run", after_help = ROWS)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) part: Option<Part>,
}

/// How to get each row of the table.
const ROWS: &str = "Rows:
  PERF-1, 3, 4, 5, 6, 8, 9, and the memory of PERF-10   cargo xtask bench
  PERF-2, 12                                            cargo xtask bench --against redis,postgres,nats
  PERF-7                                                cargo xtask bench --rounds 0 --open 1000000
  the processor time of PERF-10                         cargo xtask bench --rounds 0 --long --open 1000
  PERF-11                                               cargo xtask sim";

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// How often everything is measured, one after the other; 0 leaves out what is measured in rounds
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(0..=100))]
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
    /// Also watch an idle server for 60 seconds, and measure a server with a million open exchanges
    #[arg(long)]
    pub(crate) long: bool,
    /// Measure a server with so many open exchanges, with or without --long
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1000..=10_000_000))]
    pub(crate) open: Option<u32>,
    /// Measure the open exchanges even while others use the processors; the output says how much
    #[arg(long)]
    pub(crate) noisy: bool,
    /// Also measure these with the same messages, in the same rounds; `cargo xtask bench` installs them
    #[arg(long, value_name = "PEER,…", value_enum, value_delimiter = ',')]
    pub(crate) against: Vec<Peer>,
    /// The server to measure; else the `wilco` beside this program
    #[arg(long, value_name = "FILE")]
    pub(crate) wilco: Option<PathBuf>,
}

/// Somebody else who keeps messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Peer {
    Redis,
    Postgres,
    Nats,
}

impl Peer {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Peer::Redis => "Redis",
            Peer::Postgres => "PostgreSQL",
            Peer::Nats => "NATS",
        }
    }
}

/// What `--long` measures in place of `--open`.
const MANY: u32 = 1_000_000;

impl Options {
    /// How many open exchanges a server is to have, if that is measured.
    pub(crate) fn many(&self) -> Option<usize> {
        self.open.or(self.long.then_some(MANY)).map(|many| many as usize)
    }
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
