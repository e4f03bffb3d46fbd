//! `wilco audit`: the trail, exported, and whether it is whole.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use wilco_wire::Verified;

use crate::caller::Caller;
use crate::failure::Usage;
use crate::offline;
use crate::output;
use crate::place::Place;

/// Export the audit trail, or verify it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) what: AuditCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    Export(Export),
    Verify(Verify),
}

/// Write the events of the journal to a file that verifies by itself
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  wilco audit export > trail.jsonl\n  wilco audit export --from 2026-01-01T00:00:00Z --format yaml"
)]
pub(crate) struct Export {
    /// The first one: a time or a position
    #[arg(long, value_name = "TIME|POSITION")]
    pub(crate) from: Option<String>,
    /// The last one: a time or a position
    #[arg(long, value_name = "TIME|POSITION")]
    pub(crate) to: Option<String>,
    /// jsonl or yaml
    #[arg(long, default_value = "jsonl", value_parser = ["jsonl", "yaml"])]
    pub(crate) format: String,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

/// Check every event of the journal against its hash; exit 1 if it is damaged
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  wilco audit verify\n  wilco audit verify trail.jsonl\n  wilco audit verify --data ./data --deep"
)]
pub(crate) struct Verify {
    /// Verify this exported file, without any server
    #[arg(value_name = "FILE", conflicts_with = "data")]
    pub(crate) file: Option<PathBuf>,
    /// Take a file that leaves events out, as one that an agent exported does
    #[arg(long, requires = "file")]
    pub(crate) partial: bool,
    /// Verify this data directory, while no server uses it
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Compare also what is derived from the journal: exchanges, inboxes, agents
    #[arg(long)]
    pub(crate) deep: bool,
    /// Verify this PostgreSQL: postgres://USER@HOST/DATABASE, without a password
    #[arg(long, value_name = "URL", conflicts_with_all = ["data", "file"])]
    pub(crate) store: Option<String>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Verify { file, partial, data, deep, store, caller } = match args.what {
        AuditCommand::Verify(verify) => verify,
        AuditCommand::Export(Export { from, to, format, caller }) => {
            output::print_json(&caller.checked(caller.client().audit(from, to, format))?);
            return Ok(ExitCode::SUCCESS);
        }
    };
    let place = Place { data: data.clone(), store: store.clone(), config: None };
    let schema = if store.is_some() { place.store()? } else { None };
    if deep && data.is_none() && schema.is_none() {
        return Err(Usage("--deep needs --data DIR or --store URL".to_owned()).into());
    }
    let apart = match (file, data, schema) {
        (Some(file), _, _) => Some(offline::verify_file(&file, partial)?),
        (None, Some(directory), _) => Some(offline::verify(&directory, deep)?),
        (None, None, Some(target)) => Some(offline::verify_schema(&target, deep)?),
        (None, None, None) => None,
    };
    let verified = match apart {
        None => caller.show(caller.client().verify(), |verified, _| words(verified))?,
        Some(verified) => {
            match caller.json {
                true => output::print_json(&serde_json::to_string(&verified)?),
                false => output::print(&words(&verified)),
            }
            verified
        }
    };
    Ok(if verified.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn words(verified: &Verified) -> String {
    if verified.ok {
        let head = verified.head.as_deref().unwrap_or_default();
        return format!("The journal is whole: {} events, head {head}.", verified.events.unwrap_or_default());
    }
    let reason = verified.reason.as_deref().unwrap_or("no reason given");
    match verified.position {
        Some(position) => format!("The journal is damaged at position {position}: {reason}."),
        None => reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_7_damage_is_named_by_its_position() {
        let damaged = Verified {
            ok: false,
            events: None,
            head: None,
            position: Some(17),
            reason: Some("its hash does not match".to_owned()),
        };
        assert_eq!(words(&damaged), "The journal is damaged at position 17: its hash does not match.");
    }
}
