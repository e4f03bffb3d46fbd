//! Answers from the database. Each is one statement, so each sees one state of it.

use tokio_postgres::Row;
use wilco_protocol::directory::Agent;
use wilco_protocol::{MessageId, Name, Protocol, Time};

use crate::batch::{
    AgentChange, EffectRow, ExchangeRow, IdempotencyRow, InboxStatus, JournalRow, MessageRow, PresenceRow,
    Reached,
};
use crate::error::StoreError;
use crate::reader::{ExchangeFilter, Head, InboxFilter, Reader, Walk, event_size, within};
use crate::search::{Found, SearchFilter};

use super::rows::{self, int, limit};
use super::session::Value;
use super::{Postgres, exchanges, search};

const MESSAGE: &str = "SELECT position, id, exchange, body FROM message";
const EXCHANGE: &str = "SELECT number, protocol, state, open, seq, wake_at, body FROM exchange";
const JOURNAL: &str = "SELECT position, exchange, seq, hash, bytes FROM journal";
pub(super) const EFFECT: &str = "SELECT position, idx, due, attempts, body, node FROM effect";

impl Postgres {
    pub(super) fn list<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl Fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        self.ask(|session| session.query(sql, values))?.iter().map(read).collect()
    }

    pub(super) fn one<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl Fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        self.ask(|session| session.first(sql, values))?.as_ref().map(read).transpose()
    }

    /// One answer for each question, in their order: the rows say first which question they answer.
    fn many<T: Clone>(
        &self,
        questions: usize,
        sql: &str,
        values: &[Value<'_>],
        empty: T,
        read: impl Fn(&Row, &mut T) -> Result<(), StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let mut answers = vec![empty; questions];
        if questions == 0 {
            return Ok(answers);
        }
        for row in self.ask(|session| session.query(sql, values))? {
            let place = usize::try_from(rows::number(&row, 0, 0)?).unwrap_or(usize::MAX).wrapping_sub(1);
            if let Some(answer) = answers.get_mut(place) {
                read(&row, answer)?;
            }
        }
        Ok(answers)
    }
}

/// Ends a list on the server at so many bytes, as `within` does here. `list`: a query that gives the columns, with the
/// size of each row as `size`; `order`: how it is ordered.
fn bounded(columns: &str, list: &str, order: &str, bytes: usize) -> String {
    let bytes = limit(bytes);
    format!(
        "SELECT {columns} FROM (SELECT listed.*, row_number() OVER (ORDER BY {order}) AS place,
                                       sum(size) OVER (ORDER BY {order}) AS total FROM ({list}) AS listed) AS counted
         WHERE place = 1 OR total <= {bytes} ORDER BY {order}"
    )
}

fn texts<'a>(all: impl IntoIterator<Item = &'a str>) -> Vec<&'a [u8]> {
    all.into_iter().map(str::as_bytes).collect()
}

/// Agents and positions as two columns.
fn columns(places: &[(Name, u64)]) -> (Vec<&[u8]>, Vec<i64>) {
    places.iter().map(|(agent, position)| (agent.as_str().as_bytes(), int(*position))).unzip()
}

fn bits(row: &Row, index: usize) -> Result<Reached, StoreError> {
    let bits: i16 = rows::column(row, index, 0)?;
    Ok(Reached::of_bits(u8::try_from(bits).unwrap_or(0)))
}

impl Reader for Postgres {
    fn head(&self) -> Result<Head, StoreError> {
        let found = self.one("SELECT position, hash, at FROM writer", &[], rows::head)?;
        let missing =
            || StoreError::Damaged { position: 0, reason: "the row of the writer is missing".to_owned() };
        found.ok_or_else(missing)
    }

    fn message(&self, id: &MessageId) -> Result<Option<MessageRow>, StoreError> {
        let id = id.as_str().as_bytes();
        self.one(
            &format!("{MESSAGE} WHERE sha256(id) = sha256($1::bytea) AND id = $1"),
            &[&id],
            rows::message,
        )
    }

