//! Copies of a data directory: one file, verified before it counts.
//!
//! Tokens are not in it. A revoked one would come back to life with an old copy.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::{BackupError, OpenError, StoreError};
use crate::reader::Head;
use crate::verify::verify;

use super::lock::Lock;
use super::{Sqlite, SqliteReader, connection, files, schema};

/// What a restore did.
#[derive(Debug)]
pub struct Restored {
    pub head: Head,
    /// Where the data went that was there before.
    pub aside: Option<PathBuf>,
}

/// Writes a consistent copy of a data directory, whether a server uses it or not. The file appears whole and
/// verified, or not at all.
pub fn backup(directory: &Path, file: &Path, replace: bool) -> Result<Head, BackupError> {
    if !directory.join(files::DATABASE).is_file() {
        return Err(BackupError::Nothing { path: directory.to_owned() });
    }
    if file.exists() && !replace {
        return Err(BackupError::Exists { path: file.to_owned() });
    }
    let failed = |source| BackupError::File { path: file.to_owned(), source };
    let partial = Partial::new(file).map_err(failed)?;
    let source = SqliteReader::open(directory)?;
    let into = partial.path.to_str().ok_or_else(|| failed(io::Error::other("its name is no UTF-8")))?;
    source.connection.execute("VACUUM INTO ?1", [into]).map_err(StoreError::from)?;
    File::open(&partial.path).and_then(|copy| copy.sync_all()).map_err(failed)?;
    let head = verify(&SqliteReader::of_file(&partial.path)?, None)?;
    partial.becomes(file).map_err(failed)?;
    Ok(head)
}

/// Puts a copy in the place of a data directory, after its whole chain was walked.
pub fn restore(file: &Path, directory: &Path, replace: bool) -> Result<Restored, BackupError> {
    let failed = |source| BackupError::File { path: file.to_owned(), source };
    let wrong = |source| BackupError::Place { path: directory.to_owned(), source };
    let occupied = directory.exists() && fs::read_dir(directory).map_err(wrong)?.next().is_some();
    if occupied && !replace {
        return Err(BackupError::Occupied { path: directory.to_owned() });
    }
    // Held until the directories have changed places.
    let _lock = match occupied {
        true => Some(owned(directory)?),
        false => None,
    };
    let new = files::beside(directory, "restoring").map_err(wrong)?;
    DirBuilder::new().mode(0o700).create(&new).map_err(wrong)?;
    let filled = fill(file, &new, failed).and_then(|head| {
        let tokens = directory.join(files::TOKENS);
        if tokens.is_file() {
            fs::copy(tokens, new.join(files::TOKENS)).map_err(wrong)?;
        }
        Ok(head)
    });
    let head = match filled {
        Ok(head) => head,
        Err(error) => {
            // Only what was made above.
            let _ = fs::remove_dir_all(&new);
            return Err(error);
        }
    };
    let aside = match occupied {
        true => Some(files::beside(directory, "before-restore").map_err(wrong)?),
        false => None,
    };
    match &aside {
        Some(aside) => fs::rename(directory, aside).map_err(wrong)?,
        None if directory.exists() => fs::remove_dir(directory).map_err(wrong)?,
        None => {}
    }
    fs::rename(&new, directory).map_err(wrong)?;
    sync_parent(directory).map_err(wrong)?;
    Ok(Restored { head, aside })
}

/// Makes a data directory of a copy, and walks all of it.
fn fill(file: &Path, new: &Path, failed: impl Fn(io::Error) -> BackupError) -> Result<Head, BackupError> {
    let database = new.join(files::DATABASE);
    let copy = || {
        let mut from = File::open(file)?;
        let mut to = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&database)?;
        io::copy(&mut from, &mut to)?;
        to.sync_all()
    };
    copy().map_err(failed)?;
    // Opening would make an empty file a new database.
    let version = SqliteReader::of_file(&database).and_then(|copy| Ok(schema::version(&copy.connection)?));
    let reason = match version {
        Ok(0) => Some("there is nothing in it".to_owned()),
        Err(StoreError::Damaged { reason, .. }) => Some(reason),
        Ok(_) | Err(_) => None,
    };
    if let Some(reason) = reason {
        return Err(BackupError::Foreign { path: file.to_owned(), reason });
    }
    let store = match Sqlite::open(new) {
        Ok(store) => store,
        // The directory is ours and new; what is wrong is the file.
        Err(OpenError::Store(StoreError::Damaged { reason, .. })) => {
            return Err(BackupError::Foreign { path: file.to_owned(), reason });
        }
        Err(error) => return Err(error.into()),
    };
    let head = verify(&store, None)?;
    connection::check_pages(&store.connection)?;
    Ok(head)
}

fn owned(directory: &Path) -> Result<Lock, BackupError> {
    let path = directory.to_owned();
    match Lock::take(&directory.join(files::LOCK)) {
        Ok(Some(lock)) => Ok(lock),
        Ok(None) => Err(OpenError::InUse { path }.into()),
        Err(source) => Err(BackupError::Place { path, source }),
    }
}

fn sync_parent(path: &Path) -> io::Result<()> {
    match std::path::absolute(path)?.parent() {
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}

/// A file that is not whole yet; it goes away unless it becomes what it is for.
struct Partial {
    path: PathBuf,
}

impl Partial {
    fn new(file: &Path) -> io::Result<Partial> {
        let path = files::beside(file, "partial")?;
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        Ok(Partial { path })
    }

    fn becomes(self, file: &Path) -> io::Result<()> {
        fs::rename(&self.path, file)?;
        sync_parent(file)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Gone already, if it became the file.
        let _ = fs::remove_file(&self.path);
    }
}
