//! What went wrong with PostgreSQL, by what a caller does about it. No text here holds a secret: the driver names none.

use std::error::Error as _;
use std::io;

use crate::error::StoreError;

#[derive(Debug)]
pub(super) struct Fault {
    pub(super) kind: FaultKind,
    pub(super) reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// The server refused the statement, and the connection goes on.
    Refused,
    /// The user, the password or the database is not right: trying again does not help.
    Unwelcome,
    /// The server has no room on its disk.
    Full,
    /// What is stored cannot be read.
    Damaged,
    /// The connection is gone or silent; what was asked for may have been done.
    Lost,
}

impl Fault {
    pub(super) fn of(error: tokio_postgres::Error) -> Fault {
        let reason = match (error.as_db_error(), error.source()) {
            (Some(refused), _) => match refused.detail() {
                Some(detail) => format!("{} ({detail})", refused.message()),
                None => refused.message().to_owned(),
            },
            (None, Some(cause)) => format!("{error}: {cause}"),
            (None, None) => error.to_string(),
        };
        Fault { kind: FaultKind::of(&error), reason }
    }

    pub(super) fn of_io(error: io::Error) -> Fault {
        Fault { kind: FaultKind::Lost, reason: error.to_string() }
    }

    pub(super) fn silent(reason: &str) -> Fault {
        Fault { kind: FaultKind::Lost, reason: reason.to_owned() }
    }
}

impl FaultKind {
    fn of(error: &tokio_postgres::Error) -> FaultKind {
        let Some(code) = error.code() else {
            // What cannot even be asked, such as a value of the wrong type, has no effect on the connection.
            return if error.is_closed() || error.source().is_some() || error.to_string().contains("connect") {
                FaultKind::Lost
            } else {
                FaultKind::Refused
            };
        };
        match code.code() {
            "28P01" | "28000" | "3D000" => FaultKind::Unwelcome,
            "XX001" | "XX002" => FaultKind::Damaged,
            "53100" => FaultKind::Full,
            // It is shutting down, starting up, has no free connection, or somebody ended this one.
            code if code.starts_with("57P")
                || code.starts_with("08")
                || code == "53300"
                || code == "25P03" =>
            {
                FaultKind::Lost
            }
            _ => FaultKind::Refused,
        }
    }
}

/// As long as nothing was committed.
impl From<Fault> for StoreError {
    fn from(fault: Fault) -> StoreError {
        match fault.kind {
            FaultKind::Full => StoreError::Full(fault.reason.into()),
            FaultKind::Damaged => StoreError::Damaged { position: 0, reason: fault.reason },
            FaultKind::Refused | FaultKind::Unwelcome | FaultKind::Lost => {
                StoreError::NotStored(format!("PostgreSQL: {}", fault.reason).into())
            }
        }
    }
}
