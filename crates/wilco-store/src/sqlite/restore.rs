//! A copy takes the place of a data directory, after its whole chain was walked.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::error::{BackupError, OpenError, StoreError};
use crate::reader::{Head, Reader};
use crate::verify::verify_counting;

use super::lock::Lock;
use super::{Sqlite, SqliteReader, connection, files, mark, schema};

/// What a restore did.
#[derive(Debug)]
pub struct Restored {
    /// Where the copy ended, and how many events it has.
    pub head: Head,
    pub events: u64,
    /// The first position of the new generation.
    pub first: u64,
    /// Where the data went that was there before.
    pub aside: Option<PathBuf>,
}

/// Puts a copy in the place of a data directory. What is there is kept beside it, if it is to be replaced.
pub fn restore(file: &Path, directory: &Path, replace: bool) -> Result<Restored, BackupError> {
    let wrong = |source| BackupError::Place { path: directory.to_owned(), source };
    match (is_free(directory).map_err(wrong)?, replace) {
        (true, _) => {
            let Filled { head, events, first } = put_into(file, directory, None)?;
            Ok(Restored { head, events, first, aside: None })
        }
        (false, true) => replaced(file, directory),
        (false, false) => Err(BackupError::Occupied { path: directory.to_owned() }),
    }
}

