//! `wilco handoff`: work moves from a failed agent to its replacement.

use std::process::ExitCode;
use std::time::{Duration, Instant};
use wilco_language::message::MessageType;

use anyhow::bail;
use serde_json::{Value, json};
use wilco_client::{Answer, Client, ExchangeParameters, IdempotencyKey, Outgoing};
use wilco_wire::{Exchange, Posted};

use crate::caller::Caller;
use crate::follow::Follow;
use crate::output::escape::one_line;
use crate::task::by_id;
use crate::values::{self, Content};
use crate::{output, posted};

/// Hand the work of a failed agent to its replacement
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    after_help = "Examples:\n  \
    wilco handoff --from implementer-1 --to implementer-2 --reason context_loss --wait\n  \
    wilco handoff --from a --to b --reason crashed --urgency prepare --task GH-42 --issue 42\n  \
    wilco handoff ack handoff-7 --understanding \"Finish the login page\" --starting-from checkpoint-2\n\n\
    Policy keys: ack_timeout, understanding, max_corrections, publish, clarification_timeout,\n\
    review_timeout, downtime_grace."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
    /// Who failed
    #[arg(long, value_name = "AGENT", required = true)]
    pub(crate) from: Option<String>,
    /// Who takes over
    #[arg(long, value_name = "AGENT", required = true)]
    pub(crate) to: Option<String>,
    /// Why, such as context_loss
    #[arg(long, value_name = "TEXT", required = true, allow_hyphen_values = true)]
    pub(crate) reason: Option<String>,
    /// immediate, prepare or when_available
    #[arg(long, value_name = "WORD")]
    pub(crate) urgency: Option<String>,
    /// A task by its uuid, id or exchange; repeat it for more; without it all that are open
    #[arg(long = "task", value_name = "TASK")]
    pub(crate) tasks: Vec<String>,
    /// The number of an issue; repeat it for more
    #[arg(long = "issue", value_name = "NUMBER")]
    pub(crate) issues: Vec<u64>,
    /// The number of a pull request; repeat it for more
    #[arg(long = "pull", value_name = "NUMBER")]
    pub(crate) pulls: Vec<u64>,
    /// The checkpoint to continue from; by default the last one
    #[arg(long, value_name = "CHECKPOINT")]
    pub(crate) starting_from: Option<String>,
    /// Who is asked next if this one rejects; repeat it for more
    #[arg(long = "candidate", value_name = "AGENT")]
    pub(crate) candidates: Vec<String>,
    /// A document of your own; - reads it from stdin
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) document: Option<String>,
    /// How the controller calls this
    #[arg(long, value_name = "ID")]
    pub(crate) notification_id: Option<String>,
    /// A key of the policy; repeat it for more
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::policy)]
    pub(crate) policy: Vec<(String, Value)>,
    #[command(flatten)]
    pub(crate) follow: Follow,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Verb {
    Ack(AckArgs),
    Clarify(ClarifyArgs),
    Override(OverrideArgs),
    Check(CheckArgs),
}

/// Acknowledge a handoff, as its replacement
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco handoff ack handoff-7 --understanding \"Finish the login page\" --starting-from checkpoint-2\n  \
    wilco handoff ack handoff-7 needs_clarification --question \"Which library?\"")]
pub(crate) struct AckArgs {
    /// The handoff's id, or the exchange's
    pub(crate) id: String,
    /// ready_to_proceed, needs_clarification, environment_issue or rejected
    #[arg(default_value = "ready_to_proceed")]
    pub(crate) status: String,
    /// What you will do, in a line
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) understanding: Option<String>,
    /// The checkpoint that you continue from
    #[arg(long, value_name = "CHECKPOINT", allow_hyphen_values = true)]
    pub(crate) starting_from: Option<String>,
    /// A question; repeat it for more
    #[arg(long = "question", value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) questions: Vec<String>,
    /// Something to add
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) message: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

/// Answer the questions of a replacement
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  wilco handoff clarify handoff-7 --answer \"PyJWT 2.8\" --answer \"Port 8080\""
)]
pub(crate) struct ClarifyArgs {
    /// The handoff's id, or the exchange's
    pub(crate) id: String,
    /// The answer to a question; one for each, in their order
    #[arg(long = "answer", value_name = "TEXT", required = true, allow_hyphen_values = true)]
    pub(crate) answers: Vec<String>,
    /// A new document; - reads it from stdin
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) document: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

