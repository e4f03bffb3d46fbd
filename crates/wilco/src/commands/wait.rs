//! `wilco wait`: an agent needs more time before an operation.

use std::process::ExitCode;

use crate::operation::{Answering, answer};

/// Ask for more time before an operation
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco wait op-42\n  wilco wait restart --notes \"Work is saved\"")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) answering: Answering,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    answer(&args.answering, "wait")
}
