//! Writes a batch, kind by kind. Each statement is prepared once and looked up once per batch.

use rusqlite::{Connection, Result, Statement, params};
use wilco_protocol::Time;
use wilco_protocol::directory::Interface;

use crate::batch::{
    AgentChange, Batch, EffectChange, EffectRow, ExchangeRow, IdempotencyRow, JournalRow, KeyChange,
    MessageRow, PresenceRow,
};

use super::inbox;
use super::rows::{self, int, limit};

/// Runs inside a transaction of its caller. Takes and returns how many arrivals there are.
pub(super) fn batch(connection: &Connection, batch: &Batch, arrivals: u32) -> Result<u32> {
    journal(connection, &batch.journal)?;
    messages(connection, &batch.messages)?;
    let arrivals = inbox::write(connection, &batch.inbox, &batch.marks, arrivals)?;
    inbox::reach(connection, &batch.reaches)?;
    exchanges(connection, &batch.exchanges)?;
    keys(connection, &batch.keys)?;
    agents(connection, &batch.agents)?;
    effects(connection, &batch.effects)?;
    presence(connection, &batch.presence)?;
    idempotency(connection, &batch.idempotency)?;
    if let Some(before) = batch.forget_before {
        forget(connection, before)?;
    }
    at(connection, batch.at)?;
    if batch.journal.is_empty() {
        sign_of_life(connection)?;
    }
    Ok(arrivals)
}

fn journal(connection: &Connection, rows: &[JournalRow]) -> Result<()> {
    each(
        connection,
        rows,
        "INSERT INTO journal (position, exchange, seq, hash, bytes) VALUES (?1, ?2, ?3, ?4, ?5)",
        |insert, row| {
            insert.execute(params![
                int(row.position),
                row.exchange.map(int),
                row.seq.map(int),
                &row.hash[..],
                row.bytes
            ])
        },
    )?;
    let goes_on = |one: &JournalRow, next: &JournalRow| {
        one.exchange == next.exchange && one.seq.map(|seq| seq + 1) == next.seq
    };
    let runs: Vec<_> = rows.chunk_by(goes_on).collect();
    each(
        connection,
        &runs,
        "INSERT INTO run (exchange, seq, position, events) VALUES (?1, ?2, ?3, ?4)",
        |insert, run| match (run[0].exchange, run[0].seq) {
            (Some(exchange), Some(seq)) => {
                insert.execute(params![int(exchange), int(seq), int(run[0].position), limit(run.len())])
            }
            _ => Ok(0),
        },
    )
}

/// An id that does not say where its message is can be looked up all the same.
fn messages(connection: &Connection, rows: &[MessageRow]) -> Result<()> {
    each(
        connection,
        rows,
        "INSERT INTO message (position, id, chosen, exchange, body) VALUES (?1, ?2, ?3, ?4, ?5)",
        |insert, row| {
            let made = row.id.parts().is_some_and(|(_, position)| position == row.position);
            let (chosen, exchange) = ((!made).then_some(1), row.exchange.map(int));
            insert.execute(params![int(row.position), row.id.as_str(), chosen, exchange, row.body])
        },
    )
}

/// Most exchanges are there already and stay open or closed; to update them leaves the index of open ones
/// alone.
fn exchanges(connection: &Connection, rows: &[ExchangeRow]) -> Result<()> {
    each(
        connection,
        rows,
        "UPDATE exchange SET state = ?3, seq = ?5, wake_at = ?6, body = ?7
         WHERE number = ?1 AND protocol = ?2 AND open = ?4",
        |update, row| {
            let (number, seq, wake_at) = (int(row.id.number), int(row.seq), row.wake_at.map(Time::millis));
            let params = params![number, row.id.protocol.word(), row.state, row.open, seq, wake_at, row.body];
            match update.execute(params)? {
                0 => connection.prepare_cached(PUT_EXCHANGE)?.execute(params),
                updated => Ok(updated),
            }
        },
    )
}

const PUT_EXCHANGE: &str =
    "INSERT OR REPLACE INTO exchange (number, protocol, state, open, seq, wake_at, body)
                            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

fn keys(connection: &Connection, changes: &[KeyChange]) -> Result<()> {
    for change in changes {
        let sql = match change.added {
            true => "INSERT OR IGNORE INTO exchange_key (key, number) VALUES (?1, ?2)",
            false => "DELETE FROM exchange_key WHERE key = ?1 AND number = ?2",
        };
        connection.prepare_cached(sql)?.execute(params![change.key, int(change.exchange)])?;
    }
    Ok(())
}

fn agents(connection: &Connection, changes: &[AgentChange]) -> Result<()> {
    for change in changes {
        match change {
            AgentChange::Put(agent) => connection
                .prepare_cached("INSERT OR REPLACE INTO agent (name, body) VALUES (?1, ?2)")?
                .execute(params![agent.name.as_str(), rows::agent_body(agent)?])?,
            AgentChange::Removed(name) => {
                connection.prepare_cached("DELETE FROM agent WHERE name = ?1")?.execute([name.as_str()])?
            }
        };
    }
    Ok(())
}

fn effects(connection: &Connection, changes: &[EffectChange]) -> Result<()> {
    for change in changes {
        match change {
            EffectChange::Put(row) => put_effect(connection, row)?,
            EffectChange::Settled { position, index } => connection
                .prepare_cached("DELETE FROM effect WHERE position = ?1 AND idx = ?2")?
                .execute(params![int(*position), index])?,
        };
    }
    Ok(())
}

fn put_effect(connection: &Connection, row: &EffectRow) -> Result<usize> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO effect (position, idx, due, attempts, body) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![int(row.position), row.index, row.due.millis(), row.attempts, row.body])
}

fn presence(connection: &Connection, rows: &[PresenceRow]) -> Result<()> {
    each(
        connection,
        rows,
        "INSERT OR REPLACE INTO presence (name, seen, spoke) VALUES (?1, ?2, ?3)",
        |insert, row| {
            insert.execute(params![row.name.as_str(), row.seen.millis(), row.spoke.map(Interface::word)])
        },
    )
}

fn idempotency(connection: &Connection, rows: &[IdempotencyRow]) -> Result<()> {
    each(
        connection,
        rows,
        "INSERT OR REPLACE INTO idempotency (sender, key, request, at, answer) VALUES (?1, ?2, ?3, ?4, ?5)",
        |insert, row| {
            let (sender, request) = (row.sender.as_str(), &row.request[..]);
            insert.execute(params![sender, row.key, request, row.at.millis(), row.answer])
        },
    )
}

fn forget(connection: &Connection, before: Time) -> Result<()> {
    connection.prepare_cached("DELETE FROM idempotency WHERE at < ?1")?.execute([before.millis()])?;
    Ok(())
}

fn at(connection: &Connection, at: Time) -> Result<()> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES ('at', ?1)")?
        .execute([at.millis()])?;
    Ok(())
}

/// A commit without events shows that the disk takes one. The same time again would change nothing, and then SQLite
/// writes nothing.
fn sign_of_life(connection: &Connection) -> Result<()> {
    let sql = "INSERT INTO meta (key, value) VALUES ('signs_of_life', 1)
               ON CONFLICT (key) DO UPDATE SET value = value + 1";
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

fn each<T>(
    connection: &Connection,
    rows: &[T],
    sql: &str,
    write: impl Fn(&mut Statement<'_>, &T) -> Result<usize>,
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut statement = connection.prepare_cached(sql)?;
    for row in rows {
        write(&mut statement, row)?;
    }
    Ok(())
}
