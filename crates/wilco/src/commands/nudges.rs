//! `wilco nudges`: how the nudges of agents stand.

use std::process::ExitCode;

use wilco_protocol::Time;
use wilco_wire::{Nudge, Page};

use crate::caller::Caller;
use crate::output::Screen;
use crate::output::age::left;
use crate::output::table::Table;

/// List how agents are nudged, and whether it works
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco nudges\n  wilco nudges --json")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    args.caller.show_at(args.caller.client().nudges(), words)?;
    Ok(ExitCode::SUCCESS)
}

fn words(page: &Page<Nudge>, now: Time, screen: &Screen) -> String {
    if page.items.is_empty() {
        return "Nobody is nudged. Register an agent with: wilco agent register NAME --nudge '{\"kind\": \"tmux\"}'"
            .to_owned();
    }
    let mut table = Table::new(&["AGENT", "KIND", "STATE", "FAILED", "NEXT", "WHY"]);
    for nudge in &page.items {
        let next = nudge.next_attempt.as_deref().map_or(String::new(), |due| left(now, due));
        let (failed, why) = (nudge.attempts.to_string(), nudge.reason.clone().unwrap_or_default());
        table.row([&nudge.agent, &nudge.kind, &nudge.state, &failed, &next, &why]);
    }
    table.show(screen)
}
