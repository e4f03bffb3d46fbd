//! `cargo xtask bench`: builds the shipped binary and the benchmark in release, and measures.
//!
//! Everything else is in `crates/wilco-bench`, which is built only for this.

use std::path::PathBuf;
use std::process::Command;

use crate::test::needs::{Need, meet};
use crate::workspace::{cargo, root, succeed};

#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub(crate) struct Options {
    /// Options of the benchmark; --help lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// What `--against` names, and where Debian has it.
const PEERS: &[(&str, Need)] = &[
    ("redis", Need::Package { binary: "redis-server", debian: "redis-server" }),
    // Debian keeps the server itself out of the path; its starter is there.
    ("postgres", Need::Package { binary: "pg_createcluster", debian: "postgresql" }),
    ("nats", Need::Package { binary: "nats-server", debian: "nats-server" }),
];

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let named = |peer: &str| options.arguments.iter().any(|argument| names(argument, peer));
    let needs: Vec<_> = PEERS.iter().filter(|(peer, _)| named(peer)).map(|(_, need)| *need).collect();
    meet(&needs)?;
    // Both at once, so that they share what they are built from.
    succeed(cargo().args([
        "build",
        "--quiet",
        "--release",
        "--package",
        "wilco",
        "--package",
        "wilco-bench",
    ]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    succeed(Command::new(target.join("release/wilco-bench")).args(&options.arguments))
}

/// Whether an argument is a list with this peer, as in `redis,nats` and `--against=redis`.
fn names(argument: &str, peer: &str) -> bool {
    let list = argument.strip_prefix("--against=").unwrap_or(argument);
    list.split(',').any(|name| name == peer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peer_is_found_in_either_form_of_the_option() {
        assert!(names("--against=nats,redis", "redis") && names("redis", "redis"));
        assert!(!names("--against=nats", "redis") && !names("redis.json", "redis"));
    }
}
