//! `wilco demo`: placeholder.
use std::process::ExitCode;
/// Play
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco demo")]
pub(crate) struct Args {}
pub(crate) fn run(_: Args) -> anyhow::Result<ExitCode> { Ok(ExitCode::SUCCESS) }
