//! The files of a client on this machine: all of them are changed, or none.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tempfile::NamedTempFile;
use wilco_clients::{AgentClient, Damage, Edit, diff, install, remove};

use crate::failure::Usage;

/// What becomes of a file.
#[derive(Debug)]
pub(super) struct Change {
    /// Behind all links: a link stays one, and what it names is changed.
    path: PathBuf,
    pub(super) shown: String,
    before: Option<String>,
    after: Option<String>,
}

/// As many links as the system itself follows.
const MOST_LINKS: usize = 40;

impl Change {
    pub(super) fn of(path: PathBuf, edit: &Edit, removes: bool) -> anyhow::Result<Change> {
        let shown = match path.strip_prefix(std::env::current_dir()?) {
            Ok(inner) => inner.display().to_string(),
            Err(_) => path.display().to_string(),
        };
        let path = behind_links(path)?;
        let refused = |damage: Damage| {
            anyhow::anyhow!(
                "{shown}:{}: {damage}. Nothing is changed; mend the file and run it again",
                damage.line
            )
        };
        let before = read(&path).with_context(|| format!("{shown} cannot be read"))?;
        let before = match before {
            None => None,
            Some(bytes) => match Damage::of_bytes(&bytes) {
                Some(damage) => return Err(refused(damage)),
                None => Some(String::from_utf8(bytes)?),
            },
        };
        let after = match removes {
            true => remove(edit, before.as_deref()),
            false => install(edit, before.as_deref()).map(Some),
        };
        let after = after.map_err(refused)?;
        Ok(Change { path, shown, before, after })
    }

    pub(super) fn is_one(&self) -> bool {
        self.before != self.after
    }

    pub(super) fn diff(&self) -> String {
        diff(&self.shown, self.before.as_deref(), self.after.as_deref())
    }
}

/// Where the client's files are: the project, or the user's directory of the client.
pub(crate) fn base(client: AgentClient, is_user: bool) -> anyhow::Result<PathBuf> {
    if !is_user {
        return Ok(std::env::current_dir()?);
    }
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || set("HOME").ok_or_else(|| Usage("HOME is not set: where are your files?".to_owned()));
    Ok(match client {
        AgentClient::ClaudeCode => match set("CLAUDE_CONFIG_DIR") {
            Some(directory) => directory,
            None => home()?.join(".claude"),
        },
        AgentClient::Codex => match set("CODEX_HOME") {
            Some(directory) => directory,
            None => home()?.join(".codex"),
        },
        AgentClient::Gemini => home()?.join(".gemini"),
        AgentClient::Qwen => home()?.join(".qwen"),
        AgentClient::Opencode => home()?.join(".config/opencode"),
    })
}

/// A file of the client: two of them are not where one would look first.
pub(crate) fn place(client: AgentClient, base: &Path, path: &str, is_user: bool) -> PathBuf {
    let usual = base.join(path);
    match client {
        // Beside ~/.claude, not in it, unless the directory was chosen.
        AgentClient::ClaudeCode if is_user && path == ".claude.json" && base.ends_with(".claude") => {
            let chosen = std::env::var_os("CLAUDE_CONFIG_DIR").is_some_and(|value| !value.is_empty());
            if chosen { usual } else { base.with_file_name(".claude.json") }
        }
        AgentClient::Opencode if path == "opencode.json" => {
            let other = base.join("opencode.jsonc");
            if !usual.exists() && other.exists() { other } else { usual }
        }
        AgentClient::ClaudeCode
        | AgentClient::Codex
        | AgentClient::Gemini
        | AgentClient::Qwen
        | AgentClient::Opencode => usual,
    }
}

fn behind_links(mut path: PathBuf) -> anyhow::Result<PathBuf> {
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(named) => path = path.parent().unwrap_or(Path::new("/")).join(named),
            Err(_) => return Ok(path),
        }
    }
    bail!("{} is a link to itself", path.display())
}

fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// What was done already, to be undone when something fails.
#[derive(Default)]
struct Done<'a> {
    changes: Vec<&'a Change>,
    directories: Vec<PathBuf>,
}

/// Writes all of them, or none.
pub(super) fn write(changes: &[Change]) -> anyhow::Result<()> {
    let mut done = Done::default();
    let written = write_all(changes, &mut done);
    if written.is_err() {
        for change in &done.changes {
            let undone = match &change.before {
                Some(text) => replace(&change.path, text).map(drop),
                None => fs::remove_file(&change.path).map_err(Into::into),
            };
            if let Err(error) = undone {
                eprintln!("wilco: {} could not be put back: {error}", change.shown);
            }
        }
        done.directories.iter().rev().for_each(|directory| drop(fs::remove_dir(directory)));
    }
    written
}

fn write_all<'a>(changes: &'a [Change], done: &mut Done<'a>) -> anyhow::Result<()> {
    let mut staged = Vec::new();
    for change in changes {
        let failed = || format!("{} cannot be written, so nothing is changed", change.shown);
        if let Some(text) = &change.after {
            make_directories(&change.path, &mut done.directories).with_context(failed)?;
            staged.push((change, Some(stage(&change.path, text).with_context(failed)?)));
        } else {
            staged.push((change, None));
        }
    }
    for (change, file) in staged {
        let failed = || format!("{} cannot be written, so nothing is changed", change.shown);
        let now = read(&change.path).with_context(failed)?;
        if now.as_deref() != change.before.as_deref().map(str::as_bytes) {
            bail!("{} was changed meanwhile, so nothing is written: run it again", change.shown);
        }
        match file {
            Some(file) => drop(file.persist(&change.path).with_context(failed)?),
            None => fs::remove_file(&change.path).with_context(failed)?,
        }
        done.changes.push(change);
    }
    // Directories that were made for the files go with them.
    for change in changes.iter().filter(|change| change.after.is_none()) {
        let own =
            |name: &str| matches!(name, ".claude" | ".codex" | ".gemini" | ".qwen" | ".opencode" | "plugin");
        for directory in change.path.ancestors().skip(1) {
            let name = directory.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if !own(name) || fs::remove_dir(directory).is_err() {
                break;
            }
        }
    }
    Ok(())
}

fn make_directories(path: &Path, made: &mut Vec<PathBuf>) -> io::Result<()> {
    let missing: Vec<&Path> = path.ancestors().skip(1).take_while(|directory| !directory.exists()).collect();
    for directory in missing.into_iter().rev().filter(|directory| !directory.as_os_str().is_empty()) {
        fs::create_dir(directory)?;
        made.push(directory.to_owned());
    }
    Ok(())
}

/// The new text beside the file, with its mode and owner.
fn stage(path: &Path, text: &str) -> anyhow::Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    match fs::metadata(path) {
        Ok(known) => {
            fs::set_permissions(file.path(), known.permissions())?;
            let ours = fs::metadata(file.path())?;
            if (ours.uid(), ours.gid()) != (known.uid(), known.gid()) {
                std::os::unix::fs::chown(file.path(), Some(known.uid()), Some(known.gid()))?;
            }
        }
        Err(_) => fs::set_permissions(file.path(), fs::Permissions::from_mode(0o644))?,
    }
    file.as_file().sync_all()?;
    Ok(file)
}

fn replace(path: &Path, text: &str) -> anyhow::Result<()> {
    stage(path, text)?.persist(path)?;
    Ok(())
}
