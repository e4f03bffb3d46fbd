//! What is left of a damaged data directory: everything up to the damage, and nothing behind it.

use std::path::Path;

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
    let reader = match SqliteReader::open(&real) {
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
        Err(full @ StoreError::Full(_)) => return Err(full.into()),
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
