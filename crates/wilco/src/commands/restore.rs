//! `wilco restore`: a copy takes the place of the data.

use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;
use wilco_store::{Postgres, PostgresTarget, hex, restore_postgres};

use crate::offline;
use crate::output;
use crate::place::Place;

/// Put a backup in the place of the data, while no server runs
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco restore wilco-monday.db --data ./new-data\n  \
    wilco restore wilco-monday.db --force\n  \
    wilco restore wilco-monday.db --store postgres://wilco@db.example/wilco\n\n\
    The whole chain of the copy is verified first. --force moves what is there aside; it deletes nothing.\n\
    The documents and the audit of handoffs are files of their own and not in the copy: put them back yourself.")]
pub(crate) struct Args {
    /// The file that wilco backup wrote
    pub(crate) file: PathBuf,
    /// Move the data aside that is there now
    #[arg(long)]
    pub(crate) force: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    if !args.file.exists() {
        anyhow::bail!("there is no file {}; name one that wilco backup wrote", args.file.display());
    }
    if let Some(target) = args.place.store()? {
        return into_schema(&args, &target);
    }
    let data = args.place.data()?;
    let restored = wilco_store::restore(&args.file, &data, args.force)?;
    let made_anew = offline::mend(&data)?;
    let (events, head, first) = (restored.events, hex(&restored.head.hash), restored.first);
    let aside = restored.aside.map(|path| path.display().to_string());
    if args.json {
        let data = data.display().to_string();
        output::print_json(
            &json!({"data": data, "events": events, "head": head, "first": first, "aside": aside, "made_anew": made_anew})
                .to_string(),
        );
        return Ok(ExitCode::SUCCESS);
    }
    let before = aside.map(|aside| format!(" What was there before is in {aside}.")).unwrap_or_default();
    output::print(&format!(
        "{} holds {events} events again, all of them verified, head {head}. What comes next begins at position {first}.{before}{}",
        data.display(),
        if made_anew { " Its tables were not as these say, and were made anew." } else { "" }
    ));
    Ok(ExitCode::SUCCESS)
}

/// Into a schema of PostgreSQL that no node serves.
fn into_schema(args: &Args, target: &PostgresTarget) -> anyhow::Result<ExitCode> {
    let mut refold = |store: &mut Postgres| wilco_engine::rebuild(store).map(drop);
    let restored = restore_postgres(&args.file, target, args.force, &mut refold)?;
    let (events, head, first) = (restored.events, hex(&restored.head.hash), restored.first);
    if args.json {
        let store = format!("{target:?}");
        let said =
            json!({"store": store, "events": events, "head": head, "first": first, "aside": restored.aside});
        output::print_json(&said.to_string());
        return Ok(ExitCode::SUCCESS);
    }
    let before = restored.aside.map(|aside| format!(" What was there before is in the schema {aside}."));
    output::print(&format!(
        "{target:?} holds {events} events again, all of them verified, head {head}. What comes next begins at position {first}.{}",
        before.unwrap_or_default()
    ));
    Ok(ExitCode::SUCCESS)
}
