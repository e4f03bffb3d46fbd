//! A store on SQLite: one directory, one database file, one server.
//!
//! The one writer holds a `Sqlite`; everybody else reads over connections of their own.

mod backup;
mod checkpoint;
mod connection;
mod exchanges;
mod fault;
mod files;
mod inbox;
mod lock;
mod mark;
mod open;
mod query;
mod read;
mod recover;
mod rescue;
mod restore;
mod rows;
mod schema;
mod search;
mod write;

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Params, TransactionBehavior};
use wilco_protocol::Time;

use crate::batch::{Batch, IdempotencyRow};
use crate::error::StoreError;
use crate::generation;
use crate::moving::{Fill, Operational, Source};
use crate::{Head, Reader, Store, Upkeep};

use checkpoint::Checkpoints;
use fault::Fault;
use lock::Lock;
use mark::Mark;
use query::Connected;

pub use backup::backup;
pub use connection::has_build_flags;
pub(crate) use files::beside;
pub use files::check_writers;
pub use rescue::rescue;
pub(crate) use restore::restore_behind;
pub use restore::{Restored, restore};
pub use search::SearchIndex;

/// The data directory of one server. Dropping it frees the directory for another.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    /// The journal's end; this is its only writer, so it need not ask.
    head: Head,
    /// Why no commit can be trusted any more, once that is so.
    broken: Option<String>,
    /// Whether the log is left as it is when this is closed.
    keeps_log: bool,
    checkpoints: Checkpoints,
    /// Entries of inboxes that were not moved there yet.
    arrivals: u32,
    /// How far the journal got, for a start after a crash.
    mark: Mark,
    directory: PathBuf,
    /// Last, so that the connection is closed before somebody else may come in.
    _lock: Lock,
}

/// A connection that only reads, and sees every commit that returned before it was asked.
#[derive(Debug)]
pub struct SqliteReader {
    connection: Connection,
    directory: PathBuf,
    /// Opened by the first search that finds one.
    index: OnceCell<Connection>,
}

impl Sqlite {
    /// Another connection, for another thread.
    pub fn reader(&self) -> Result<SqliteReader, StoreError> {
        SqliteReader::at(self.directory.clone())
    }

    /// Begins a new generation behind what is stored; gives its first position.
    fn begin_generation(&mut self, replaced: Option<u64>) -> Result<u64, StoreError> {
        let row = generation::beginning(&self.head, replaced);
        let (position, hash) = (row.position, row.hash);
        let batch = Batch { at: self.head.at.unwrap_or_default(), journal: vec![row], ..Batch::default() };
        let arrivals = self.arrivals;
        self.arrivals = self.transact(|connection| write::batch(connection, &batch, arrivals))?;
        (self.head.position, self.head.hash) = (position, hash);
        self.mark.put(&self.head);
        Ok(position)
    }

    /// Takes rows as they are, behind what is stored.
    fn take_in(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let arrivals = self.arrivals;
        self.arrivals = self.transact(|connection| write::batch(connection, batch, arrivals))?;
        if let Some(row) = batch.journal.last() {
            (self.head.position, self.head.hash) = (row.position, row.hash);
        }
        self.head.at = Some(batch.at);
        self.mark.put(&self.head);
        Ok(())
    }

    /// Bounds the size of the database, so that tests can fill it.
    #[doc(hidden)]
    pub fn limit_pages(&self, most: Option<u32>) -> Result<u32, StoreError> {
        let most = most.unwrap_or(u32::MAX - 1);
        Ok(self.connection.pragma_update_and_check(None, "max_page_count", most, |row| row.get(0))?)
    }

