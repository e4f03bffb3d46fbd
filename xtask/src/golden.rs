//! `cargo xtask golden`: the golden journal of this version, once, when it is released.
//!
//! Every later version must open it and show the same (`crates/wilco-sim/tests/golden.rs`). One that is there is
//! never written again.

use crate::workspace::{cargo, succeed};

pub(crate) fn run() -> anyhow::Result<()> {
    let directory = concat!("crates/wilco-sim/golden/", env!("CARGO_PKG_VERSION"));
    succeed(cargo().args(["run", "--quiet", "--package", "wilco-sim", "--", "--golden", directory]))
}
