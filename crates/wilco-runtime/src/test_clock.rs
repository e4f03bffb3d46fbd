//! The position of the test clock, kept in the data directory or the schema so that a restart finds it again.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use wilco_protocol::Time;
use wilco_store::{Postgres, PostgresTarget};

/// Where it stands.
#[derive(Debug, Clone)]
pub enum TestClock {
    File(PathBuf),
    /// For one node only: the others would not hear of it.
    Schema(Box<PostgresTarget>),
}

/// Its name in the schema.
const NOTE: &str = "test_clock";

impl TestClock {
    pub fn new(data: &Path) -> TestClock {
        TestClock::File(data.join("test-clock"))
    }

    /// Where it stood.
    pub fn position(&self) -> Option<Time> {
        match self {
            TestClock::File(path) => fs::read_to_string(path).ok()?.trim().parse().ok(),
            TestClock::Schema(target) => {
                Postgres::reader(target).note(NOTE).ok().flatten().map(Time::from_millis)
            }
        }
    }

    pub fn keep(&self, now: Time) -> io::Result<()> {
        match self {
            TestClock::File(path) => write(path, now),
            TestClock::Schema(target) => {
                Postgres::reader(target).put_note(NOTE, now.millis()).map_err(io::Error::other)
            }
        }
    }
}

/// Written whole or not at all, readable by the owner only.
fn write(path: &Path, now: Time) -> io::Result<()> {
    let new = path.with_extension("new");
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        // What a crash left behind.
        Ok(()) | Err(_) => {}
    }
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
    writeln!(file, "{now}")?;
    file.sync_all()?;
    fs::rename(new, path)
}
