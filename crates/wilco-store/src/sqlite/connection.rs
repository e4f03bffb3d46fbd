//! Connections and how they are set up.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Result};

use crate::error::StoreError;

use super::files::{DATABASE, has_orphaned_log};

/// Nobody else writes, so waiting longer than this means that something is wrong.
const BUSY: Duration = Duration::from_secs(5);

/// Measured: larger pages write more into the log for each row, smaller ones split more often.
const PAGE_BYTES: i64 = 4096;
/// SQLite looks through all of it at the end of most commits.
const WRITER_CACHE_KIB: i64 = 4 * 1024;
/// A transaction that changes more pages writes the first of them before it is committed.
const SPILL_PAGES: i64 = 4096;
const READER_CACHE_KIB: i64 = 4 * 1024;

/// A log that grew because a reader held it back shrinks to this again.
const LOG_BYTES: i64 = 64 * 1024 * 1024;

/// More than there are statements, so that each is prepared once.
const STATEMENTS: usize = 128;

/// Whether SQLite was compiled with the flags of `.cargo/config.toml`, which a build elsewhere does not see. It
/// tells of one of them only; they come together.
pub fn has_build_flags() -> bool {
    let flag = |connection: &Connection| {
        let mut options = connection.prepare("PRAGMA compile_options")?;
        let mut options = options.query_map((), |row| row.get::<_, String>(0))?;
        Ok(options.any(|option| option.is_ok_and(|option| option == "DEFAULT_MEMSTATUS=0")))
    };
    Connection::open_in_memory().and_then(|connection| flag(&connection)).unwrap_or(false)
}

/// The connection that writes. The file is there already and nothing in it has been changed yet.
pub(super) fn writer(database: &Path) -> Result<Connection> {
    connect(database, OpenFlags::SQLITE_OPEN_READ_WRITE)
}

/// Makes the writer's connection keep its promises. Comes after the version was looked at, because a
/// database of a newer wilco must stay as it is.
pub(super) fn set_up_writer(connection: &Connection) -> Result<()> {
    connection.pragma_update(None, "page_size", PAGE_BYTES)?;
    let mode: String = connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
    if mode != "wal" {
        let reason = format!("expected journal mode wal, got {mode}");
        let error = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CANTOPEN);
        return Err(rusqlite::Error::SqliteFailure(error, Some(reason)));
    }
    connection.pragma_update(None, "synchronous", if undurable() { "OFF" } else { "FULL" })?;
    // The store decides when, and looks at what comes of it.
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "journal_size_limit", LOG_BYTES, |_| Ok(()))?;
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    connection.pragma_update(None, "cache_spill", SPILL_PAGES)
}

/// Whether closing the last connection may move the log into the database and delete it. Not before it is
/// known to be whole: a damaged log is evidence.
pub(super) fn keep_log(connection: &Connection, keep: bool) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep).map(drop)
}

/// Moves all of the log into the database, which then is the one file that counts.
pub(super) fn empty_log(connection: &Connection) -> std::result::Result<(), StoreError> {
    let busy: bool = connection.query_one("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get(0))?;
    if busy { Err(StoreError::NotStored("somebody else uses the database".into())) } else { Ok(()) }
}

/// A connection that cannot write.
pub(super) fn reader(directory: &Path) -> Result<Connection> {
    reader_of(&directory.join(DATABASE))
}

pub(super) fn reader_of(database: &Path) -> Result<Connection> {
    let connection = connect(database, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.pragma_update(None, "cache_size", -READER_CACHE_KIB)?;
    Ok(connection)
}

pub(super) fn connect(database: &Path, access: OpenFlags) -> Result<Connection> {
    if has_orphaned_log(database) {
        let error = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
        let reason = "the database is empty or missing, but its log is there".to_owned();
        return Err(rusqlite::Error::SqliteFailure(error, Some(reason)));
    }
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(database, flags)?;
    connection.busy_timeout(BUSY)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    // Else a statement is prepared anew each time its LIMIT is bound to another value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    // A failing disk under a mapped file kills the process; under a read it is an error to report.
    connection.pragma_update_and_check(None, "mmap_size", 0, |_| Ok(()))?;
    // Damage is better found than served.
    connection.pragma_update(None, "cell_size_check", true)?;
    Ok(connection)
}

/// Whether every page of the database is what SQLite wrote there, derived tables included. Reads all of it.
pub(super) fn check_pages(connection: &Connection) -> std::result::Result<(), StoreError> {
    let said: String = connection.query_one("PRAGMA quick_check(1)", (), |row| row.get(0))?;
    match said.as_str() {
        "ok" => Ok(()),
        wrong => Err(StoreError::Damaged { position: 0, reason: format!("outside of the journal: {wrong}") }),
    }
}

/// Whether a test wants to see that a power cut shows in it: only a build for tests can be told so.
fn undurable() -> bool {
    cfg!(debug_assertions) && std::env::var_os("WILCO_TEST_UNDURABLE").is_some()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_build_in_the_checkout_has_the_flags() {
        assert!(super::has_build_flags(), "LIBSQLITE3_FLAGS of .cargo/config.toml did not reach SQLite");
    }
}
