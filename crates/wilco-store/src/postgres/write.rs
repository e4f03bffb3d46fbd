//! A batch as statements, a few for each kind of row: rows travel as arrays, never one by one.

use std::collections::BTreeMap;

use tokio_postgres::types::ToSql;
use wilco_protocol::Time;
use wilco_protocol::directory::Interface;

use crate::batch::{
    AgentChange, Batch, EffectChange, EffectRow, ExchangeRow, IdempotencyRow, JournalRow, KeyChange,
    MessageRow, PresenceRow, Reached,
};
use crate::error::StoreError;

use super::rows::{int, status_number};
use super::session::Prepared;

/// Bytes of rows that one statement carries.
const STATEMENT_BYTES: usize = 16 << 20;

/// Everything of a batch but the head of the chain, in an order in which each may build on those before.
pub(super) fn batch(batch: &Batch) -> Result<Vec<Prepared<'_>>, StoreError> {
    let mut all = Statements::default();
    all.journal(&batch.journal);
    all.messages(&batch.messages);
    all.inbox(batch);
    all.exchanges(&batch.exchanges);
    all.keys(&batch.keys);
    all.agents(&batch.agents, batch.journal.last().map(|row| row.position))?;
    all.effects(&batch.effects);
    all.presence(&batch.presence);
    all.idempotency(&batch.idempotency);
    if let Some(before) = batch.forget_before {
        all.add("DELETE FROM idempotency WHERE at < $1", vec![Box::new(before.millis())]);
    }
    Ok(all.0)
}

type Values<'a> = Vec<Box<dyn ToSql + Sync + 'a>>;

#[derive(Default)]
struct Statements<'a>(Vec<Prepared<'a>>);

/// Boxes a column of the rows.
fn column<'a, R, T: ToSql + Sync + 'a>(rows: &[R], value: impl Fn(&R) -> T) -> Box<dyn ToSql + Sync + 'a> {
    Box::new(rows.iter().map(value).collect::<Vec<T>>())
}

/// Parts that are not too large for one statement.
fn parts<R>(rows: &[R], size: impl Fn(&R) -> usize) -> impl Iterator<Item = &[R]> {
    let (mut parts, mut begin, mut bytes) = (Vec::new(), 0, 0);
    for (at, row) in rows.iter().enumerate() {
        let more = size(row);
        if at > begin && bytes + more > STATEMENT_BYTES {
            parts.push(&rows[begin..at]);
            (begin, bytes) = (at, 0);
        }
        bytes += more;
    }
    if begin < rows.len() {
        parts.push(&rows[begin..]);
    }
    parts.into_iter()
}

impl<'a> Statements<'a> {
    fn add(&mut self, sql: &'static str, values: Values<'a>) {
        self.0.push((sql, values));
    }

