//! Between rows of the database and rows of the store. What cannot be read back was damaged.

use tokio_postgres::Row;
use tokio_postgres::types::FromSql;
use wilco_protocol::directory::Agent;
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Time};

use crate::batch::{
    EffectRow, ExchangeRow, IdempotencyRow, InboxStatus, JournalRow, MessageRow, PresenceRow,
};
use crate::chain::Hash;
use crate::error::StoreError;
use crate::reader::Head;

pub(super) fn journal(row: &Row) -> Result<JournalRow, StoreError> {
    let position = number(row, 0, 0)?;
    Ok(JournalRow {
        position,
        exchange: optional_number(row, 1, position)?,
        seq: optional_number(row, 2, position)?,
        hash: hash(row, 3, position)?,
        bytes: column(row, 4, position)?,
    })
}

pub(super) fn message(row: &Row) -> Result<MessageRow, StoreError> {
    let position = number(row, 0, 0)?;
    Ok(MessageRow {
        position,
        id: MessageId::new(text(row, 1, position)?),
        exchange: optional_number(row, 2, position)?,
        body: column(row, 3, position)?,
    })
}

/// The status stands behind the message.
pub(super) fn inbox(row: &Row) -> Result<(InboxStatus, MessageRow), StoreError> {
    let message = message(row)?;
    Ok((status(column(row, 4, message.position)?, message.position)?, message))
}

pub(super) fn exchange(row: &Row) -> Result<ExchangeRow, StoreError> {
    let number = number(row, 0, 0)?;
    Ok(ExchangeRow {
        id: ExchangeId { protocol: protocol(row, 1, number)?, number },
        state: column(row, 2, number)?,
        open: column(row, 3, number)?,
        seq: self::number(row, 4, number)?,
        wake_at: column::<Option<i64>>(row, 5, number)?.map(Time::from_millis),
        body: column(row, 6, number)?,
    })
}

pub(super) fn protocol(row: &Row, index: usize, position: u64) -> Result<Protocol, StoreError> {
    let word: &str = column(row, index, position)?;
    let protocol = Protocol::ALL.into_iter().find(|protocol| protocol.word() == word);
    protocol.ok_or_else(|| damaged(position, format!("{word:?} is no protocol")))
}

/// Position, hash and time.
pub(super) fn head(row: &Row) -> Result<Head, StoreError> {
    let position = number(row, 0, 0)?;
    let at = column::<Option<i64>>(row, 2, 0)?.map(Time::from_millis);
    Ok(Head { position, hash: hash(row, 1, position)?, at })
}

pub(super) fn effect(row: &Row) -> Result<EffectRow, StoreError> {
    let position = number(row, 0, 0)?;
    let small = |index| {
        u32::try_from(column::<i64>(row, index, position)?)
            .map_err(|error| damaged(position, error.to_string()))
    };
    Ok(EffectRow {
        position,
        index: small(1)?,
        due: time(row, 2)?,
        attempts: small(3)?,
        body: column(row, 4, position)?,
        node: column(row, 5, position)?,
    })
}

pub(super) fn presence(row: &Row) -> Result<PresenceRow, StoreError> {
    let spoke: Option<&str> = column(row, 2, 0)?;
    // A word of a later version is nothing that can be taught here.
    let spoke = spoke.and_then(|word| word.parse().ok());
    Ok(PresenceRow { name: Name::new(text(row, 0, 0)?), seen: time(row, 1)?, spoke })
}

pub(super) fn idempotency(row: &Row) -> Result<IdempotencyRow, StoreError> {
    Ok(IdempotencyRow {
        sender: Name::new(text(row, 0, 0)?),
        key: text(row, 1, 0)?.to_owned(),
        request: hash(row, 2, 0)?,
        at: time(row, 3)?,
        answer: column(row, 4, 0)?,
    })
}

pub(super) fn agent(row: &Row) -> Result<Agent, StoreError> {
    let body: &[u8] = column(row, 0, 0)?;
    serde_json::from_slice(body).map_err(|error| damaged(0, format!("an agent cannot be read: {error}")))
}

/// As they stand in the database, for ever.
pub(super) fn status_number(status: InboxStatus) -> i16 {
    match status {
        InboxStatus::Unread => 0,
        InboxStatus::Read => 1,
        InboxStatus::Archived => 2,
        InboxStatus::Deleted => 3,
    }
}

pub(super) fn status(number: i16, position: u64) -> Result<InboxStatus, StoreError> {
    match number {
        0 => Ok(InboxStatus::Unread),
        1 => Ok(InboxStatus::Read),
        2 => Ok(InboxStatus::Archived),
        3 => Ok(InboxStatus::Deleted),
        other => Err(damaged(position, format!("{other} is no inbox status"))),
    }
}

/// Positions, numbers and limits as PostgreSQL counts; what lies beyond its range is as good as its end.
pub(super) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}

pub(super) fn number(row: &Row, index: usize, position: u64) -> Result<u64, StoreError> {
    unsigned(column(row, index, position)?, position)
}

fn optional_number(row: &Row, index: usize, position: u64) -> Result<Option<u64>, StoreError> {
    column::<Option<i64>>(row, index, position)?.map(|value| unsigned(value, position)).transpose()
}

fn unsigned(value: i64, position: u64) -> Result<u64, StoreError> {
    u64::try_from(value).map_err(|_| damaged(position, format!("expected no negative number, got {value}")))
}

pub(super) fn time(row: &Row, index: usize) -> Result<Time, StoreError> {
    column(row, index, 0).map(Time::from_millis)
}

pub(super) fn hash(row: &Row, index: usize, position: u64) -> Result<Hash, StoreError> {
    let bytes: &[u8] = column(row, index, position)?;
    bytes.try_into().map_err(|_| damaged(position, format!("a hash of {} bytes", bytes.len())))
}

pub(super) fn text(row: &Row, index: usize, position: u64) -> Result<&str, StoreError> {
    std::str::from_utf8(column(row, index, position)?).map_err(|error| damaged(position, error.to_string()))
}

/// `position`: where the damage is, if this cannot be read.
pub(super) fn column<'row, T: FromSql<'row>>(
    row: &'row Row,
    index: usize,
    position: u64,
) -> Result<T, StoreError> {
    row.try_get(index).map_err(|error| damaged(position, error.to_string()))
}

fn damaged(position: u64, reason: String) -> StoreError {
    StoreError::Damaged { position, reason }
}
