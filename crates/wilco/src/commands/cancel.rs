//! `wilco cancel`: an agent says that an operation must not be done, or its initiator takes it back.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use crate::caller::Caller;
use crate::values::Content;
use crate::{operation, posted};

/// Cancel an operation: as one of its agents, or as its initiator
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  wilco cancel op-42\n  wilco cancel restart --reason \"In the middle of a release\""
)]
pub(crate) struct Args {
    /// The operation's id, or its name
    pub(crate) operation: String,
    /// Why; - reads it from stdin
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let reason = args.reason.clone();
    let (client, from) = (args.caller.client(), args.caller.sender()?);
    let exchange = operation::find(&args.caller, &client, from.as_deref(), &args.operation)?;
    let content = if from.as_deref() == Some(exchange.initiator.as_str()) {
        Content::new(MessageType::OperationCancelled).with("message", reason)
    } else {
        Content::new(MessageType::Acknowledgment).with("message", "cancel").with("notes", reason)
    };
    let answer = operation::say_in(&args.caller, &client, from, &exchange, content)?;
    Ok(posted::show(&args.caller, &answer))
}
