//! `wilco log`: what was said in an exchange, as a log or a diagram.

use std::process::ExitCode;

use clap::ValueEnum;

use wilco_client::Client;
use wilco_wire::Exchange;

use crate::caller::Caller;
use crate::output::escape::visible;
use crate::output::{self, Screen};
use crate::task::{self, Role};
use crate::validation;

/// Show who said what in an exchange, as a log or a diagram
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  wilco log GH-42\n  wilco log GH-42 --diagram\n  wilco log 42 --all --json\n  \
                  wilco log del-42 --form svg > gh-42.svg"
)]
pub(crate) struct Args {
    /// The exchange's id, the task's, or the issue of a validation
    id: String,
    /// All validations of an issue, not only the newest
    #[arg(long)]
    all: bool,
    /// A sequence diagram for this terminal
    #[arg(long, conflicts_with = "form")]
    diagram: bool,
    /// What it looks like
    #[arg(long, value_enum, default_value_t = Form::Text)]
    form: Form,
    #[command(flatten)]
    caller: Caller,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// The whole texts, for people
    Text,
    /// The same for a page: what looks like HTML is escaped
    Markdown,
    /// A sequence diagram for this terminal
    Diagram,
    /// A sequence diagram for Mermaid
    Mermaid,
    /// A sequence diagram as a picture
    Svg,
}

impl Form {
    fn file(self) -> &'static str {
        match self {
            Form::Text | Form::Markdown => "log.md",
            Form::Diagram => "diagram.txt",
            Form::Mermaid => "diagram.mmd",
            Form::Svg => "diagram.svg",
        }
    }
}

/// The width of a diagram that goes to a file.
const WIDTH: usize = 100;

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let client = args.caller.client();
    let found = found(&args, &client)?;
    let form = if args.diagram { Form::Diagram } else { args.form };
    let width = match form {
        Form::Diagram => Some(Screen::of_stdout().columns.unwrap_or(WIDTH)),
        Form::Text | Form::Markdown | Form::Mermaid | Form::Svg => None,
    };
    for exchange in found {
        if args.caller.json {
            output::print_json(&args.caller.checked(client.drawn(&exchange.id, "log.json", None))?);
            continue;
        }
        let drawn = args.caller.checked(client.drawn(&exchange.id, form.file(), width))?;
        output::print(&visible(&match form {
            Form::Text => unescaped(&drawn),
            Form::Markdown | Form::Diagram | Form::Mermaid | Form::Svg => drawn,
        }));
    }
    Ok(ExitCode::SUCCESS)
}

/// As it was written: a terminal reads no HTML.
fn unescaped(markdown: &str) -> String {
    markdown.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// What is meant: an exchange, else the task, else the validations of the issue, the newest or all.
fn found(args: &Args, client: &Client) -> anyhow::Result<Vec<Exchange>> {
    if let Some(Ok(exchange)) = task::by_id(client, &args.id) {
        return Ok(vec![exchange]);
    }
    let mut loops = validation::of_issue(&args.caller, client, &args.id)?;
    if loops.is_empty() {
        return Ok(vec![task::find(&args.caller, client, None, &args.id, Role::Initiator)?]);
    }
    loops.truncate(if args.all { loops.len() } else { 1 });
    Ok(loops)
}
