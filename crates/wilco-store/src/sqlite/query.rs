//! Asking a connection: lists, single rows, and the head.

use rusqlite::{Connection, Params, Row};
use wilco_protocol::Time;

use crate::chain::{Hash, genesis};
use crate::error::StoreError;
use crate::reader::{Head, Room};

use super::rows;

/// Has a connection, and can therefore be read from: the writer, and the readers beside it.
pub(crate) trait Connected {
    fn connection(&self) -> &Connection;

    /// The index for full text, for those who have one.
    fn index(&self) -> Option<&Connection>;
}

pub(super) fn list<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut list = Vec::new();
    while let Some(row) = rows.next()? {
        list.push(read(row)?);
    }
    Ok(list)
}

/// The same, ended at the first row that would make the list larger than so many bytes; what follows is not read.
pub(super) fn list_within<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
    bytes: usize,
    size: impl Fn(&T) -> usize,
) -> Result<Vec<T>, StoreError> {
    cut_list(connection, sql, params, read, bytes, size).map(|(list, _)| list)
}

/// The same, and whether it was ended so.
pub(super) fn cut_list<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
    bytes: usize,
    size: impl Fn(&T) -> usize,
) -> Result<(Vec<T>, bool), StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let (mut list, mut room) = (Vec::new(), Room::new(bytes));
    while let Some(row) = rows.next()? {
        let item = read(row)?;
        if !room.takes(size(&item)) {
            return Ok((list, true));
        }
        list.push(item);
    }
    Ok((list, false))
}

pub(super) fn first<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl Fn(&Row<'_>) -> Result<T, StoreError>,
) -> Result<Option<T>, StoreError> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    rows.next()?.map(read).transpose()
}

/// In one statement, so that the parts belong together.
pub(super) fn head(connection: &Connection) -> Result<Head, StoreError> {
    let sql = "SELECT journal.position, journal.hash, (SELECT value FROM meta WHERE key = 'at')
               FROM (SELECT 1) LEFT JOIN (SELECT position, hash FROM journal ORDER BY position DESC LIMIT 1) AS journal";
    let found = first(connection, sql, (), |row| {
        let at = rows::column::<Option<i64>>(row, 2, 0)?.map(Time::from_millis);
        Ok(match rows::column::<Option<i64>>(row, 0, 0)? {
            None => Head { position: 0, hash: genesis(), at },
            Some(_) => {
                let position = rows::number(row, 0, 0)?;
                Head { position, hash: rows::column::<Hash>(row, 1, position)?, at }
            }
        })
    })?;
    Ok(found.unwrap_or(Head { position: 0, hash: genesis(), at: None }))
}
