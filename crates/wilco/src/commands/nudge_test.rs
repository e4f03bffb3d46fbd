//! `wilco nudge-test`: nudges an agent once, to see whether it works.

use std::process::ExitCode;

use crate::caller::Caller;
use crate::output::escape::one_line;

/// Nudge an agent once, to see whether it works
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  wilco nudge-test bob\n\nThe exit code is 1 when the agent was not reached."
)]
pub(crate) struct Args {
    /// The agent's name
    pub(crate) agent: String,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let answer = args.caller.client().nudge_test(&args.agent);
    let test = args.caller.show(answer, |test, _| match &test.reason {
        None => format!("{} was nudged by {}.", one_line(&test.agent), test.kind),
        Some(reason) => {
            format!("{} was not nudged by {}: {}", one_line(&test.agent), test.kind, one_line(reason))
        }
    })?;
    Ok(if test.delivered { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
