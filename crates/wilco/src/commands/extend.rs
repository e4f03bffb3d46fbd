//! `wilco extend`: an initiator gives more time.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use wilco_protocol::Span;

use crate::caller::Caller;
use crate::posted;
use crate::task::{self, Role};
use crate::values::{self, Content};

/// Give more time: move the running deadline of a task
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco extend GH-42 10m")]
pub(crate) struct Args {
    /// The task's id, or the exchange's
    pub(crate) task: String,
    /// How much longer, such as 90s, 10m or 1h30m
    #[arg(value_parser = values::span)]
    pub(crate) time: Span,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let content = Content::new(MessageType::TaskExtend).with("time", args.time.to_string());
    let answer = task::say(&args.caller, &args.task, Role::Initiator, content)?;
    Ok(posted::show(&args.caller, &answer))
}
