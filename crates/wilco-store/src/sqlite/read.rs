//! Answers from the database. Each is one statement, so each sees one state of it. (Where a message is asked for
//! by its id it may be two, but what is stored of a message never changes.)

use wilco_protocol::directory::Agent;
use wilco_protocol::{MessageId, Name, Protocol, Time};

use crate::batch::{
    EffectRow, ExchangeRow, IdempotencyRow, InboxStatus, JournalRow, MessageRow, PresenceRow, Reached,
};
use crate::error::StoreError;
use crate::reader::{ExchangeFilter, Head, InboxFilter, Reader, event_size};
use crate::search::{Found, SearchFilter};

use super::query::{self, Connected, first, list, list_within};
use super::rows::{self, int, limit};
use super::{exchanges, inbox, search};

impl<C: Connected> Reader for C {
    fn head(&self) -> Result<Head, StoreError> {
        query::head(self.connection())
    }

    fn message(&self, id: &MessageId) -> Result<Option<MessageRow>, StoreError> {
        if let Some((_, position)) = id.parts()
            && let Some(row) = self.message_at(position)?.filter(|row| row.id == *id)
        {
            return Ok(Some(row));
        }
        let sql = "SELECT position, id, exchange, body FROM message WHERE id = ?1 AND chosen = 1";
        first(self.connection(), sql, [id.as_str()], rows::message)
    }

    fn message_at(&self, position: u64) -> Result<Option<MessageRow>, StoreError> {
        let sql = "SELECT position, id, exchange, body FROM message WHERE position = ?1";
        first(self.connection(), sql, [int(position)], rows::message)
    }

    fn messages_of(&self, exchange: u64, after: u64, most: usize) -> Result<Vec<MessageRow>, StoreError> {
        let sql = "SELECT position, id, exchange, body FROM message
                   WHERE exchange = ?1 AND position > ?2 ORDER BY position LIMIT ?3";
        list(self.connection(), sql, (int(exchange), int(after), limit(most)), rows::message)
    }

    fn messages_before(&self, before: Option<u64>, most: usize) -> Result<Vec<MessageRow>, StoreError> {
        let sql = "SELECT position, id, exchange, body FROM message
                   WHERE position < ?1 ORDER BY position DESC LIMIT ?2";
        list(self.connection(), sql, (int(before.unwrap_or(u64::MAX)), limit(most)), rows::message)
    }

    fn messages_before_within(
        &self,
        before: Option<u64>,
        most: usize,
        bytes: usize,
    ) -> Result<Vec<MessageRow>, StoreError> {
        let sql = "SELECT position, id, exchange, body FROM message
                   WHERE position < ?1 ORDER BY position DESC LIMIT ?2";
        let params = (int(before.unwrap_or(u64::MAX)), limit(most));
        list_within(self.connection(), sql, params, rows::message, bytes, |row| row.body.len())
    }

    fn messages_after(&self, after: u64, most: usize) -> Result<Vec<MessageRow>, StoreError> {
        let sql = "SELECT position, id, exchange, body FROM message
                   WHERE position > ?1 ORDER BY position LIMIT ?2";
        list(self.connection(), sql, (int(after), limit(most)), rows::message)
    }

    fn search(&self, filter: &SearchFilter) -> Result<Found, StoreError> {
        search::search(self.connection(), self.index(), filter)
    }

    fn inbox(&self, filter: &InboxFilter) -> Result<Vec<(InboxStatus, MessageRow)>, StoreError> {
        inbox::page(self.connection(), filter, usize::MAX)
    }

    fn inbox_within(
        &self,
        filter: &InboxFilter,
        bytes: usize,
    ) -> Result<Vec<(InboxStatus, MessageRow)>, StoreError> {
        inbox::page(self.connection(), filter, bytes)
    }

    fn inbox_status(&self, agent: &Name, position: u64) -> Result<Option<InboxStatus>, StoreError> {
        inbox::status(self.connection(), agent, position)
    }

    fn reached(&self, agent: &Name, position: u64) -> Result<Reached, StoreError> {
        inbox::reached(self.connection(), agent, position)
    }

    fn inbox_end(&self, agent: &Name) -> Result<u64, StoreError> {
        inbox::end(self.connection(), agent)
    }

    fn unread(&self, agent: &Name, most: usize) -> Result<usize, StoreError> {
        inbox::unread(self.connection(), agent, most)
    }

    fn exchange(&self, number: u64) -> Result<Option<ExchangeRow>, StoreError> {
        let sql = "SELECT number, protocol, state, open, seq, wake_at, body FROM exchange WHERE number = ?1";
        first(self.connection(), sql, [int(number)], rows::exchange)
    }

