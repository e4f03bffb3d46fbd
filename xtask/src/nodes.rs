//! `cargo xtask nodes`: kill -9 of the writer among several nodes, for as many rounds as one has time for.

use crate::test::needs::{Need, POSTGRES, meet};
use crate::workspace::{cargo, succeed};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How often the writer is killed under load
    #[arg(long, default_value_t = 50)]
    rounds: u32,
    /// How many exchanges are open when a writer is killed
    #[arg(long, default_value_t = 100_000)]
    open: u32,
    /// Let PostgreSQL fail over as well, by Patroni with etcd
    #[arg(long)]
    patroni: bool,
}

const PATRONI: Need = Need::Package { binary: "patroni", debian: "patroni" };
const ETCD: Need = Need::Package { binary: "etcd", debian: "etcd-server" };

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    meet(&[POSTGRES])?;
    let mut command = cargo();
    command.args([
        "test",
        "--release",
        "-p",
        "wilco",
        "--test",
        "tests",
        "--",
        "nodes_rounds::",
        "--nocapture",
    ]);
    if options.patroni {
        meet(&[PATRONI, ETCD])?;
        command.env("WILCO_NODE_PATRONI", "1");
    }
    command.env("WILCO_NODE_OPEN", options.open.to_string());
    succeed(command.env("WILCO_NODE_ROUNDS", options.rounds.to_string()))
}
