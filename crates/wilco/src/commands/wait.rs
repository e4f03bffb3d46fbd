//! `wilco wait`: an agent needs more time before an operation.

use std::process::ExitCode;

use crate::caller::Caller;
use crate::values::{Content, words};
use crate::{operation, posted};

/// Ask for more time before an operation
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco wait op-42\n  wilco wait restart --notes \"Work is saved\"")]
pub(crate) struct Args {
    /// The operation's id, or its name
    pub(crate) operation: String,
    /// What the initiator should know; it changes nothing. - reads it from stdin
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) notes: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let notes = args.notes.as_deref().map(words).transpose()?;
    let content = Content::new("acknowledgment").with("message", "wait").with("notes", notes);
    let answer = operation::say(&args.caller, &args.operation, content)?;
    Ok(posted::show(&args.caller, &answer))
}
