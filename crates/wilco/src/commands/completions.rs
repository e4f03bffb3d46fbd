//! `wilco completions`: verbs and flags for a shell.

use std::process::ExitCode;

use clap_complete::Shell;

use crate::{cli, output};

/// Print completions for a shell: bash, zsh or fish
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  \
    wilco completions bash > ~/.local/share/bash-completion/completions/wilco\n  \
    wilco completions zsh > ~/.zfunc/_wilco\n  \
    wilco completions fish > ~/.config/fish/completions/wilco.fish")]
pub(crate) struct Args {
    /// Which shell
    pub(crate) shell: Shell,
}

pub(crate) fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli::command(), "wilco", &mut script);
    output::print(&String::from_utf8(script)?);
    Ok(ExitCode::SUCCESS)
}
