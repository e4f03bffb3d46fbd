//! `wilco resume`: an initiator asks an agent to go on with a paused task.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use crate::caller::Caller;
use crate::posted;
use crate::task::{self, Role};
use crate::values::Content;

/// Ask the agent to go on with a paused task
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco resume GH-42\n  wilco resume GH-42 \"The database is back\"")]
pub(crate) struct Args {
    /// The task's id, or the exchange's
    pub(crate) task: String,
    /// Something to add; - reads it from stdin
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let message = args.message.clone();
    let content = Content::new(MessageType::TaskResume).with("message", message);
    let answer = task::say(&args.caller, &args.task, Role::Initiator, content)?;
    Ok(posted::show(&args.caller, &answer))
}
