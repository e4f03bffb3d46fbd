//! `wilco stop`: an initiator cancels a task.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use crate::caller::Caller;
use crate::follow::Follow;
use crate::task::{self, Role};
use crate::values::Content;

/// Cancel a task; the agent is asked to confirm it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco stop GH-42\n  wilco stop GH-42 --reason \"Solved by GH-40\"")]
pub(crate) struct Args {
    /// The task's id, or the exchange's
    pub(crate) task: String,
    /// Why
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) follow: Follow,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let content = Content::new(MessageType::TaskCancel).with("reason", args.reason);
    let answer = task::say(&args.caller, &args.task, Role::Initiator, content)?;
    args.follow.show(&args.caller, &answer)
}
