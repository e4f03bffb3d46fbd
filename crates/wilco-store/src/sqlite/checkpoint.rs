//! When the write-ahead log goes into the database file.
//!
//! SQLite's own automatism would do the same, but keeps its errors to itself.

use rusqlite::{Connection, Result};

use super::Sqlite;

/// How long the log gets before the writer stops to move it. Rarely and longer is better than often and
/// shorter: at 64 messages a commit this is one commit in 150, so the slowest hundredth does not see it,
/// and a page that changed a hundred times is moved once. It is not more because 4,062 pages are what
/// the first block of SQLite's index over the log covers, and enlarging the index can fail on a full
/// disk after the log itself was written.
const LOG_PAGES: i64 = 4000;

/// When a reader or a full disk holds the log back, it grows by so many pages before the next try.
const RETRY_PAGES: i64 = 500;

impl Sqlite {
    /// Moves the log into the database file when it has grown long. The batch is durable already, so
    /// trouble here does not fail it; a lost sync however means that later commits cannot be trusted.
    pub(super) fn checkpoint(&mut self) {
        let outcome = match pages(&self.connection, "PRAGMA wal_checkpoint(NOOP)") {
            Ok(Pages { log, .. }) if log >= self.checkpoint_at.unwrap_or(LOG_PAGES) => {
                self.checkpoint_at = Some(log + RETRY_PAGES);
                pages(&self.connection, "PRAGMA wal_checkpoint(PASSIVE)")
            }
            other => other,
        };
        match outcome {
            Ok(Pages { waiting: 0, .. }) => self.checkpoint_at = None,
            Ok(_) => {}
            Err(error) => self.distrust(&error),
        }
    }
}

/// Pages of the log, and those of them that are not in the database file.
struct Pages {
    log: i64,
    waiting: i64,
}

fn pages(connection: &Connection, pragma: &str) -> Result<Pages> {
    connection.prepare_cached(pragma)?.query_one((), |row| {
        let (log, moved): (i64, i64) = (row.get(1)?, row.get(2)?);
        Ok(Pages { log, waiting: log - moved })
    })
}
