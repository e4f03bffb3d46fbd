//! `wilco exchanges`: what goes on, and what went on.

use std::process::ExitCode;
use wilco_language::nearest;

use wilco_client::ExchangeParameters;

use crate::caller::Caller;
use crate::output::exchange;
use crate::paging::{Paging, with_more};
use crate::suggested;

/// List exchanges, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco exchanges --open\n  \
    wilco exchanges --agent bob --state working\n  \
    wilco exchanges --task GH-42 --json")]
pub(crate) struct Args {
    /// Only those that have not ended
    #[arg(long, conflicts_with = "ended")]
    pub(crate) open: bool,
    /// Only those that have ended
    #[arg(long)]
    pub(crate) ended: bool,
    /// Only those of this task
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,
    /// Only those in which this agent takes part
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Only those in this state
    #[arg(long, value_name = "STATE", value_parser = suggested::any(&STATES), hide_possible_values = true)]
    pub(crate) state: Option<String>,
    /// Only those of this protocol
    #[arg(long, value_name = "WORD", value_parser = suggested::any(&PROTOCOLS), hide_possible_values = true)]
    pub(crate) protocol: Option<String>,
    /// Only those that mention these words
    #[arg(long, value_name = "WORDS")]
    pub(crate) query: Option<String>,
    #[command(flatten)]
    pub(crate) paging: Paging,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let answer = args.caller.client().exchanges(&query(&args));
    args.caller.show_at(answer, |page, now, screen| match page.items.as_slice() {
        [] => none(args.state.as_deref()),
        items => with_more(page, exchange::list(items, now, screen)),
    })?;
    Ok(ExitCode::SUCCESS)
}

const PROTOCOLS: [&str; 4] = ["delegation", "operation", "handoff", "validation"];

/// The states there are, in the order of the protocols.
const STATES: [&str; 31] = [
    "awaiting-ack",
    "clarifying",
    "in-review",
    "queued",
    "waiting",
    "returned",
    "working",
    "paused",
    "escalated",
    "completed",
    "cancelled",
    "failed",
    "notifying",
    "authorized",
    "executing",
    "done",
    "aborted",
    "pending",
    "in-progress",
    "awaiting-fix",
    "fixing",
    "re-checking",
    "fail",
    "pass",
    "skipped",
    "preparing",
    "correcting",
    "blocked",
    "confirming",
    "complete",
    "partial",
];

/// Nothing is listed; a mistyped state would be a reason.
fn none(state: Option<&str>) -> String {
    let unknown = state.filter(|state| !STATES.contains(state));
    let near = unknown.and_then(|state| Some((state, nearest(state, STATES)?)));
    match near {
        Some((state, near)) => format!("No exchanges. No state is called {state:?}; did you mean {near}?"),
        None => "No exchanges.".to_owned(),
    }
}

fn query(args: &Args) -> ExchangeParameters {
    let open = match (args.open, args.ended) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        (false, false) => None,
    };
    ExchangeParameters {
        protocol: args.protocol.clone(),
        state: args.state.clone(),
        open,
        agent: args.agent.clone(),
        task: args.task.clone(),
        q: args.query.clone(),
        after: args.paging.after.clone(),
        limit: Some(args.paging.limit),
    }
}
