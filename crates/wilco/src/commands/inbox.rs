//! `wilco inbox`: the messages for an agent.

use std::process::ExitCode;
use std::time::{Duration, Instant};
use wilco_language::message::MessageType;

use wilco_client::{Answer, Client, InboxParameters};
use wilco_protocol::{Span, Time};
use wilco_wire::{Message, Page};

use crate::caller::Caller;
use crate::output::Screen;
use crate::output::age::ago;
use crate::output::table::Table;
use crate::paging::Paging;
use crate::values;

/// List your unread messages
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco inbox\n  \
    wilco inbox --wait\n  \
    wilco inbox --wait 10m --as bob\n  \
    wilco inbox --all --json\n\n\
    Listing does not mark messages as read; `wilco read ID` does.")]
pub(crate) struct Args {
    /// If there is nothing yet, wait for it: 60s, or as long as you say
    #[arg(long, value_name = "DURATION", num_args = 0..=1, default_missing_value = "60s", value_parser = values::span)]
    pub(crate) wait: Option<Span>,
    /// Whose inbox, if not yours
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Also what was read and archived
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) paging: Paging,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

/// A server holds a call back no longer than this.
const LONGEST_CALL: Duration = Duration::from_secs(60);

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let agent = match &args.agent {
        Some(agent) => {
            args.caller.spelt_right([agent.as_str()])?;
            agent.clone()
        }
        None => args.caller.required()?,
    };
    let client = args.caller.client();
    let mut page = poll(&args, &client, &agent)?;
    // Programs page from where they are; people want what came last.
    let earlier = match args.caller.json || args.paging.after.is_some() {
        true => 0,
        false => to_newest(&args, &client, &agent, &mut page.value)?,
    };
    args.caller.show_at(Ok(page), |page, now, screen| words(page, earlier, &agent, now, screen))?;
    Ok(ExitCode::SUCCESS)
}

/// The page, as soon as something is on it or the time is over.
fn poll(args: &Args, client: &Client, agent: &str) -> anyhow::Result<Answer<Page<Message>>> {
    let until = args.wait.map(|wait| Instant::now() + values::duration(wait));
    let status = Some(if args.all { "all" } else { "unread" }.to_owned());
    let mut query = InboxParameters {
        status,
        after: args.paging.after.clone(),
        limit: Some(args.paging.limit),
        wait: None,
    };
    loop {
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        query.wait = left.map(|left| left.min(LONGEST_CALL)).filter(|wait| !wait.is_zero());
        let page = args.caller.checked(client.inbox(agent, &query))?;
        if !page.value.items.is_empty() || query.wait.is_none() {
            return Ok(page);
        }
    }
}

/// More pages than this are not walked to the newest message.
const PAGES: usize = 100;
/// A server gives no more at once.
pub(crate) const LARGEST_PAGE: u32 = 1000;

/// Goes on to the newest page; says how many messages lie before it.
fn to_newest(args: &Args, client: &Client, agent: &str, page: &mut Page<Message>) -> anyhow::Result<usize> {
    let limit = args.paging.limit as usize;
    let mut earlier = 0;
    let mut full = page.items.len() >= limit;
    for _ in 0..PAGES {
        if !full {
            break;
        }
        let status = Some(if args.all { "all" } else { "unread" }.to_owned());
        let query =
            InboxParameters { status, after: page.next.clone(), limit: Some(LARGEST_PAGE), wait: None };
        let more = args.caller.checked(client.inbox(agent, &query))?.value;
        full = more.items.len() >= LARGEST_PAGE as usize;
        page.items.extend(more.items);
        page.next = more.next;
        let over = page.items.len().saturating_sub(limit);
        page.items.drain(..over);
        earlier += over;
    }
    Ok(earlier)
}

fn words(page: &Page<Message>, earlier: usize, agent: &str, now: Time, screen: &Screen) -> String {
    if page.items.is_empty() {
        return format!("No messages for {agent}.");
    }
    let mut table = Table::new(&["ID", "FROM", "TYPE", "SUBJECT", "WHEN"]);
    for message in &page.items {
        let kind = message.content["type"].as_str().unwrap_or(MessageType::Conversation.name());
        let mark = if message.status == "unread" { "" } else { &format!(" ({})", message.status) };
        let when = format!("{}{mark}", ago(now, &message.timestamp));
        table.row([&message.id, &message.from, kind, subject(message), &when]);
    }
    let more = match earlier {
        0 => String::new(),
        count => {
            let all = (count + page.items.len()).min(LARGEST_PAGE as usize);
            format!("{count} more before these: wilco inbox --limit {all}\n")
        }
    };
    let hint = screen.paint.dim("Read one with: wilco read ID");
    format!("{}\n{more}{hint}", table.show(screen))
}

/// The subject; without one, the first words.
fn subject(message: &Message) -> &str {
    let text = message.content["message"].as_str().unwrap_or_default();
    let mut lines = std::iter::once(message.subject.as_str()).chain(text.lines());
    let first = lines.find(|line| !line.trim().is_empty()).or(message.content["task_id"].as_str());
    first.unwrap_or_default().trim_start_matches(['#', ' '])
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cli_2_waiting_has_a_length_and_a_usual_one() {
        let wait = |line: &[&str]| super::super::parsed::<Args>(line).map(|args| args.wait).unwrap();
        assert_eq!(wait(&[]), None);
        assert_eq!(wait(&["--wait"]), Some(Span::seconds(60)));
        assert_eq!(wait(&["--wait", "5m"]), Some(Span::minutes(5)));
        assert_eq!(wait(&["--wait", "--agent", "bob"]), Some(Span::seconds(60)));
    }

    #[test]
    fn cli_2_an_inbox_is_a_table() {
        let now = "2026-01-01T12:00:10.000Z".parse().unwrap();
        let message = json!({
            "id": "msg-1-a", "from": "anna", "fromVerified": false, "to": "bob", "subject": "",
            "priority": "normal", "content": {"message": "\n## Hi there\u{7}\nmore"}, "in_reply_to": null, "exchange": null,
            "broadcast_id": null, "timestamp": "2026-01-01T12:00:00.000Z", "status": "read",
        });
        let page = Page { items: vec![serde_json::from_value(message).unwrap()], next: None };
        assert_eq!(
            words(&page, 0, "bob", now, &Screen::plain(None)),
            "ID       FROM  TYPE          SUBJECT       WHEN\n\
             msg-1-a  anna  conversation  Hi there\\x07  10s ago (read)\n\
             Read one with: wilco read ID"
        );
        let empty = Page { items: Vec::new(), next: None };
        assert_eq!(words(&empty, 0, "bob", now, &Screen::plain(None)), "No messages for bob.");
    }
}
