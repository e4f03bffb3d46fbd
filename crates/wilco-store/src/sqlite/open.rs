//! From a directory to a store.

use std::io::{self, ErrorKind};
use std::path::Path;

use rusqlite::{Connection, ErrorCode, ffi};

use crate::error::{OpenError, StoreError};

use super::checkpoint::Checkpoints;
use super::lock::Lock;
use super::mark::{self, Mark};
use super::query::{Connected, head};
use super::{Sqlite, connection, files, inbox, recover, schema};

/// A connection that is only looked at yet.
struct Unmarked<'a>(&'a Connection);

impl Connected for Unmarked<'_> {
    fn connection(&self) -> &Connection {
        self.0
    }

    fn index(&self) -> Option<&Connection> {
        None
    }
}

impl Sqlite {
    /// Opens a data directory, making it if it is missing. Only one server at a time gets it.
    pub fn open(directory: &Path) -> Result<Sqlite, OpenError> {
        let store = Sqlite::open_for_rebuild(directory)?;
        if schema::is_rebuilding(&store.connection).map_err(StoreError::from)? {
            return Err(OpenError::RebuildInterrupted { path: directory.to_owned() });
        }
        Ok(store)
    }

    /// Opens it also when its derived tables are incomplete.
    pub fn open_for_rebuild(path: &Path) -> Result<Sqlite, OpenError> {
        let unusable = |source: io::Error| match source.kind() {
            ErrorKind::StorageFull => OpenError::Full { path: path.to_owned() },
            _ => OpenError::Unusable { path: path.to_owned(), source },
        };
        recover::check(path)?;
        let directory = files::directory(path).map_err(unusable)?;
        let lock = Lock::take(&directory.join(files::LOCK)).map_err(unusable)?;
        let lock = lock.ok_or_else(|| OpenError::InUse { path: path.to_owned() })?;
        let refused = |error| refused(path, error);
        // Not even an empty file is added to what cannot be opened.
        let database = match directory.join(files::DATABASE) {
            orphan if files::has_orphaned_log(&orphan) => orphan,
            _ => files::prepare_database(&directory).map_err(unusable)?,
        };
        let mut connection = connection::writer(&database).map_err(refused)?;
        let found = schema::version(&connection).map_err(refused)?;
        if found > schema::VERSION {
            return Err(OpenError::Newer { path: path.to_owned(), found, known: schema::VERSION });
        }
        // A log is evidence until its owner has looked at all of it, and commits.
        connection::keep_log(&connection, true).map_err(refused)?;
        match found {
            0 => mark::check_empty(&directory)?,
            _ => mark::check(&directory, &Unmarked(&connection))?,
        }
        connection::set_up_writer(&connection).map_err(refused)?;
        schema::migrate(&mut connection).map_err(refused)?;
        let head = head(&connection)?;
        let checkpoints = Checkpoints::watch(&mut connection).map_err(refused)?;
        let arrivals = inbox::arrivals(&connection).map_err(refused)?;
        let mark = Mark::open(&directory).map_err(unusable)?;
        mark.put(&head);
        let (broken, keeps_log) = (None, true);
        Ok(Sqlite {
            connection,
            head,
            broken,
            keeps_log,
            checkpoints,
            arrivals,
            mark,
            directory,
            _lock: lock,
        })
    }
}

fn refused(path: &Path, error: rusqlite::Error) -> OpenError {
    // The index over the log is made anew at the start, and lacks room first.
    let extended = error.sqlite_error().map(|error| error.extended_code);
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => OpenError::Full { path: path.to_owned() },
        _ if extended == Some(ffi::SQLITE_IOERR_SHMSIZE) => OpenError::Full { path: path.to_owned() },
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
            OpenError::Unusable { path: path.to_owned(), source: io::Error::other(error) }
        }
        _ => OpenError::Store(error.into()),
    }
}
