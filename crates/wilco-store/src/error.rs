//! What can go wrong with a store, by what a caller does about it.

use std::path::PathBuf;

use thiserror::Error;

/// A read or a commit did not work.
#[derive(Debug, Error)]
pub enum StoreError {
    /// No room: nothing was stored; trying again helps once there is room.
    #[error("the disk is full")]
    Full(#[source] Source),
    /// The file system or database failed before anything was stored; a commit may be tried again.
    #[error("the store failed: {0}")]
    NotStored(#[source] Source),
    /// The commit failed when it may already have taken place: nobody knows. The store takes no other one.
    #[error("the store failed: {0}")]
    Unknown(#[source] Source),
    /// A sync failed before, or nobody knows whether a commit took place: what is on the disk is known after
    /// a restart only, so no other is tried. Nothing was stored this time.
    #[error("an earlier write to the disk failed ({reason}); look at the disk, then restart the server")]
    Distrusted { reason: String },
    /// Somebody else writes by now, so this one may not: nothing was stored. What is true is read at the next term.
    #[error("another writer has taken over: {reason}")]
    Fenced { reason: String },
    /// What is stored is not what was written.
    /// At position 0: not in the journal, or nobody knows where.
    #[error("the store is damaged{}: {reason}", place(*.position))]
    Damaged { position: u64, reason: String },
}

fn place(position: u64) -> String {
    if position == 0 { String::new() } else { format!(" at journal position {position}") }
}

pub type Source = Box<dyn std::error::Error + Send + Sync>;

/// A data directory cannot be used.
#[derive(Debug, Error)]
pub enum OpenError {
    #[error(
        "the data directory {path} is in use by another server; stop it, or choose another with --data DIR"
    )]
    InUse { path: PathBuf },
    #[error(
        "cannot use the data directory {path}: {source}; make it writable, or choose another with --data DIR"
    )]
    Unusable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("the disk that holds {path} is full; make room there and try again")]
    Full { path: PathBuf },
    #[error(
        "the database in {path} has version {found}, this wilco knows up to {known}; use the newer wilco that wrote it"
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("a rebuild of {path} was interrupted; run: wilco rebuild --data {path}")]
    RebuildInterrupted { path: PathBuf },
    #[error("a restore into {path} was interrupted; run it again: wilco restore FILE --data {path}")]
    RestoreInterrupted { path: PathBuf },
    #[error(
        "there is no data in {path}, but a restore left {left} beside it: {next}. To begin anew, move {left} elsewhere"
    )]
    RestoreLeft { path: PathBuf, left: PathBuf, next: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A database across a network cannot be used. No text here holds a password.
#[derive(Debug, Error)]
pub enum ConnectError {
    #[error("the store's address is no address of PostgreSQL; write postgres://USER@HOST/DATABASE")]
    Url,
    #[error(
        "{schema:?} cannot be the name of a schema; use small letters, digits and _, at most 63 of them, not beginning with pg_"
    )]
    Schema { schema: String },
    #[error("cannot use {path}: {source}", path = .path.display())]
    File {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{target} does not let us in: {reason}; set the user, the password and the database right")]
    Unwelcome { target: String, reason: String },
    #[error("{target} cannot be reached: {reason}; see that it runs and takes writes, then try again")]
    Unreachable { target: String, reason: String },
    #[error("{target} has version {found} of PostgreSQL; 15 or newer is needed")]
    TooOld { target: String, found: String },
    #[error(
        "the schema in {target} has version {found}, this wilco knows up to {known}; use the newer wilco that made it"
    )]
    Newer { target: String, found: i64, known: i64 },
    #[error(
        "the schema in {target} has version {found} and would get {known}, but nodes run that know only the old one: \
         {nodes}; stop them first, or start this one with --migrate, and they end by themselves"
    )]
    OlderNodes { target: String, nodes: String, found: i64, known: i64 },
    #[error("there is something in {target}; choose another store.schema, or let --force move it aside")]
    Occupied { target: String },
    #[error("a restore into {target} was interrupted; run it again: wilco restore FILE --store URL")]
    RestoreInterrupted { target: String },
    #[error(
        "the schema in {target} has version {found}, this wilco has {known}; start a server of it there first"
    )]
    Older { target: String, found: i64, known: i64 },
    #[error("nodes run on {target}: {nodes}; stop them first")]
    InUse { target: String, nodes: String },
    #[error(
        "the schema in {target} cannot be made or changed: {reason}; give the user the right to, or make it as its owner"
    )]
    Rights { target: String, reason: String },
    #[error("a rebuild of {target} was interrupted; run: wilco rebuild --store URL")]
    RebuildInterrupted { target: String },
    #[error("the node {name} runs already; stop it, or choose another name with --node NAME")]
    NameTaken { name: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A copy cannot be made, or cannot be put back.
#[derive(Debug, Error)]
pub enum BackupError {
    #[error("there is no data in {path}; name the data directory of the server with --data DIR")]
    Nothing { path: PathBuf },
    #[error("{path} is there already; choose another name, or replace it with --force")]
    Exists { path: PathBuf },
    #[error(
        "{path} lies in the data directory {directory}, where a copy would damage or be lost with the data; \
         choose another place"
    )]
    Inside { path: PathBuf, directory: PathBuf },
    #[error("there is something in {path}; choose another with --data DIR, or let --force move it aside")]
    Occupied { path: PathBuf },
    #[error(
        "{path} is a mount point, which cannot be moved aside; move all that is in it elsewhere but tokens.json, \
         then run the restore again"
    )]
    MountPoint { path: PathBuf },
    #[error("cannot use {path}: {source}")]
    File {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error(
        "cannot put the data into {path}: {source}; make it writable with room for all of it, or choose another with --data DIR"
    )]
    Place {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{path} is not a whole backup: {reason}")]
    Foreign { path: PathBuf, reason: String },
    #[error("{path} has version {found}, this wilco knows up to {known}; use the newer wilco that wrote it")]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Connect(#[from] ConnectError),
    #[error(transparent)]
    Store(#[from] StoreError),
}
