//! Documents on the disk: one file each, private, whole or not there.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::disk::{Disk, suffixes};

/// Saves a document under its name, and gives the name that it got: one that another document has stays
/// that one's, and this one gets a number behind it. The same text again changes nothing.
pub(super) fn save(disk: &Disk, directory: &Path, name: &str, text: &str) -> io::Result<String> {
    let stem = name.strip_suffix(".md").unwrap_or(name);
    if fs::symlink_metadata(directory).is_ok_and(|found| found.is_symlink()) {
        let what = format!("{} is a symbolic link; name the directory itself", directory.display());
        return Err(io::Error::other(what));
    }
    for suffix in suffixes() {
        let numbered = if suffix.is_empty() { name.to_owned() } else { format!("{stem}{suffix}.md") };
        let path = path(directory, &numbered)?;
        disk.prepare(&path)?;
        match disk.read(&path)? {
            Some(found) if found.bytes == text.as_bytes() => return Ok(numbered),
            Some(_) => {}
            None => match disk.put(&path, None, text.as_bytes())? {
                true => return Ok(numbered),
                false => return Err(io::ErrorKind::ResourceBusy.into()),
            },
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// A document that was saved.
pub(crate) fn saved(directory: &Path, name: &str) -> io::Result<Option<String>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec_5_documents_are_not_written_through_a_symlink() {
        let place = tempfile::tempdir().unwrap();
        let (elsewhere, link) = (place.path().join("elsewhere"), place.path().join("handoffs"));
        fs::create_dir(&elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &link).unwrap();
        let refused = save(&Disk::default(), &link, "a.md", "text").unwrap_err();
        assert!(refused.to_string().contains("symbolic link"), "{refused}");
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
        assert_eq!(save(&Disk::default(), &elsewhere, "a.md", "text").unwrap(), "a.md");
    }
}
