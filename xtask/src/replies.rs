//! `cargo xtask replies [FILE…]`: how tables of replies are read through the engine, by protocol, situation and kind.

use std::path::PathBuf;

use crate::workspace::{cargo, succeed};

const TABLES: [&str; 14] = [
    "crates/wilco-language/tests/tables/replies.jsonl",
    "crates/wilco-language/tests/tables/replies_2.jsonl",
    "crates/wilco-language/tests/tables/replies_3.jsonl",
    "crates/wilco-language/tests/tables/replies_4.jsonl",
    "crates/wilco-language/tests/tables/replies_5.jsonl",
    "crates/wilco-language/tests/tables/replies_6.jsonl",
    "crates/wilco-language/tests/tables/replies_7.jsonl",
    "crates/wilco-language/tests/tables/replies_8.jsonl",
    "crates/wilco-language/tests/tables/replies_9.jsonl",
    "crates/wilco-language/tests/tables/replies_10.jsonl",
    "crates/wilco-language/tests/tables/replies_11.jsonl",
    "crates/wilco-language/tests/tables/replies_12.jsonl",
    "crates/wilco-language/tests/tables/replies_13.jsonl",
    "crates/wilco-language/tests/tables/replies_review.jsonl",
];

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The tables, a JSON object a line: `situation`, `reply`, `means`
    #[arg(default_values = TABLES)]
    tables: Vec<PathBuf>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let mut run = cargo();
    run.args(["run", "--quiet", "--package", "wilco-sim", "--", "--replies"]).args(&options.tables);
    succeed(&mut run)
}