    fn message_at(&self, position: u64) -> Result<Option<MessageRow>, StoreError> {
        self.one(&format!("{MESSAGE} WHERE position = $1"), &[&int(position)], rows::message)
    }

    fn messages_of(&self, exchange: u64, after: u64, most: usize) -> Result<Vec<MessageRow>, StoreError> {
        let sql = format!("{MESSAGE} WHERE exchange = $1 AND position > $2 ORDER BY position LIMIT $3");
        self.list(&sql, &[&int(exchange), &int(after), &limit(most)], rows::message)
    }

    fn messages_before(&self, before: Option<u64>, most: usize) -> Result<Vec<MessageRow>, StoreError> {
        self.messages_before_within(before, most, usize::MAX)
    }

    fn messages_before_within(
        &self,
        before: Option<u64>,
        most: usize,
        bytes: usize,
    ) -> Result<Vec<MessageRow>, StoreError> {
        let list = "SELECT position, id, exchange, body, octet_length(body) AS size FROM message
                    WHERE position < $1 ORDER BY position DESC LIMIT $2";
        let sql = bounded("position, id, exchange, body", list, "position DESC", bytes);
        let found = self.list(&sql, &[&int(before.unwrap_or(u64::MAX)), &limit(most)], rows::message)?;
        Ok(within(found, bytes, |row| row.body.len()))
    }

    fn messages_after(&self, after: u64, most: usize) -> Result<Vec<MessageRow>, StoreError> {
        let sql = format!("{MESSAGE} WHERE position > $1 ORDER BY position LIMIT $2");
        self.list(&sql, &[&int(after), &limit(most)], rows::message)
    }

    fn search(&self, filter: &SearchFilter) -> Result<Found, StoreError> {
        search::search(self, filter)
    }

    fn inbox(&self, filter: &InboxFilter) -> Result<Vec<(InboxStatus, MessageRow)>, StoreError> {
        self.inbox_within(filter, usize::MAX)
    }

    fn inbox_within(
        &self,
        filter: &InboxFilter,
        bytes: usize,
    ) -> Result<Vec<(InboxStatus, MessageRow)>, StoreError> {
        let (beyond, order, start) = match filter.walk {
            Walk::Behind(position) => (">", "ASC", position),
            Walk::Before(position) => ("<", "DESC", position),
        };
        let statuses: Vec<i16> = filter.statuses.iter().copied().map(rows::status_number).collect();
        // Written out, because only then the index of the unread ones will do.
        let wanted =
            if statuses == [0] { "status = 0 AND $4::smallint[] IS NOT NULL" } else { "status = ANY ($4)" };
        let list = format!(
            "SELECT message.position, id, exchange, body, status, octet_length(body) AS size
             FROM (SELECT position, status FROM inbox WHERE sha256(agent) = sha256($1::bytea) AND agent = $1
                   AND position {beyond} $2 AND {wanted} ORDER BY position {order} LIMIT $3) AS place
             JOIN message ON message.position = place.position"
        );
        let sql = bounded("position, id, exchange, body, status", &list, &format!("position {order}"), bytes);
        let agent = filter.agent.as_str().as_bytes();
        let found = self.list(&sql, &[&agent, &int(start), &limit(filter.limit), &statuses], rows::inbox)?;
        Ok(within(found, bytes, |(_, row)| row.body.len()))
    }

    fn inbox_status(&self, agent: &Name, position: u64) -> Result<Option<InboxStatus>, StoreError> {
        let sql = "SELECT status FROM inbox WHERE sha256(agent) = sha256($1::bytea) AND agent = $1 AND position = $2";
        let agent = agent.as_str().as_bytes();
        self.one(sql, &[&agent, &int(position)], |row| {
            rows::status(rows::column(row, 0, position)?, position)
        })
    }

