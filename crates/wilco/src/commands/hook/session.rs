//! What a session of a client was told, in a small file of the user's own: it outlives the server and the hook.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;

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
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    told: BTreeSet<String>,
    blocked: BTreeSet<String>,
    named: bool,
    registered: bool,
    row: u32,
}

impl Session {
    pub(super) fn open(client: &str, id: &str, agent: &str) -> Option<Session> {
        let directory = directory()?;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&directory).ok()?;
        let name = format!("{client}-{:016x}.json", hash(&format!("{id}\n{agent}")));
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(directory.join(name)).ok()?;
        flock(&file, FlockOperation::LockExclusive).ok()?;
        let mut text = String::new();
        file.read_to_string(&mut text).ok()?;
        // A damaged file is one that knows nothing.
        let kept: Kept = serde_json::from_str(&text).unwrap_or_default();
        let (is_named, is_registered, row) = (kept.named, kept.registered, kept.row);
        Some(Session { file, kept, is_named, is_registered, row })
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
        let text = serde_json::to_vec(&self.kept).ok()?;
        self.file.rewind().ok()?;
        self.file.set_len(0).ok()?;
        self.file.write_all(&text).ok()
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
