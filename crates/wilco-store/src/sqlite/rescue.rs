//! What is left of a damaged data directory: everything that is whole.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::error::{OpenError, StoreError};
use crate::reader::Reader;
use crate::salvage::{EachEvent, Salvaged, salvage};

use super::lock::Lock;
use super::{SqliteReader, connection, files, mark};

/// Reads a stopped data directory without changing it, and hands over each event that is whole, with its
/// message.
pub fn rescue(directory: &Path, each: &mut EachEvent<'_>) -> Result<Salvaged, OpenError> {
    let unusable = |source| OpenError::Unusable { path: directory.to_owned(), source };
    let real = directory.canonicalize().map_err(unusable)?;
    let (_lock, writable) = match Lock::take(&real.join(files::LOCK)) {
        Ok(Some(lock)) => (Some(lock), true),
        Ok(None) => return Err(OpenError::InUse { path: directory.to_owned() }),
        // A disk that fails is often made read-only. Then nobody writes there.
        Err(error) if error.kind() == ErrorKind::ReadOnlyFilesystem => (None, false),
        Err(error) => return Err(unusable(error)),
    };
    let marked = mark::read(&real).map_or(0, |(position, _)| position);
    let copy = readable(&real, writable).map_err(unusable)?;
    let reader = match SqliteReader::open(copy.as_ref().map_or(&*real, |copy| &copy.0)) {
        Ok(reader) => reader,
        Err(StoreError::Damaged { reason, .. }) => return Ok(Salvaged::unreadable(marked, &reason)),
        Err(other) => return Err(other.into()),
    };
    // A damaged end is not where the journal ended.
    let end = reader.head().map_or(0, |head| head.position).max(marked);
    let mut found = salvage(&reader, (end > 0).then_some(end), each)?;
    let rest = mark::check(&real, &reader).and_then(|()| connection::check_pages(&reader.connection));
    match rest {
        Ok(()) => {}
        Err(damage @ StoreError::Damaged { .. }) => found.damage = found.damage.or(Some(damage)),
        // A table that is not there, or a part of the file that the disk does not give back.
        Err(StoreError::NotStored(reason) | StoreError::Unknown(reason)) => {
            let damage = StoreError::Damaged { position: 0, reason: reason.to_string() };
            found.damage = found.damage.or(Some(damage));
        }
        Err(other @ (StoreError::Full(_) | StoreError::Distrusted { .. } | StoreError::Fenced { .. })) => {
            return Err(other.into());
        }
    }
    Ok(found)
}

/// A copy that goes away with whoever made it.
struct Copy(PathBuf);

impl Drop for Copy {
    fn drop(&mut self) {
        // Only what was made below.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A copy that SQLite can read, if it cannot read the directory itself as it is.
fn readable(directory: &Path, writable: bool) -> io::Result<Option<Copy>> {
    let database = directory.join(files::DATABASE);
    let orphan = files::has_orphaned_log(&database);
    let length = if orphan { Some(PAGE) } else { cut_from(&database)? };
    if writable && length.is_none() {
        return Ok(None);
    }
    let beside = if writable { directory.to_owned() } else { std::env::temp_dir().join("wilco") };
    let copy = Copy(files::beside(&beside, "rescuing")?);
    DirBuilder::new().mode(0o700).create(&copy.0)?;
    for name in [files::DATABASE, files::LOG] {
        match fs::copy(directory.join(name), copy.0.join(name)) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    if let Some(length) = length {
        let file = copy.0.join(files::DATABASE);
        OpenOptions::new().write(true).create(true).truncate(false).open(file)?.set_len(length)?;
    }
    Ok(Some(copy))
}

/// A log whose database is gone holds all of it only if it was never moved; what it holds can be read when a
/// page of zeros stands in for the database.
const PAGE: u64 = 4096;

/// How long a database was that is shorter than it says. SQLite reads nothing of it; a copy that is filled up with
/// zeros can be read up to where it was cut.
fn cut_from(database: &Path) -> io::Result<Option<u64>> {
    let mut head = [0; 32];
    let Ok(()) = File::open(database).and_then(|mut file| file.read_exact(&mut head)) else {
        return Ok(None);
    };
    let number = |bytes: &[u8]| bytes.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    let page = match number(&head[16..18]) {
        1 => 65_536,
        bytes => bytes,
    };
    let said = page * number(&head[28..32]);
    let length = fs::metadata(database)?.len();
    // A log knows better how long the database is.
    let logged = fs::metadata(database.with_file_name(files::LOG)).is_ok_and(|log| log.len() > 0);
    let cut = !logged && length < said && said <= length.saturating_mul(MOST_PADDED);
    Ok(cut.then_some(said))
}

/// A file that says it was longer than this many times is not believed.
const MOST_PADDED: u64 = 1000;