    fn transact<T>(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<T, rusqlite::Error>,
    ) -> Result<T, StoreError> {
        if let Some(reason) = &self.broken {
            return Err(StoreError::Distrusted { reason: reason.clone() });
        }
        let outcome = (|| {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            Ok((done, transaction.commit()))
        })();
        match outcome {
            Ok((done, Ok(()))) => Ok(done),
            Ok((_, Err(error))) => {
                let unknown = Fault::leaves_commit_unknown(&error);
                if unknown {
                    self.broken = Some(error.to_string());
                }
                Err(match StoreError::from(error) {
                    StoreError::NotStored(source) if unknown => StoreError::Unknown(source),
                    other => other,
                })
            }
            Err(error) => {
                let error: rusqlite::Error = error;
                self.distrust(&error);
                Err(error.into())
            }
        }
    }

    /// After a sync that failed, what the system holds in memory may differ from what is on the disk, and
    /// trying again would hide it: every later commit is refused instead. The same holds when nobody knows
    /// whether a commit took place: the next start reads from the disk what is true.
    fn distrust(&mut self, error: &rusqlite::Error) {
        if let Fault::Io = Fault::of(error) {
            self.broken = Some(error.to_string());
        }
    }
}

impl SqliteReader {
    /// Reads a data directory that a server has open. The writer moves to its own thread, so readers are
    /// opened by the directory's name.
    pub fn open(directory: &Path) -> Result<SqliteReader, StoreError> {
        let directory = directory.canonicalize().map_err(|error| StoreError::NotStored(error.into()))?;
        SqliteReader::at(directory)
    }

    fn at(directory: PathBuf) -> Result<SqliteReader, StoreError> {
        let connection = connection::reader(&directory)?;
        Ok(SqliteReader { connection, directory, index: OnceCell::new() })
    }

    /// Reads a copy, which is one file and has no index.
    fn of_file(file: &Path) -> Result<SqliteReader, StoreError> {
        let connection = connection::reader_of(file)?;
        Ok(SqliteReader { connection, directory: file.to_owned(), index: OnceCell::new() })
    }

    /// Whether the database is what SQLite wrote, also outside of the journal. Reads all of it.
    pub fn check_pages(&self) -> Result<(), StoreError> {
        connection::check_pages(&self.connection)
    }
}

impl Store for Sqlite {
    fn commit(&mut self, batch: &Batch) -> Result<(), StoreError> {
        batch.follows(self.head.position)?;
        if self.keeps_log {
            connection::keep_log(&self.connection, false)?;
            self.keeps_log = false;
        }
        self.take_in(batch)?;
        self.watch_log();
        Ok(())
    }

    fn upkeep(&mut self) -> Option<Upkeep> {
        self.begin_anew();
        self.checkpoint_beside()
    }

    fn begin_rebuild(&mut self) -> Result<(), StoreError> {
        search::remove(&self.directory).map_err(|error| StoreError::NotStored(error.into()))?;
        self.transact(schema::empty_derived)?;
        self.arrivals = 0;
        Ok(())
    }

    fn finish_rebuild(&mut self) -> Result<(), StoreError> {
        self.transact(schema::derived_are_complete)
    }
}

impl Fill for Sqlite {
    fn fill(&mut self, batch: &Batch) -> Result<(), StoreError> {
        self.take_in(batch)?;
        self.begin_anew();
        Ok(())
    }
}

const ANSWERS: &str = "SELECT sender, key, request, at, answer FROM idempotency";

impl SqliteReader {
    fn answers(&self, which: &str, values: impl Params) -> Result<Vec<IdempotencyRow>, StoreError> {
        let mut kept = self.connection.prepare(&format!("{ANSWERS} {which}"))?;
        let (mut found, mut answers) = (kept.query(values)?, Vec::new());
        while let Some(row) = found.next()? {
            answers.push(rows::idempotency(row)?);
        }
        Ok(answers)
    }
}

impl Source for SqliteReader {
    fn operational(&self) -> Result<Operational, StoreError> {
        let (head, effects, presence) = (self.head()?, self.effects()?, self.presence()?);
        let idempotency = self.answers("WHERE at >= ?1", [head.at.map_or(0, Time::millis)])?;
        Ok(Operational { head, effects, presence, idempotency })
    }

