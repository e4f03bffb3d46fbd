//! `cargo xtask openapi`: writes the document of the API to `docs/openapi.json`. A test says when it is old.

use anyhow::Context;

use crate::workspace::{cargo, root};

pub(crate) fn run() -> anyhow::Result<()> {
    let made = cargo().args(["run", "--quiet", "-p", "wilco-server", "--example", "openapi"]).output()?;
    anyhow::ensure!(
        made.status.success(),
        "the document could not be made:\n{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let path = root().join("docs/openapi.json");
    std::fs::write(&path, made.stdout).with_context(|| format!("cannot write {}", path.display()))
}
