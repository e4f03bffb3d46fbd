//! What a session of a client was told, in a small file of the user's own: it outlives the server and the hook.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use wilco_wire::TodoEntry;

/// Open and locked: hooks of one session that run at once come one after the other.
#[derive(Debug)]
pub(super) struct Session {
    file: File,
    kept: Kept,
    pub(super) is_named: bool,
    pub(super) is_registered: bool,
    /// Stops that were held up since the last prompt or the last stop that was not.
    pub(super) row: u32,
    /// Its last hook was a stop that was let through.
    pub(super) rests: bool,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    told: BTreeSet<String>,
    blocked: BTreeSet<String>,
    named: bool,
    registered: bool,
    row: u32,
    rests: bool,
}

/// A session that nothing was heard of for so long is over.
const FORGOTTEN: Duration = Duration::from_secs(30 * 86_400);

impl Session {
    pub(super) fn open(client: &str, id: &str, agent: &str) -> Option<Session> {
        let (mut file, is_new) = open(&path(client, id, agent, "json")?)?;
        if is_new {
            prune();
        }
        flock(&file, FlockOperation::LockExclusive).ok()?;
        // That it was called is known even when nothing else comes of it.
        let _ = file.set_modified(SystemTime::now());
        let mut text = String::new();
        file.read_to_string(&mut text).ok()?;
        // A damaged file is one that knows nothing.
        let kept: Kept = serde_json::from_str(&text).unwrap_or_default();
        let (is_named, is_registered) = (kept.named, kept.registered);
        let (row, rests) = (kept.row, kept.rests);
        Some(Session { file, kept, is_named, is_registered, row, rests })
    }

    pub(super) fn has_told(&self, key: &str) -> bool {
        self.kept.told.contains(key)
    }

    pub(super) fn has_blocked(&self, key: &str) -> bool {
        self.kept.blocked.contains(key)
    }

    pub(super) fn told(&mut self, key: &str, blocks: bool) {
        self.kept.told.insert(key.to_owned());
        if blocks {
            self.kept.blocked.insert(key.to_owned());
        }
    }

    /// The model no longer has in mind what it was told.
    pub(super) fn forget(&mut self) {
        self.kept.told.clear();
        self.is_named = false;
    }

    pub(super) fn save(&mut self) -> Option<()> {
        self.kept.named = self.is_named;
        self.kept.registered = self.is_registered;
        self.kept.row = self.row;
        self.kept.rests = self.rests;
        let text = serde_json::to_vec(&self.kept).ok()?;
        self.file.rewind().ok()?;
        self.file.set_len(0).ok()?;
        self.file.write_all(&text).ok()
    }
}

/// The lock of the one waiter that a session has; none when another holds it.
pub(super) fn is_only_waiter(client: &str, id: &str, agent: &str) -> Option<File> {
    let (file, _) = open(&path(client, id, agent, "waits")?)?;
    flock(&file, FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(file)
}

/// When a hook of this client was called last, in whichever session.
pub(crate) fn last_called(client: &str) -> Option<SystemTime> {
    let own = |name: &OsString| name.to_str().is_some_and(|name| is_of(name, client));
    let files = fs::read_dir(directory()?).ok()?.flatten().filter(|file| own(&file.file_name()));
    files.filter_map(|file| file.metadata().and_then(|file| file.modified()).ok()).max()
}

fn is_of(name: &str, client: &str) -> bool {
    let rest = name.strip_prefix(client).and_then(|rest| rest.strip_prefix('-'));
    rest.is_some_and(|rest| rest.ends_with(".json") && !rest.contains('-'))
}

fn path(client: &str, id: &str, agent: &str, ending: &str) -> Option<PathBuf> {
    Some(directory()?.join(format!("{client}-{:016x}.{ending}", hash(&format!("{id}\n{agent}")))))
}

/// The file, and whether it was made.
fn open(path: &Path) -> Option<(File, bool)> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).truncate(false).mode(0o600);
    if let Ok(file) = options.open(path) {
        return Some((file, false));
    }
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path.parent()?).ok()?;
    Some((options.create(true).open(path).ok()?, true))
}

/// Takes away what is left of sessions that are over.
fn prune() {
    let Some(files) = directory().and_then(|directory| fs::read_dir(directory).ok()) else { return };
    for file in files.flatten() {
        let age = file.metadata().and_then(|file| file.modified()).map(|at| at.elapsed().unwrap_or_default());
        if age.is_ok_and(|age| age > FORGOTTEN) {
            let _ = fs::remove_file(file.path());
        }
    }
}

/// `$XDG_STATE_HOME/wilco/sessions`, else beneath `~/.local/state`.
fn directory() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = set("XDG_STATE_HOME").or_else(|| Some(set("HOME")?.join(".local/state")))?;
    Some(state.join("wilco/sessions"))
}

/// What tells one thing that is owed from another, also when the same exchange asks again.
pub(super) fn key(entry: &TodoEntry) -> String {
    format!("{}:{}:{:016x}", entry.kind, entry.exchange, hash(&entry.asked))
}

/// A name from the directory, for this session alone.
pub(super) fn made_name(directory: &str, session: &str) -> String {
    const LONGEST: usize = 64;
    let last = directory.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
    let mapped: String = last.chars().map(plain).take(LONGEST).collect();
    let mapped = mapped.trim_start_matches(['.', '_', '-']);
    let mapped = if mapped.is_empty() { "agent" } else { mapped };
    format!("{mapped}-{:08x}", hash(session) >> 32)
}

/// FNV-1a: the same on every machine and in every version.
fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::made_name;

    #[test]
    fn cli_25_a_made_name_holds_the_directory_and_is_of_one_session() {
        let (one, other) = (made_name("/src/My Project", "s1"), made_name("/src/My Project", "s2"));
        assert!(one.starts_with("My-Project-") && one != other, "{one} {other}");
        assert_eq!(one, made_name("/src/My Project/", "s1"));
        assert!(
            made_name("/", "s1").starts_with("agent-") && made_name("/.hidden", "s").starts_with("hidden-")
        );
    }
}
