//! What is left of a damaged data directory: everything up to the damage, and nothing behind it.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::chain::genesis;
use crate::error::{OpenError, StoreError};
use crate::reader::{Head, Reader};
use crate::verify::{EachEvent, walk};

use super::lock::Lock;
use super::{SqliteReader, connection, files, mark};

/// How far it went.
#[derive(Debug)]
pub struct Rescued {
    /// The newest event that is whole, as everything before it.
    pub whole: Head,
    /// What ended it, if it did not end by itself.
    pub damage: Option<StoreError>,
    /// The newest position that is known to have been there.
    pub known: u64,
}

/// Reads a stopped data directory without changing it, and hands over each event that is whole, with its
/// message.
pub fn rescue(directory: &Path, each: &mut EachEvent<'_>) -> Result<Rescued, OpenError> {
    let unusable = |source| OpenError::Unusable { path: directory.to_owned(), source };
    let real = directory.canonicalize().map_err(unusable)?;
    let lock = Lock::take(&real.join(files::LOCK)).map_err(unusable)?;
    let _lock = lock.ok_or_else(|| OpenError::InUse { path: directory.to_owned() })?;
    let marked = mark::read(&real).map_or(0, |(position, _)| position);
    let copy = padded(&real).map_err(unusable)?;
    let reader = match SqliteReader::open(copy.as_ref().map_or(&*real, |copy| &copy.0)) {
        Ok(reader) => reader,
        Err(StoreError::Damaged { reason, .. }) => return Ok(nothing(marked, reason)),
        Err(other) => return Err(other.into()),
    };
    // A damaged end is not where the journal ended.
    let end = reader.head().map_or(0, |head| head.position);
    let (whole, outcome) = walk(&reader, None, each);
    let outcome = outcome.and_then(|()| mark::check(&real, &reader));
    let outcome = outcome.and_then(|()| connection::check_pages(&reader.connection));
    let damage = match outcome {
        Ok(()) => None,
        Err(damage @ StoreError::Damaged { .. }) => Some(damage),
        // A table that is not there, or a part of the file that the disk does not give back.
        Err(StoreError::Failed(reason)) => {
            Some(StoreError::Damaged { position: whole.position + 1, reason: reason.to_string() })
        }
        Err(other @ (StoreError::Full(_) | StoreError::Distrusted { .. })) => return Err(other.into()),
    };
    Ok(Rescued { known: end.max(marked).max(whole.position), whole, damage })
}

/// The database cannot even be opened.
fn nothing(marked: u64, reason: String) -> Rescued {
    Rescued {
        whole: Head { position: 0, hash: genesis(), at: None },
        damage: Some(StoreError::Damaged { position: 1, reason }),
        known: marked,
    }
}

/// A copy that goes away with whoever made it.
struct Copy(PathBuf);

impl Drop for Copy {
    fn drop(&mut self) {
        // Only what was made below.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// SQLite reads nothing of a database that is shorter than it says. A copy that is filled up with zeros can be
/// read up to where it was cut.
fn padded(directory: &Path) -> io::Result<Option<Copy>> {
    let database = directory.join(files::DATABASE);
    let mut head = [0; 32];
    let Ok(()) = File::open(&database).and_then(|mut file| file.read_exact(&mut head)) else {
        return Ok(None);
    };
    let number = |bytes: &[u8]| bytes.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    let page = match number(&head[16..18]) {
        1 => 65_536,
        bytes => bytes,
    };
    let said = page * number(&head[28..32]);
    let length = fs::metadata(&database)?.len();
    // A log knows better how long the database is.
    let logged = fs::metadata(directory.join(files::LOG)).is_ok_and(|log| log.len() > 0);
    if logged || length >= said || said > length.saturating_mul(MOST_PADDED) {
        return Ok(None);
    }
    let copy = Copy(files::beside(directory, "rescuing")?);
    DirBuilder::new().mode(0o700).create(&copy.0)?;
    let file = copy.0.join(files::DATABASE);
    fs::copy(&database, &file)?;
    OpenOptions::new().write(true).open(&file)?.set_len(said)?;
    Ok(Some(copy))
}

/// A file that says it was longer than this many times is not believed.
const MOST_PADDED: u64 = 1000;
