//! A copy takes the place of a data directory, after its whole chain was walked.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

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

/// Puts a copy in the place of a data directory. What is there is kept beside it, if it is to be replaced.
pub fn restore(file: &Path, directory: &Path, replace: bool) -> Result<Restored, BackupError> {
    let wrong = |source| BackupError::Place { path: directory.to_owned(), source };
    match (is_free(directory).map_err(wrong)?, replace) {
        (true, _) => Ok(Restored { head: put_into(file, directory)?, aside: None }),
        (false, true) => replaced(file, directory),
        (false, false) => Err(BackupError::Occupied { path: directory.to_owned() }),
    }
}

/// Whether there is nothing in it that a copy would take the place of.
fn is_free(directory: &Path) -> io::Result<bool> {
    // Where a restore was interrupted, nothing else was put in place yet. Volumes come with a place for lost files.
    const NO_DATA: [&str; 5] =
        [files::LOCK, files::TOKENS, files::TOKENS_LOCK, files::RESTORING, "lost+found"];
    if !directory.exists() {
        return Ok(true);
    }
    let mut names = fs::read_dir(directory)?.map(|found| found.map(|found| found.file_name()));
    names.try_fold(true, |free, name| name.map(|name| free && NO_DATA.iter().any(|known| name == *known)))
}

/// Fills a directory that is free. It may be a mount point, so it stays, and all is prepared inside it. The
/// database comes last and in one step: before it no server starts there, and a restore begins anew.
fn put_into(file: &Path, directory: &Path) -> Result<Head, BackupError> {
    let wrong = |source| BackupError::Place { path: directory.to_owned(), source };
    let (made, unlocked) = (!directory.exists(), !directory.join(files::LOCK).exists());
    if made {
        DirBuilder::new().mode(0o700).create(directory).map_err(wrong)?;
    }
    files::check_writers(directory).map_err(wrong)?;
    let lock = owned(directory)?;
    if !is_free(directory).map_err(wrong)? {
        return Err(BackupError::Occupied { path: directory.to_owned() });
    }
    let new = directory.join(files::RESTORING);
    let put = || {
        if new.exists() {
            fs::remove_dir_all(&new).map_err(wrong)?;
        }
        DirBuilder::new().mode(0o700).create(&new).map_err(wrong)?;
        let head = Filling { file, directory, new: &new }.fill()?;
        let database = directory.join(files::DATABASE);
        fs::rename(new.join(files::DATABASE), &database).map_err(wrong)?;
        files::sync_parent(&database).and_then(|()| files::sync_parent(directory)).map_err(wrong)?;
        Ok(head)
    };
    let head = put();
    // Only what was made above.
    let _ = fs::remove_dir_all(&new);
    if head.is_err() && unlocked {
        let _ = fs::remove_file(directory.join(files::LOCK));
    }
    drop(lock);
    if head.is_err() && made {
        let _ = fs::remove_dir(directory);
    }
    head
}

/// Moves aside what is there.
fn replaced(file: &Path, directory: &Path) -> Result<Restored, BackupError> {
    let wrong = |source: io::Error| match source.kind() {
        io::ErrorKind::ResourceBusy => BackupError::MountPoint { path: directory.to_owned() },
        _ => BackupError::Place { path: directory.to_owned(), source },
    };
    // The directory itself, not a link to it.
    let real = directory.canonicalize().map_err(wrong)?;
    if is_mount_point(&real) {
        return Err(BackupError::MountPoint { path: directory.to_owned() });
    }
    // Held until the directories have changed places.
    let _lock = owned(directory)?;
    let new = files::beside(&real, files::RESTORING).map_err(wrong)?;
    let aside = files::beside(&real, files::BEFORE_RESTORE).map_err(wrong)?;
    DirBuilder::new().mode(0o700).create(&new).map_err(wrong)?;
    let put = || {
        let head = Filling { file, directory, new: &new }.fill()?;
        let tokens = real.join(files::TOKENS);
        if tokens.is_file() {
            fs::copy(tokens, new.join(files::TOKENS)).map_err(wrong)?;
        }
        Ok((head, change_places(&new, &real, &aside).map_err(wrong)?))
    };
    let (head, aside) = put().inspect_err(|_: &BackupError| {
        // Only what was made above: nothing has changed its place.
        let _ = fs::remove_dir_all(&new);
    })?;
    files::sync_parent(&real).map_err(wrong)?;
    Ok(Restored { head, aside: Some(aside) })
}

/// The new directory gets the place of the old one, in one step where the system can. Gives the place of the old
/// one; after an error both are where they were.
fn change_places(new: &Path, old: &Path, aside: &Path) -> io::Result<PathBuf> {
    match renameat_with(CWD, new, CWD, old, RenameFlags::EXCHANGE) {
        // If it cannot get its name, it stays under the other.
        Ok(()) => Ok(fs::rename(new, aside).map_or(new, |()| aside).to_owned()),
        // A start between the two steps finds what is left beside, and is refused.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            fs::rename(old, aside)?;
            fs::rename(new, old).inspect_err(|_| {
                let _ = fs::rename(aside, old);
            })?;
            Ok(aside.to_owned())
        }
        Err(error) => Err(error.into()),
    }
}

/// Such a directory cannot be renamed. Where the system does not tell, the attempt does.
#[cfg(target_os = "linux")]
fn is_mount_point(directory: &Path) -> bool {
    use rustix::fs::{AtFlags, StatxAttributes, StatxFlags, statx};
    statx(CWD, directory, AtFlags::empty(), StatxFlags::empty())
        .is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::MOUNT_ROOT))
}

#[cfg(not(target_os = "linux"))]
fn is_mount_point(_: &Path) -> bool {
    false
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
            OpenError::Full { .. } => self.wrong(io::ErrorKind::StorageFull.into()),
            other => other.into(),
        })?;
        let walked = verify(&store, None).and_then(|head| {
            connection::check_pages(&store.connection)?;
            connection::empty_log(&store.connection)?;
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
