//! `wilco agents`: who is known.

use std::process::ExitCode;

use wilco_protocol::Time;
use wilco_wire::Agent;

use crate::caller::Caller;
use crate::output::Screen;
use crate::output::age::ago;
use crate::output::table::Table;

/// List the known agents
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco agents\n  wilco agents --json")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    args.caller.show_at(args.caller.client().agents(), |page, now, screen| match page.items.as_slice() {
        [] => "No agents yet. Register one with: wilco agent register NAME".to_owned(),
        items => list(items, now, screen),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A table of agents.
pub(crate) fn list(agents: &[Agent], now: Time, screen: &Screen) -> String {
    let mut table = Table::new(&["AGENT", "STATUS", "SEEN", "ROLE", "CAPABILITIES"]);
    for agent in agents {
        let seen = agent.last_seen.as_deref().map_or("never".to_owned(), |seen| ago(now, seen));
        table.row([&agent.name, &agent.status, &seen, &agent.role, &agent.capabilities.join(", ")]);
    }
    table.show(screen)
}
