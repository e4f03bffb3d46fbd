//! `cargo xtask kill`: the kill -9 test in release, for as many rounds as one has time for.

use crate::workspace::{cargo, succeed};

const WRITES_PER_ROUND: u32 = 1000;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How often the server is killed under load
    #[arg(long, default_value_t = 100)]
    rounds: u32,
    /// How many messages must have been acknowledged in all; 1,000 for each round unless told otherwise
    #[arg(long)]
    writes: Option<u32>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut command = cargo();
    command.args(["test", "--release", "-p", "wilco", "--test", "tests", "--", "kill::", "--nocapture"]);
    let writes = options.writes.unwrap_or(options.rounds.saturating_mul(WRITES_PER_ROUND));
    command.env("WILCO_KILL_ROUNDS", options.rounds.to_string());
    succeed(command.env("WILCO_KILL_WRITES", writes.to_string()))
}
