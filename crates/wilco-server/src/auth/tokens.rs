//! Tokens, in a small file of their own: hashed, shown once, re-read when the file changes.

use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fmt, fs};

use rustix::fs::{FlockOperation, OFlags, flock};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use wilco_engine::Viewer;
use wilco_protocol::Name;
use wilco_runtime::{Handle, Node};
use wilco_store::{Postgres, PostgresTarget, check_writers};

#[derive(Debug, Clone)]
pub struct Tokens {
    path: PathBuf,
    /// Where they are, if in no file.
    schema: Option<SchemaTokens>,
    /// The list as it was read last. Held only to look whether that is the newest and to swap it; never over an await.
    read: Arc<Mutex<(ReadFrom, Arc<[Token]>)>>,
}

/// What tells whether a list has to be read again.
#[derive(Debug, Default)]
enum ReadFrom {
    #[default]
    Nothing,
    File(Stamp),
    Schema(Arc<Vec<u8>>),
}

/// A token without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Token {
    pub id: String,
    pub name: Name,
    pub role: Role,
    hash: String,
}

impl Token {
    /// On whose behalf its bearer comes, and what it lets it do.
    fn holder(&self) -> (Viewer, Role) {
        let viewer = match self.role {
            Role::Agent | Role::Orchestrator => Viewer::Agent(self.name.clone()),
            Role::Operator => Viewer::Operator,
            Role::ReadOnly => Viewer::ReadOnly,
        };
        (viewer, self.role)
    }
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
    Orchestrator,
    Operator,
    ReadOnly,
}

impl Role {
    pub fn word(self) -> &'static str {
        match self {
            Role::Agent => "agent",
            Role::Orchestrator => "orchestrator",
            Role::Operator => "operator",
            Role::ReadOnly => "read-only",
        }
    }
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

/// Where the tokens of a schema are.
#[derive(Debug, Clone)]
enum SchemaTokens {
    Itself(Box<PostgresTarget>),
    Known(Box<Handle>),
}

/// The file, and the name that its content has in a schema.
const FILE: &str = "tokens.json";
/// A change that others came before so often is given up.
const MAX_CHANGED: usize = 50;

/// What tells two versions of a file apart.
type Stamp = (i64, i64, i64, i64, u64, u64);

const SECRET_BYTES: usize = 32;

impl Tokens {
    pub fn new(data: &Path) -> Tokens {
        Tokens { path: data.join(FILE), schema: None, read: Arc::default() }
    }

    /// Those of a schema, for who changes them.
    pub fn in_schema(target: PostgresTarget) -> Tokens {
        let schema = Some(SchemaTokens::Itself(Box::new(target)));
        Tokens { path: PathBuf::from(FILE), schema, read: Arc::default() }
    }

    /// Those of the schema that this server is a node of, as it knows them; at most a second old.
    pub fn of_node(handle: &Handle) -> Tokens {
        let schema = Some(SchemaTokens::Known(Box::new(handle.clone())));
        Tokens { path: PathBuf::from(FILE), schema, read: Arc::default() }
    }

    /// Makes a token. Its secret is not kept.
    pub fn create(&self, name: Name, role: Role) -> Result<Created, TokenError> {
        let mut secret = [0u8; SECRET_BYTES];
        getrandom::fill(&mut secret).map_err(|error| self.file(io::Error::other(error)))?;
        let text = format!("wilco_{}", wilco_store::hex(&secret));
        let hash = hashed(&text);
        let token = Token { id: format!("tok-{}", &hash[..12]), name, role, hash };
        self.change(|tokens| {
            tokens.push(token.clone());
            Ok(())
        })?;
        Ok(Created { token, secret: text })
    }

    pub fn list(&self) -> Result<Vec<Token>, TokenError> {
        self.load()
    }

    pub fn revoke(&self, id: &str) -> Result<(), TokenError> {
        self.change(|tokens| {
            let before = tokens.len();
            tokens.retain(|token| token.id != id);
            if tokens.len() == before { Err(TokenError::Unknown(id.to_owned())) } else { Ok(()) }
        })
    }

    /// One change at a time, whichever process makes it: the list that is written is the list that was read, changed.
    fn change(
        &self,
        mut change: impl FnMut(&mut Vec<Token>) -> Result<(), TokenError>,
    ) -> Result<(), TokenError> {
        if let Some(SchemaTokens::Itself(target)) = &self.schema {
            return self.change_in(&Postgres::reader(target), change);
        }
        let _lock = self.lock().map_err(|error| self.file(error))?;
        let mut tokens = self.load()?;
        change(&mut tokens)?;
        self.store(&tokens)
    }

