//! Pinned clients from npm, below `target/clients`.

use std::path::{Path, PathBuf};

use super::Pinned;
use crate::workspace::{program, root, succeed};

/// The Node that scripts need.
const NODE: &str = "node@22";

/// How a client is started.
#[derive(Debug, Clone)]
pub(crate) struct Installed {
    pub(crate) program: PathBuf,
    /// The Node that runs it, if it is a script.
    pub(crate) node: Option<PathBuf>,
}

/// The cache: it is kept, since it takes hundreds of megabytes.
pub(crate) fn cache() -> PathBuf {
    root().join("target/clients")
}

/// None when a person was to install it and has not.
pub(crate) fn installed(client: &Pinned) -> anyhow::Result<Option<Installed>> {
    let Some((package, version)) = client.package else {
        let named = std::env::var_os("WILCO_TEST_CLAUDE").filter(|path| !path.is_empty());
        return Ok(named.map(|path| Installed { program: path.into(), node: None }));
    };
    let folder = cache().join(format!("{}-{version}", client.word));
    npm(&folder, &format!("{package}@{version}"), &folder.join(client.program))?;
    let node = match client.is_script {
        true => {
            let (folder, node) = (cache().join("node"), cache().join("node/node_modules/.bin/node"));
            npm(&folder, NODE, &node)?;
            Some(node)
        }
        false => None,
    };
    Ok(Some(Installed { program: folder.join(client.program), node }))
}

fn npm(folder: &Path, package: &str, made: &Path) -> anyhow::Result<()> {
    if made.exists() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    let mut npm = program("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--no-progress", "--prefer-offline", "--prefix"]);
    succeed(npm.arg(folder).arg(package))
}
