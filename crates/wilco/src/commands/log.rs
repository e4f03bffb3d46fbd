//! `wilco log`: what was said in an exchange, as a log or a diagram.

use std::process::ExitCode;

use clap::ValueEnum;

use crate::caller::Caller;
use crate::output::{self, Screen};
use crate::task::{self, Role};

/// Show who said what in an exchange, as a log or a diagram
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco log GH-42\n  wilco log GH-42 --form diagram\n  \
                  wilco log del-42 --form svg > gh-42.svg")]
pub(crate) struct Args {
    /// The exchange's id, or the task's
    id: String,
    /// What it looks like
    #[arg(long, value_enum, default_value_t = Form::Markdown)]
    form: Form,
    #[command(flatten)]
    caller: Caller,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Form {
    /// The whole texts, for people
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
            Form::Markdown => "log.md",
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
    let found = match task::by_id(&client, &args.id) {
        Some(Ok(exchange)) => exchange,
        _ => task::find(&args.caller, &client, None, &args.id, Role::Initiator)?,
    };
    let width = match args.form {
        Form::Diagram => Some(Screen::of_stdout().columns.unwrap_or(WIDTH)),
        Form::Markdown | Form::Mermaid | Form::Svg => None,
    };
    if args.caller.json {
        output::print_json(&args.caller.checked(client.drawn(&found.id, "log.json", None))?);
        return Ok(ExitCode::SUCCESS);
    }
    let drawn = args.caller.checked(client.drawn(&found.id, args.form.file(), width))?;
    output::print(&drawn);
    Ok(ExitCode::SUCCESS)
}
