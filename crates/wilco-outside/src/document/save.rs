//! Documents on the disk: one file each, private, whole or not there.

use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, free};

/// Saves a document under its name. The same text again changes nothing; another text that has the name
/// keeps its own, under a free name beside it.
pub(super) fn save(disk: &Disk, directory: &Path, name: &str, text: &str) -> io::Result<()> {
    let path = path(directory, name)?;
    disk.prepare(&path)?;
    if let Some(found) = disk.read(&path)? {
        if found.bytes == text.as_bytes() {
            return Ok(());
        }
        let stem = name.strip_suffix(".md").unwrap_or(name);
        let aside = free(|suffix| match suffix {
            "" => path.clone(),
            suffix => directory.join(format!("{stem}{suffix}.md")),
        })?;
        disk.rename(&path, &aside)?;
    }
    match disk.put(&path, None, text.as_bytes())? {
        true => Ok(()),
        false => Err(io::ErrorKind::ResourceBusy.into()),
    }
}

/// A document that was saved.
pub fn saved(directory: &Path, name: &str) -> io::Result<Option<String>> {
    let found = Disk::default().read(&path(directory, name)?)?;
    found.map(|found| String::from_utf8(found.bytes).map_err(io::Error::other)).transpose()
}

fn path(directory: &Path, name: &str) -> io::Result<PathBuf> {
    let plain = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', '\0']);
    match plain {
        true => Ok(directory.join(name)),
        false => Err(io::Error::other(format!("{name:?} is no name for a document"))),
    }
}
