//! The database with the index: made, followed up, and thrown away when it belongs to another history.

use std::fs;
use std::io;
use std::path::Path;

use rusqlite::{Connection, OpenFlags, Result, params};

use crate::batch::MessageRow;
use crate::chain::Hash;
use crate::error::StoreError;
use crate::reader::Reader;
use crate::search::{index_terms, terms};

use super::super::connection;
use super::super::files;
use super::super::rows::int;

const VERSION: i64 = 1;

/// Where the words of messages stand is not kept: nobody asks for phrases, and it is most of the room.
const SCHEMA: &str = "
    CREATE VIRTUAL TABLE search USING fts5(terms, content='', columnsize=0, detail=none, tokenize='ascii');
    CREATE TABLE watermark (
        one      INTEGER PRIMARY KEY CHECK (one = 1),
        position INTEGER NOT NULL,
        hash     BLOB
    );
    INSERT INTO watermark (one, position) VALUES (1, 0);
    PRAGMA user_version = 1;
";

/// Messages taken in at once.
const AT_ONCE: usize = 256;

/// Follows the commits, so that a search need not read everything.
#[derive(Debug)]
pub struct SearchIndex {
    connection: Connection,
    position: u64,
}

impl SearchIndex {
    /// Opens the index of a data directory that this process has locked. One that cannot be used, or that
    /// knows another history than the journal, is made anew.
    pub fn open(directory: &Path, reader: &dyn Reader) -> Result<SearchIndex, StoreError> {
        let failed = |error: io::Error| StoreError::NotStored(error.into());
        let directory = &directory.canonicalize().map_err(failed)?;
        if let Ok(index) = SearchIndex::at(directory)
            && index.belongs_to(reader)?
        {
            return Ok(index);
        }
        remove(directory).map_err(failed)?;
        Ok(SearchIndex::at(directory)?)
    }

    fn at(directory: &Path) -> Result<SearchIndex> {
        let path = directory.join(files::SEARCH);
        files::prepare_search(directory)
            .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
        let connection = connection::connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        // What a power cut takes away is taken in again.
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version == 0 {
            let transaction = connection.unchecked_transaction()?;
            transaction.execute_batch(SCHEMA)?;
            transaction.commit()?;
        } else if version != VERSION {
            return Err(rusqlite::Error::InvalidQuery);
        }
        let position = watermark(&connection)?;
        Ok(SearchIndex { connection, position })
    }

    /// A main database that was put back from a copy may have another event at the watermark.
    fn belongs_to(&self, reader: &dyn Reader) -> Result<bool, StoreError> {
        if self.position == 0 {
            return Ok(true);
        }
        let sql = "SELECT hash FROM watermark WHERE one = 1";
        let known: Option<Hash> = self.connection.query_one(sql, (), |row| row.get(0))?;
        let event = reader.journal(self.position - 1, 1)?;
        Ok(event.first().is_some_and(|row| row.position == self.position && Some(row.hash) == known))
    }

    /// Everything up to here is in it.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Takes in the next messages, not many at once; whether there are more.
    pub fn follow(&mut self, reader: &dyn Reader) -> Result<bool, StoreError> {
        let messages = reader.messages_after(self.position, AT_ONCE)?;
        let Some(last) = messages.last().map(|message| message.position) else { return Ok(false) };
        let event = reader.journal(last - 1, 1)?;
        let Some(hash) = event.first().filter(|row| row.position == last).map(|row| row.hash) else {
            return Ok(false);
        };
        let transaction = self.connection.unchecked_transaction()?;
        {
            let mut insert =
                transaction.prepare_cached("INSERT INTO search (rowid, terms) VALUES (?1, ?2)")?;
            for message in &messages {
                insert.execute(params![int(message.position), line(message)])?;
            }
            let sql = "UPDATE watermark SET position = ?1, hash = ?2 WHERE one = 1";
            transaction.prepare_cached(sql)?.execute(params![int(last), &hash[..]])?;
        }
        transaction.commit()?;
        self.position = last;
        Ok(messages.len() == AT_ONCE)
    }
}

/// The terms of a message, with spaces between.
fn line(message: &MessageRow) -> String {
    terms(message).map(|terms| index_terms(terms, message.exchange).join(" ")).unwrap_or_default()
}

pub(super) fn watermark(connection: &Connection) -> Result<u64> {
    let sql = "SELECT position FROM watermark WHERE one = 1";
    connection.prepare_cached(sql)?.query_one((), |row| row.get::<_, i64>(0)).map(|position| position as u64)
}

/// A connection that only asks; none while there is no index.
pub(in super::super) fn open_reader(directory: &Path) -> Option<Connection> {
    let path = directory.join(files::SEARCH);
    if !path.exists() {
        return None;
    }
    connection::connect(&path, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()
}

/// Throws the index away. Whoever has it open keeps what it has.
pub(in super::super) fn remove(directory: &Path) -> io::Result<()> {
    for suffix in ["", "-wal", "-shm", "-journal"] {
        match fs::remove_file(directory.join(format!("{}{suffix}", files::SEARCH))) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}
