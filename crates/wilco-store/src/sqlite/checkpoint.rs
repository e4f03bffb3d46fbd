//! When the write-ahead log goes into the database file.

use rusqlite::{Connection, Result};

use super::Sqlite;
use super::fault::Fault;

/// How many pages the log may have. Fewer mean more and shorter pauses. 4,062 pages are what the first
/// block of SQLite's index over the log covers: below that, a commit never has to enlarge the index,
/// which on a full disk would fail after the log itself was already written.
const LOG_PAGES: i64 = 2000;

impl Sqlite {
    /// Moves the log into the database file if it has grown long. The batch is durable already, so
    /// trouble here does not fail it; a lost sync however means that later commits cannot be trusted.
    ///
    /// SQLite's own automatism would do the same, but keeps its errors to itself.
    pub(super) fn checkpoint(&mut self) {
        let outcome = match log(&self.connection, "PRAGMA wal_checkpoint(NOOP)") {
            Ok(waiting) if waiting >= LOG_PAGES => log(&self.connection, "PRAGMA wal_checkpoint(PASSIVE)"),
            other => other,
        };
        if let Err(error) = outcome
            && let Fault::Io = Fault::of(&error)
        {
            self.failed(error);
        }
    }
}

/// How many pages of the log are not in the database file.
fn log(connection: &Connection, pragma: &str) -> Result<i64> {
    connection.prepare_cached(pragma)?.query_one((), |row| Ok(row.get::<_, i64>(1)? - row.get::<_, i64>(2)?))
}