/// Go on without an ACK
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  wilco handoff override handoff-7 --reason \"It is at work, its session shows it\""
)]
pub(crate) struct OverrideArgs {
    /// The handoff's id, or the exchange's
    pub(crate) id: String,
    /// Why
    #[arg(long, value_name = "TEXT", required = true, allow_hyphen_values = true)]
    pub(crate) reason: String,
    #[command(flatten)]
    pub(crate) follow: Follow,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

/// Check the ACK of a handoff: exit 0 valid, 1 none, 2 not ready, 3 other checkpoint
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco handoff check handoff-7 --checkpoint checkpoint-2")]
pub(crate) struct CheckArgs {
    /// The handoff's id, or the exchange's
    pub(crate) id: String,
    /// The checkpoint to compare with; by default the documented one
    #[arg(long, value_name = "CHECKPOINT", allow_hyphen_values = true)]
    pub(crate) checkpoint: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.verb {
        Some(Verb::Ack(ack)) => {
            let answer = say(&ack.caller, &ack.id, acknowledgment(&ack))?;
            Ok(posted::show(&ack.caller, &answer))
        }
        Some(Verb::Clarify(clarify)) => answer_questions(&clarify),
        Some(Verb::Override(over)) => {
            let content = Content::new(MessageType::HandoffOverride).with("reason", over.reason.clone());
            let answer = say(&over.caller, &over.id, content)?;
            over.follow.show(&over.caller, &answer)
        }
        Some(Verb::Check(check)) => self::check(&check),
        None => request(&args),
    }
}

fn request(args: &Args) -> anyhow::Result<ExitCode> {
    let document = args.document.clone();
    let content = Content::new(MessageType::ReplacementRequest)
        .with("failed_agent", args.from.clone())
        .with("replacement_agent", args.to.clone())
        .with("reason", args.reason.clone())
        .with("urgency", args.urgency.clone())
        .with("tasks", args.tasks.clone())
        .with("issues", args.issues.iter().map(|number| json!(number)).collect::<Vec<_>>())
        .with("pulls", args.pulls.iter().map(|number| json!(number)).collect::<Vec<_>>())
        .with("starting_from", args.starting_from.clone())
        .with("candidates", args.candidates.clone())
        .with("document", document)
        .with("notification_id", args.notification_id.clone())
        .with("policy", values::map(&args.policy));
    let from = args.caller.sender()?;
    let named = args.to.iter().chain(&args.candidates).map(String::as_str);
    args.caller.spelt_right(args.from.as_deref().into_iter().chain(named))?;
    let message =
        Outgoing { from, to: vec!["wilco".to_owned()], content: content.into_value(), ..Outgoing::default() };
    let client = args.caller.client();
    let mut answer = args.caller.checked(client.send(&message, &IdempotencyKey::fresh()))?;
    if let Some(told) = answer.value.exchange.as_mut().filter(|_| !args.caller.json) {
        let begun = delivered(&args.caller, &client, &told.id)?;
        told.state = begun.state;
        if begun.data["tasks"].as_array().is_some_and(Vec::is_empty) {
            let failed = begun.data["failed_agent"].as_str().unwrap_or("the failed agent");
            output::print(&format!("{} has no open task to move.", one_line(failed)));
        }
    }
    args.follow.show(&args.caller, &answer)
}

/// The handoff once its replacement was told of it, so that whoever looks into that inbox next finds it. A document
/// that takes long is not waited for.
fn delivered(caller: &Caller, client: &Client, id: &str) -> anyhow::Result<Exchange> {
    const PATIENCE: Duration = Duration::from_secs(10);
    let began = Instant::now();
    let past = caller.checked(client.events_of(id, None))?.value.items;
    let mut after = past.last().map_or(0, |event| event.position).to_string();
    loop {
        let exchange = caller.checked(client.exchange(id))?.value;
        let left = PATIENCE.saturating_sub(began.elapsed());
        if exchange.state != "preparing" || left.is_zero() {
            return Ok(exchange);
        }
        let page = caller.checked(client.events(&after, left))?.value;
        after = page.next.unwrap_or(after);
    }
}

fn acknowledgment(args: &AckArgs) -> Content {
    let mut content = Content::new(MessageType::HandoffAck)
        .with("status", args.status.clone())
        .with("understanding", args.understanding.clone())
        .with("starting_from", args.starting_from.clone())
        .with("message", args.message.clone());
    content.set("questions", json!(args.questions));
    content
}

fn answer_questions(args: &ClarifyArgs) -> anyhow::Result<ExitCode> {
    let (client, from) = (args.caller.client(), args.caller.sender()?);
    let exchange = find(&args.caller, &client, &args.id)?;
    let asked = exchange.data["questions"].as_array().cloned().unwrap_or_default();
    let pair = |(place, answer): (usize, &String)| json!({"question": asked.get(place).and_then(Value::as_str).unwrap_or(""), "answer": answer});
    let pairs: Vec<_> = args.answers.iter().enumerate().map(pair).collect();
    let document = args.document.clone();
    let content = Content::new(MessageType::HandoffClarification)
        .with("clarifications", pairs)
        .with("document", document);
    let answer = posted::say_in(&args.caller, &client, from, &exchange, content)?;
    Ok(posted::show(&args.caller, &answer))
}

fn say(caller: &Caller, id: &str, content: Content) -> anyhow::Result<Answer<Posted>> {
    let (client, from) = (caller.client(), caller.sender()?);
    let exchange = find(caller, &client, id)?;
    // Whose id was named, so that an ACK of an earlier handoff is known as such.
    let named = id.parse::<wilco_protocol::ExchangeId>().is_err().then(|| id.to_owned());
    let handoff_id = named.or(exchange.data["handoff_id"].as_str().map(str::to_owned));
    posted::say_in(caller, &client, from, &exchange, content.with("handoff_id", handoff_id))
}

/// More handoffs than this are not looked at.
const LOOKED_AT: u32 = 1000;

/// The handoff of this exchange, or of this handoff id, an earlier one included.
fn find(caller: &Caller, client: &Client, id: &str) -> anyhow::Result<Exchange> {
    if let Some(Ok(exchange)) = by_id(client, id) {
        return Ok(exchange);
    }
    let query = ExchangeParameters {
        protocol: Some("handoff".to_owned()),
        limit: Some(LOOKED_AT),
        ..ExchangeParameters::default()
    };
    let same = |value: &Value| value.as_str().is_some_and(|text| text.eq_ignore_ascii_case(id));
    let named = |exchange: &Exchange| {
        let former = exchange.data["former_replacements"].as_array().cloned().unwrap_or_default();
        same(&exchange.data["handoff_id"]) || former.iter().any(|one| same(&one["handoff_id"]))
    };
    let handoffs = caller.checked(client.exchanges(&query))?.value.items;
    match handoffs.into_iter().find(named) {
        Some(exchange) => Ok(exchange),
        None => bail!("there is no handoff {id}; list them with: wilco exchanges --protocol handoff"),
    }
}

/// A checkpoint as it is compared: of `2`, `checkpoint 2` and `Checkpoint-2` the number.
fn checkpoint_named(text: &str) -> String {
    let folded = text.trim().to_lowercase();
    let number = folded.strip_prefix("checkpoint").and_then(|rest| rest.strip_prefix(['-', ' ']));
    match number.filter(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())) {
        Some(number) => number.to_owned(),
        None => folded,
    }
}