    /// What was read is replaced only if nobody else was quicker; then it is read again.
    fn change_in(
        &self,
        schema: &Postgres,
        mut change: impl FnMut(&mut Vec<Token>) -> Result<(), TokenError>,
    ) -> Result<(), TokenError> {
        let failed = |error| self.file(io::Error::other(error));
        for _ in 0..MAX_CHANGED {
            let former = schema.document(FILE).map_err(failed)?;
            let mut tokens = self.parsed_of_schema(former.as_deref().unwrap_or_default())?;
            change(&mut tokens)?;
            let new =
                serde_json::to_vec_pretty(&tokens).map_err(|error| self.file(io::Error::other(error)))?;
            if schema.replace_document(FILE, former.as_deref(), &new).map_err(failed)? {
                return Ok(());
            }
        }
        Err(self.file(io::Error::other("others change the tokens all the time")))
    }

    fn parsed(&self, bytes: &[u8]) -> Result<Vec<Token>, TokenError> {
        serde_json::from_slice(bytes)
            .map_err(|source| TokenError::Damaged { path: self.path.clone(), source })
    }

    /// As a schema has them: nothing until the first is made.
    fn parsed_of_schema(&self, bytes: &[u8]) -> Result<Vec<Token>, TokenError> {
        if bytes.is_empty() { Ok(Vec::new()) } else { self.parsed(bytes) }
    }

    /// Held until it is dropped. A file of its own: the list itself is replaced by each change.
    fn lock(&self) -> io::Result<fs::File> {
        if let Some(directory) = self.path.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
            check_writers(directory)?;
        }
        let mut options = fs::OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600).custom_flags(no_follow());
        let lock = options.open(self.path.with_file_name(LOCK))?;
        flock(&lock, FlockOperation::LockExclusive)?;
        Ok(lock)
    }

    /// Gives a token another role.
    pub fn change_role(&self, id: &str, role: Role) -> Result<Token, TokenError> {
        let mut changed = Err(TokenError::Unknown(id.to_owned()));
        self.change(|tokens| {
            let unknown = || TokenError::Unknown(id.to_owned());
            let token = tokens.iter_mut().find(|token| token.id == id).ok_or_else(unknown)?;
            token.role = role;
            changed = Ok(token.clone());
            Ok(())
        })?;
        changed
    }

    /// On whose behalf a bearer of this secret comes, and what its token lets it do; none when nobody has it.
    pub(crate) fn holder(&self, secret: &str) -> Result<Option<(Viewer, Role)>, TokenError> {
        let hash = hashed(secret);
        let known = self.current()?;
        // Every token is compared, so that the time says nothing about where it stands.
        let mut found = None;
        for token in known.iter() {
            if bool::from(token.hash.as_bytes().ct_eq(hash.as_bytes())) {
                found = Some(token);
            }
        }
        Ok(found.map(Token::holder))
    }

    /// The id of the token with this secret.
    pub(crate) fn id(&self, secret: &str) -> Result<Option<String>, TokenError> {
        let hash = hashed(secret);
        let known = self.current()?;
        // Every token is compared, so that the time says nothing about where it stands.
        let fits = |found: Option<String>, token: &Token| {
            let same = bool::from(token.hash.as_bytes().ct_eq(hash.as_bytes()));
            if same { Some(token.id.clone()) } else { found }
        };
        Ok(known.iter().fold(None, fits))
    }

    /// On whose behalf the holder of the token with this id comes; none when it was revoked.
    pub(crate) fn holder_of(&self, id: &str) -> Result<Option<(Viewer, Role)>, TokenError> {
        Ok(self.current()?.iter().find(|token| token.id == id).map(Token::holder))
    }

    fn current(&self) -> Result<Arc<[Token]>, TokenError> {
        let from = match &self.schema {
            Some(SchemaTokens::Itself(_)) => ReadFrom::Nothing,
            Some(SchemaTokens::Known(handle)) => {
                ReadFrom::Schema(handle.node().map(Node::tokens).unwrap_or_default())
            }
            None => stamp(&self.path).map_or(ReadFrom::Nothing, ReadFrom::File),
        };
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let is_newest = match (&read.0, &from) {
            (ReadFrom::File(before), ReadFrom::File(now)) => before == now,
            (ReadFrom::Schema(before), ReadFrom::Schema(now)) => Arc::ptr_eq(before, now),
            (ReadFrom::Nothing | ReadFrom::File(_) | ReadFrom::Schema(_), _) => false,
        };
        if !is_newest {
            let list = match &from {
                ReadFrom::Schema(bytes) => self.parsed_of_schema(bytes)?,
                ReadFrom::Nothing | ReadFrom::File(_) => self.load()?,
            };
            *read = (from, list.into());
        }
        Ok(read.1.clone())
    }

    /// Not through a symlink: somebody else's tokens would open this door.
    fn load(&self) -> Result<Vec<Token>, TokenError> {
        match &self.schema {
            Some(SchemaTokens::Itself(target)) => {
                let found = Postgres::reader(target).document(FILE);
                let found = found.map_err(|error| self.file(io::Error::other(error)))?;
                return self.parsed_of_schema(&found.unwrap_or_default());
            }
            Some(SchemaTokens::Known(handle)) => {
                return self.parsed_of_schema(&handle.node().map(Node::tokens).unwrap_or_default());
            }
            None => {}
        }
        let read = || -> io::Result<Vec<u8>> {
            let mut bytes = Vec::new();
            fs::OpenOptions::new()
                .read(true)
                .custom_flags(no_follow())
                .open(&self.path)?
                .read_to_end(&mut bytes)?;
            Ok(bytes)
        };
        match read() {
            Ok(bytes) => self.parsed(&bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(self.file(error)),
        }
    }

    /// Written whole or not at all, readable by the owner only.
    fn store(&self, tokens: &[Token]) -> Result<(), TokenError> {
        let write = |new: &Path| -> io::Result<()> {
            let mut options = fs::OpenOptions::new();
            options.write(true).create_new(true).mode(0o600).custom_flags(no_follow());
            let mut file = options.open(new)?;
            file.write_all(&serde_json::to_vec_pretty(tokens)?)?;
            file.sync_all()?;
            fs::rename(new, &self.path)?;
            self.path.parent().map_or(Ok(()), |directory| fs::File::open(directory)?.sync_all())
        };
        let new = self.unguessed().map_err(|error| self.file(error))?;
        write(&new).map_err(|error| {
            let _ = fs::remove_file(&new);
            self.file(error)
        })
    }

    /// A name that nobody can have put something under.
    fn unguessed(&self) -> io::Result<PathBuf> {
        let mut random = [0u8; 12];
        getrandom::fill(&mut random).map_err(io::Error::other)?;
        Ok(self.path.with_file_name(format!("tokens.{}.new", wilco_store::hex(&random))))
    }

    fn file(&self, source: io::Error) -> TokenError {
        TokenError::File { path: self.path.clone(), source }
    }
}