    fn reached(&self, agent: &Name, position: u64) -> Result<Reached, StoreError> {
        let sql =
            "SELECT bits FROM reach WHERE position = $2 AND sha256(agent) = sha256($1::bytea) AND agent = $1";
        let agent = agent.as_str().as_bytes();
        Ok(self.one(sql, &[&agent, &int(position)], |row| bits(row, 0))?.unwrap_or_default())
    }

    fn inbox_end(&self, agent: &Name) -> Result<u64, StoreError> {
        let sql = "SELECT position FROM inbox WHERE sha256(agent) = sha256($1::bytea) AND agent = $1
                   ORDER BY position DESC LIMIT 1";
        let agent = agent.as_str().as_bytes();
        Ok(self.one(sql, &[&agent], |row| rows::number(row, 0, 0))?.unwrap_or(0))
    }

    fn unread(&self, agent: &Name, most: usize) -> Result<usize, StoreError> {
        let many = self.unread_of_all(std::slice::from_ref(agent), most)?;
        Ok(many.first().copied().unwrap_or(0))
    }

    fn exchange(&self, number: u64) -> Result<Option<ExchangeRow>, StoreError> {
        self.one(&format!("{EXCHANGE} WHERE number = $1"), &[&int(number)], rows::exchange)
    }

    fn exchanges(&self, filter: &ExchangeFilter) -> Result<Vec<ExchangeRow>, StoreError> {
        exchanges::page(self, filter)
    }

    fn open_exchanges(&self) -> Result<Vec<(Protocol, String, u64)>, StoreError> {
        let sql = "SELECT protocol, state, count(*) FROM exchange WHERE open
                   GROUP BY protocol, state ORDER BY protocol COLLATE \"C\", state";
        self.list(sql, &[], |row| {
            Ok((rows::protocol(row, 0, 0)?, rows::column(row, 1, 0)?, rows::number(row, 2, 0)?))
        })
    }

    fn find(&self, key: &str, most: usize) -> Result<Vec<u64>, StoreError> {
        let sql = "SELECT number FROM exchange_key WHERE sha256(key) = sha256($1::bytea) AND key = $1
                   ORDER BY number DESC LIMIT $2";
        self.list(sql, &[&key.as_bytes(), &limit(most)], |row| rows::number(row, 0, 0))
    }

    fn wakes(&self) -> Result<Vec<(Time, u64)>, StoreError> {
        let sql = "SELECT wake_at, number FROM exchange WHERE wake_at IS NOT NULL ORDER BY wake_at, number";
        self.list(sql, &[], |row| Ok((rows::time(row, 0)?, rows::number(row, 1, 0)?)))
    }

    fn journal(&self, after: u64, most: usize) -> Result<Vec<JournalRow>, StoreError> {
        let sql = format!("{JOURNAL} WHERE position > $1 ORDER BY position LIMIT $2");
        self.list(&sql, &[&int(after), &limit(most)], rows::journal)
    }

    fn journal_within(&self, after: u64, most: usize, bytes: usize) -> Result<Vec<JournalRow>, StoreError> {
        let list = "SELECT position, exchange, seq, hash, bytes, octet_length(bytes) AS size FROM journal
                    WHERE position > $1 ORDER BY position LIMIT $2";
        let sql = bounded("position, exchange, seq, hash, bytes", list, "position", bytes);
        Ok(within(self.list(&sql, &[&int(after), &limit(most)], rows::journal)?, bytes, event_size))
    }

    fn journal_of(&self, exchange: u64, after_seq: u64, most: usize) -> Result<Vec<JournalRow>, StoreError> {
        let sql = format!("{JOURNAL} WHERE exchange = $1 AND seq > $2 ORDER BY seq LIMIT $3");
        self.list(&sql, &[&int(exchange), &int(after_seq), &limit(most)], rows::journal)
    }

