//! `wilco complete`: an agent reports that a task is done.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use crate::caller::Caller;
use crate::posted;
use crate::task::{self, Role};
use crate::values::Content;

/// Report that a task is done
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco complete GH-42\n  \
    wilco complete GH-42 \"Merged as #51, all tests pass\"")]
pub(crate) struct Args {
    /// The task's id, or the exchange's
    pub(crate) task: String,
    /// What was done; - reads it from stdin
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let message = args.message.clone();
    let content = Content::new(MessageType::TaskComplete).with("message", message);
    let answer = task::say(&args.caller, &args.task, Role::Assignee, content)?;
    Ok(posted::show(&args.caller, &answer))
}
