//! Inboxes: quick to write to, and a page of a long one is as quick as that of a short one.
//!
//! `inbox` is ordered by agent and status. Writing there costs a page of the log for every agent, so
//! messages go to `arrival` first, which is ordered by position, and are moved on when there are some
//! hundred. An entry is in one of the two, never in both.

use rusqlite::{Connection, Params, Result, params};
use wilco_protocol::Name;

use crate::batch::{InboxMark, InboxRow, InboxStatus, MessageRow, ReachRow, Reached};
use crate::error::StoreError;
use crate::reader::{InboxFilter, Walk, within};

use super::query::{cut_list, first};
use super::rows::{self, int, limit};

/// Readers look through all arrivals: more would make them slow, fewer would be moved too often.
const ARRIVALS: u32 = 1024;

/// While commits are large, so many of them are moved together: a move writes a page for nearly every agent that got
/// something. The first small commit moves what they left, so readers are slower only meanwhile.
const COMMITS: u32 = 16;

/// Runs inside a transaction of its caller. Takes and returns how many arrivals there are.
pub(super) fn write(
    connection: &Connection,
    rows: &[InboxRow],
    marks: &[InboxMark],
    arrivals: u32,
) -> Result<u32> {
    if !rows.is_empty() {
        arrive(connection, rows)?;
    }
    for mark in marks {
        self::mark(connection, mark)?;
    }
    let arrivals = arrivals + rows.len() as u32;
    if arrivals <= ARRIVALS.max(rows.len() as u32 * COMMITS) {
        return Ok(arrivals);
    }
    move_on(connection)?;
    Ok(0)
}

/// How many there are.
pub(super) fn arrivals(connection: &Connection) -> Result<u32> {
    connection.query_one("SELECT count(*) FROM arrival", (), |row| row.get(0))
}

fn arrive(connection: &Connection, rows: &[InboxRow]) -> Result<()> {
    let sql = "INSERT INTO arrival (position, agent, status) VALUES (?1, ?2, ?3)";
    let mut insert = connection.prepare_cached(sql)?;
    for row in rows {
        insert.execute(params![int(row.position), row.agent.as_str(), rows::status_number(row.status)])?;
    }
    Ok(())
}

fn mark(connection: &Connection, mark: &InboxMark) -> Result<()> {
    let params = params![mark.agent.as_str(), int(mark.position), rows::status_number(mark.status)];
    let arrived = "UPDATE arrival SET status = ?3 WHERE agent = ?1 AND position = ?2";
    if connection.prepare_cached(arrived)?.execute(params)? == 0 {
        let moved =
            "UPDATE inbox SET status = ?3 WHERE agent = ?1 AND status IN (0, 1, 2, 3) AND position = ?2";
        connection.prepare_cached(moved)?.execute(params)?;
    }
    Ok(())
}

/// In the order of the inbox, so that each of its pages is touched once.
fn move_on(connection: &Connection) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO inbox (agent, status, position)
               SELECT agent, status, position FROM arrival ORDER BY agent, status, position";
    connection.prepare_cached(sql)?.execute(())?;
    connection.prepare_cached("DELETE FROM arrival")?.execute(())?;
    Ok(())
}

/// Two statements, in one transaction so that nothing moves on between them.
pub(super) fn page(
    connection: &Connection,
    filter: &InboxFilter,
    bytes: usize,
) -> Result<Vec<(InboxStatus, MessageRow)>, StoreError> {
    let mut statuses: Vec<i64> = filter.statuses.iter().copied().map(rows::status_number).collect();
    statuses.sort_unstable();
    statuses.dedup();
    if statuses.is_empty() {
        return Ok(Vec::new());
    }
    let transaction = connection.unchecked_transaction()?;
    let (mut page, cut) = moved(&transaction, filter, &statuses, bytes)?;
    // What arrived lately is mostly newer than a full page, and then nothing needs to be looked through.
    let full = cut || page.len() >= filter.limit;
    let last = page.last().filter(|_| full).map(|(_, message)| message.position);
    let (arrived, cut) = arrived(&transaction, filter, &statuses, last, bytes)?;
    transaction.commit()?;
    if let Some(end) = arrived.last().map(|(_, message)| message.position) {
        page.extend(arrived);
        page.sort_by_key(|(_, message)| message.position);
        if let Walk::Before(_) = filter.walk {
            page.reverse();
        }
        if cut {
            // Between the last that was read and what would follow there may be others.
            page.truncate(
                page.iter().position(|(_, message)| message.position == end).map_or(0, |at| at + 1),
            );
        }
        page.truncate(filter.limit);
    }
    Ok(within(page, bytes, |(_, message)| message.body.len()))
}

/// How the way of a list reads in SQL: what comes before `position` in it, its order, and where it starts.
fn way(walk: Walk) -> (&'static str, &'static str, u64) {
    match walk {
        Walk::Behind(position) => (">", "ASC", position),
        Walk::Before(position) => ("<", "DESC", position),
    }
}

