//! What an interrupted restore left, so that a start does not make an empty store where data should be.

use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::error::OpenError;

use super::files::{BEFORE_RESTORE, DATABASE, LOG, RESTORING};

/// Refuses a directory without data that a restore left something in or beside.
pub(super) fn check(path: &Path) -> Result<(), OpenError> {
    if path.join(DATABASE).exists() || path.join(LOG).exists() {
        return Ok(());
    }
    if path.join(RESTORING).is_dir() {
        return Err(OpenError::RestoreInterrupted { path: path.to_owned() });
    }
    let shown = path.display();
    if let Some(left) = newest(path, BEFORE_RESTORE) {
        let first = if path.exists() { format!("rmdir {shown} && ") } else { String::new() };
        let next = format!(
            "the data from before it is there. Bring it back with: {first}mv {} {shown}",
            left.display()
        );
        return Err(OpenError::RestoreLeft { path: path.to_owned(), left, next });
    }
    match newest(path, RESTORING) {
        Some(left) => {
            let next = format!("it was interrupted. Run it again: wilco restore FILE --data {shown}");
            Err(OpenError::RestoreLeft { path: path.to_owned(), left, next })
        }
        None => Ok(()),
    }
}

/// The directory of that name beside another, with or without a number, that was renamed last.
fn newest(path: &Path, word: &str) -> Option<PathBuf> {
    let absolute = path.canonicalize().or_else(|_| std::path::absolute(path)).ok()?;
    let begin = format!("{}.{word}", absolute.file_name()?.to_str()?);
    let beside = fs::read_dir(absolute.parent()?).ok()?.flatten().filter(|found| {
        let name = found.file_name();
        name.to_str().and_then(|name| name.strip_prefix(&begin)).is_some_and(is_number)
    });
    let directories = beside.filter_map(|found| Some((found.metadata().ok()?, found.path())));
    let changed = |found: &Metadata| (found.ctime(), found.ctime_nsec());
    directories
        .filter(|(found, _)| found.is_dir())
        .max_by_key(|(found, _)| changed(found))
        .map(|(_, path)| path)
}

/// Nothing, or `-2` and so on.
fn is_number(rest: &str) -> bool {
    rest.is_empty() || rest.strip_prefix('-').is_some_and(|number| number.parse::<u32>().is_ok())
}
