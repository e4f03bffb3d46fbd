//! Tokens, in a small file of their own: hashed, shown once, re-read when the file changes.

use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, fs};

use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use wilco_engine::Viewer;
use wilco_protocol::Name;

#[derive(Debug, Clone)]
pub struct Tokens {
    path: PathBuf,
    /// Held only to compare the file's stamp and swap the list; never over an await.
    read: Arc<Mutex<(Stamp, Vec<Token>)>>,
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    pub id: String,
    pub name: Name,
    pub role: Role,
    hash: String,
}

/// A token that was just made, with its secret.
pub struct Created {
    pub token: Token,
    pub secret: String,
}

impl fmt::Debug for Created {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Created").field("token", &self.token.id).finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    Agent,
    Operator,
    ReadOnly,
}

#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    #[error("cannot use the token file {path}: {source}")]
    File { path: PathBuf, source: io::Error },
    #[error(
        "the token file {path} cannot be read as JSON: {source}; repair it, or move it away and make new tokens"
    )]
    Damaged { path: PathBuf, source: serde_json::Error },
    #[error("there is no token {0:?}; list them with: wilco token list")]
    Unknown(String),
}

/// What tells two versions of a file apart.
type Stamp = Option<(i64, i64, u64, u64)>;

const SECRET_BYTES: usize = 32;

impl Tokens {
    pub fn new(data: &Path) -> Tokens {
        Tokens { path: data.join("tokens.json"), read: Arc::default() }
    }

    /// Makes a token. Its secret is not kept.
    pub fn create(&self, name: Name, role: Role) -> Result<Created, TokenError> {
        let mut secret = [0u8; SECRET_BYTES];
        getrandom::fill(&mut secret).map_err(|error| self.file(io::Error::other(error)))?;
        let text = format!("wilco_{}", wilco_store::hex(&secret));
        let hash = hashed(&text);
        let mut tokens = self.load()?;
        let token = Token { id: format!("tok-{}", &hash[..12]), name, role, hash };
        tokens.push(token.clone());
        self.store(&tokens)?;
        Ok(Created { token, secret: text })
    }

    pub fn list(&self) -> Result<Vec<Token>, TokenError> {
        self.load()
    }

    pub fn revoke(&self, id: &str) -> Result<(), TokenError> {
        let mut tokens = self.load()?;
        let before = tokens.len();
        tokens.retain(|token| token.id != id);
        if tokens.len() == before {
            return Err(TokenError::Unknown(id.to_owned()));
        }
        self.store(&tokens)
    }

    /// On whose behalf a bearer of this secret comes; none when nobody has it.
    pub(crate) fn viewer(&self, secret: &str) -> Result<Option<Viewer>, TokenError> {
        let hash = hashed(secret);
        let known = self.current()?;
        // Every token is compared, so that the time says nothing about where it stands.
        let mut found = None;
        for token in &known {
            if bool::from(token.hash.as_bytes().ct_eq(hash.as_bytes())) {
                found = Some(token);
            }
        }
        Ok(found.map(|token| match token.role {
            Role::Agent => Viewer::Agent(token.name.clone()),
            Role::Operator => Viewer::Operator,
            Role::ReadOnly => Viewer::ReadOnly,
        }))
    }

    /// Whether the secret still means this viewer: its token may have been revoked.
    pub(crate) fn still_means(&self, secret: &str, viewer: &Viewer) -> bool {
        match (self.viewer(secret), viewer) {
            (Ok(Some(Viewer::Agent(token))), Viewer::Agent(agent)) => {
                token.as_str().eq_ignore_ascii_case(agent.as_str())
            }
            (Ok(now), viewer) => now.as_ref() == Some(viewer),
            (Err(_), _) => false,
        }
    }

    fn current(&self) -> Result<Vec<Token>, TokenError> {
        let stamp = stamp(&self.path);
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if read.0 != stamp || stamp.is_none() {
            *read = (stamp, self.load()?);
        }
        Ok(read.1.clone())
    }

    /// Not through a symlink: somebody else's tokens would open this door.
    fn load(&self) -> Result<Vec<Token>, TokenError> {
        let read = || -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            let no_follow = OFlags::NOFOLLOW.bits() as i32;
            fs::OpenOptions::new()
                .read(true)
                .custom_flags(no_follow)
                .open(&self.path)?
                .read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        match read() {
            Ok(bytes) => serde_json::from_slice(&bytes)
                .map_err(|source| TokenError::Damaged { path: self.path.clone(), source }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(self.file(error)),
        }
    }

    /// Written whole or not at all, readable by the owner only.
    fn store(&self, tokens: &[Token]) -> Result<(), TokenError> {
        let write = || -> io::Result<()> {
            if let Some(directory) = self.path.parent() {
                fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
            }
            let new = self.path.with_extension("new");
            let mut file =
                fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
            file.write_all(&serde_json::to_vec_pretty(tokens)?)?;
            file.sync_all()?;
            fs::rename(new, &self.path)
        };
        write().map_err(|error| self.file(error))
    }

    fn file(&self, source: io::Error) -> TokenError {
        TokenError::File { path: self.path.clone(), source }
    }
}

fn hashed(secret: &str) -> String {
    blake3::hash(secret.as_bytes()).to_hex().to_string()
}

fn stamp(path: &Path) -> Stamp {
    let meta = fs::symlink_metadata(path).ok()?;
    Some((meta.mtime(), meta.mtime_nsec(), meta.size(), meta.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec_2_tokens_are_stored_hashed_and_end_when_revoked() {
        let data = tempfile::tempdir().unwrap();
        let tokens = Tokens::new(data.path());
        let secret = tokens.create(Name::new("alice"), Role::Agent).unwrap().secret;
        let file = fs::read_to_string(data.path().join("tokens.json")).unwrap();
        assert!(!file.contains(&secret));
        assert_eq!(tokens.viewer(&secret).unwrap(), Some(Viewer::Agent(Name::new("alice"))));
        assert_eq!(tokens.viewer("wilco_wrong").unwrap(), None);
        // Another process revokes it; this one notices.
        let id = Tokens::new(data.path()).list().unwrap()[0].id.clone();
        Tokens::new(data.path()).revoke(&id).unwrap();
        assert_eq!(tokens.viewer(&secret).unwrap(), None);
    }
}
