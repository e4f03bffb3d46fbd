//! `cargo xtask sim`: many runs of the simulation.
//!
//! They are built for release, because their number is the point; `--dev` keeps the checks that only a
//! development build has.

use crate::workspace::{cargo, succeed};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Run the development build
    #[arg(long)]
    dev: bool,
    /// What the simulation takes: `--seeds N`, `--seed S`, `--trace`, `--cores N`, `--delegations N`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    simulation: Vec<String>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let profile: &[&str] = if options.dev { &[] } else { &["--release"] };
    let mut run = cargo();
    run.args(["run", "--quiet", "--package", "wilco-sim"]).args(profile).arg("--").args(&options.simulation);
    succeed(&mut run)
}
