//! `wilco next`: the most urgent thing that waits for an agent, whole. An agent's loop is this one verb.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::value::RawValue;
use wilco_client::{Answer, Client, InboxParameters, MessageQuery};
use wilco_protocol::Span;
use wilco_wire::{Message, TodoEntry};

use super::{read, todo};
use crate::caller::Caller;
use crate::output::{self, Screen};
use crate::values;

/// Show the most urgent thing that waits for you, and how to answer
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco next\n  wilco next --wait --as bob\n\n\
    Nothing to do: the oldest unread message. Its message is marked as read.")]
pub(crate) struct Args {
    /// If there is nothing yet, wait for it: 60s, or as long as you say
    #[arg(long, value_name = "DURATION", num_args = 0..=1, default_missing_value = "60s", value_parser = values::span)]
    pub(crate) wait: Option<Span>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

/// A server holds a call back no longer than this.
const LONGEST_CALL: Duration = Duration::from_secs(60);
/// The newest messages among which the one that asks is looked for.
const LOOKED_AT: u32 = 1000;

/// What comes next: something to do with the message that asks for it, or only a message.
struct Next {
    item: Option<TodoEntry>,
    message: Option<Answer<Message>>,
    at: Option<String>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (agent, client) = (args.caller.required()?, args.caller.client());
    let next = find(&args, &client, &agent)?;
    show(&args.caller, &next, &agent)?;
    if let Some(message) = next.message.filter(|message| message.value.status == "unread") {
        args.caller.checked(client.mark_read(&message.value.id))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The next thing, as soon as there is one or the time is over. Whatever is asked comes with a message.
fn find(args: &Args, client: &Client, agent: &str) -> anyhow::Result<Next> {
    let until = args.wait.map(|wait| Instant::now() + values::duration(wait));
    // Whoever waits is registered by it; before that there is nothing to do for it.
    let mut waits = None;
    loop {
        let unread = oldest_unread(args, client, agent, waits)?;
        let list = args.caller.checked(client.todo(agent))?;
        let at = list.at.clone();
        if let Some(item) = list.value.items.into_iter().next() {
            let message = asking(args, client, agent, &item)?;
            return Ok(Next { item: Some(item), message, at });
        }
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        waits = left.map(|left| left.min(LONGEST_CALL)).filter(|left| !left.is_zero());
        if unread.is_some() || waits.is_none() {
            let message = match unread {
                Some(id) => Some(args.caller.checked(client.message(&id))?),
                None => None,
            };
            return Ok(Next { item: None, message, at });
        }
    }
}

fn oldest_unread(
    args: &Args,
    client: &Client,
    agent: &str,
    wait: Option<Duration>,
) -> anyhow::Result<Option<String>> {
    let status = Some("unread".to_owned());
    let query = InboxParameters { status, after: None, limit: Some(1), wait };
    let page = args.caller.checked(client.inbox(agent, &query))?.value;
    Ok(page.items.into_iter().next().map(|message| message.id))
}

/// The newest message of its exchange to this agent.
fn asking(
    args: &Args,
    client: &Client,
    agent: &str,
    item: &TodoEntry,
) -> anyhow::Result<Option<Answer<Message>>> {
    let query =
        MessageQuery { to: Some(agent.to_owned()), limit: Some(LOOKED_AT), ..MessageQuery::default() };
    let page = args.caller.checked(client.messages(&query))?.value;
    let of_it = |message: &Message| message.exchange.as_deref() == Some(&item.exchange);
    match page.items.into_iter().find(of_it) {
        Some(message) => args.caller.checked(client.message(&message.id)).map(Some),
        None => Ok(None),
    }
}

fn show(caller: &Caller, next: &Next, agent: &str) -> anyhow::Result<()> {
    if caller.json {
        let raw = |text: String| RawValue::from_string(text);
        let message = match &next.message {
            Some(message) => raw(message.text.clone())?,
            None => raw("null".to_owned())?,
        };
        let parts = [("item", raw(serde_json::to_string(&next.item)?)?), ("message", message)];
        let document: std::collections::BTreeMap<_, _> = parts.into_iter().collect();
        output::print_json(&serde_json::to_string(&document)?);
        return Ok(());
    }
    let (screen, now) = (Screen::of_stdout(), super::now(next.at.as_deref()));
    let item = next.item.as_ref().map(|item| todo::entry(item, now, &screen));
    let message = next.message.as_ref().map(|message| read::words(&message.value, now, &screen));
    let hint = (next.item.is_some() || next.message.is_some())
        .then(|| screen.paint.dim("Then go on with: wilco next --wait"));
    let parts: Vec<_> = [message, item, hint].into_iter().flatten().collect();
    match parts.is_empty() {
        true => output::print(&format!("Nothing waits for {agent}.")),
        false => output::print(&parts.join("\n\n")),
    }
    Ok(())
}