/// Makes a data directory of a copy, in a generation behind that of other data whose place it takes.
pub(crate) fn restore_behind(
    file: &Path,
    directory: &Path,
    replaced: Option<u64>,
) -> Result<Restored, BackupError> {
    let Filled { head, events, first } = put_into(file, directory, replaced)?;
    Ok(Restored { head, events, first, aside: None })
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
fn put_into(file: &Path, directory: &Path, replaced: Option<u64>) -> Result<Filled, BackupError> {
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
        let head = Filling { file, directory, new: &new, replaced }.fill()?;
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
    let replaced = Some(newest_known(&real));
    let put = || {
        let head = Filling { file, directory, new: &new, replaced }.fill()?;
        let tokens = real.join(files::TOKENS);
        if tokens.is_file() {
            fs::copy(tokens, new.join(files::TOKENS)).map_err(wrong)?;
        }
        Ok((head, change_places(&new, &real, &aside).map_err(wrong)?))
    };
    let (filled, aside) = put().inspect_err(|_: &BackupError| {
        // Only what was made above: nothing has changed its place.
        let _ = fs::remove_dir_all(&new);
    })?;
    files::sync_parent(&real).map_err(wrong)?;
    let Filled { head, events, first } = filled;
    Ok(Restored { head, events, first, aside: Some(aside) })
}

/// The newest position that the data there may have given out. Damaged data says what its mark says.
fn newest_known(directory: &Path) -> u64 {
    let head = SqliteReader::open(directory).and_then(|reader| reader.head()).map_or(0, |head| head.position);
    mark::read(directory).map_or(0, |(position, _)| position).max(head)
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
    /// Where the data ends whose place it takes.
    replaced: Option<u64>,
}

struct Filled {
    head: Head,
    events: u64,
    first: u64,
}

impl Filling<'_> {
    fn fill(&self) -> Result<Filled, BackupError> {
        let brought = self.new.join(BROUGHT);
        self.copy(&brought)?;
        // Before a store is opened: that would make a new database.
        let version = SqliteReader::of_file(&brought).and_then(|copy| Ok(schema::version(&copy.connection)?));
        let version = match version.map_err(|error| self.told(error))? {
            0 => return Err(self.foreign("there is nothing in it".to_owned())),
            found if found > schema::VERSION => {
                return Err(BackupError::Newer { path: self.file.to_owned(), found, known: schema::VERSION });
            }
            found => found,
        };
        self.take_rows(&brought, version)?;
        fs::remove_file(&brought).map_err(|error| self.wrong(error))?;
        // A copy of a store whose rebuild was interrupted is one too; the next start says so.
        let mut store = Sqlite::open_for_rebuild(self.new).map_err(|error| match error {
            OpenError::Store(error) => self.told(error),
            OpenError::Unusable { source, .. } => self.wrong(source),
            OpenError::Full { .. } => self.wrong(io::ErrorKind::StorageFull.into()),
            other => other.into(),
        })?;
        let walked = verify_counting(&store, None).and_then(|(head, events)| {
            let first = store.begin_generation(self.replaced)?;
            connection::empty_log(&store.connection)?;
            Ok(Filled { head, events, first })
        });
        walked.map_err(|error| self.told(error))
    }

    /// The rows of the tables that are known, and nothing else: whatever more a file brings, such as triggers and
    /// views, stays behind.
    fn take_rows(&self, brought: &Path, version: i64) -> Result<(), BackupError> {
        let foreign = |error: rusqlite::Error| self.told(error.into());
        let copy = SqliteReader::of_file(brought).map_err(|error| self.told(error))?;
        connection::check_pages(&copy.connection).map_err(|error| self.told(error))?;
        let database = files::prepare_database(self.new).map_err(|error| self.wrong(error))?;
        let mut new = connection::writer(&database).map_err(foreign)?;
        connection::set_up_writer(&new).map_err(foreign)?;
        schema::take_rows(&copy.connection, version, &mut new).map_err(foreign)
    }

    fn copy(&self, database: &Path) -> Result<(), BackupError> {
        const BYTES: usize = 256 * 1024;
        let unreadable = |source| BackupError::File { path: self.file.to_owned(), source };
        let mut from = self.plain_file()?;
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

    /// The file, if it is a plain one of a size that its head speaks of. A pipe is not waited for, and a device has no
    /// end.
    fn plain_file(&self) -> Result<File, BackupError> {
        let unreadable = |source| BackupError::File { path: self.file.to_owned(), source };
        // Opening some devices does something.
        let is_plain = |found: &fs::Metadata| found.is_file();
        if !is_plain(&fs::metadata(self.file).map_err(unreadable)?) {
            return Err(self.foreign("it is no plain file".to_owned()));
        }
        let no_wait = rustix::fs::OFlags::NONBLOCK.bits() as i32;
        let file = OpenOptions::new().read(true).custom_flags(no_wait).open(self.file).map_err(unreadable)?;
        let found = file.metadata().map_err(unreadable)?;
        if !is_plain(&found) {
            return Err(self.foreign("it is no plain file".to_owned()));
        }
        let stored = found.blocks().saturating_mul(512);
        if found.len() > SMALL && stored < found.len() / MOST_SPARSE {
            let reason = format!("it says that it has {} bytes, and {stored} are stored", found.len());
            return Err(self.foreign(reason));
        }
        let mut head = [0; 100];
        let read = file.read_at(&mut head, 0).map_err(unreadable)?;
        match database_bytes(&head[..read]) {
            Some(said) if said != found.len() => {
                Err(self.foreign(format!("it has {} bytes, and its head speaks of {said}", found.len())))
            }
            None if found.len() > SMALL => Err(self.foreign("file is not a database".to_owned())),
            Some(_) | None => Ok(file),
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

/// What a file is called while its rows are taken over.
const BROUGHT: &str = "brought.db";
/// Of a smaller file all is read, whatever it is.
const SMALL: u64 = 64 << 20;
/// File systems that compress store less than a file has, but not this many times less.
const MOST_SPARSE: u64 = 64;

/// How long a database is, as its head has it; none if it is no database.
fn database_bytes(head: &[u8]) -> Option<u64> {
    let number = |bytes: &[u8]| bytes.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    if head.len() < 100 || !head.starts_with(b"SQLite format 3\0") {
        return None;
    }
    let page = match number(&head[16..18]) {
        1 => 65_536,
        bytes => bytes,
    };
    Some(page * number(&head[28..32]))
}
