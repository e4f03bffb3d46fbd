//! The audit file: one entry for each handoff, in YAML. It is rotated when it has grown, and nothing in it
//! is lost or counted twice, whenever the process dies.
//!
//! The file is replaced as a whole, so that no entry is ever there in part. An entry that is there already is
//! not written again.

mod entry;
mod report;
mod rotate;

use std::io;
use std::path::Path;

pub(crate) use entry::text as entry_text;
pub use report::{RecentReplacement, Replacements, Unread, replacements_in};
pub(crate) use report::{replacements, replacements_of};
use wilco_protocol::Time;
use wilco_protocol::handoff::AuditEntry;

use crate::disk::Disk;

/// How often a file that others keep changing is read again.
const MAX_READS: usize = 20;

/// Adds an entry, once. A file above the size is rotated first.
pub(crate) fn append(path: &Path, rotate_above: u64, entry: &AuditEntry, now: Time) -> io::Result<()> {
    append_on(&Disk::default(), path, rotate_above, entry, now)
}

fn append_on(disk: &Disk, path: &Path, rotate_above: u64, entry: &AuditEntry, now: Time) -> io::Result<()> {
    let text = entry::text(entry);
    disk.prepare(path)?;
    rotate::settle(disk, path)?;
    if rotate::holds(disk, path, &text, entry.timestamp)? {
        return Ok(());
    }
    for _ in 0..MAX_READS {
        let mut found = disk.read(path)?;
        let size = found.as_ref().map_or(0, |found| found.bytes.len() as u64);
        if size > rotate_above {
            rotate::rotate(disk, path, now)?;
            found = None;
        }
        let mut bytes = found.as_ref().map_or_else(Vec::new, |found| found.bytes.clone());
        if contains(&bytes, &text) {
            return Ok(());
        }
        if bytes.last().is_some_and(|last| *last != b'\n') {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(text.as_bytes());
        if disk.put(path, found.as_ref(), &bytes)? {
            return Ok(());
        }
    }
    Err(io::Error::other(format!("{} was changed by somebody else each time", path.display())))
}

/// Whether a file holds an entry: the same handoff has the same text each time.
fn contains(bytes: &[u8], entry: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(entry)
}

#[cfg(test)]
mod tests;
