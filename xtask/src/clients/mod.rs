//! `cargo xtask clients`: the agents' clients themselves, against a scripted model and a server of their own.
//!
//! Each is installed from npm in a pinned version below `target/clients`, gets a home of its own, is connected by
//! `wilco install`, and then plays: a task is delegated, it arrives, the model acknowledges and completes it through MCP.
//! Nothing but this machine can be asked while they play: they have no other network. Claude Code is not installed by anybody but you: `WILCO_TEST_CLAUDE`
//! names it.

mod checks;
mod install;
mod program;
mod scenes;
mod settings;
mod world;

use std::time::Instant;

use anyhow::bail;

use crate::workspace::{cargo, program, succeed};
use checks::Check;
use world::World;

#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Only these: codex, gemini, qwen, opencode, claude-code
    clients: Vec<String>,
    /// Print what the model was sent that names Wilco
    #[arg(long)]
    show: bool,
    /// Play here, with the network that there is
    #[arg(long)]
    network: bool,
}

/// A client in the version that is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pinned {
    /// As `wilco install` calls it.
    pub(crate) word: &'static str,
    /// The package of npm, and its version; none for what only a person installs.
    pub(crate) package: Option<(&'static str, &'static str)>,
    /// Where its program lies in the package.
    pub(crate) program: &'static str,
    /// Whether it is a script that needs the pinned Node.
    pub(crate) is_script: bool,
}

const CLIENTS: [Pinned; 5] = [
    Pinned {
        word: "codex",
        package: Some(("@openai/codex", "0.166.0")),
        program: "node_modules/.bin/codex",
        is_script: true,
    },
    Pinned {
        word: "gemini",
        package: Some(("@google/gemini-cli", "0.61.0")),
        program: "node_modules/.bin/gemini",
        is_script: true,
    },
    Pinned {
        word: "qwen",
        package: Some(("@qwen-code/qwen-code", "0.24.4")),
        program: "node_modules/.bin/qwen",
        is_script: true,
    },
    Pinned {
        word: "opencode",
        package: Some(("opencode-ai", "1.18.33")),
        program: "node_modules/.bin/opencode",
        is_script: false,
    },
    Pinned { word: "claude-code", package: None, program: "", is_script: false },
];

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    if let Some(unknown) =
        options.clients.iter().find(|word| !CLIENTS.iter().any(|client| client.word == word.as_str()))
    {
        bail!("there is no client {unknown:?}: expected {}", CLIENTS.map(|client| client.word).join(", "));
    }
    succeed(cargo().args(["build", "--quiet", "-p", "wilco"]))?;
    let wanted = |client: &&Pinned| {
        options.clients.is_empty() || options.clients.iter().any(|word| word == client.word)
    };
    for client in CLIENTS.iter().filter(wanted) {
        if install::installed(client)?.is_none() {
            println!("{}: left out, WILCO_TEST_CLAUDE names none", client.word);
        }
    }
    if !options.network {
        return without_network();
    }
    let mut failed = Vec::new();
    for client in CLIENTS.iter().filter(wanted) {
        let Some(installed) = install::installed(client)? else { continue };
        let begun = Instant::now();
        let checks = World::new(client, installed)?.play(options.show)?;
        println!(
            "{} {}, {:.1} s",
            client.word,
            client.package.map_or("", |(_, version)| version),
            begun.elapsed().as_secs_f32()
        );
        for Check { what, right } in checks {
            println!("  {}  {what}", if right { "ok   " } else { "WRONG" });
            if !right {
                failed.push(format!("{}: {what}", client.word));
            }
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => bail!("{} checks failed: {}", failed.len(), failed.join("; ")),
    }
}

/// The same in a place that has only the loopback.
fn without_network() -> anyhow::Result<()> {
    let mut inside = program("unshare");
    inside.args(["--map-root-user", "--net", "sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]);
    inside.arg(std::env::current_exe()?).args(std::env::args_os().skip(1)).arg("--network");
    succeed(&mut inside)
}
