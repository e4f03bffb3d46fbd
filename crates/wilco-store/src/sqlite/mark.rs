//! How far the journal got, in a small file beside the database.
//!
//! After a crash SQLite takes what is whole from its log and drops the rest without a word. That is right for
//! a commit that was cut off, and wrong for one that was damaged afterwards: the journal would end earlier, and
//! its chain would still be whole. So the position and hash of the newest commit stand here too. They are
//! written after the commit and never synced: a process that is killed leaves them exact, a machine that loses
//! power leaves them a few seconds old, and they are never ahead of what is durable.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;

use crate::chain::Hash;
use crate::error::StoreError;
use crate::reader::{Head, Reader};

use super::files;

#[derive(Debug)]
pub(super) struct Mark {
    file: File,
}

/// Position, hash, and the beginning of the hash over both.
const BYTES: usize = 8 + 32 + 8;

impl Mark {
    pub(super) fn open(directory: &Path) -> io::Result<Mark> {
        Ok(Mark { file: files::open_private(&directory.join(files::MARK))? })
    }

    /// A mark that cannot be written stays behind, which is allowed.
    pub(super) fn put(&self, head: &Head) {
        let mut bytes = [0; BYTES];
        bytes[..8].copy_from_slice(&head.position.to_be_bytes());
        bytes[8..40].copy_from_slice(&head.hash);
        let sum = sum(&bytes);
        bytes[40..].copy_from_slice(&sum);
        let _ = self.file.write_all_at(&bytes, 0);
    }
}

/// The mark of a directory. One that is not there, or is not whole, says nothing.
pub(super) fn read(directory: &Path) -> Option<(u64, Hash)> {
    let bytes: [u8; BYTES] = fs::read(directory.join(files::MARK)).ok()?.try_into().ok()?;
    if sum(&bytes) != bytes[40..] {
        return None;
    }
    let position = u64::from_be_bytes(bytes[..8].try_into().ok()?);
    Some((position, bytes[8..40].try_into().ok()?))
}

/// A database without tables may only be a new one.
pub(super) fn check_empty(directory: &Path) -> Result<(), StoreError> {
    match read(directory) {
        Some((position, _)) if position > 0 => Err(cut(0, position)),
        Some(_) | None => Ok(()),
    }
}

fn cut(end: u64, committed: u64) -> StoreError {
    let reason = format!("the journal ends before it, but position {committed} had been committed");
    StoreError::Damaged { position: end + 1, reason }
}

/// Whether the journal still holds what the mark says was committed.
pub(super) fn check(directory: &Path, reader: &dyn Reader) -> Result<(), StoreError> {
    let Some((position, hash)) = read(directory) else { return Ok(()) };
    let head = reader.head()?;
    if head.position < position {
        return Err(cut(head.position, position));
    }
    let Some(before) = position.checked_sub(1) else { return Ok(()) };
    match reader.journal(before, 1)?.first() {
        Some(row) if row.position == position && row.hash == hash => Ok(()),
        Some(_) | None => {
            let reason = "the event is not the one that had been committed".to_owned();
            Err(StoreError::Damaged { position, reason })
        }
    }
}

fn sum(bytes: &[u8; BYTES]) -> [u8; 8] {
    let mut sum = [0; 8];
    sum.copy_from_slice(&blake3::hash(&bytes[..40]).as_bytes()[..8]);
    sum
}
