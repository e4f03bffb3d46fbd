//! `cargo xtask deny`: licences, banned crates and sources of the dependencies, as deny.toml says.
//!
//! Apart from `cargo xtask test`, because the tool takes minutes to build. Advisories are asked for with a
//! flag: their database is fetched from the network and changes without a change of ours.

use std::process::Command;

use crate::workspace::{cargo, root, succeed, succeeds_quietly};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Also ask the RustSec database for known vulnerabilities (needs the network)
    #[arg(long)]
    advisories: bool,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let advisories = options.advisories.then_some("advisories");
    succeed(tool()?.args(["check", "bans", "licenses", "sources"]).args(advisories))
}

/// An installed cargo-deny, else one of our own beneath `target`, so that the machine stays as it was.
fn tool() -> anyhow::Result<Command> {
    if succeeds_quietly(cargo().args(["deny", "--version"])) {
        let mut installed = cargo();
        installed.arg("deny");
        return Ok(installed);
    }
    let tools = root().join("target/tools");
    let binary = tools.join("bin/cargo-deny");
    if !binary.exists() {
        succeed(cargo().args(["install", "--locked", "cargo-deny", "--root"]).arg(&tools))?;
    }
    let mut own = Command::new(binary);
    own.current_dir(root());
    Ok(own)
}
