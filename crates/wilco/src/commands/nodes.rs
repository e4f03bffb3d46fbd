//! `wilco nodes`: the servers that share a realm.

use std::process::ExitCode;

use wilco_protocol::Time;
use wilco_wire::{Node, Page};

use crate::caller::Caller;
use crate::output::Screen;
use crate::output::age::ago;
use crate::output::table::Table;

/// List the servers on one PostgreSQL, and which of them writes
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco nodes\n  wilco nodes --json\n\n\
    LAG: events that a node had not heard of at its last sign of life. CLOCK: how far its clock is off.\n\
    WAITING: due orders that only this node can carry out, on its machine.")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    args.caller.show_at(args.caller.client().nodes(), words)?;
    Ok(ExitCode::SUCCESS)
}

fn words(page: &Page<Node>, now: Time, screen: &Screen) -> String {
    if page.items.is_empty() {
        return "This server is alone: its data is in its own directory.".to_owned();
    }
    let mut table =
        Table::new(&["NODE", "ROLE", "EPOCH", "SEEN", "LAG", "CLOCK", "WAITING", "ADDRESS", "VERSION"]);
    for node in &page.items {
        let (epoch, lag, clock) =
            (node.epoch.to_string(), node.lag.to_string(), format!("{:+} ms", node.clock));
        let waiting = node.waiting.to_string();
        let seen = ago(now, &node.last_seen);
        table.row([
            &node.name,
            &node.role,
            &epoch,
            &seen,
            &lag,
            &clock,
            &waiting,
            &node.address,
            &node.version,
        ]);
    }
    table.show(screen)
}
