//! Copies of a data directory: one file, verified before it counts.
//!
//! Tokens are not in it. A revoked one would come back to life with an old copy.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::{BackupError, StoreError};
use crate::reader::Head;
use crate::verify::verify_counting;

use super::{SqliteReader, files};

/// Writes a consistent copy of a data directory, whether a server uses it or not. The file appears whole and
/// verified, or not at all. Gives its head, and how many events it has.
pub fn backup(directory: &Path, file: &Path, replace: bool) -> Result<(Head, u64), BackupError> {
    if !directory.join(files::DATABASE).is_file() {
        return Err(BackupError::Nothing { path: directory.to_owned() });
    }
    let failed = |source| BackupError::File { path: file.to_owned(), source };
    if lies_in(file, directory).map_err(failed)? {
        return Err(BackupError::Inside { path: file.to_owned(), directory: directory.to_owned() });
    }
    if file.is_dir() {
        return Err(failed(io::ErrorKind::IsADirectory.into()));
    }
    if file.exists() && !replace {
        return Err(BackupError::Exists { path: file.to_owned() });
    }
    let partial = Partial::new(file).map_err(failed)?;
    let source = SqliteReader::open(directory)?;
    let into = partial.path.to_str().ok_or_else(|| failed(io::Error::other("its name is no UTF-8")))?;
    source.connection.execute("VACUUM INTO ?1", [into]).map_err(|error| match StoreError::from(error) {
        // Nothing but the copy is written.
        StoreError::Full(_) => failed(io::ErrorKind::StorageFull.into()),
        other => other.into(),
    })?;
    File::open(&partial.path).and_then(|copy| copy.sync_all()).map_err(failed)?;
    let walked = verify_counting(&SqliteReader::of_file(&partial.path)?, None)?;
    partial.becomes(file).map_err(failed)?;
    Ok(walked)
}

/// Whether a file is in a directory, or is it, whatever path leads there: links, dots, another mount of it.
fn lies_in(file: &Path, directory: &Path) -> io::Result<bool> {
    let directory = fs::metadata(directory)?;
    let parent = std::path::absolute(file)?.parent().map(Path::to_owned).unwrap_or_default();
    // What is not there leads nowhere; a link to it would be replaced, not followed.
    let places = [file.canonicalize(), parent.canonicalize()];
    let mut ways = places.iter().flatten().flat_map(|place| place.ancestors());
    Ok(ways.any(|way| {
        fs::metadata(way).is_ok_and(|found| (found.dev(), found.ino()) == (directory.dev(), directory.ino()))
    }))
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
        files::sync_parent(file)
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        // Gone already, if it became the file.
        let _ = fs::remove_file(&self.path);
    }
}
