//! Where the configuration file and the data directory are.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

/// A configuration file that was read.
pub(crate) struct File {
    pub(crate) table: toml::Table,
    pub(crate) path: Option<PathBuf>,
    /// What it is called in an error.
    pub(crate) place: String,
}

/// The file that was named, else `./wilco.toml`, else the user's; without one an empty table.
pub(crate) fn read(named: Option<&Path>) -> anyhow::Result<File> {
    let path = match named {
        Some(path) => Some(path.to_owned()),
        None => local()?.or_else(|| user_file().filter(|path| path.exists())),
    };
    let Some(path) = path else {
        let place = "no configuration file".to_owned();
        return Ok(File { table: toml::Table::new(), path: None, place });
    };
    let unread = || format!("cannot read the configuration file {}", path.display());
    let text = std::fs::read_to_string(&path).with_context(unread)?;
    File::of(path, &text)
}

/// What a directory brings along when somebody happens to stand in it.
pub(crate) const LOCAL: &str = "wilco.toml";

/// `./wilco.toml`, if it is the caller's own. Somebody else's could name programs to run and files to write; to leave
/// it aside without a word could start a server that is open.
fn local() -> anyhow::Result<Option<PathBuf>> {
    let path = PathBuf::from(LOCAL);
    let Ok(link) = std::fs::symlink_metadata(&path) else { return Ok(None) };
    let file = std::fs::metadata(&path).with_context(|| format!("cannot read ./{LOCAL}"))?;
    let directory = std::fs::metadata(".").context("cannot look into the working directory")?;
    let me = rustix::process::geteuid().as_raw();
    for (owner, what) in [
        (link.uid(), "./wilco.toml"),
        (file.uid(), "./wilco.toml"),
        (directory.uid(), "the directory of ./wilco.toml"),
    ] {
        if owner != me {
            bail!(
                "{what} belongs to another user (uid {owner}, you are {me}), who could set anything in it; name it \
                 with --config ./wilco.toml if it is meant, or go elsewhere"
            );
        }
    }
    Ok(Some(path))
}

impl File {
    pub(crate) fn of(path: PathBuf, text: &str) -> anyhow::Result<File> {
        let place = format!("configuration file {}", path.display());
        let table = text.parse().with_context(|| place.clone())?;
        Ok(File { table, path: Some(path), place })
    }
}

fn user_file() -> Option<PathBuf> {
    Some(user_directory()?.join("wilco.toml"))
}

/// Where a user keeps what is about Wilco.
pub(crate) fn user_directory() -> Option<PathBuf> {
    Some(below("XDG_CONFIG_HOME", ".config")?.join("wilco"))
}

pub(crate) fn data_directory() -> Option<PathBuf> {
    Some(below("XDG_DATA_HOME", ".local/share")?.join("wilco"))
}

fn below(variable: &str, in_home: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(in_home)))
}
