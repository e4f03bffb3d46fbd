//! A store on SQLite: one directory, one database file, one server.
//!
//! The one writer holds a `Sqlite`; everybody else reads over connections of their own.

mod checkpoint;
mod connection;
mod exchanges;
mod fault;
mod files;
mod inbox;
mod lock;
mod open;
mod query;
mod read;
mod rows;
mod schema;
mod write;

use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use crate::batch::Batch;
use crate::error::StoreError;
use crate::{Head, Store};

use fault::Fault;
use lock::Lock;
use query::Connected;

/// The data directory of one server. Dropping it frees the directory for another.
#[derive(Debug)]
pub struct Sqlite {
    connection: Connection,
    /// The journal's end; this is its only writer, so it need not ask.
    head: Head,
    /// Why no commit can be trusted any more, once that is so.
    broken: Option<String>,
    directory: PathBuf,
    /// Last, so that the connection is closed before somebody else may come in.
    _lock: Lock,
}

/// A connection that only reads, and sees every commit that returned before it was asked.
#[derive(Debug)]
pub struct SqliteReader {
    connection: Connection,
}

impl Sqlite {
    /// Another connection, for another thread.
    pub fn reader(&self) -> Result<SqliteReader, StoreError> {
        Ok(SqliteReader { connection: connection::reader(&self.directory)? })
    }

    /// Bounds the size of the database, so that tests can fill it.
    #[doc(hidden)]
    pub fn limit_pages(&self, most: Option<u32>) -> Result<u32, StoreError> {
        let most = most.unwrap_or(u32::MAX - 1);
        Ok(self.connection.pragma_update_and_check(None, "max_page_count", most, |row| row.get(0))?)
    }

    fn transact(
        &mut self,
        work: impl FnOnce(&Connection) -> Result<(), rusqlite::Error>,
    ) -> Result<(), StoreError> {
        if let Some(reason) = &self.broken {
            return Err(StoreError::Failed(reason.as_str().into()));
        }
        let outcome = (|| {
            let transaction = self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            work(&transaction)?;
            transaction.commit()
        })();
        outcome.map_err(|error| self.failed(error))
    }

    /// What a failed write means for this commit and the ones after it.
    fn failed(&mut self, error: rusqlite::Error) -> StoreError {
        if let Fault::Io = Fault::of(&error) {
            self.broken = Some(format!("an earlier write to the disk failed ({error}); restart the server"));
        }
        error.into()
    }
}

impl SqliteReader {
    /// Reads a data directory that a server has open.
    pub fn open(directory: &Path) -> Result<SqliteReader, StoreError> {
        Ok(SqliteReader { connection: connection::reader(directory)? })
    }
}

impl Store for Sqlite {
    fn commit(&mut self, batch: &Batch) -> Result<(), StoreError> {
        batch.follows(self.head.position)?;
        self.transact(|connection| write::batch(connection, batch))?;
        if let Some(row) = batch.journal.last() {
            (self.head.position, self.head.hash) = (row.position, row.hash);
        }
        self.head.at = Some(batch.at);
        self.checkpoint();
        Ok(())
    }

    fn begin_rebuild(&mut self) -> Result<(), StoreError> {
        self.transact(schema::empty_derived)
    }

    fn finish_rebuild(&mut self) -> Result<(), StoreError> {
        self.transact(schema::derived_are_complete)
    }
}

impl Connected for Sqlite {
    fn connection(&self) -> &Connection {
        &self.connection
    }
}

impl Connected for SqliteReader {
    fn connection(&self) -> &Connection {
        &self.connection
    }
}
