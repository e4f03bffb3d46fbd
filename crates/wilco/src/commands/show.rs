//! `wilco show`: one exchange with everything about it.

use std::process::ExitCode;

use wilco_client::Client;
use wilco_wire::Event;

use crate::caller::Caller;
use crate::output::{self, Screen, exchange};
use crate::task::{self, Role};

/// Show an exchange: state, countdowns, checklist, who said what
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco show del-42\n  \
    wilco show GH-42 --events\n  \
    wilco show GH-42 --json")]
pub(crate) struct Args {
    /// The exchange's id, or the task's
    pub(crate) id: String,
    /// Every event with its data, in place of the diagram
    #[arg(long)]
    pub(crate) events: bool,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

/// The width of a diagram that nobody looks at in a terminal.
const WIDTH: usize = 100;

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = args.caller.client();
    // Anybody may look, so the task need not be the caller's own.
    let found = match task::by_id(&client, &args.id) {
        Some(Ok(exchange)) => exchange,
        _ => task::find(&args.caller, &client, None, &args.id, Role::Initiator)?,
    };
    let answer = args.caller.checked(client.exchange(&found.id))?;
    if args.caller.json {
        output::print_json(&answer.text);
        return Ok(ExitCode::SUCCESS);
    }
    let screen = Screen::of_stdout();
    let story = match args.events {
        true => exchange::events(&every_event(&args.caller, &client, &found.id)?, &screen),
        false => {
            let width = screen.columns.unwrap_or(WIDTH);
            args.caller.checked(client.drawn(&found.id, "diagram.txt", Some(width)))?
        }
    };
    let described = exchange::describe(&answer.value, super::now(answer.at.as_deref()), &screen);
    output::print(&format!("{described}\n\n{story}"));
    Ok(ExitCode::SUCCESS)
}

/// More pages than this are not read; a page has a thousand events.
const PAGES: usize = 100;

fn every_event(caller: &Caller, client: &Client, id: &str) -> anyhow::Result<Vec<Event>> {
    let (mut events, mut after) = (Vec::new(), None);
    for _ in 0..PAGES {
        let page = caller.checked(client.events_of(id, after.as_deref()))?.value;
        if page.items.is_empty() {
            break;
        }
        events.extend(page.items);
        after = page.next;
    }
    Ok(events)
}
