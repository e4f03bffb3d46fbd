//! `wilco ready`: an agent is ready for an operation.

use std::process::ExitCode;

use crate::operation::{Answering, answer};

/// Answer that you are ready for an operation
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco ready op-42\n  wilco ready restart --notes \"Work is saved\"")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) answering: Answering,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    answer(&args.answering, "ok")
}