/// One ordered range for each wanted status, merged while they are read: nothing that is not wanted is
/// ever looked at, and nothing behind the page either.
fn moved(
    connection: &Connection,
    filter: &InboxFilter,
    statuses: &[i64],
    bytes: usize,
) -> Result<Rows, StoreError> {
    let (beyond, order, start) = way(filter.walk);
    let range = |status: &i64| {
        format!(
            "SELECT position, status FROM inbox WHERE agent = ?1 AND status = {status} AND position {beyond} ?2"
        )
    };
    let ranges: Vec<String> = statuses.iter().map(range).collect();
    let sql = format!(
        "SELECT message.position, message.id, message.exchange, message.body, place.status
         FROM ({} ORDER BY position {order} LIMIT ?3) AS place
         CROSS JOIN message ON message.position = place.position ORDER BY place.position {order}",
        ranges.join(" UNION ALL "),
    );
    let params = (filter.agent.as_str(), int(start), limit(filter.limit));
    bounded(connection, &sql, params, bytes)
}

/// Messages with their statuses, and whether there were too many bytes for all of them.
type Rows = (Vec<(InboxStatus, MessageRow)>, bool);

fn bounded(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    bytes: usize,
) -> Result<Rows, StoreError> {
    cut_list(connection, sql, params, rows::inbox, bytes, |(_, row)| row.body.len())
}

/// `last`: where a full page ends already; what lies beyond is not asked for.
fn arrived(
    connection: &Connection,
    filter: &InboxFilter,
    statuses: &[i64],
    last: Option<u64>,
    bytes: usize,
) -> Result<Rows, StoreError> {
    let (beyond, order, start) = way(filter.walk);
    let (within, end) = match filter.walk {
        Walk::Behind(_) => ("<", last.unwrap_or(u64::MAX)),
        Walk::Before(_) => (">", last.unwrap_or(0)),
    };
    let statuses: Vec<String> = statuses.iter().map(i64::to_string).collect();
    let sql = format!(
        "SELECT message.position, message.id, message.exchange, message.body, arrival.status
         FROM arrival CROSS JOIN message ON message.position = arrival.position
         WHERE arrival.position {beyond} ?2 AND arrival.position {within} ?4 AND arrival.agent = ?1
         AND arrival.status IN ({}) ORDER BY arrival.position {order} LIMIT ?3",
        statuses.join(", "),
    );
    let params = (filter.agent.as_str(), int(start), limit(filter.limit), int(end));
    bounded(connection, &sql, params, bytes)
}

pub(super) fn status(
    connection: &Connection,
    agent: &Name,
    position: u64,
) -> Result<Option<InboxStatus>, StoreError> {
    let sql = "SELECT status FROM arrival WHERE agent = ?1 AND position = ?2 UNION ALL
               SELECT status FROM inbox WHERE agent = ?1 AND status IN (0, 1, 2, 3) AND position = ?2 LIMIT 1";
    first(connection, sql, (agent.as_str(), int(position)), |row| rows::status(row, 0, position))
}

pub(super) fn reach(connection: &Connection, rows: &[ReachRow]) -> Result<()> {
    let sql = "INSERT INTO reach (position, agent, bits) VALUES (?1, ?2, ?3)
               ON CONFLICT (position, agent) DO UPDATE SET bits = bits | excluded.bits";
    for row in rows {
        let params = params![int(row.position), row.agent.as_str(), Reached::bit(row.reach)];
        connection.prepare_cached(sql)?.execute(params)?;
    }
    Ok(())
}

pub(super) fn reached(connection: &Connection, agent: &Name, position: u64) -> Result<Reached, StoreError> {
    let sql = "SELECT bits FROM reach WHERE position = ?1 AND agent = ?2";
    let bits = first(connection, sql, (int(position), agent.as_str()), |row| rows::column(row, 0, position))?;
    Ok(Reached::of_bits(bits.unwrap_or(0)))
}

pub(super) fn end(connection: &Connection, agent: &Name) -> Result<u64, StoreError> {
    let sql = "SELECT max(
        ifnull((SELECT position FROM arrival WHERE agent = ?1 ORDER BY position DESC LIMIT 1), 0),
        ifnull((SELECT max(position) FROM inbox WHERE agent = ?1 AND status = 0), 0),
        ifnull((SELECT max(position) FROM inbox WHERE agent = ?1 AND status = 1), 0),
        ifnull((SELECT max(position) FROM inbox WHERE agent = ?1 AND status = 2), 0),
        ifnull((SELECT max(position) FROM inbox WHERE agent = ?1 AND status = 3), 0))";
    let end = first(connection, sql, [agent.as_str()], |row| rows::number(row, 0, 0))?;
    Ok(end.unwrap_or(0))
}

pub(super) fn unread(connection: &Connection, agent: &Name, most: usize) -> Result<usize, StoreError> {
    let sql = "SELECT (SELECT count(*) FROM (SELECT 1 FROM inbox WHERE agent = ?1 AND status = 0 LIMIT ?2))
               + (SELECT count(*) FROM arrival WHERE agent = ?1 AND status = 0)";
    let many = first(connection, sql, (agent.as_str(), limit(most)), |row| rows::number(row, 0, 0))?;
    Ok(many.map_or(0, |many| usize::try_from(many).unwrap_or(most).min(most)))
}
