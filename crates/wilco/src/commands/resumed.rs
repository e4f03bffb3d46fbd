//! `wilco resumed`: an agent confirms that it resumed a paused task.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use crate::caller::Caller;
use crate::posted;
use crate::task::{self, Role};
use crate::values::Content;

/// Confirm that you resumed a paused task
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco resumed GH-42\n  wilco resumed GH-42 \"Going on with the tests\"")]
pub(crate) struct Args {
    /// The task's id, or the exchange's
    pub(crate) task: String,
    /// Where you go on; - reads it from stdin
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let message = args.message.clone();
    let content = Content::new(MessageType::ResumeAck).with("message", message);
    let answer = task::say(&args.caller, &args.task, Role::Assignee, content)?;
    Ok(posted::show(&args.caller, &answer))
}
