//! `wilco todo`: everything that waits for an agent.

use std::process::ExitCode;

use wilco_protocol::Time;
use wilco_wire::{TodoEntry, TodoList};

use crate::caller::Caller;
use crate::output::Screen;
use crate::output::age::left;
use crate::output::escape::{one_line, visible};

/// List what waits for you, most urgent first
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco todo\n  wilco todo --as bob --json\n\n\
    `wilco next` shows the first of it whole.")]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let agent = args.caller.required()?;
    args.caller
        .show_at(args.caller.client().todo(&agent), |list, now, screen| words(list, &agent, now, screen))?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn words(list: &TodoList, agent: &str, now: Time, screen: &Screen) -> String {
    if list.items.is_empty() {
        return format!("Nothing waits for {}.", one_line(agent));
    }
    list.items.iter().map(|item| entry(item, now, screen)).collect::<Vec<_>>().join("\n\n")
}

/// One entry: what it is, what is asked, how to answer.
pub(crate) fn entry(item: &TodoEntry, now: Time, screen: &Screen) -> String {
    let named = match &item.task_id {
        Some(task) => format!("{} ({})", one_line(task), item.exchange),
        None => item.exchange.clone(),
    };
    let due = item.due.as_ref().map(|due| format!(", {}", left(now, due))).unwrap_or_default();
    let head = format!("{} {named} from {}{due}", item.kind, one_line(&item.from));
    let indented = |text: &str| text.lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n");
    let answer = visible(&item.answer);
    // What reads a text on stdin is pasted from the start of its line to its end mark.
    let answer = match answer.contains('\n') {
        true => format!("  answer with:\n{answer}"),
        false => format!("  answer with: {answer}"),
    };
    format!("{}\n{}\n{answer}", screen.paint.bold(&head), indented(&visible(&item.asked)))
}
