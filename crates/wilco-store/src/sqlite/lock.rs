//! One server per data directory.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use rustix::fs::FlockOperation;
use rustix::io::Errno;

use super::files;

/// How often it is asked for again, and after how long.
const TRIES: usize = 20;
const BETWEEN: Duration = Duration::from_millis(25);

/// Held as long as this lives. The kernel lets go of it also when the process is killed, so a lock that
/// was left behind does not exist; the empty file stays.
#[derive(Debug)]
pub(super) struct Lock {
    _file: File,
}

impl Lock {
    /// `None`: somebody else has it. A program that a killed server was about to start has it for a moment, between
    /// its fork and its exec; so it is asked for more than once.
    pub(super) fn take(path: &Path) -> io::Result<Option<Lock>> {
        let file = files::open_private(path)?;
        for again in [true; TRIES].into_iter().chain([false]) {
            match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Some(Lock { _file: file })),
                Err(Errno::WOULDBLOCK) if again => std::thread::sleep(BETWEEN),
                Err(Errno::WOULDBLOCK) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(None)
    }
}