    fn exchanges(&self, filter: &ExchangeFilter) -> Result<Vec<ExchangeRow>, StoreError> {
        exchanges::page(self.connection(), filter)
    }

    fn open_exchanges(&self) -> Result<Vec<(Protocol, String, u64)>, StoreError> {
        exchanges::open(self.connection())
    }

    fn open_total(&self) -> Result<u64, StoreError> {
        exchanges::open_total(self.connection())
    }

    fn find(&self, key: &str, limit: usize) -> Result<Vec<u64>, StoreError> {
        exchanges::numbers(self.connection(), key, limit)
    }

    fn wakes(&self) -> Result<Vec<(Time, u64)>, StoreError> {
        let sql = "SELECT wake_at, number FROM exchange WHERE wake_at IS NOT NULL ORDER BY wake_at, number";
        list(self.connection(), sql, (), |row| Ok((rows::time(row, 0)?, rows::number(row, 1, 0)?)))
    }

    fn journal(&self, after: u64, most: usize) -> Result<Vec<JournalRow>, StoreError> {
        self.journal_within(after, most, usize::MAX)
    }

    fn journal_within(&self, after: u64, most: usize, bytes: usize) -> Result<Vec<JournalRow>, StoreError> {
        let sql = "SELECT position, exchange, seq, hash, bytes FROM journal
                   WHERE position > ?1 ORDER BY position LIMIT ?2";
        list_within(self.connection(), sql, (int(after), limit(most)), rows::journal, bytes, event_size)
    }

    fn journal_of(&self, exchange: u64, after_seq: u64, most: usize) -> Result<Vec<JournalRow>, StoreError> {
        self.journal_of_within(exchange, after_seq, most, usize::MAX)
    }

    /// Which events these are stands in a table of its own; what it says must fit what the events say.
    fn journal_of_within(
        &self,
        exchange: u64,
        after_seq: u64,
        most: usize,
        bytes: usize,
    ) -> Result<Vec<JournalRow>, StoreError> {
        let sql = "SELECT journal.position, journal.exchange, journal.seq, hash, bytes
                   FROM run CROSS JOIN journal
                   ON journal.position BETWEEN run.position AND run.position + run.events - 1
                   WHERE run.exchange = ?1 AND run.seq + run.events > ?2 AND journal.seq > ?2
                   ORDER BY run.seq, journal.position LIMIT ?3";
        let params = (int(exchange), int(after_seq), limit(most));
        let rows = list_within(self.connection(), sql, params, rows::journal, bytes, event_size)?;
        let expected = (after_seq.saturating_add(1)..).map(|seq| (Some(exchange), Some(seq)));
        if !rows.iter().map(|row| (row.exchange, row.seq)).eq(expected.take(rows.len())) {
            let reason = "the events of its exchange are not listed as they were written; run wilco rebuild";
            return Err(StoreError::Damaged { position: exchange, reason: reason.to_owned() });
        }
        Ok(rows)
    }

    fn agent(&self, name: &Name) -> Result<Option<Agent>, StoreError> {
        first(self.connection(), "SELECT body FROM agent WHERE name = ?1", (name.as_str(),), rows::agent)
    }

    fn agents(&self) -> Result<Vec<Agent>, StoreError> {
        list(self.connection(), "SELECT body FROM agent ORDER BY name", (), rows::agent)
    }

    fn presence(&self) -> Result<Vec<PresenceRow>, StoreError> {
        list(self.connection(), "SELECT name, seen, spoke FROM presence ORDER BY name", (), rows::presence)
    }

    fn effects(&self) -> Result<Vec<EffectRow>, StoreError> {
        let sql = "SELECT position, idx, due, attempts, body FROM effect ORDER BY position, idx";
        list(self.connection(), sql, (), rows::effect)
    }

    fn effect(&self, position: u64, index: u32) -> Result<Option<EffectRow>, StoreError> {
        let sql = "SELECT position, idx, due, attempts, body FROM effect WHERE position = ?1 AND idx = ?2";
        first(self.connection(), sql, (int(position), index), rows::effect)
    }

    fn idempotent(&self, sender: &Name, key: &str) -> Result<Option<IdempotencyRow>, StoreError> {
        let sql = "SELECT sender, key, request, at, answer FROM idempotency WHERE sender = ?1 AND key = ?2";
        first(self.connection(), sql, (sender.as_str(), key), rows::idempotency)
    }
}
