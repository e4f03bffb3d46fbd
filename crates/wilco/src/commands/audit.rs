//! `wilco audit`: whether the journal is whole.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use wilco_wire::Verified;

use crate::caller::Caller;
use crate::offline;
use crate::output;

/// Verify the audit trail
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) what: What,
}

#[derive(Debug, Subcommand)]
pub(crate) enum What {
    Verify(Verify),
}

/// Check every event of the journal against its hash; exit 1 if it is damaged
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco audit verify\n  wilco audit verify --data ./data")]
pub(crate) struct Verify {
    /// Verify this data directory, while no server uses it
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) caller: Caller,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let What::Verify(Verify { data, caller }) = args.what;
    let verified = match data {
        None => caller.show(caller.client().verify(), |verified, _| words(verified))?,
        Some(directory) => {
            let verified = offline::verify(&directory)?;
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
    format!(
        "The journal is damaged at position {}: {}.",
        verified.position.unwrap_or_default(),
        verified.reason.as_deref().unwrap_or("no reason given")
    )
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
