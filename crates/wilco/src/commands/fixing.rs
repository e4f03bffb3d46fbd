//! `wilco fixing`: a main agent has the fix request.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use crate::caller::Caller;
use crate::values::Content;
use crate::{posted, validation};

/// Say that you are fixing what a validation found
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco fixing 42\n  wilco fixing 42 --message-id FIXREQ-42-1")]
pub(crate) struct Args {
    /// The issue, or the validation's id
    pub(crate) issue: String,
    /// The id of the fix request, where several phases wait
    #[arg(long, value_name = "ID")]
    pub(crate) message_id: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let content = Content::new(MessageType::FixAcknowledgment).with("message_id", args.message_id.clone());
    let answer = validation::say(&args.caller, &args.issue, content)?;
    Ok(posted::show(&args.caller, &answer))
}
