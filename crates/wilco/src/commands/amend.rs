//! `wilco amend`: an initiator changes a task.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use crate::caller::Caller;
use crate::follow::Follow;
use crate::task::{self, Role};
use crate::values::Content;

/// Change a task; the agent must acknowledge it again
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco amend GH-42 \"Use the staging database\"\n  \
    wilco amend GH-42 --criterion \"Tests pass\" --criterion \"Docs are updated\"")]
pub(crate) struct Args {
    /// The task's id, or the exchange's
    pub(crate) task: String,
    /// What changes; - reads it from stdin
    #[arg(value_name = "TEXT")]
    pub(crate) message: Vec<String>,
    /// A new title
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) title: Option<String>,
    /// More to the description
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) description: Option<String>,
    /// The acceptance criteria from now on; repeat it for more
    #[arg(long = "criterion", value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) criteria: Vec<String>,
    #[command(flatten)]
    pub(crate) follow: Follow,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let message = args.message.join(" ");
    let answer = task::say(&args.caller, &args.task, Role::Initiator, content(&args, message))?;
    args.follow.show(&args.caller, &answer)
}

fn content(args: &Args, message: String) -> Content {
    Content::new(MessageType::TaskAmend)
        .with("message", Some(message).filter(|message| !message.is_empty()))
        .with("title", args.title.clone())
        .with("description", args.description.clone())
        .with("acceptance_criteria", args.criteria.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cli_3_an_amendment_says_what_changes() {
        let args = super::super::parsed::<Args>(&["GH-1", "use", "staging", "--criterion", "C"]).unwrap();
        assert_eq!(
            content(&args, args.message.join(" ")).into_value(),
            json!({"type": "task-amend", "message": "use staging", "acceptance_criteria": ["C"]})
        );
    }
}
