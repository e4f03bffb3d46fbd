//! The orchestrator's state file: assignments, agents and history move in it, and nothing else does.
//!
//! The file belongs to somebody else. It is backed up, replaced as a whole, keeps its owner and mode, and is
//! read again when it changed meanwhile. Repeating a change that was made changes nothing.

mod fields;
mod replacement;
mod verification;

use std::path::{Path, PathBuf};

use wilco_protocol::Time;
use wilco_protocol::handoff::{Repetition, Replacement, StateFileOrder, TaskUpdate};

use crate::disk::{Disk, beside};
use crate::handoff::may_pass;
use crate::yaml::{Change, Wrong, changed};

/// How often a file that others keep changing is read again.
const MAX_READS: usize = 20;
/// Larger files are not state files.
const MAX_BYTES: usize = 8 << 20;

/// What became of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed<T> {
    /// The copy of the file as it was before; none when nothing had to be changed.
    pub backup: Option<PathBuf>,
    pub found: T,
}

/// Why the file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum StateFileError {
    #[error("the state file {path} cannot be read: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("the state file {path} was not changed: line {line}: {problem}")]
    Malformed { path: String, line: usize, problem: String },
    #[error("the state file {path} cannot be written: {source}")]
    Unwritable { path: String, source: std::io::Error },
    #[error("the state file {path} was changed by somebody else each time it was to be written")]
    Busy { path: String },
}

impl StateFileError {
    /// Whether another try makes sense.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            StateFileError::Unreadable { source, .. } | StateFileError::Unwritable { source, .. } => {
                may_pass(source)
            }
            StateFileError::Busy { .. } => true,
            StateFileError::Malformed { .. } => false,
        }
    }
}

/// Moves assignments to the replacement.
pub fn replace(
    path: &Path,
    replacement: &Replacement,
    now: Time,
) -> Result<Changed<Vec<TaskUpdate>>, StateFileError> {
    edit(&Disk::default(), path, now, |text| replacement::plan(text, replacement))
}

/// Writes down how far the instruction verification of a task got. False: the file holds no such task.
pub fn verify(path: &Path, repetition: &Repetition, now: Time) -> Result<Changed<bool>, StateFileError> {
    edit(&Disk::default(), path, now, |text| verification::plan(text, repetition))
}

/// The text of a state file with the order carried out, or the line that is wrong and why. For random inputs.
#[doc(hidden)]
pub fn edited(file: &str, order: &StateFileOrder) -> Result<String, (usize, String)> {
    let changes = match order {
        StateFileOrder::Replace(order) => replacement::plan(file, order).map(|(changes, _)| changes),
        StateFileOrder::Repeat(order) => verification::plan(file, order).map(|(changes, _)| changes),
    };
    changes.and_then(|changes| changed(file, &changes)).map_err(|wrong| (wrong.line, wrong.problem))
}

fn edit<T>(
    disk: &Disk,
    path: &Path,
    now: Time,
    plan: impl Fn(&str) -> Result<(Vec<Change>, T), Wrong>,
) -> Result<Changed<T>, StateFileError> {
    let name = path.display().to_string();
    let unreadable = |source| StateFileError::Unreadable { path: name.clone(), source };
    let unwritable = |source| StateFileError::Unwritable { path: name.clone(), source };
    let malformed = |wrong: Wrong| StateFileError::Malformed {
        path: name.clone(),
        line: wrong.line,
        problem: wrong.problem,
    };
    for _ in 0..MAX_READS {
        let found = disk.read(path).map_err(unreadable)?;
        let found = found.ok_or_else(|| unreadable(std::io::ErrorKind::NotFound.into()))?;
        if found.bytes.len() > MAX_BYTES {
            return Err(malformed(Wrong::at(1, format!("the file is larger than {MAX_BYTES} bytes"))));
        }
        let text = text(&found.bytes).map_err(malformed)?;
        let (changes, answer) = plan(text).map_err(malformed)?;
        let fresh = changed(text, &changes).map_err(malformed)?;
        if fresh == text {
            return Ok(Changed { backup: None, found: answer });
        }
        let seconds = now.millis() / 1000;
        let named = |suffix: &str| beside(path, &format!(".bak.{seconds}{suffix}"));
        let backup = disk.keep(named, Some(&found), &found.bytes).map_err(unwritable)?;
        if disk.put(path, Some(&found), fresh.as_bytes()).map_err(unwritable)? {
            return Ok(Changed { backup: Some(backup), found: answer });
        }
        disk.remove(&backup).map_err(unwritable)?;
    }
    Err(StateFileError::Busy { path: name })
}

fn text(bytes: &[u8]) -> Result<&str, Wrong> {
    std::str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        Wrong::at(line, "expected UTF-8")
    })
}

#[cfg(test)]
mod tests;
