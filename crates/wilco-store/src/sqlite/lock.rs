//! One server per data directory.

use std::fs::File;
use std::io;
use std::path::Path;

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::files;

/// Held as long as this lives. The kernel lets go of it also when the process is killed, so a lock that
/// was left behind does not exist; the empty file stays.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// `None`: somebody else has it.
    pub(super) fn take(path: &Path) -> io::Result<Option<Lock>> {
        let file = files::open_private(path)?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(Some(Lock { _file: file })),
            Err(Errno::WOULDBLOCK) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
