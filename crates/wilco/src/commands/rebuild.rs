//! `wilco rebuild`: derived tables made anew from the journal.

use std::path::PathBuf;
use std::process::ExitCode;

use crate::offline;
use crate::output;

/// Make derived tables anew from the journal, without a server
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco rebuild --data ./data")]
pub(crate) struct Args {
    /// The data directory
    #[arg(long, value_name = "DIR")]
    pub(crate) data: PathBuf,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let events = offline::rebuild(&args.data)?;
    match args.json {
        true => output::print(&serde_json::json!({ "events": events }).to_string()),
        false => output::print(&format!("Rebuilt from {events} events.")),
    }
    Ok(ExitCode::SUCCESS)
}
