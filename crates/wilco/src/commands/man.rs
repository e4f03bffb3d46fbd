//! `wilco man`: the manual, made from the same words as the help.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;

use crate::{cli, output};

/// Print the manual page, or write one for each verb
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  wilco man | man -l -\n  wilco man ~/.local/share/man/man1")]
pub(crate) struct Args {
    /// Where to write the pages; it is made if it is missing
    #[arg(value_name = "DIR")]
    pub(crate) directory: Option<PathBuf>,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Some(directory) = args.directory else {
        let mut page = Vec::new();
        clap_mangen::Man::new(cli::command()).render(&mut page)?;
        output::print(&String::from_utf8(page)?);
        return Ok(ExitCode::SUCCESS);
    };
    let place = || format!("cannot write the manual to {}", directory.display());
    std::fs::create_dir_all(&directory).with_context(place)?;
    clap_mangen::generate_to(cli::command(), &directory).with_context(place)?;
    // The page of the program, and one for each verb and each verb of a verb.
    let pages = 1 + count(&cli::command());
    output::print(&format!("{pages} pages are in {}. Begin with: man -l {0}/wilco.1", directory.display()));
    Ok(ExitCode::SUCCESS)
}

fn count(command: &clap::Command) -> usize {
    command.get_subcommands().filter(|verb| !verb.is_hide_set()).map(|verb| 1 + count(verb)).sum()
}
