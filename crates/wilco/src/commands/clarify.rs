//! `wilco clarify`: an initiator answers an agent's questions.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use crate::caller::Caller;
use crate::follow::Follow;
use crate::task::{self, Role};
use crate::values::Content;

/// Answer the questions that an agent has about a task
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco clarify GH-42 --answer \"Firefox and Chrome\" --answer \"Until Friday\"\n  \
    wilco clarify GH-42 --message \"Only the desktop matters, for all of your questions\"")]
pub(crate) struct Args {
    /// The task's id, or the exchange's
    pub(crate) task: String,
    /// The answer to a question; one for each, in their order
    #[arg(
        long = "answer",
        value_name = "TEXT",
        allow_hyphen_values = true,
        required_unless_present = "message"
    )]
    pub(crate) answers: Vec<String>,
    /// A text that answers all of them
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) follow: Follow,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let answer = task::say(&args.caller, &args.task, Role::Initiator, content(&args))?;
    args.follow.show(&args.caller, &answer)
}

fn content(args: &Args) -> Content {
    Content::new(MessageType::TaskClarification)
        .with("answers", args.answers.clone())
        .with("message", args.message.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cli_3_answers_keep_their_order() {
        let args = super::super::parsed::<Args>(&["GH-1", "--answer", "one", "--answer", "two"]).unwrap();
        assert_eq!(
            content(&args).into_value(),
            json!({"type": "task-clarification", "answers": ["one", "two"]})
        );
        assert!(super::super::parsed::<Args>(&["GH-1"]).is_err());
    }
}
