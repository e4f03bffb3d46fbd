//! `cargo xtask openapi`: writes what is made from the code to `docs/`: the document of the API and the page of message
//! types. Tests say when they are old.

use anyhow::Context;

use crate::workspace::{cargo, root};

pub(crate) fn run() -> anyhow::Result<()> {
    write("wilco-language", "messages", "docs/messages.md")?;
    write("wilco-server", "openapi", "docs/openapi.json")
}

/// What an example prints.
fn write(package: &str, example: &str, path: &str) -> anyhow::Result<()> {
    let made = cargo().args(["run", "--quiet", "-p", package, "--example", example]).output()?;
    anyhow::ensure!(
        made.status.success(),
        "{path} could not be made:\n{}",
        String::from_utf8_lossy(&made.stderr)
    );
    let path = root().join(path);
    std::fs::write(&path, made.stdout).with_context(|| format!("cannot write {}", path.display()))
}
