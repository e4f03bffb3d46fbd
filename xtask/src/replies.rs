//! `cargo xtask replies [FILE]`: how a table of replies is read through the engine, by situation.

use std::path::PathBuf;

use crate::workspace::{cargo, succeed};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The table, a JSON object a line: `situation`, `reply`, `means`
    #[arg(default_value = "crates/wilco-language/tests/tables/replies.jsonl")]
    table: PathBuf,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut run = cargo();
    run.args(["run", "--quiet", "--package", "wilco-sim", "--", "--replies"]).arg(&options.table);
    succeed(&mut run)
}