    fn older_answers(
        &self,
        before: Time,
        behind: Option<&IdempotencyRow>,
        most: usize,
    ) -> Result<Vec<IdempotencyRow>, StoreError> {
        let (at, sender, key) =
            behind.map_or((i64::MIN, "", ""), |row| (row.at.millis(), row.sender.as_str(), row.key.as_str()));
        self.answers(
            "WHERE at < ?1 AND (at, sender, key) > (?2, ?3, ?4) ORDER BY at, sender, key LIMIT ?5",
            (before.millis(), at, sender, key, i64::try_from(most).unwrap_or(i64::MAX)),
        )
    }
}

impl Connected for Sqlite {
    fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The writer does not search.
    fn index(&self) -> Option<&Connection> {
        None
    }
}

impl Connected for SqliteReader {
    fn connection(&self) -> &Connection {
        &self.connection
    }

    fn index(&self) -> Option<&Connection> {
        if self.index.get().is_none() {
            let index = search::open_reader(&self.directory)?;
            let _ = self.index.set(index);
        }
        self.index.get()
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::{Error, ffi};

    use super::*;
    use crate::conformance::Author;
    use crate::error::StoreError;

    fn failing(code: i32) -> Error {
        Error::SqliteFailure(ffi::Error::new(code), None)
    }

    /// No disk here fails on demand, so the error is brought in where SQLite would report it.
    #[test]
    fn g9_after_a_failed_sync_no_commit_is_trusted_and_reads_go_on() {
        let directory = tempfile::TempDir::new().unwrap();
        let mut store = Sqlite::open(directory.path()).unwrap();
        let mut author = Author::default();
        author.event(None, "before");
        store.commit(&author.take(1)).unwrap();
        let failed = store.transact::<()>(|_| Err(failing(ffi::SQLITE_IOERR_FSYNC)));
        assert!(matches!(failed, Err(StoreError::NotStored(_))), "{failed:?}");

        author.event(None, "after");
        let refused = store.commit(&author.take(2)).unwrap_err();
        assert!(refused.to_string().contains("restart"), "{refused}");
        assert_eq!(store.head().unwrap().position, 1);
        assert_eq!(store.reader().unwrap().journal(0, 10).unwrap().len(), 1);
    }

    /// The index over the log may fail when the log is already written and synced; then the commit is there
    /// after a restart, although it was reported as failed. Whatever else fails at this point: who goes on
    /// must know.
    #[test]
    fn g9_after_a_commit_of_unknown_outcome_no_other_is_tried() {
        let directory = tempfile::TempDir::new().unwrap();
        let mut store = Sqlite::open(directory.path()).unwrap();
        let mut author = Author::default();
        author.event(None, "before");
        store.commit(&author.take(1)).unwrap();
        store.connection.commit_hook(Some(|| true)).unwrap();
        author.event(None, "meanwhile");
        let failed = store.commit(&author.take(2)).unwrap_err();
        assert!(matches!(failed, StoreError::Unknown(_)), "{failed:?}");
        store.connection.commit_hook(None::<fn() -> bool>).unwrap();
        let refused = store.commit(&Author::default().take(3)).unwrap_err();
        assert!(matches!(refused, StoreError::Distrusted { .. }), "{refused:?}");
        drop(store);
        let mut store = Sqlite::open(directory.path()).unwrap();
        assert_eq!(store.head().unwrap().position, 1, "what is on the disk decides");
        store.commit(&Author::default().take(4)).unwrap();
    }

    #[test]
    fn g9_a_full_disk_or_a_busy_index_can_be_tried_again() {
        let directory = tempfile::TempDir::new().unwrap();
        let mut store = Sqlite::open(directory.path()).unwrap();
        let full = store.transact::<()>(|_| Err(failing(ffi::SQLITE_FULL)));
        assert!(matches!(full, Err(StoreError::Full(_))), "{full:?}");
        let index = store.transact::<()>(|_| Err(failing(ffi::SQLITE_IOERR_SHMSIZE)));
        assert!(matches!(index, Err(StoreError::NotStored(_))), "{index:?}");
        store.commit(&Author::default().take(1)).unwrap();
    }
}