    fn journal(&mut self, rows: &'a [JournalRow]) {
        for rows in parts(rows, |row| row.bytes.len()) {
            self.add(
                "INSERT INTO journal (position, exchange, seq, hash, bytes)
                 SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bytea[], $5::bytea[])",
                vec![
                    column(rows, |row| int(row.position)),
                    column(rows, |row| row.exchange.map(int)),
                    column(rows, |row| row.seq.map(int)),
                    Box::new(rows.iter().map(|row| &row.hash[..]).collect::<Vec<_>>()),
                    Box::new(rows.iter().map(|row| &row.bytes[..]).collect::<Vec<_>>()),
                ],
            );
        }
    }

    fn messages(&mut self, rows: &'a [MessageRow]) {
        for rows in parts(rows, |row| row.body.len()) {
            self.add(
                "INSERT INTO message (position, id, exchange, body)
                 SELECT * FROM unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::bytea[])",
                vec![
                    column(rows, |row| int(row.position)),
                    Box::new(rows.iter().map(|row| row.id.as_str().as_bytes()).collect::<Vec<_>>()),
                    column(rows, |row| row.exchange.map(int)),
                    Box::new(rows.iter().map(|row| &row.body[..]).collect::<Vec<_>>()),
                ],
            );
        }
    }

    /// What is put there, how its status changed since, and how near the messages got.
    fn inbox(&mut self, batch: &'a Batch) {
        if !batch.inbox.is_empty() {
            let rows = &batch.inbox;
            self.add(
                "INSERT INTO inbox (agent, position, status)
                 SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::smallint[])",
                vec![
                    Box::new(rows.iter().map(|row| row.agent.as_str().as_bytes()).collect::<Vec<_>>()),
                    column(rows, |row| int(row.position)),
                    column(rows, |row| status_number(row.status)),
                ],
            );
        }
        let mut marks = BTreeMap::new();
        for mark in &batch.marks {
            marks.insert((mark.agent.as_str().as_bytes(), int(mark.position)), status_number(mark.status));
        }
        if !marks.is_empty() {
            self.add(
                "UPDATE inbox SET status = mark.status
                 FROM unnest($1::bytea[], $2::bigint[], $3::smallint[]) AS mark (agent, position, status)
                 WHERE sha256(inbox.agent) = sha256(mark.agent) AND inbox.position = mark.position",
                placed(marks),
            );
        }
        let mut reached = BTreeMap::new();
        for row in &batch.reaches {
            let bits = reached.entry((row.agent.as_str().as_bytes(), int(row.position))).or_insert(0);
            *bits |= i16::from(Reached::bit(row.reach));
        }
        if !reached.is_empty() {
            self.add(
                "INSERT INTO reach (agent, position, bits)
                 SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::smallint[])
                 ON CONFLICT (position, sha256(agent)) DO UPDATE SET bits = reach.bits | excluded.bits",
                placed(reached),
            );
        }
    }

    fn exchanges(&mut self, rows: &'a [ExchangeRow]) {
        let last: BTreeMap<u64, &ExchangeRow> = rows.iter().map(|row| (row.id.number, row)).collect();
        let last: Vec<_> = last.into_values().collect();
        for rows in parts(&last, |row| row.body.len()) {
            self.add(
                "INSERT INTO exchange (number, protocol, state, open, seq, wake_at, body)
                 SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[], $5::bigint[], $6::bigint[],
                                      $7::bytea[])
                 ON CONFLICT (number) DO UPDATE SET protocol = excluded.protocol, state = excluded.state,
                     open = excluded.open, seq = excluded.seq, wake_at = excluded.wake_at, body = excluded.body",
                vec![
                    column(rows, |row| int(row.id.number)),
                    column(rows, |row| row.id.protocol.word()),
                    Box::new(rows.iter().map(|row| row.state.as_str()).collect::<Vec<_>>()),
                    column(rows, |row| row.open),
                    column(rows, |row| int(row.seq)),
                    column(rows, |row| row.wake_at.map(Time::millis)),
                    Box::new(rows.iter().map(|row| &row.body[..]).collect::<Vec<_>>()),
                ],
            );
        }
    }

    /// What was said last about a key holds.
    fn keys(&mut self, changes: &'a [KeyChange]) {
        let last: BTreeMap<_, bool> = changes
            .iter()
            .map(|change| ((change.key.as_bytes(), int(change.exchange)), change.added))
            .collect();
        let those = |wanted: bool| -> Vec<(&'a [u8], i64)> {
            last.iter().filter(|(_, added)| **added == wanted).map(|(key, _)| *key).collect()
        };
        let (added, removed) = (those(true), those(false));
        if !added.is_empty() {
            self.add(
                "INSERT INTO exchange_key (key, number) SELECT * FROM unnest($1::bytea[], $2::bigint[])
                 ON CONFLICT (sha256(key), number) DO NOTHING",
                vec![column(&added, |(key, _)| *key), column(&added, |(_, number)| *number)],
            );
        }
        if !removed.is_empty() {
            self.add(
                "DELETE FROM exchange_key USING unnest($1::bytea[], $2::bigint[]) AS gone (key, number)
                 WHERE sha256(exchange_key.key) = sha256(gone.key) AND exchange_key.number = gone.number",
                vec![column(&removed, |(key, _)| *key), column(&removed, |(_, number)| *number)],
            );
        }
    }

    /// `position`: where the journal ends; none while tables are folded anew, when no node follows.
    fn agents(&mut self, changes: &'a [AgentChange], position: Option<u64>) -> Result<(), StoreError> {
        let mut last = BTreeMap::new();
        for change in changes {
            match change {
                AgentChange::Put(agent) => last.insert(agent.name.as_str().as_bytes(), Some(agent)),
                AgentChange::Removed(name) => last.insert(name.as_str().as_bytes(), None),
            };
        }
        if let Some(position) = position.filter(|_| !last.is_empty()) {
            self.add(
                "INSERT INTO agent_change (name, position) SELECT name, $2 FROM unnest($1::bytea[]) AS changed (name)
                 ON CONFLICT (sha256(name)) DO UPDATE SET position = excluded.position",
                vec![Box::new(last.keys().copied().collect::<Vec<_>>()), Box::new(int(position))],
            );
        }
        let (mut names, mut bodies, mut gone) = (Vec::new(), Vec::new(), Vec::new());
        for (name, agent) in last {
            match agent {
                Some(agent) => {
                    names.push(name);
                    let body =
                        serde_json::to_vec(agent).map_err(|error| StoreError::NotStored(error.into()))?;
                    bodies.push(body);
                }
                None => gone.push(name),
            }
        }
        if !names.is_empty() {
            self.add(
                "INSERT INTO agent (name, body) SELECT * FROM unnest($1::bytea[], $2::bytea[])
                 ON CONFLICT (sha256(name)) DO UPDATE SET body = excluded.body",
                vec![Box::new(names), Box::new(bodies)],
            );
        }
        if !gone.is_empty() {
            let sql = "DELETE FROM agent WHERE sha256(name) IN (SELECT sha256(gone) FROM unnest($1::bytea[]) AS gone)";
            self.add(sql, vec![Box::new(gone)]);
        }
        Ok(())
    }

    fn effects(&mut self, changes: &'a [EffectChange]) {
        let mut last: BTreeMap<(u64, u32), Option<&EffectRow>> = BTreeMap::new();
        for change in changes {
            match change {
                EffectChange::Put(row) => last.insert((row.position, row.index), Some(row)),
                EffectChange::Settled { position, index } => last.insert((*position, *index), None),
            };
        }
        let put: Vec<_> = last.values().copied().flatten().collect();
        for rows in parts(&put, |row| row.body.len()) {
            self.add(
                "INSERT INTO effect (position, idx, due, attempts, body, node)
                 SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bytea[], $6::text[])
                 ON CONFLICT (position, idx) DO UPDATE SET due = excluded.due, attempts = excluded.attempts,
                     body = excluded.body, node = excluded.node",
                vec![
                    column(rows, |row| int(row.position)),
                    column(rows, |row| i64::from(row.index)),
                    column(rows, |row| row.due.millis()),
                    column(rows, |row| i64::from(row.attempts)),
                    Box::new(rows.iter().map(|row| &row.body[..]).collect::<Vec<_>>()),
                    Box::new(rows.iter().map(|row| row.node.as_deref()).collect::<Vec<_>>()),
                ],
            );
        }
        let settled: Vec<_> = last.iter().filter(|(_, row)| row.is_none()).map(|(place, _)| *place).collect();
        if !settled.is_empty() {
            self.add(
                "DELETE FROM effect USING unnest($1::bigint[], $2::bigint[]) AS gone (position, idx)
                 WHERE effect.position = gone.position AND effect.idx = gone.idx",
                vec![
                    column(&settled, |(position, _)| int(*position)),
                    column(&settled, |(_, index)| i64::from(*index)),
                ],
            );
        }
    }

    fn presence(&mut self, rows: &'a [PresenceRow]) {
        let last: BTreeMap<_, _> = rows.iter().map(|row| (row.name.as_str().as_bytes(), row)).collect();
        let (names, rows): (Vec<_>, Vec<_>) = last.into_iter().unzip();
        if !rows.is_empty() {
            self.add(
                "INSERT INTO presence (name, seen, spoke) SELECT * FROM unnest($1::bytea[], $2::bigint[], $3::text[])
                 ON CONFLICT (sha256(name)) DO UPDATE SET seen = excluded.seen, spoke = excluded.spoke",
                vec![
                    Box::new(names),
                    column(&rows, |row| row.seen.millis()),
                    column(&rows, |row| row.spoke.map(Interface::word)),
                ],
            );
        }
    }

    fn idempotency(&mut self, rows: &'a [IdempotencyRow]) {
        let last: BTreeMap<_, _> =
            rows.iter().map(|row| ((row.sender.as_str(), row.key.as_str()), row)).collect();
        let last: Vec<_> = last.into_values().collect();
        for rows in parts(&last, |row| row.answer.len()) {
            self.add(
                "INSERT INTO idempotency (sender, key, request, at, answer)
                 SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::bigint[], $5::bytea[])
                 ON CONFLICT (sha256(sender), sha256(key)) DO UPDATE SET request = excluded.request, at = excluded.at,
                     answer = excluded.answer",
                vec![
                    Box::new(rows.iter().map(|row| row.sender.as_str().as_bytes()).collect::<Vec<_>>()),
                    Box::new(rows.iter().map(|row| row.key.as_bytes()).collect::<Vec<_>>()),
                    Box::new(rows.iter().map(|row| &row.request[..]).collect::<Vec<_>>()),
                    column(rows, |row| row.at.millis()),
                    Box::new(rows.iter().map(|row| &row.answer[..]).collect::<Vec<_>>()),
                ],
            );
        }
    }
}

/// Agents, positions and what is said of them, as columns.
fn placed(rows: BTreeMap<(&[u8], i64), i16>) -> Values<'_> {
    let (places, values): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    let (agents, positions): (Vec<_>, Vec<_>) = places.into_iter().unzip();
    vec![Box::new(agents), Box::new(positions), Box::new(values)]
}
