//! Where the configuration file and the data directory are.

use std::path::{Path, PathBuf};

use anyhow::Context;

/// The file that was named, else `./wilco.toml`, else the user's; without one an empty table.
pub(crate) fn read(named: Option<&Path>) -> anyhow::Result<(toml::Table, String)> {
    let path = match named {
        Some(path) => Some(path.to_owned()),
        None => {
            [Some(PathBuf::from("wilco.toml")), user_file()].into_iter().flatten().find(|path| path.exists())
        }
    };
    let Some(path) = path else { return Ok((toml::Table::new(), "no configuration file".to_owned())) };
    let place = format!("configuration file {}", path.display());
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read the {place}"))?;
    let table = text.parse().with_context(|| place.clone())?;
    Ok((table, place))
}

fn user_file() -> Option<PathBuf> {
    Some(below("XDG_CONFIG_HOME", ".config")?.join("wilco").join("wilco.toml"))
}

pub(crate) fn data_directory() -> Option<PathBuf> {
    Some(below("XDG_DATA_HOME", ".local/share")?.join("wilco"))
}

fn below(variable: &str, in_home: &str) -> Option<PathBuf> {
    let named = std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    named.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(in_home)))
}
