//! The position of the test clock, kept in the data directory so that a restart finds it again.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use wilco_protocol::Time;

#[derive(Debug, Clone)]
pub struct TestClock {
    path: PathBuf,
}

impl TestClock {
    pub fn new(data: &Path) -> TestClock {
        TestClock { path: data.join("test-clock") }
    }

    /// Where it stood.
    pub fn position(&self) -> Option<Time> {
        fs::read_to_string(&self.path).ok()?.trim().parse().ok()
    }

    /// Written whole or not at all, readable by the owner only.
    pub fn keep(&self, now: Time) -> io::Result<()> {
        let new = self.path.with_extension("new");
        match fs::remove_file(&new) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            // What a crash left behind.
            Ok(()) | Err(_) => {}
        }
        let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        writeln!(file, "{now}")?;
        file.sync_all()?;
        fs::rename(new, &self.path)
    }
}
