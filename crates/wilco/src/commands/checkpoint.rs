//! `wilco checkpoint`: an agent reports progress.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use crate::caller::Caller;
use crate::posted;
use crate::task::{self, Role};
use crate::values::Content;

/// Report that a checkpoint of a task is reached
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco checkpoint GH-42 1 --summary \"The form works, tests follow\"\n  \
    wilco checkpoint GH-42 3 --status blocked --summary \"Waiting for the API key\"")]
pub(crate) struct Args {
    /// The task's id, or the exchange's
    pub(crate) task: String,
    /// The number of the checkpoint, from 1
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) number: u32,
    /// What was done
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) summary: Option<String>,
    /// How it stands, in a word
    #[arg(long, value_name = "WORD")]
    pub(crate) status: Option<String>,
    /// What comes next
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) next: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let answer = task::say(&args.caller, &args.task, Role::Assignee, content(&args))?;
    Ok(posted::show(&args.caller, &answer))
}

fn content(args: &Args) -> Content {
    Content::new(MessageType::CheckpointAck)
        .with("checkpoint", args.number)
        .with("status", args.status.clone())
        .with("summary", args.summary.clone())
        .with("next_checkpoint", args.next.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cli_2_a_checkpoint_has_a_number_and_a_summary() {
        let args =
            super::super::parsed::<Args>(&["GH-1", "2", "--summary", "Half", "--status", "done"]).unwrap();
        assert_eq!(
            content(&args).into_value(),
            json!({"type": "checkpoint-ack", "checkpoint": 2, "status": "done", "summary": "Half"})
        );
        assert!(super::super::parsed::<Args>(&["GH-1", "0"]).is_err());
    }
}
