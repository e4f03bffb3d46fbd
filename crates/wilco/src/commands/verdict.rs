//! `wilco verdict`: an initiator judges whether an agent understood its task.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use crate::caller::Caller;
use crate::failure::Usage;
use crate::follow::Follow;
use crate::posted;
use crate::suggested::Suggested;
use crate::task::{self, Role};
use crate::values::{Content, expected};

/// Judge whether an agent understood its task
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco verdict GH-42 correct\n  \
    wilco verdict GH-1 GH-2 GH-7 correct\n  \
    wilco verdict GH-42 wrong-summary --correction \"The login page, not the sign-up page\"\n  \
    wilco verdict GH-42 partial --missing \"Tests for wrong passwords\"")]
pub(crate) struct Args {
    /// The task's id, or the exchange's; several get the same verdict
    #[arg(value_name = "TASK", required = true, num_args = 1..)]
    pub(crate) tasks: Vec<String>,
    /// correct, wrong-task, wrong-summary or partial
    #[arg(value_parser = Suggested { words: &VERDICTS, read: verdict }, hide_possible_values = true)]
    pub(crate) verdict: &'static str,
    /// What the right understanding is; needed with wrong-summary
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) correction: Option<String>,
    /// What the understanding lacks; needed with partial; repeat it for more
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) missing: Vec<String>,
    /// Something to add
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) note: Option<String>,
    #[command(flatten)]
    pub(crate) follow: Follow,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    if let [task] = args.tasks.as_slice() {
        let answer = task::say(&args.caller, task, Role::Initiator, content(&args))?;
        return args.follow.show(&args.caller, &answer);
    }
    if args.follow.wait {
        return Err(Usage("--wait follows one task; give its verdict alone".to_owned()).into());
    }
    each(&args)
}

/// Each counts by itself; those that failed are named.
fn each(args: &Args) -> anyhow::Result<ExitCode> {
    let mut failed = Vec::new();
    for task in &args.tasks {
        match task::say(&args.caller, task, Role::Initiator, content(args)) {
            Ok(answer) => drop(posted::show(&args.caller, &answer)),
            Err(error) => failed.push(format!("\n  {task}: {error}")),
        }
    }
    anyhow::ensure!(failed.is_empty(), "no verdict was given on:{}", failed.concat());
    Ok(ExitCode::SUCCESS)
}

fn content(args: &Args) -> Content {
    Content::new(MessageType::Verdict)
        .with("verdict", args.verdict)
        .with("correction", args.correction.clone())
        .with("missing", args.missing.clone())
        .with("note", args.note.clone())
}

const VERDICTS: [&str; 4] = ["correct", "wrong-task", "wrong-summary", "partial"];

fn verdict(word: &str) -> Result<&'static str, String> {
    match word.trim().to_ascii_lowercase().replace(['_', ' '], "-").as_str() {
        "correct" => Ok("correct"),
        "wrong-task" => Ok("wrong-task"),
        "wrong-summary" => Ok("wrong-summary"),
        "partial" => Ok("partial"),
        other => Err(expected(other, &VERDICTS)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cli_3_a_verdict_with_what_it_needs() {
        let body = |line: &[&str]| content(&super::super::parsed::<Args>(line).unwrap()).into_value();
        assert_eq!(body(&["GH-1", "CORRECT"]), json!({"type": "verdict", "verdict": "correct"}));
        assert_eq!(
            body(&["GH-1", "partial", "--missing", "a", "--missing", "b", "--note", "n"]),
            json!({"type": "verdict", "verdict": "partial", "missing": ["a", "b"], "note": "n"})
        );
        assert!(super::super::parsed::<Args>(&["GH-1", "good"]).is_err());
    }
}
