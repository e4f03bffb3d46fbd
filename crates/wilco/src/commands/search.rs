//! `wilco search`: messages by what they say.

use std::process::ExitCode;
use wilco_language::message::MessageType;

use wilco_client::MessageQuery;
use wilco_protocol::Time;
use wilco_wire::{Message, Page};

use crate::caller::Caller;
use crate::output::Screen;
use crate::output::age::ago;
use crate::output::table::Table;
use crate::paging::{Paging, with_more};

/// Find messages by their words, people and type
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco search login form\n  \
    wilco search --from anna --type task-assignment\n  \
    wilco search migration --agent bob --json\n\n\
    A message is found when it has all words, each at least as the beginning of one of its own.")]
pub(crate) struct Args {
    /// Words that must all be there
    pub(crate) words: Vec<String>,
    /// Only what this agent sent or got
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Only what this agent sent
    #[arg(long, value_name = "NAME")]
    pub(crate) from: Option<String>,
    /// Only what this agent got
    #[arg(long, value_name = "NAME")]
    pub(crate) to: Option<String>,
    /// Only of this type
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) kind: Option<String>,
    #[command(flatten)]
    pub(crate) paging: Paging,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let query = MessageQuery {
        q: Some(args.words.join(" ")).filter(|words| !words.is_empty()),
        agent: args.agent.clone(),
        from: args.from.clone(),
        to: args.to.clone(),
        kind: args.kind.clone(),
        after: args.paging.after.clone(),
        limit: Some(args.paging.limit),
    };
    args.caller.show_at(args.caller.client().messages(&query), words)?;
    Ok(ExitCode::SUCCESS)
}

fn words(page: &Page<Message>, now: Time, screen: &Screen) -> String {
    if page.items.is_empty() {
        return "Nothing is found.".to_owned();
    }
    let mut table = Table::new(&["ID", "FROM", "TO", "TYPE", "SUBJECT", "WHEN"]);
    for message in &page.items {
        let kind = message.content["type"].as_str().unwrap_or(MessageType::Conversation.name()).to_owned();
        let when = ago(now, &message.timestamp);
        table.row([&message.id, &message.from, &message.to, &kind, &message.subject, &when]);
    }
    with_more(page, table.show(screen))
}
