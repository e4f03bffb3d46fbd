//! `wilco backup`: a copy of the store, in one file.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use wilco_store::{Sqlite, backup_postgres, hex};

use crate::output;
use crate::place::Place;

/// Copy the whole store into one file, also while the server runs
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco backup wilco-monday.db\n  \
    wilco backup latest.db --force --data ./wilco-data\n  \
    wilco backup copy.db --store postgres://wilco@db.example/wilco\n\n\
    It runs on the machine of the server, or anywhere with --store. The copy is verified before it counts, and only you can read it.\n\
    All that was said and decided is in it. Copy yourself what else you need of the files that handoffs leave:\n\
    their documents and their audit (handoff.documents, handoff.audit_file), by default in the data directory.\n\
    Tokens are not in it: a revoked one would come back to life with an old copy.")]
pub(crate) struct Args {
    /// The file to write
    pub(crate) file: PathBuf,
    /// Replace the file if it is there
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let (head, events) = match args.place.store()? {
        Some(target) => {
            let mut refold = |copy: &mut Sqlite| wilco_engine::rebuild(copy).map(drop);
            backup_postgres(&target, &args.file, args.force, &mut refold)?
        }
        None => wilco_store::backup(&args.place.data()?, &args.file, args.force)?,
    };
    let file = args.file.display().to_string();
    match args.json {
        true => {
            output::print_json(&json!({"file": file, "events": events, "head": hex(&head.hash)}).to_string())
        }
        false => {
            output::print(&format!("{file} holds {} events and is whole, head {}.", events, hex(&head.hash)))
        }
    }
    Ok(ExitCode::SUCCESS)
}
