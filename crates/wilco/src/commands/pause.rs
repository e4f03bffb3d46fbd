//! `wilco pause`: an initiator asks an agent to pause a task.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use wilco_protocol::Span;

use crate::caller::Caller;
use crate::posted;
use crate::task::{self, Role};
use crate::values::{self, Content};

/// Ask the agent to pause a task
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco pause GH-42\n  \
    wilco pause GH-42 --for 1h --reason \"The database moves\"")]
pub(crate) struct Args {
    /// The task's id, or the exchange's
    pub(crate) task: String,
    /// For how long; you are reminded at the end
    #[arg(long = "for", value_name = "DURATION", value_parser = values::span)]
    pub(crate) duration: Option<Span>,
    /// Why
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) reason: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let answer = task::say(&args.caller, &args.task, Role::Initiator, content(&args))?;
    Ok(posted::show(&args.caller, &answer))
}

fn content(args: &Args) -> Content {
    Content::new(MessageType::TaskPause)
        .with("expected_duration", args.duration.map(|duration| duration.to_string()))
        .with("reason", args.reason.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cli_8_a_pause_may_have_a_length() {
        let args = super::super::parsed::<Args>(&["GH-1", "--for", "90m", "--reason", "r"]).unwrap();
        assert_eq!(
            content(&args).into_value(),
            json!({"type": "task-pause", "expected_duration": "1h30m", "reason": "r"})
        );
        assert!(super::super::parsed::<Args>(&["GH-1", "--for", "soon"]).is_err());
    }
}
