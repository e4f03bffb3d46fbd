//! `cargo xtask bench`: builds the shipped binary and the benchmark in release, and measures.
//!
//! Everything else is in `crates/wilco-bench`, which is built only for this.

use std::path::PathBuf;
use std::process::Command;

use crate::workspace::{cargo, root, succeed};

#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// Options of the benchmark; --help lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    // Both at once, so that they share what they are built from.
    succeed(cargo().args([
        "build",
        "--quiet",
        "--release",
        "--package",
        "wilco",
        "--package",
        "wilco-bench",
    ]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    succeed(Command::new(target.join("release/wilco-bench")).args(&options.arguments))
}
