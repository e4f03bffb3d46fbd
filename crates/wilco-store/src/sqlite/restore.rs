//! A copy takes the place of a data directory, after its whole chain was walked.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
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

/// Puts a copy in the place of a data directory.
pub fn restore(file: &Path, directory: &Path, replace: bool) -> Result<Restored, BackupError> {
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
    let filled = Filling { file, directory, new: &new }.fill().and_then(|head| {
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
    files::sync_parent(directory).map_err(wrong)?;
    Ok(Restored { head, aside })
}

fn owned(directory: &Path) -> Result<Lock, BackupError> {
    let path = directory.to_owned();
    match Lock::take(&directory.join(files::LOCK)) {
        Ok(Some(lock)) => Ok(lock),
        Ok(None) => Err(OpenError::InUse { path }.into()),
        Err(source) => Err(BackupError::Place { path, source }),
    }
}

/// A data directory is made of a copy. What goes wrong is told of the file or the directory that the user named,
/// never of the new one.
struct Filling<'a> {
    file: &'a Path,
    directory: &'a Path,
    new: &'a Path,
}

impl Filling<'_> {
    fn fill(&self) -> Result<Head, BackupError> {
        let database = self.new.join(files::DATABASE);
        self.copy(&database)?;
        // Before it is opened: that would make an empty file a new database.
        let version =
            SqliteReader::of_file(&database).and_then(|copy| Ok(schema::version(&copy.connection)?));
        match version.map_err(|error| self.told(error))? {
            0 => return Err(self.foreign("there is nothing in it".to_owned())),
            found if found > schema::VERSION => {
                return Err(BackupError::Newer { path: self.file.to_owned(), found, known: schema::VERSION });
            }
            _ => {}
        }
        // A copy of a store whose rebuild was interrupted is one too; the next start says so.
        let store = Sqlite::open_for_rebuild(self.new).map_err(|error| match error {
            OpenError::Store(error) => self.told(error),
            OpenError::Unusable { source, .. } => self.wrong(source),
            other => other.into(),
        })?;
        let walked = verify(&store, None).and_then(|head| {
            connection::check_pages(&store.connection)?;
            Ok(head)
        });
        walked.map_err(|error| self.told(error))
    }

    fn copy(&self, database: &Path) -> Result<(), BackupError> {
        const BYTES: usize = 256 * 1024;
        let unreadable = |source| BackupError::File { path: self.file.to_owned(), source };
        let mut from = File::open(self.file).map_err(unreadable)?;
        let to = OpenOptions::new().write(true).create_new(true).mode(0o600).open(database);
        let mut to = to.map_err(|error| self.wrong(error))?;
        let mut bytes = vec![0; BYTES];
        loop {
            match from.read(&mut bytes) {
                Ok(0) => return to.sync_all().map_err(|error| self.wrong(error)),
                Ok(many) => to.write_all(&bytes[..many]).map_err(|error| self.wrong(error))?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(unreadable(error)),
            }
        }
    }

    fn told(&self, error: StoreError) -> BackupError {
        match error {
            StoreError::Full(_) => self.wrong(io::ErrorKind::StorageFull.into()),
            StoreError::Damaged { position: 0, reason } => self.foreign(reason),
            StoreError::Damaged { position, reason } => {
                self.foreign(format!("damaged at journal position {position}: {reason}"))
            }
            other => other.into(),
        }
    }

    fn foreign(&self, reason: String) -> BackupError {
        BackupError::Foreign { path: self.file.to_owned(), reason }
    }

    fn wrong(&self, source: io::Error) -> BackupError {
        BackupError::Place { path: self.directory.to_owned(), source }
    }
}
