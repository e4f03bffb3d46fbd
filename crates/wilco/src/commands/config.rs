//! `wilco config`: what a server would be told, and a file to begin with.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use serde_json::{Value, json};
use wilco_server::Configured;

use crate::config::{self, Config};
use crate::output::table::Table;
use crate::output::{self, Screen};
use crate::values;

/// Show the configuration and where it came from, or a sample
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) what: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    Show(Show),
    Sample(Sample),
}

/// Print every key with its value and where it came from: default, file, environment or flag
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco config show\n  \
    wilco config show --changed\n  \
    wilco config show --config ./wilco.toml --json")]
pub(crate) struct Show {
    /// Only what is not the default
    #[arg(long)]
    pub(crate) changed: bool,
    /// The configuration file
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// As wilco serve takes it
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// As wilco serve takes it
    #[arg(long, value_name = "ADDRESS:PORT", value_parser = values::address)]
    pub(crate) listen: Option<SocketAddr>,
    /// Print it as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print a configuration file with every key, its default and what it means
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco config sample > wilco.toml")]
pub(crate) struct Sample {}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    match args.what {
        ConfigCommand::Show(args) => show(&args)?,
        ConfigCommand::Sample(Sample {}) => output::print(&config::sample()),
    }
    Ok(ExitCode::SUCCESS)
}

fn show(args: &Show) -> anyhow::Result<()> {
    let config = Config::load(args.config.as_deref())?
        .flagged("data", args.data.as_ref().map(|data| data.display().to_string()), "--data")
        .flagged("server.listen", args.listen.map(|listen| listen.to_string()), "--listen");
    config.check()?;
    let file = config.file().map(|path| path.display().to_string());
    let mut rows = config.shown();
    rows.retain(|row| !args.changed || row.from != "default");
    if args.json {
        let items: Vec<_> = rows.iter().map(item).collect();
        output::print_json(&json!({"file": file, "items": items, "next": null}).to_string());
        return Ok(());
    }
    let mut table = Table::new(&["KEY", "VALUE", "FROM"]);
    for row in &rows {
        let value = if row.value.is_null() { "not set".to_owned() } else { row.value.to_string() };
        table.row([&row.key, &value, &[row.from, row.place.as_deref().unwrap_or_default()].join(" ")]);
    }
    let none = "Everything is as it comes. Begin with: wilco config sample > wilco.toml";
    output::print(&if rows.is_empty() { none.to_owned() } else { table.show(&Screen::of_stdout()) });
    Ok(())
}

fn item(row: &Configured) -> Value {
    json!({"key": row.key, "value": row.value, "from": row.from, "place": row.place})
}
