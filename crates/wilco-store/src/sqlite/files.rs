//! The data directory and the files in it: private, and never reached through a symlink.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

pub(super) const DATABASE: &str = "wilco.db";
/// The index for full text, beside the database and made from it.
pub(super) const SEARCH: &str = "search.db";
pub(super) const LOG: &str = "wilco.db-wal";
pub(super) const LOCK: &str = "wilco.lock";
pub(super) const MARK: &str = "wilco.mark";
/// The doors keep it; it is no part of a copy.
pub(super) const TOKENS: &str = "tokens.json";
pub(super) const TOKENS_LOCK: &str = "tokens.lock";
/// Where a restore prepares what it puts in place: in a directory that is free, else beside it.
pub(super) const RESTORING: &str = "restoring";
/// Where it puts what was there, beside the directory.
pub(super) const BEFORE_RESTORE: &str = "before-restore";

const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_DIRECTORY: u32 = 0o700;

/// Makes the directory if it is missing, private if it is empty, and gives its real path. The directory itself may be reached
/// through a symlink: where data lies is its owner's choice.
pub(super) fn directory(path: &Path) -> io::Result<PathBuf> {
    if !path.exists() {
        DirBuilder::new().recursive(true).mode(PRIVATE_DIRECTORY).create(path)?;
        if let Some(parent) = path.canonicalize()?.parent() {
            sync_directory(parent)?;
        }
    }
    let real = path.canonicalize()?;
    if !real.is_dir() {
        return Err(io::ErrorKind::NotADirectory.into());
    }
    check_writers(&real)?;
    if fs::read_dir(&real)?.next().is_none() {
        // Somebody made it for this; whoever may not change its rights has chosen them.
        let _ = fs::set_permissions(&real, Permissions::from_mode(PRIVATE_DIRECTORY));
    }
    Ok(real)
}

/// Refuses a directory that everybody may write into: anybody could put another database, or other tokens, in the
/// place of these.
pub fn check_writers(directory: &Path) -> io::Result<()> {
    let mode = fs::metadata(directory)?.permissions().mode() & 0o777;
    if mode & 0o002 == 0 {
        return Ok(());
    }
    let path = directory.display();
    let text =
        format!("everybody may write into it (mode {mode:04o}); take that away with: chmod o-w {path}");
    Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
}

pub(super) fn prepare_database(directory: &Path) -> io::Result<PathBuf> {
    prepare(directory, DATABASE)
}

pub(super) fn prepare_search(directory: &Path) -> io::Result<PathBuf> {
    prepare(directory, SEARCH)
}

/// Makes a database file, empty and private, before SQLite would make it readable for others. Its log and
/// index take over its permissions.
fn prepare(directory: &Path, name: &str) -> io::Result<PathBuf> {
    let database = directory.join(name);
    for suffix in ["", "-wal", "-shm", "-journal"] {
        make_private(&directory.join(format!("{name}{suffix}")))?;
    }
    if !database.exists() {
        OpenOptions::new().write(true).create_new(true).mode(PRIVATE_FILE).open(&database)?;
    }
    sync_directory(directory)?;
    Ok(database)
}

/// Whether the database is empty or missing and its log is not. SQLite would delete the log, even on a connection that only
/// reads, and with it the last copy of what was committed.
pub(super) fn has_orphaned_log(database: &Path) -> bool {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    let logged = fs::symlink_metadata(log).is_ok_and(|log| log.is_file() && log.len() > 0);
    logged && fs::symlink_metadata(database).map_or(true, |file| file.is_file() && file.len() == 0)
}

/// Opens a file of ours, making it if it is missing.
pub(super) fn open_private(path: &Path) -> io::Result<File> {
    make_private(path)?;
    let no_follow = OFlags::NOFOLLOW.bits() as i32;
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(PRIVATE_FILE)
        .custom_flags(no_follow)
        .open(path)
}

/// Refuses what is not a plain file, and takes rights from others. By path, not by opening it: closing
/// a file lets go of every lock that SQLite has on it in this process.
fn make_private(path: &Path) -> io::Result<()> {
    let metadata = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if !metadata.is_file() {
        return Err(io::Error::other(format!("{} is not a plain file", path.display())));
    }
    if metadata.permissions().mode() & 0o777 != PRIVATE_FILE {
        fs::set_permissions(path, Permissions::from_mode(PRIVATE_FILE))?;
    }
    Ok(())
}

/// Without this a power cut may take a file that is new, with all that was synced into it.
fn sync_directory(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

/// So that the name of something survives a power cut.
pub(super) fn sync_parent(path: &Path) -> io::Result<()> {
    match std::path::absolute(path)?.parent() {
        Some(parent) => sync_directory(parent),
        None => Ok(()),
    }
}

/// A name beside a directory that is not taken: `data.restoring`, `data.restoring-2`, ….
pub(crate) fn beside(directory: &Path, word: &str) -> io::Result<PathBuf> {
    const MOST: u32 = 1000;
    let absolute = std::path::absolute(directory)?;
    let name = absolute.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy().into_owned();
    let numbered = |number| match number {
        1 => absolute.with_file_name(format!("{name}.{word}")),
        _ => absolute.with_file_name(format!("{name}.{word}-{number}")),
    };
    let free = (1..MOST).map(numbered).find(|path| fs::symlink_metadata(path).is_err());
    free.ok_or_else(|| io::ErrorKind::AlreadyExists.into())
}
