//! `wilco delegate`: an initiator gives a task to an agent.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use serde_json::Value;
use wilco_client::{IdempotencyKey, Outgoing};

use crate::caller::Caller;
use crate::follow::Follow;
use crate::suggested::{self, PRIORITIES};
use crate::values::{self, Content};

/// Delegate a task; its agent must show that it understood it
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco delegate bob --task GH-42 --title \"Add a login page\" --criterion \"Tests pass\" --wait\n  \
    wilco delegate bob --title \"Fix the build\" --policy preset=critical --candidate carl\n  \
    wilco delegate bob --task GH-42 --title \"Add a login page\" --policy ack_timeout=90s --supersede\n\n\
    Policy keys: preset, ack_timeout, retry_timeouts, base_wait, max_wait, clarification_timeout, review_timeout,\n\
    queued_check, checkpoint_timeout, max_corrections, understanding, on_busy, downtime_grace.")]
pub(crate) struct Args {
    /// The agent that gets the task
    pub(crate) agent: String,
    /// The task's id; made up when it is missing
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// What to do, in a line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) title: Option<String>,
    /// What to do, in full; - reads it from stdin
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) description: Option<String>,
    /// What must hold in the end; repeat it for more
    #[arg(long = "criterion", value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) criteria: Vec<String>,
    /// A key of the policy; repeat it for more
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::policy)]
    pub(crate) policy: Vec<(String, Value)>,
    /// Who gets the task if this agent cannot take it; repeat it for more
    #[arg(long = "candidate", value_name = "AGENT")]
    pub(crate) candidates: Vec<String>,
    /// What another agent must be able to do to get the task; repeat it for more
    #[arg(long = "capability", value_name = "WORD")]
    pub(crate) capabilities: Vec<String>,
    /// Do not ask for an acknowledgement
    #[arg(long)]
    pub(crate) no_ack: bool,
    /// Cancel an open delegation of the same task first
    #[arg(long)]
    pub(crate) supersede: bool,
    /// The subject of the message
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) subject: Option<String>,
    /// low, normal, high or urgent
    #[arg(long, value_name = "WORD", value_parser = suggested::any(&PRIORITIES), hide_possible_values = true)]
    pub(crate) priority: Option<String>,
    #[command(flatten)]
    pub(crate) follow: Follow,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let from = args.caller.sender()?;
    let named = [args.agent.as_str()].into_iter().chain(args.candidates.iter().map(String::as_str));
    args.caller.spelt_right(named)?;
    let message = outgoing(&args, from);
    let answer = args.caller.checked(args.caller.client().send(&message, &IdempotencyKey::fresh()))?;
    args.follow.show(&args.caller, &answer)
}

fn outgoing(args: &Args, from: Option<String>) -> Outgoing {
    let mut content = Content::new(MessageType::TaskAssignment)
        .with("task_id", args.task.clone())
        .with("title", args.title.clone())
        .with("description", args.description.clone())
        .with("acceptance_criteria", args.criteria.clone())
        .with("candidates", args.candidates.clone())
        .with("capabilities", args.capabilities.clone())
        .with("policy", values::map(&args.policy))
        .with("supersede", args.supersede);
    if args.no_ack {
        content.set("requires_ack", false);
    }
    Outgoing {
        from,
        to: vec![args.agent.clone()],
        subject: args.subject.clone(),
        priority: args.priority.clone(),
        content: content.into_value(),
        ..Outgoing::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn body(line: &[&str]) -> Value {
        let args = super::super::parsed::<Args>(line).unwrap();
        serde_json::to_value(outgoing(&args, Some("anna".to_owned()))).unwrap()
    }

    #[test]
    fn cli_3_a_delegation_with_everything() {
        let line = [
            "bob",
            "--task",
            "GH-1",
            "--title",
            "T",
            "--description",
            "D",
            "--criterion",
            "A",
            "--criterion",
            "B",
            "--policy",
            "ack_timeout=90s",
            "--policy",
            "max_corrections=1",
            "--candidate",
            "carl",
            "--capability",
            "rust",
            "--no-ack",
            "--supersede",
            "--priority",
            "high",
        ];
        assert_eq!(
            body(&line),
            json!({
                "from": "anna", "to": "bob", "priority": "high",
                "content": {
                    "type": "task-assignment", "task_id": "GH-1", "title": "T", "description": "D",
                    "acceptance_criteria": ["A", "B"], "candidates": ["carl"], "capabilities": ["rust"],
                    "policy": {"ack_timeout": "90s", "max_corrections": 1},
                    "supersede": true, "requires_ack": false,
                },
            })
        );
    }

    #[test]
    fn cli_3_a_delegation_says_only_what_was_given() {
        assert_eq!(
            body(&["bob", "--title", "T"]),
            json!({"from": "anna", "to": "bob", "content": {"type": "task-assignment", "title": "T"}})
        );
    }
}
