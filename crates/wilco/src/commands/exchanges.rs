//! `wilco exchanges`: what goes on, and what went on.

use std::process::ExitCode;

use wilco_client::ExchangeQuery;

use crate::caller::Caller;
use crate::output::exchange;

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
    #[arg(long, value_name = "STATE")]
    pub(crate) state: Option<String>,
    /// Only those of this protocol
    #[arg(long, value_name = "WORD")]
    pub(crate) protocol: Option<String>,
    /// Only those that mention these words
    #[arg(long, value_name = "WORDS")]
    pub(crate) query: Option<String>,
    /// How many at the most
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub(crate) limit: u32,
    /// Only what follows this cursor, from `next` of an earlier answer
    #[arg(long, value_name = "CURSOR")]
    pub(crate) after: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let answer = args.caller.client().exchanges(&query(&args));
    args.caller.show_at(answer, |page, now, screen| match page.items.as_slice() {
        [] => "No exchanges.".to_owned(),
        items => {
            let more = match &page.next {
                Some(next) => format!("\nMore with: --after {next}"),
                None => String::new(),
            };
            format!("{}{more}", exchange::list(items, now, screen))
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

fn query(args: &Args) -> ExchangeQuery {
    let open = match (args.open, args.ended) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        (false, false) => None,
    };
    ExchangeQuery {
        protocol: args.protocol.clone(),
        state: args.state.clone(),
        open,
        agent: args.agent.clone(),
        task: args.task.clone(),
        q: args.query.clone(),
        after: args.after.clone(),
        limit: Some(args.limit),
    }
}