    fn agent(&self, name: &Name) -> Result<Option<Agent>, StoreError> {
        let sql = "SELECT body FROM agent WHERE sha256(name) = sha256($1::bytea) AND name = $1";
        self.one(sql, &[&name.as_str().as_bytes()], rows::agent)
    }

    fn agents(&self) -> Result<Vec<Agent>, StoreError> {
        self.list("SELECT body FROM agent ORDER BY name", &[], rows::agent)
    }

    fn agents_changed(&self, after: u64) -> Result<Option<Vec<AgentChange>>, StoreError> {
        let sql = "SELECT body, agent_change.name FROM agent_change
                   LEFT JOIN agent ON sha256(agent.name) = sha256(agent_change.name) WHERE position > $1";
        let changed =
            self.list(sql, &[&int(after)], |row| match rows::column::<Option<&[u8]>>(row, 0, 0)? {
                Some(_) => rows::agent(row).map(AgentChange::Put),
                None => Ok(AgentChange::Removed(Name::new(rows::text(row, 1, 0)?))),
            })?;
        Ok(Some(changed))
    }

    fn presence(&self) -> Result<Vec<PresenceRow>, StoreError> {
        self.list("SELECT name, seen, spoke FROM presence ORDER BY name", &[], rows::presence)
    }

    fn effects(&self) -> Result<Vec<EffectRow>, StoreError> {
        self.list(&format!("{EFFECT} ORDER BY position, idx"), &[], rows::effect)
    }

    fn node_named(&self, name: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT name FROM node WHERE lower(name) = lower($1::text) ORDER BY name LIMIT 1";
        self.one(sql, &[&name], |row| rows::column(row, 0, 0))
    }

    fn effect(&self, position: u64, index: u32) -> Result<Option<EffectRow>, StoreError> {
        let sql = format!("{EFFECT} WHERE position = $1 AND idx = $2");
        self.one(&sql, &[&int(position), &i64::from(index)], rows::effect)
    }

    fn idempotent(&self, sender: &Name, key: &str) -> Result<Option<IdempotencyRow>, StoreError> {
        let asked = [(sender.clone(), key.to_owned())];
        Ok(self.idempotent_all(&asked)?.into_iter().next().flatten())
    }

    fn messages_by_id(&self, ids: &[MessageId]) -> Result<Vec<Option<MessageRow>>, StoreError> {
        let sql = "SELECT position, id, exchange, body, place FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (wanted, place)
                   JOIN message ON sha256(id) = sha256(wanted) AND id = wanted";
        let ids = texts(ids.iter().map(MessageId::as_str));
        self.many_last(ids.len(), sql, &[&ids], 4, rows::message)
    }

    fn exchanges_by_number(&self, numbers: &[u64]) -> Result<Vec<Option<ExchangeRow>>, StoreError> {
        let sql = "SELECT number, protocol, state, open, seq, wake_at, body, place
                   FROM unnest($1::bigint[]) WITH ORDINALITY AS asked (wanted, place) JOIN exchange ON number = wanted";
        let numbers: Vec<i64> = numbers.iter().copied().map(int).collect();
        self.many_last(numbers.len(), sql, &[&numbers], 7, rows::exchange)
    }

    fn find_all(&self, keys: &[String], most: usize) -> Result<Vec<Vec<u64>>, StoreError> {
        let sql = "SELECT place, number FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (wanted, place)
                   CROSS JOIN LATERAL (SELECT number FROM exchange_key WHERE sha256(key) = sha256(wanted) AND key = wanted
                                       ORDER BY number DESC LIMIT $2) AS found ORDER BY place, number DESC";
        let keys = texts(keys.iter().map(String::as_str));
        self.many(keys.len(), sql, &[&keys, &limit(most)], Vec::new(), |row, found| {
            found.push(rows::number(row, 1, 0)?);
            Ok(())
        })
    }

