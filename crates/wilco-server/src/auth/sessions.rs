//! Who is signed in to the dashboard, and the key of its forms: a small file next to the tokens.
//!
//! A session is known by the hash of its secret and means a token; the token's own secret is not kept. A token that is
//! revoked takes its sessions with it.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;

/// More sign-ins than this are not kept: the oldest goes.
const MOST: usize = 1_000;
const SECRET_BYTES: usize = 32;

#[derive(Debug, Clone)]
pub struct Sessions {
    path: PathBuf,
    /// Held to look a session up or to write the file; never over an await.
    kept: Arc<Mutex<Kept>>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Kept {
    /// What the tokens of forms are made with. It outlives a restart, so that a form that is open does too.
    #[serde(default)]
    key: Vec<u8>,
    #[serde(default)]
    sessions: Vec<Session>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Session {
    hash: String,
    token: String,
}

impl Sessions {
    /// What was kept, or nothing: a file that cannot be read signs everybody out.
    pub fn open(data: &Path) -> Sessions {
        let path = data.join("sessions.json");
        let read = fs::symlink_metadata(&path)
            .ok()
            .filter(|there| there.is_file())
            .and_then(|_| fs::read(&path).ok())
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        Sessions { path, kept: Arc::new(Mutex::new(read.unwrap_or_default())) }
    }

    /// Signs the holder of a token in. The secret goes into its cookie.
    pub(crate) fn begin(&self, token: &str) -> io::Result<String> {
        let secret = wilco_store::hex(&random()?);
        let mut kept = self.lock();
        kept.sessions.push(Session { hash: hashed(&secret), token: token.to_owned() });
        let surplus = kept.sessions.len().saturating_sub(MOST);
        kept.sessions.drain(..surplus);
        self.store(&kept)?;
        Ok(secret)
    }

    /// Makes a session worthless.
    pub(crate) fn end(&self, secret: &str) -> io::Result<()> {
        let hash = hashed(secret);
        let mut kept = self.lock();
        kept.sessions.retain(|session| session.hash != hash);
        self.store(&kept)
    }

    /// The token that a session means.
    pub(crate) fn token(&self, secret: &str) -> Option<String> {
        let hash = hashed(secret);
        let kept = self.lock();
        let mut found = None;
        for session in &kept.sessions {
            if bool::from(session.hash.as_bytes().ct_eq(hash.as_bytes())) {
                found = Some(session.token.clone());
            }
        }
        found
    }

    /// The token of a form that this viewer was shown.
    pub(crate) fn form_token(&self, viewer: &str) -> io::Result<String> {
        let mut kept = self.lock();
        if kept.key.len() != SECRET_BYTES {
            kept.key = random()?.to_vec();
            self.store(&kept)?;
        }
        let key: [u8; SECRET_BYTES] = kept.key.as_slice().try_into().unwrap_or_default();
        Ok(blake3::keyed_hash(&key, viewer.as_bytes()).to_hex().to_string())
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Written beside and moved into place, readable by nobody else.
    fn store(&self, kept: &Kept) -> io::Result<()> {
        let beside = self.path.with_extension(format!("json.{}", wilco_store::hex(&random()?[..8])));
        let mut file = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .custom_flags(OFlags::NOFOLLOW.bits() as i32)
            .open(&beside)?;
        let written =
            file.write_all(&serde_json::to_vec(kept)?).and_then(|()| fs::rename(&beside, &self.path));
        if written.is_err() {
            // What could not be moved into place is of no use.
            let _ = fs::remove_file(&beside);
        }
        written
    }
}

fn random() -> io::Result<[u8; SECRET_BYTES]> {
    let mut bytes = [0u8; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes)
}

fn hashed(secret: &str) -> String {
    blake3::hash(secret.as_bytes()).to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn web_7_a_session_outlives_a_restart_and_ends_with_signing_out() {
        let data = tempfile::tempdir().unwrap();
        let sessions = Sessions::open(data.path());
        let secret = sessions.begin("tok-1").unwrap();
        let form = sessions.form_token("local").unwrap();
        let again = Sessions::open(data.path());
        assert_eq!(again.token(&secret).as_deref(), Some("tok-1"));
        assert_eq!(again.form_token("local").unwrap(), form);
        assert_ne!(again.form_token("other").unwrap(), form);
        again.end(&secret).unwrap();
        assert_eq!(again.token(&secret), None);
        assert_eq!(Sessions::open(data.path()).token(&secret), None);
        let file = fs::read_to_string(data.path().join("sessions.json")).unwrap();
        assert!(!file.contains(&secret));
        let mode = fs::metadata(data.path().join("sessions.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
