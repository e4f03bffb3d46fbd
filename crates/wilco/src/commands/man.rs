//! `wilco man`: the manual, made from the same words as the help.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap_mangen::Man;

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
    let mut program = cli::command().disable_help_subcommand(true);
    program.build();
    let Some(directory) = args.directory else {
        output::print(&page(&man(&program))?);
        return Ok(ExitCode::SUCCESS);
    };
    let place = || format!("cannot write the manual to {}", directory.display());
    std::fs::create_dir_all(&directory).with_context(place)?;
    let pages = write(&program, &directory).with_context(place)?;
    output::print(&format!("{pages} pages are in {}. Begin with: man -l {0}/wilco.1", directory.display()));
    Ok(ExitCode::SUCCESS)
}

/// The page of the command, and one for each verb of it; gives how many.
fn write(command: &clap::Command, directory: &Path) -> anyhow::Result<usize> {
    let man = man(command);
    std::fs::write(directory.join(man.get_filename()), page(&man)?)?;
    let mut pages = 1;
    for verb in command.get_subcommands().filter(|verb| !verb.is_hide_set()) {
        pages += write(verb, directory)?;
    }
    Ok(pages)
}

fn man(command: &clap::Command) -> Man {
    Man::new(command.clone()).source(concat!("wilco ", env!("CARGO_PKG_VERSION"))).manual("Wilco")
}

fn page(man: &Man) -> anyhow::Result<String> {
    let mut page = Vec::new();
    man.render(&mut page)?;
    Ok(as_written(&String::from_utf8(page)?))
}

/// What follows the options are examples and tables: they keep their lines.
fn as_written(page: &str) -> String {
    let Some((before, extra)) = page.split_once(".SH EXTRA\n") else { return page.to_owned() };
    let end = extra.find("\n.SH ").map_or(extra.len(), |end| end + 1);
    let (extra, after) = extra.split_at(end);
    format!("{before}.SH EXAMPLES AND NOTES\n.nf\n{}\n.fi\n{after}", extra.trim_end())
}
