//! SQLite's errors, by what they mean here.

use rusqlite::{Error, ErrorCode, ffi};

use crate::error::StoreError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// No room; the transaction was rolled back.
    Full,
    /// The disk did not do what it was told. What the system holds of the file in memory may differ from
    /// what is on the disk, and asking again would hide it.
    Io,
    /// The file is not what SQLite wrote.
    Corrupt,
    /// A value is not what this store wrote.
    Foreign,
    Other,
}

impl Fault {
    pub(super) fn of(error: &Error) -> Fault {
        match error {
            Error::SqliteFailure(failure, _) => match failure.code {
                ErrorCode::DiskFull => Fault::Full,
                ErrorCode::SystemIoFailure if is_about_the_index(failure.extended_code) => Fault::Other,
                ErrorCode::SystemIoFailure => Fault::Io,
                ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Fault::Corrupt,
                _ => Fault::Other,
            },
            Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::InvalidColumnType(..)
            | Error::Utf8Error(..) => Fault::Foreign,
            _ => Fault::Other,
        }
    }

    /// Whether a COMMIT that failed so may have taken place. SQLite writes the log, syncs it, and then enters
    /// it into the index: an error after the first step says nothing about what a restart will find. A full
    /// disk stops it before the frame that makes the commit valid, a busy database before everything.
    pub(super) fn leaves_commit_unknown(error: &Error) -> bool {
        !matches!(error.sqlite_error_code(), Some(ErrorCode::DiskFull | ErrorCode::DatabaseBusy))
    }
}

/// The index over the log is never synced and is made anew at every start; that it cannot grow, mostly
/// because the disk is full, says nothing about data that was written before.
fn is_about_the_index(code: i32) -> bool {
    matches!(
        code,
        ffi::SQLITE_IOERR_SHMOPEN
            | ffi::SQLITE_IOERR_SHMSIZE
            | ffi::SQLITE_IOERR_SHMMAP
            | ffi::SQLITE_IOERR_SHMLOCK
    )
}

impl From<Error> for StoreError {
    fn from(error: Error) -> StoreError {
        match Fault::of(&error) {
            Fault::Full => StoreError::Full(error.into()),
            Fault::Io | Fault::Other => StoreError::NotStored(error.into()),
            Fault::Corrupt | Fault::Foreign => StoreError::Damaged { position: 0, reason: error.to_string() },
        }
    }
}
