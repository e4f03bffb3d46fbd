//! `wilco watch`: everything that is open, live. Escalations come first.

mod screen;

use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use wilco_client::{Client, ExchangeParameters};
use wilco_wire::Event;

use crate::caller::Caller;
use crate::output::escape::one_line;
use crate::output::{self, Screen};

use screen::{Keys, View};

/// Watch everything that is open, live; q quits
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco watch\n  \
    wilco watch --agent bob\n  \
    wilco watch | grep escalated\n\n\
    On a terminal: a screen with countdowns, escalations first; q quits. Elsewhere: a line for every event.")]
pub(crate) struct Args {
    /// Only exchanges in which this agent takes part
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

/// How often the screen is drawn anew.
const TICK: Duration = Duration::from_secs(1);
/// How long one call waits for the next event.
const POLL: Duration = Duration::from_secs(30);

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = args.caller.client();
    match !args.caller.json && io::stdin().is_terminal() && output::is_live() {
        true => live(&args, &client)?,
        false => lines(&args, &client)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Draws until somebody presses q.
fn live(args: &Args, client: &Client) -> anyhow::Result<()> {
    // The first look comes before the screen changes, so that an error stays readable.
    let mut view = look(args, client)?;
    let keys = Keys::take()?;
    loop {
        screen::write(&view.drawn(&Screen::of_stdout(), keys.rows()))?;
        match keys.pressed.recv_timeout(TICK) {
            Ok(b'q' | b'Q' | 3 | 27) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            Ok(_) | Err(RecvTimeoutError::Timeout) => {}
        }
        match look(args, client) {
            Ok(newer) => view = newer,
            // A server that restarts is back in a moment; what was seen last stays.
            Err(error) => view.trouble = Some(error.to_string()),
        }
    }
}

fn look(args: &Args, client: &Client) -> anyhow::Result<View> {
    let query = ExchangeParameters {
        open: Some(true),
        agent: args.agent.clone(),
        limit: Some(1000),
        ..ExchangeParameters::default()
    };
    let exchanges = args.caller.checked(client.exchanges(&query))?;
    let escalations = args.caller.checked(client.escalations(Some(true)))?.value.items;
    let now = super::now(exchanges.at.as_deref());
    let shown = |id: &str| exchanges.value.items.iter().any(|exchange| exchange.id == id);
    let escalations = escalations.into_iter().filter(|escalation| shown(&escalation.exchange)).collect();
    Ok(View {
        url: client.url().to_owned(),
        now,
        escalations,
        exchanges: exchanges.value.items,
        trouble: None,
    })
}

/// A line for every event, as it comes, until nobody reads them any more.
fn lines(args: &Args, client: &Client) -> anyhow::Result<()> {
    let mut after = args.caller.checked(client.ready())?.value.position.to_string();
    loop {
        let page = args.caller.checked(client.events(&after, POLL))?.value;
        after = page.next.unwrap_or(after);
        for event in page.items.iter().filter(|event| event.exchange.is_some()) {
            if args.agent.as_ref().is_some_and(|agent| !concerns(event, agent)) {
                continue;
            }
            let text = match args.caller.json {
                true => serde_json::to_string(event)?,
                false => line(event),
            };
            if !output::print_while_read(&text) {
                return Ok(());
            }
        }
    }
}

/// Whether an event was made by somebody, or names them.
fn concerns(event: &Event, agent: &str) -> bool {
    event.by == agent || event.data.to_string().contains(&format!("\"{agent}\""))
}

fn line(event: &Event) -> String {
    let exchange = event.exchange.as_deref().unwrap_or_default();
    one_line(&format!("{}  {exchange}  {}  by {}", event.at, event.kind, event.by))
}
