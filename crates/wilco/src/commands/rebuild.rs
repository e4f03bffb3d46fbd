//! `wilco rebuild`: derived tables made anew from the journal.

use std::process::ExitCode;

use crate::failure::Usage;
use crate::offline;
use crate::output;
use crate::place::Place;

/// Make derived tables anew from the journal, without a server
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  wilco rebuild --data ./data\n  wilco rebuild --store postgres://wilco@db.example/wilco"
)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) place: Place,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let events = match args.place.store()? {
        Some(target) => offline::rebuild_schema(&target)?,
        None if args.place.data.is_none() => {
            return Err(Usage("name what to rebuild: --data DIR or --store URL".to_owned()).into());
        }
        None => offline::rebuild(&args.place.data()?)?,
    };
    match args.json {
        true => output::print(&serde_json::json!({ "events": events }).to_string()),
        false => output::print(&format!("Rebuilt from {events} events.")),
    }
    Ok(ExitCode::SUCCESS)
}
