//! `wilco decide`: somebody decides an escalation.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use wilco_client::{IdempotencyKey, Outgoing};
use wilco_protocol::{EscalationId, ExchangeId, Span};

use super::ack::{STATUSES, status};
use crate::caller::Caller;
use crate::follow::Follow;
use crate::suggested::Suggested;
use crate::task::{self, Role};
use crate::values::{self, Content};

/// Decide an escalation
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco decide del-42-e1 retry\n  \
    wilco decide del-42-e1 reassign --agent carl\n  \
    wilco decide del-42-e1 extend --time 10m\n  \
    wilco decide del-42-e1 accept-as --status received\n  \
    wilco decide val-42-e1 extend --iterations 2\n  \
    wilco decide del-42-e1 abort --note \"No longer needed\"\n\n\
    `wilco status` lists open escalations with their options.")]
pub(crate) struct Args {
    /// The escalation's id; the exchange's or the task's id will do
    pub(crate) escalation: String,
    /// One of the options that the escalation names
    pub(crate) option: String,
    /// Who gets the task, with reassign
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// How much longer, with extend
    #[arg(long, value_name = "DURATION", value_parser = values::span)]
    pub(crate) time: Option<Span>,
    /// As which ACK an answer is taken that could not be read, with accept-as
    #[arg(long, value_name = "STATUS", value_parser = Suggested { words: &STATUSES, read: status }, hide_possible_values = true)]
    pub(crate) status: Option<&'static str>,
    /// How many more, with extend of a validation
    #[arg(long, value_name = "NUMBER")]
    pub(crate) iterations: Option<u32>,
    /// Which phase of a validation, where several wait
    #[arg(long, value_name = "NAME")]
    pub(crate) phase: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) note: Option<String>,
    #[command(flatten)]
    pub(crate) follow: Follow,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (client, from) = (args.caller.client(), args.caller.sender()?);
    args.caller.spelt_right(args.agent.as_deref())?;
    let exchange = match exchange(&args.escalation) {
        Some(id) => id.to_string(),
        None => task::find(&args.caller, &client, from.as_deref(), &args.escalation, Role::Initiator)?.id,
    };
    let content = content(&args).into_value();
    let message = Outgoing { from, exchange: Some(exchange), content, ..Outgoing::default() };
    let answer = args.caller.checked(client.send(&message, &IdempotencyKey::fresh()))?;
    args.follow.show(&args.caller, &answer)
}

/// The exchange that an id of an escalation or of an exchange names.
fn exchange(id: &str) -> Option<ExchangeId> {
    id.parse().map(|id: EscalationId| id.exchange).or_else(|_| id.parse()).ok()
}

fn content(args: &Args) -> Content {
    let escalation = args.escalation.parse::<EscalationId>().ok();
    Content::new(MessageType::Decision)
        .with("escalation", escalation.map(|id| id.to_string()))
        .with("option", args.option.clone())
        .with("agent", args.agent.clone())
        .with("time", args.time.map(|time| time.to_string()))
        .with("status", args.status)
        .with("iterations", args.iterations)
        .with("phase", args.phase.clone())
        .with("note", args.note.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cli_3_a_decision_names_its_escalation_and_exchange() {
        let args = super::super::parsed::<Args>(&["del-4-e1", "extend", "--time", "10m"]).unwrap();
        assert_eq!(
            content(&args).into_value(),
            json!({"type": "decision", "escalation": "del-4-e1", "option": "extend", "time": "10m"})
        );
        for id in ["del-4-e1", "del-4"] {
            assert_eq!(exchange(id).map(|id| id.to_string()).as_deref(), Some("del-4"));
        }
        assert_eq!(exchange("GH-4"), None);
    }
}
