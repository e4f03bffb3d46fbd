//! `wilco operate`: an initiator announces an operation and asks its agents.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use anyhow::bail;
use serde_json::{Value, json};
use wilco_client::{IdempotencyKey, Outgoing};
use wilco_protocol::Span;

use crate::caller::Caller;
use crate::follow::Follow;
use crate::values::{self, Content};

/// Ask agents before they are interrupted
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco operate restart --agents bob --message \"I will restart you\" --wait\n  \
    wilco operate restart --agents a,b,c --quorum majority --execute restart-agent --wait\n  \
    wilco operate deploy --agents a,b --policy preset=emergency --pre-notice 5m\n\n\
    Policy keys: preset, acknowledgment_timeout, acknowledgment_reminder_intervals, extension_allowed,\n\
    max_extension, proceed_on_timeout, quorum, on_cancel, on_interrupted, downtime_grace, result_timeout.")]
pub(crate) struct Args {
    /// What will be done, in a word
    pub(crate) operation: String,
    /// Who is asked, separated by commas
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', required = true)]
    pub(crate) agents: Vec<String>,
    /// What will happen, for the agents to read; - reads it from stdin
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) message: Option<String>,
    /// disruptive, state-change or coordinated
    #[arg(long, value_name = "WORD")]
    pub(crate) kind: Option<String>,
    /// How many must be ready: all, majority or a number
    #[arg(long, value_name = "QUORUM")]
    pub(crate) quorum: Option<String>,
    /// manual, none, or the name of a configured command
    #[arg(long, value_name = "COMMAND")]
    pub(crate) execute: Option<String>,
    /// An argument of the command, with {agent}, {session}, {operation}; repeat it for more
    #[arg(long = "argument", value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) arguments: Vec<String>,
    /// What fills a place of a command whose arguments are fixed; repeat it for more
    #[arg(long = "value", value_name = "PLACE=VALUE", value_parser = values::pair)]
    pub(crate) values: Vec<(String, String)>,
    /// How many commands run at a time
    #[arg(long, value_name = "NUMBER")]
    pub(crate) max_parallel: Option<u32>,
    /// How long one command may take
    #[arg(long, value_name = "DURATION", value_parser = values::span)]
    pub(crate) time_limit: Option<Span>,
    /// Go on with the others when a command fails
    #[arg(long)]
    pub(crate) keep_going: bool,
    /// How long before the handshake the agents hear of it
    #[arg(long, value_name = "DURATION", value_parser = values::span)]
    pub(crate) pre_notice: Option<Span>,
    /// Only tell them: go on at once
    #[arg(long)]
    pub(crate) no_ack: bool,
    /// A key of the policy; repeat it for more
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::policy)]
    pub(crate) policy: Vec<(String, Value)>,
    /// The subject of the message
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) subject: Option<String>,
    #[command(flatten)]
    pub(crate) follow: Follow,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let from = args.caller.sender()?;
    args.caller.spelt_right(args.agents.iter().map(String::as_str))?;
    let message = outgoing(&args, from)?;
    let answer = args.caller.checked(args.caller.client().send(&message, &IdempotencyKey::fresh()))?;
    args.follow.show(&args.caller, &answer)
}

fn outgoing(args: &Args, from: Option<String>) -> anyhow::Result<Outgoing> {
    let message = args.message.clone().unwrap_or_else(|| format!("{} is about to happen.", args.operation));
    let mut content = Content::new(MessageType::PreOperation)
        .with("operation", args.operation.clone())
        .with("message", message)
        .with("kind", args.kind.clone())
        .with("quorum", args.quorum.clone())
        .with("pre_notice", args.pre_notice.map(|span| span.to_string()))
        .with("policy", values::map(&args.policy));
    if args.no_ack {
        content.set("requires_acknowledgment", false);
    }
    if let Some(execute) = execute(args)? {
        content.set("execute", execute);
    }
    let to: Vec<_> = args.agents.iter().map(|name| name.trim().to_owned()).collect();
    let subject = args.subject.clone();
    Ok(Outgoing { from, to, subject, content: content.into_value(), ..Outgoing::default() })
}

/// Who performs it, as the message says it.
fn execute(args: &Args) -> anyhow::Result<Option<Value>> {
    let tuned = !args.arguments.is_empty()
        || !args.values.is_empty()
        || args.max_parallel.is_some()
        || args.time_limit.is_some()
        || args.keep_going;
    let command = match args.execute.as_deref() {
        None if !tuned => return Ok(None),
        Some(word @ ("manual" | "none")) if !tuned => return Ok(Some(json!(word))),
        None | Some("manual" | "none") => {
            bail!("--argument, --value, --max-parallel, --time-limit and --keep-going need --execute COMMAND")
        }
        Some(command) => command,
    };
    let argv: Vec<_> = std::iter::once(command.to_owned()).chain(args.arguments.iter().cloned()).collect();
    let mut execute = json!({"command": argv});
    if !args.values.is_empty() {
        execute["values"] = args.values.iter().map(|(place, value)| (place.clone(), json!(value))).collect();
    }
    if let Some(most) = args.max_parallel {
        execute["max_parallel"] = json!(most);
    }
    if let Some(limit) = args.time_limit {
        execute["time_limit"] = json!(limit.to_string());
    }
    if args.keep_going {
        execute["keep_going"] = json!(true);
    }
    Ok(Some(execute))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(line: &[&str]) -> Value {
        let args = super::super::parsed::<Args>(line).unwrap();
        serde_json::to_value(outgoing(&args, Some("anna".to_owned())).unwrap()).unwrap()
    }

    #[test]
    fn cli_3_an_operation_with_a_command() {
        let line = [
            "restart",
            "--agents",
            "a,b",
            "--message",
            "Now",
            "--quorum",
            "majority",
            "--execute",
            "restart-agent",
            "--argument",
            "--name={agent}",
            "--max-parallel",
            "2",
            "--time-limit",
            "90s",
            "--keep-going",
        ];
        assert_eq!(
            body(&line),
            json!({
                "from": "anna", "to": ["a", "b"],
                "content": {
                    "type": "pre-operation", "operation": "restart", "message": "Now", "quorum": "majority",
                    "execute": {
                        "command": ["restart-agent", "--name={agent}"], "max_parallel": 2,
                        "time_limit": "1m30s", "keep_going": true,
                    },
                },
            })
        );
    }

    #[test]
    fn cli_3_an_operation_says_only_what_was_given() {
        assert_eq!(
            body(&["restart", "--agents", "bob", "--execute", "none"])["content"],
            json!({
                "type": "pre-operation", "operation": "restart", "message": "restart is about to happen.",
                "execute": "none",
            })
        );
        let args = super::super::parsed::<Args>(&["restart", "--agents", "bob", "--keep-going"]).unwrap();
        assert!(outgoing(&args, None).is_err());
    }
}