/// The six checks of an ACK.
fn check(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let exchange = find(&args.caller, &args.caller.client(), &args.id)?;
    let (ack, data) = (&exchange.data["ack"], &exchange.data);
    let received = ack["message"].is_string();
    let said = ack["starting_from"].as_str().unwrap_or("").to_owned();
    let checkpoint = match &args.checkpoint {
        Some(expected) => checkpoint_named(expected) == checkpoint_named(&said),
        None => ack["starting_from_matches"] == true,
    };
    let ready = ack["status"] == "ready_to_proceed";
    let open = data["questions"].as_array().is_some_and(|list| !list.is_empty());
    let checks = [
        ("ACK received", received),
        ("Handoff ID matches", ack["handoff_id_matches"] == true),
        ("Understanding accurate", ack["understanding_verified"] == true),
        ("Checkpoint correct", received && checkpoint),
        ("Questions answered", received && !open),
        ("Environment ready", ready),
    ];
    let code: u8 = match (received, ready, checkpoint) {
        (false, ..) => 1,
        (true, false, _) => 2,
        (true, true, false) => 3,
        (true, true, true) if checks.iter().all(|(_, passed)| *passed) => 0,
        (true, true, true) => 2,
    };
    if args.caller.json {
        let list: Vec<_> =
            checks.iter().map(|(check, passed)| json!({"check": check, "passed": passed})).collect();
        output::print_json(
            &json!({"handoff_id": data["handoff_id"], "valid": code == 0, "checks": list}).to_string(),
        );
        return Ok(ExitCode::from(code));
    }
    for (check, passed) in checks {
        output::print(&format!("[{}] {check}", if passed { "x" } else { " " }));
    }
    output::print(&match code {
        0 => "ACK validated successfully".to_owned(),
        1 => format!("No ACK received for handoff {}", one_line(&args.id)),
        3 => {
            let expected = args.checkpoint.clone().or(data["starting_from"].as_str().map(str::to_owned));
            format!(
                "Agent checkpoint '{}' differs from expected '{}'",
                one_line(&said),
                one_line(&expected.unwrap_or_default())
            )
        }
        _ => format!(
            "The ACK is not ready: status {}, state {}",
            ack["status"].as_str().unwrap_or("unknown"),
            exchange.state
        ),
    });
    Ok(ExitCode::from(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cli_2_an_ack_of_a_handoff_says_only_what_was_given() {
        let args = super::super::parsed::<AckArgs>(&["h-1", "--understanding", "U", "--starting-from", "2"])
            .unwrap();
        assert_eq!(
            acknowledgment(&args).into_value(),
            json!({
                "type": "handoff_ack", "status": "ready_to_proceed", "understanding": "U",
                "starting_from": "2", "questions": [],
            })
        );
    }

    #[test]
    fn cli_3_a_handoff_needs_both_agents_and_a_reason() {
        assert!(super::super::parsed::<Args>(&["--from", "a", "--to", "b"]).is_err());
        assert!(super::super::parsed::<Args>(&["--from", "a", "--to", "b", "--reason", "r"]).is_ok());
        assert!(super::super::parsed::<Args>(&["check", "h-1"]).is_ok());
    }
}