/// Changes are made under it.
const LOCK: &str = "tokens.lock";

fn no_follow() -> i32 {
    OFlags::NOFOLLOW.bits() as i32
}

fn hashed(secret: &str) -> String {
    blake3::hash(secret.as_bytes()).to_hex().to_string()
}

fn stamp(path: &Path) -> Option<Stamp> {
    let meta = fs::symlink_metadata(path).ok()?;
    let (changed, made) = ((meta.mtime(), meta.mtime_nsec()), (meta.ctime(), meta.ctime_nsec()));
    Some((changed.0, changed.1, made.0, made.1, meta.size(), meta.ino()))
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
        let alice = Viewer::Agent(Name::new("alice"));
        assert_eq!(tokens.holder(&secret).unwrap(), Some((alice.clone(), Role::Agent)));
        assert_eq!(tokens.holder("wilco_wrong").unwrap(), None);
        // Another process revokes it; this one notices.
        let id = Tokens::new(data.path()).list().unwrap()[0].id.clone();
        Tokens::new(data.path()).change_role(&id, Role::Orchestrator).unwrap();
        assert_eq!(tokens.holder(&secret).unwrap(), Some((alice, Role::Orchestrator)));
        assert!(tokens.change_role("tok-none", Role::Operator).is_err());
        Tokens::new(data.path()).revoke(&id).unwrap();
        assert_eq!(tokens.holder(&secret).unwrap(), None);
    }

    /// Forty at once: none is lost, and one that is revoked beside them stays revoked.
    #[test]
    fn sec_16_changes_from_many_sides_are_made_one_by_one() {
        let data = tempfile::tempdir().unwrap();
        let first = Tokens::new(data.path()).create(Name::new("mallory"), Role::Agent).unwrap();
        std::thread::scope(|scope| {
            for number in 0..40 {
                let (data, first) = (data.path(), &first);
                scope.spawn(move || {
                    let tokens = Tokens::new(data);
                    if number == 20 {
                        tokens.revoke(&first.token.id).unwrap();
                        assert_eq!(tokens.holder(&first.secret).unwrap(), None);
                    }
                    tokens.create(Name::new(format!("a{number}")), Role::Agent).unwrap();
                });
            }
        });
        let tokens = Tokens::new(data.path());
        assert_eq!(tokens.list().unwrap().len(), 40);
        assert_eq!(tokens.holder(&first.secret).unwrap(), None);
        let left: Vec<_> = fs::read_dir(data.path()).unwrap().map(|file| file.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "the list and its lock: {left:?}");
    }

    /// Whoever could write into the directory once cannot have the list written elsewhere.
    #[test]
    fn sec_16_nothing_is_written_through_a_link() {
        let data = tempfile::tempdir().unwrap();
        let victim = data.path().join("victim");
        fs::write(&victim, "precious").unwrap();
        std::os::unix::fs::symlink(&victim, data.path().join("tokens.new")).unwrap();
        let tokens = Tokens::new(data.path());
        tokens.create(Name::new("alice"), Role::Agent).unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
        fs::remove_file(data.path().join("tokens.lock")).unwrap();
        std::os::unix::fs::symlink(&victim, data.path().join("tokens.lock")).unwrap();
        assert!(tokens.create(Name::new("bob"), Role::Agent).is_err());
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    }
}
