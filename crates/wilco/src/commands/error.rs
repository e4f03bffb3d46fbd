//! `wilco error`: an agent says that it cannot take a task, by code.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use crate::caller::Caller;
use crate::posted;
use crate::suggested;
use crate::task::{self, Role};
use crate::values::Content;

const CODES: [&str; 5] = [
    "RESOURCE_UNAVAILABLE",
    "CAPABILITY_MISMATCH",
    "NETWORK_ERROR",
    "INVALID_TASK_FORMAT",
    "AGENT_SHUTTING_DOWN",
];

/// Say that you cannot take a task now, with an error code
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco error GH-42 RESOURCE_UNAVAILABLE --retry-after-minutes 10\n  \
    wilco error GH-42 CAPABILITY_MISMATCH --message \"I cannot run macOS builds\" --alternative mac-builder\n\n\
    Codes: RESOURCE_UNAVAILABLE, CAPABILITY_MISMATCH, NETWORK_ERROR, INVALID_TASK_FORMAT, AGENT_SHUTTING_DOWN.\n\
    Another code is kept and treated like NETWORK_ERROR.")]
pub(crate) struct Args {
    /// The task's id, or the exchange's
    pub(crate) task: String,
    /// The error code
    #[arg(value_parser = suggested::any(&CODES), hide_possible_values = true)]
    pub(crate) code: String,
    /// What happened
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) message: Option<String>,
    /// When to try again
    #[arg(long, value_name = "N")]
    pub(crate) retry_after_minutes: Option<u32>,
    /// An agent that could take the task; repeat it for more
    #[arg(long = "alternative", value_name = "AGENT")]
    pub(crate) alternatives: Vec<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let answer = task::say(&args.caller, &args.task, Role::Assignee, content(&args))?;
    Ok(posted::show(&args.caller, &answer))
}

fn content(args: &Args) -> Content {
    Content::new(MessageType::TaskAcknowledgmentError)
        .with("error_code", args.code.to_ascii_uppercase().replace('-', "_"))
        .with("message", args.message.clone())
        .with("retry_after_minutes", args.retry_after_minutes)
        .with("alternative_agents", args.alternatives.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cli_8_an_error_has_its_code_and_ways_out() {
        let line = [
            "GH-1",
            "resource-unavailable",
            "--retry-after-minutes",
            "5",
            "--alternative",
            "carl",
            "--message",
            "full",
        ];
        assert_eq!(
            content(&super::super::parsed::<Args>(&line).unwrap()).into_value(),
            json!({
                "type": "task-acknowledgment-error", "error_code": "RESOURCE_UNAVAILABLE", "message": "full",
                "retry_after_minutes": 5, "alternative_agents": ["carl"],
            })
        );
    }
}
