//! What the tests of the dashboard need besides a browser: axe-core, which knows what some people cannot use.
//!
//! It comes from npm into `target/`, once. Nothing of it is shipped.

use anyhow::Context;

use crate::workspace::{program, root, succeed};

const PACKAGE: &str = "axe-core@4.14.0";

pub(super) fn install_axe() -> anyhow::Result<()> {
    let folder = root().join("target/axe-core");
    if folder.join("node_modules/axe-core/axe.min.js").exists() {
        return Ok(());
    }
    std::fs::create_dir_all(&folder)?;
    let mut npm = program("npm");
    npm.args(["install", "--no-save", "--no-audit", "--no-fund", PACKAGE, "--prefix"]).arg(&folder);
    succeed(&mut npm).context("axe-core could not be fetched")
}