    fn unread_of_all(&self, agents: &[Name], most: usize) -> Result<Vec<usize>, StoreError> {
        let sql =
            "SELECT place, (SELECT count(*) FROM (SELECT 1 FROM inbox WHERE sha256(agent) = sha256(wanted)
                                  AND agent = wanted AND status = 0 LIMIT $2) AS counted)
                   FROM unnest($1::bytea[]) WITH ORDINALITY AS asked (wanted, place)";
        let agents = texts(agents.iter().map(Name::as_str));
        self.many(agents.len(), sql, &[&agents, &limit(most)], 0, |row, many| {
            *many = usize::try_from(rows::number(row, 1, 0)?).unwrap_or(most);
            Ok(())
        })
    }

    fn inbox_statuses(&self, places: &[(Name, u64)]) -> Result<Vec<Option<InboxStatus>>, StoreError> {
        let sql = "SELECT place, status FROM unnest($1::bytea[], $2::bigint[]) WITH ORDINALITY AS asked (whose, wanted, place)
                   JOIN inbox ON sha256(agent) = sha256(whose) AND agent = whose AND position = wanted";
        let (agents, positions) = columns(places);
        self.many(places.len(), sql, &[&agents, &positions], None, |row, status| {
            *status = Some(rows::status(rows::column(row, 1, 0)?, 0)?);
            Ok(())
        })
    }

    fn reached_all(&self, places: &[(Name, u64)]) -> Result<Vec<Reached>, StoreError> {
        let sql = "SELECT place, bits FROM unnest($1::bytea[], $2::bigint[]) WITH ORDINALITY AS asked (whose, wanted, place)
                   JOIN reach ON position = wanted AND sha256(agent) = sha256(whose) AND agent = whose";
        let (agents, positions) = columns(places);
        self.many(places.len(), sql, &[&agents, &positions], Reached::default(), |row, reached| {
            *reached = bits(row, 1)?;
            Ok(())
        })
    }

    fn effects_at(&self, places: &[(u64, u32)]) -> Result<Vec<Option<EffectRow>>, StoreError> {
        let sql = "SELECT effect.position, effect.idx, due, attempts, body, node, place
                   FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS asked (position, idx, place)
                   JOIN effect ON effect.position = asked.position AND effect.idx = asked.idx";
        let (positions, indexes): (Vec<i64>, Vec<i64>) =
            places.iter().map(|(position, index)| (int(*position), i64::from(*index))).unzip();
        self.many_last(places.len(), sql, &[&positions, &indexes], 6, rows::effect)
    }

    fn idempotent_all(&self, keys: &[(Name, String)]) -> Result<Vec<Option<IdempotencyRow>>, StoreError> {
        let sql = "SELECT sender, key, request, at, answer, place
                   FROM unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS asked (whose, wanted, place)
                   JOIN idempotency ON sha256(sender) = sha256(whose) AND sha256(key) = sha256(wanted)
                   AND sender = whose AND key = wanted";
        let (senders, wanted): (Vec<&[u8]>, Vec<&[u8]>) =
            keys.iter().map(|(sender, key)| (sender.as_str().as_bytes(), key.as_bytes())).unzip();
        self.many_last(keys.len(), sql, &[&senders, &wanted], 5, rows::idempotency)
    }
}

impl Postgres {
    /// The same for whole rows, behind which stands which question they answer.
    fn many_last<T: Clone>(
        &self,
        questions: usize,
        sql: &str,
        values: &[Value<'_>],
        place: usize,
        read: impl Fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Vec<Option<T>>, StoreError> {
        let mut answers = vec![None; questions];
        if questions == 0 {
            return Ok(answers);
        }
        for row in self.ask(|session| session.query(sql, values))? {
            let place = usize::try_from(rows::number(&row, place, 0)?).unwrap_or(usize::MAX).wrapping_sub(1);
            if let Some(answer) = answers.get_mut(place) {
                *answer = Some(read(&row)?);
            }
        }
        Ok(answers)
    }
}
