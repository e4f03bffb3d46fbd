//! `wilco ack`: an agent acknowledges a task.

use std::process::ExitCode;
use wilco_language::message::MessageType;
use wilco_wire::Posted;

use crate::caller::Caller;
use crate::output::escape::one_line;
use crate::posted;
use crate::suggested::Suggested;
use crate::task::{self, Role};
use crate::values::{Content, expected};

/// Acknowledge a task: received, clarify, reject or queue
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco ack GH-42 received --understanding \"Add a login page with tests\"\n  \
    wilco ack GH-42 clarify --question \"Which browsers must work?\"\n  \
    wilco ack GH-42 reject --reason \"I have no access to the repository\"\n  \
    wilco ack GH-42 queue\n\n\
    Without an ACK the task is not yours, and another agent may get it.")]
pub(crate) struct Args {
    /// The task's id, or the exchange's
    pub(crate) task: String,
    /// received, confirmed, clarify, reject or queue; the words of the protocol work too
    #[arg(value_parser = Suggested { words: &STATUSES, read: status }, hide_possible_values = true)]
    pub(crate) status: &'static str,
    /// What you will do, in a line of your own words
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) understanding: Option<String>,
    /// A question to the initiator; repeat it for more
    #[arg(long = "question", value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) questions: Vec<String>,
    /// Why you reject it
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) reason: Option<String>,
    /// Which revision of the task you mean, after it was amended
    #[arg(long, value_name = "N")]
    pub(crate) revision: Option<u32>,
    /// A checkpoint that you plan; repeat it for more
    #[arg(long = "checkpoint", value_name = "NAME")]
    pub(crate) checkpoints: Vec<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let answer = task::say(&args.caller, &args.task, Role::Assignee, content(&args))?;
    let shown = posted::show(&args.caller, &answer);
    let Some(handoff) = hands_over(&args.caller, &answer.value) else { return Ok(shown) };
    eprintln!("wilco: your ACK does not count: the task is being handed over by {}", one_line(&handoff));
    Ok(ExitCode::FAILURE)
}

/// The handoff that holds the task, when what was said changed nothing.
fn hands_over(caller: &Caller, posted: &Posted) -> Option<String> {
    let effect = posted.message.reading.as_ref().map(|reading| reading.effect.as_str());
    let exchange = posted.exchange.as_ref().filter(|_| matches!(effect, Some("recorded" | "none")))?;
    let found = caller.client().exchange(&exchange.id).ok()?.value;
    found.data["handoff"].as_str().map(str::to_owned)
}

fn content(args: &Args) -> Content {
    Content::new(MessageType::TaskAcknowledgment)
        .with("status", args.status)
        .with("understanding", args.understanding.clone())
        .with("questions", args.questions.clone())
        .with("reason", args.reason.clone())
        .with("revision", args.revision)
        .with("estimated_checkpoints", args.checkpoints.clone())
}

pub(super) const STATUSES: [&str; 5] = ["received", "confirmed", "clarify", "reject", "queue"];

/// The protocol's word for what was typed.
pub(super) fn status(word: &str) -> Result<&'static str, String> {
    match word.trim().to_ascii_lowercase().replace(['_', ' '], "-").as_str() {
        "received" | "receive" => Ok("received"),
        "confirmed" | "confirm" => Ok("confirmed"),
        "clarify" | "needs-clarification" | "clarification-needed" => Ok("needs-clarification"),
        "reject" | "rejected" => Ok("rejected"),
        "queue" | "queued" => Ok("queued"),
        other => Err(expected(other, &STATUSES)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn body(line: &[&str]) -> Value {
        content(&super::super::parsed::<Args>(line).unwrap()).into_value()
    }

    #[test]
    fn cli_2_an_ack_in_every_status() {
        assert_eq!(
            body(&[
                "GH-1",
                "received",
                "--understanding",
                "Do it",
                "--revision",
                "2",
                "--checkpoint",
                "tests"
            ]),
            json!({
                "type": "task-acknowledgment", "status": "received", "understanding": "Do it",
                "revision": 2, "estimated_checkpoints": ["tests"],
            })
        );
        assert_eq!(
            body(&["GH-1", "clarify", "--question", "A?", "--question", "B?"]),
            json!({"type": "task-acknowledgment", "status": "needs-clarification", "questions": ["A?", "B?"]})
        );
        assert_eq!(
            body(&["GH-1", "reject", "--reason", "No"]),
            json!({"type": "task-acknowledgment", "status": "rejected", "reason": "No"})
        );
        for word in ["QUEUED", "queue"] {
            assert_eq!(body(&["GH-1", word]), json!({"type": "task-acknowledgment", "status": "queued"}));
        }
    }

    #[test]
    fn cli_2_a_text_may_begin_with_a_hyphen() {
        let said = body(&["GH-1", "received", "--understanding", "- add a page\n- test it", "--as", "bob"]);
        assert_eq!(said["understanding"], "- add a page\n- test it");
    }

    #[test]
    fn cli_2_another_status_is_refused() {
        let error = super::super::parsed::<Args>(&["GH-1", "maybe"]).unwrap_err().to_string();
        assert!(error.contains("received, confirmed, clarify, reject or queue"), "{error}");
    }
}
