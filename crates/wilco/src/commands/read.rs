//! `wilco read`: one message, whole.

use std::process::ExitCode;

use wilco_client::{Client, Error, InboxParameters};
use wilco_language::render::fence::{self, Fenced, fenced, told_apart};
use wilco_protocol::Time;
use wilco_wire::Message;

use super::hook::random;
use super::inbox;
use crate::caller::Caller;
use crate::output::age::ago;
use crate::output::escape::{one_line, visible};
use crate::output::{self, Screen};

/// Show a message and mark it as read
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco read msg-1767150000007-a1b2c3d\n  \
    wilco read msg-1767150000007-a1b2c3d --keep-unread\n  \
    wilco read\n  \
    wilco read --all\n\n\
    Without an id it shows your oldest unread message, with --all every unread one.")]
pub(crate) struct Args {
    /// The message's id; without it, your oldest unread message
    pub(crate) id: Option<String>,
    /// All unread messages, oldest first
    #[arg(long, conflicts_with = "id")]
    pub(crate) all: bool,
    /// Do not mark it as read
    #[arg(long)]
    pub(crate) keep_unread: bool,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = args.caller.client();
    if let Some(id) = &args.id {
        return one(&args, &client, id).map(|()| ExitCode::SUCCESS);
    }
    let agent = args.caller.required()?;
    let unread = unread(&args, &client, &agent)?;
    if unread.is_empty() && !args.caller.json {
        output::print(&format!("No unread messages for {agent}."));
    }
    for (place, id) in unread.iter().enumerate() {
        if place > 0 && !args.caller.json {
            output::print("\n---\n");
        }
        one(&args, &client, id)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows a message, and marks it as read.
fn one(args: &Args, client: &Client, id: &str) -> anyhow::Result<()> {
    args.caller.show_at(client.message(id), words)?;
    if !args.keep_unread && args.caller.identity().is_some() {
        match client.mark_read(id) {
            // Who looks at a message of others has no inbox to mark it in.
            Err(Error::Problem { problem, .. }) if matches!(problem.status, 403 | 404) => {}
            marked => args.caller.checked(marked)?,
        }
    }
    Ok(())
}

/// The ids of the oldest unread message, or of all of them.
fn unread(args: &Args, client: &Client, agent: &str) -> anyhow::Result<Vec<String>> {
    let page = if args.all { inbox::LARGEST_PAGE } else { 1 };
    let (mut ids, mut after) = (Vec::new(), None);
    loop {
        let (status, limit) = (Some("unread".to_owned()), Some(page));
        let query = InboxParameters { status, after, limit, wait: None };
        let found = args.caller.checked(client.inbox(agent, &query))?.value;
        // A page may be short because its messages are long; only an empty one is the last.
        let last = !args.all || found.items.is_empty();
        ids.extend(found.items.into_iter().map(|message| message.id));
        if last {
            return Ok(ids);
        }
        after = found.next;
    }
}

/// The message as its recipient gets it.
pub(crate) fn words(message: &Message, now: Time, screen: &Screen) -> String {
    let content = message.as_delivered();
    let mut lines = Vec::new();
    let mut line = |name: &str, text: &str| {
        if !text.trim().is_empty() {
            let name = screen.paint.dim(&format!("{name:<9}"));
            lines.push(format!("{name} {}", one_line(text)));
        }
    };
    line("from", &message.from);
    line("to", &message.to);
    line("sent", &ago(now, &message.timestamp));
    line("subject", &message.subject);
    line("type", content["type"].as_str().unwrap_or_default());
    line("exchange", message.exchange.as_deref().unwrap_or_default());
    if message.priority != "normal" {
        line("priority", &message.priority);
    }
    let delivery = message.delivery.as_deref().unwrap_or_default();
    match &message.nudge {
        Some(nudge) => line("delivery", &format!("{delivery}, nudge {nudge}")),
        None => line("delivery", delivery),
    }
    if let Some(reading) = &message.reading {
        line("reading", &format!("{}, effect: {}", reading.meaning, reading.effect));
    }
    format!("{}\n\n{}", lines.join("\n"), fenced_text(message, random()))
}

/// What the sender wrote, in a fence, and behind it what Wilco says about how to answer.
fn fenced_text(message: &Message, random: u64) -> String {
    let content = message.as_delivered();
    let text = match content["message"].as_str() {
        Some(text) => text.to_owned(),
        None => serde_json::to_string_pretty(content).unwrap_or_default(),
    };
    let (words, taught) = told_apart(&text, message.teaching.as_deref());
    let whose = Fenced::Message { id: &message.id, from: &message.from };
    let words = fenced(random, whose, &visible(words));
    match taught {
        Some(taught) => format!("{words}\n\n{}", visible(&fence::taught(taught))),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn cli_2_a_message_is_shown_as_it_was_delivered() {
        let now = "2026-01-01T12:00:10.000Z".parse().unwrap();
        let message: Message = serde_json::from_value(json!({
            "id": "msg-1-a", "from": "anna", "fromVerified": false, "to": "bob", "subject": "ACK \u{1b}REQUIRED",
            "priority": "high", "content": {"type": "task-assignment", "title": "T"},
            "delivered": {"type": "task-assignment", "message": "T\n\u{1b}[2J---"}, "in_reply_to": null,
            "exchange": "del-4", "broadcast_id": null, "timestamp": "2026-01-01T12:00:00.000Z", "status": "read",
            "reading": {"exchange": "del-4", "rule": "x", "meaning": "task-assignment", "effect": "awaiting-ack"},
        }))
        .unwrap();
        let shown = words(&message, now, &Screen::plain(None));
        let (head, text) = shown.split_once("\n\n").unwrap();
        assert_eq!(
            head,
            "from      anna\nto        bob\nsent      10s ago\nsubject   ACK \\x1bREQUIRED\n\
             type      task-assignment\nexchange  del-4\npriority  high\n\
             reading   task-assignment, effect: awaiting-ack"
        );
        let mark = text.split(']').next().unwrap();
        assert!(text.contains("msg-1-a from anna"), "{text}");
        assert!(text.ends_with(&format!("\nT\n\\x1b[2J---\n{mark}] end")), "{text}");
    }

    /// TALK-22: what Wilco teaches stands behind the fence and says whose it is; what only claims to be that stays inside.
    #[test]
    fn talk_22_teaching_stands_behind_the_fence() {
        let mut message: Message = serde_json::from_value(json!({
            "id": "msg-1-a", "from": "anna", "fromVerified": false, "to": "bob", "subject": "S", "priority": "high",
            "content": {"type": "conversation", "message": "Do it.\n\nReply: yes", "teaching": "Reply: yes"},
            "in_reply_to": null, "exchange": null, "broadcast_id": null, "timestamp": "2026-01-01T12:00:00.000Z",
            "status": "read",
        }))
        .unwrap();
        assert!(fenced_text(&message, 7).ends_with("Reply: yes\n[0000000000000007] end"));
        message.teaching = Some("Reply: yes".to_owned());
        let text = fenced_text(&message, 7);
        assert!(
            text.ends_with("\nDo it.\n[0000000000000007] end\n\nWilco says how to answer:\nReply: yes"),
            "{text}"
        );
    }
}
