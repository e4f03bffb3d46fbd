//! `cargo xtask kill`: the kill -9 test in release, for as many rounds as one has time for.

use crate::workspace::{cargo, succeed};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How often the server is killed under load
    #[arg(long, default_value_t = 100)]
    rounds: u32,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut command = cargo();
    command.args(["test", "--release", "-p", "wilco", "--test", "kill", "--", "--nocapture"]);
    succeed(command.env("WILCO_KILL_ROUNDS", options.rounds.to_string()))
}
