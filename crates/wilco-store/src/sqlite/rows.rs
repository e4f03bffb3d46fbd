//! Between rows of the database and rows of the store. What cannot be read back was damaged.

use rusqlite::types::FromSql;
use rusqlite::{Row, RowIndex};
use wilco_protocol::directory::Agent;
use wilco_protocol::{ExchangeId, MessageId, Name, Protocol, Time};

use crate::batch::{
    EffectRow, ExchangeRow, IdempotencyRow, InboxStatus, JournalRow, MessageRow, PresenceRow,
};
use crate::error::StoreError;

pub(super) fn journal(row: &Row<'_>) -> Result<JournalRow, StoreError> {
    let position = number(row, 0, 0)?;
    Ok(JournalRow {
        position,
        exchange: optional_number(row, 1, position)?,
        seq: optional_number(row, 2, position)?,
        hash: column(row, 3, position)?,
        bytes: column(row, 4, position)?,
    })
}

pub(super) fn message(row: &Row<'_>) -> Result<MessageRow, StoreError> {
    let position = number(row, 0, 0)?;
    Ok(MessageRow {
        position,
        id: MessageId::new(text(row, 1, position)?),
        exchange: optional_number(row, 2, position)?,
        body: column(row, 3, position)?,
    })
}

/// The status stands behind the message.
pub(super) fn inbox(row: &Row<'_>) -> Result<(InboxStatus, MessageRow), StoreError> {
    let message = message(row)?;
    Ok((status(row, 4, message.position)?, message))
}

pub(super) fn exchange(row: &Row<'_>) -> Result<ExchangeRow, StoreError> {
    let number = number(row, 0, 0)?;
    let protocol = protocol(row, 1, number)?;
    Ok(ExchangeRow {
        id: ExchangeId { protocol, number },
        state: text(row, 2, number)?.to_owned(),
        open: column(row, 3, number)?,
        seq: self::number(row, 4, number)?,
        wake_at: column::<Option<i64>>(row, 5, number)?.map(Time::from_millis),
        body: column(row, 6, number)?,
    })
}

pub(super) fn protocol(row: &Row<'_>, index: usize, position: u64) -> Result<Protocol, StoreError> {
    let word = text(row, index, position)?;
    let protocol = Protocol::ALL.into_iter().find(|protocol| protocol.word() == word);
    protocol.ok_or_else(|| damaged(position, format!("{word:?} is no protocol")))
}

pub(super) fn effect(row: &Row<'_>) -> Result<EffectRow, StoreError> {
    let position = number(row, 0, 0)?;
    Ok(EffectRow {
        position,
        index: column(row, 1, position)?,
        due: time(row, 2)?,
        attempts: column(row, 3, position)?,
        body: column(row, 4, position)?,
        node: None,
    })
}

pub(super) fn presence(row: &Row<'_>) -> Result<PresenceRow, StoreError> {
    let spoke: Option<String> = column(row, 2, 0)?;
    // A word of a later version is nothing that can be taught here.
    let spoke = spoke.and_then(|word| word.parse().ok());
    Ok(PresenceRow { name: Name::new(text(row, 0, 0)?), seen: time(row, 1)?, spoke })
}

pub(super) fn idempotency(row: &Row<'_>) -> Result<IdempotencyRow, StoreError> {
    Ok(IdempotencyRow {
        sender: Name::new(text(row, 0, 0)?),
        key: text(row, 1, 0)?.to_owned(),
        request: column(row, 2, 0)?,
        at: time(row, 3)?,
        answer: column(row, 4, 0)?,
    })
}

pub(super) fn agent(row: &Row<'_>) -> Result<Agent, StoreError> {
    let body: Vec<u8> = column(row, 0, 0)?;
    serde_json::from_slice(&body).map_err(|error| damaged(0, format!("an agent cannot be read: {error}")))
}

pub(super) fn agent_body(agent: &Agent) -> Result<Vec<u8>, rusqlite::Error> {
    serde_json::to_vec(agent).map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))
}

/// As they stand in the database, for ever.
pub(super) fn status_number(status: InboxStatus) -> i64 {
    match status {
        InboxStatus::Unread => 0,
        InboxStatus::Read => 1,
        InboxStatus::Archived => 2,
        InboxStatus::Deleted => 3,
    }
}

pub(super) fn status(row: &Row<'_>, index: usize, position: u64) -> Result<InboxStatus, StoreError> {
    match column::<i64>(row, index, position)? {
        0 => Ok(InboxStatus::Unread),
        1 => Ok(InboxStatus::Read),
        2 => Ok(InboxStatus::Archived),
        3 => Ok(InboxStatus::Deleted),
        other => Err(damaged(position, format!("{other} is no inbox status"))),
    }
}

/// Positions, numbers and limits as SQLite counts; what lies beyond its range is as good as its end.
pub(super) fn int(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(super) fn limit(most: usize) -> i64 {
    i64::try_from(most).unwrap_or(i64::MAX)
}

pub(super) fn number(row: &Row<'_>, index: usize, position: u64) -> Result<u64, StoreError> {
    unsigned(column(row, index, position)?, position)
}

fn optional_number(row: &Row<'_>, index: usize, position: u64) -> Result<Option<u64>, StoreError> {
    column::<Option<i64>>(row, index, position)?.map(|value| unsigned(value, position)).transpose()
}

fn unsigned(value: i64, position: u64) -> Result<u64, StoreError> {
    u64::try_from(value).map_err(|_| damaged(position, format!("expected no negative number, got {value}")))
}

pub(super) fn time(row: &Row<'_>, index: usize) -> Result<Time, StoreError> {
    column(row, index, 0).map(Time::from_millis)
}

fn text<'row>(row: &'row Row<'_>, index: usize, position: u64) -> Result<&'row str, StoreError> {
    let value = row.get_ref(index)?;
    value.as_str().map_err(|error| damaged(position, error.to_string()))
}

/// `position`: where the damage is, if this cannot be read.
pub(super) fn column<T: FromSql>(
    row: &Row<'_>,
    index: impl RowIndex,
    position: u64,
) -> Result<T, StoreError> {
    row.get(index).map_err(|error| match StoreError::from(error) {
        StoreError::Damaged { reason, .. } => StoreError::Damaged { position, reason },
        other @ (StoreError::Full(_)
        | StoreError::NotStored(_)
        | StoreError::Unknown(_)
        | StoreError::Fenced { .. }
        | StoreError::Distrusted { .. }) => other,
    })
}

fn damaged(position: u64, reason: String) -> StoreError {
    StoreError::Damaged { position, reason }
}
