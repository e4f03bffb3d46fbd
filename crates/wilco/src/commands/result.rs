//! `wilco result`: an initiator says how its operation went.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use serde_json::{Value, json};

use crate::caller::Caller;
use crate::values::{self, Content};
use crate::{operation, posted};

/// Say how an operation went; its agents are told
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  wilco result op-42 done\n  wilco result restart failed --message \"The disk is full\" --agent bob=failed"
)]
pub(crate) struct Args {
    /// The operation's id, or its name
    pub(crate) operation: String,
    /// done or failed
    pub(crate) status: String,
    /// What the agents should know; - reads it from stdin
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) message: Option<String>,
    /// How it went for one agent; repeat it for more
    #[arg(long = "agent", value_name = "NAME=STATUS", value_parser = values::pair)]
    pub(crate) agents: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let message = args.message.clone();
    let of = |(agent, status): &(String, String)| json!({"agent": agent, "status": status});
    let results: Vec<Value> = args.agents.iter().map(of).collect();
    let content = Content::new(MessageType::OperationResult)
        .with("status", args.status.clone())
        .with("message", message)
        .with("results", results);
    let answer = operation::say(&args.caller, &args.operation, content)?;
    Ok(posted::show(&args.caller, &answer))
}
