//! The tables, and how a schema becomes one of this version.
//!
//! Names and ids are bytes: they are ordered as bytes and may hold any character. What may be longer than an index takes
//! is found by its hash.

use tokio_postgres::Row;

use crate::error::ConnectError;

use super::fault::{Fault, FaultKind};
use super::session::Session;
use super::target::PostgresTarget;

/// Each brings the schema from the version that is its place here to the next. Never changed once released, only added
/// to.
const MIGRATIONS: [&str; 1] = [FIRST];

pub(super) const VERSION: i64 = MIGRATIONS.len() as i64;

const OLDEST_SERVER: i32 = 150_000;

const FIRST: &str = "
    -- Record: never rebuilt.

    CREATE TABLE journal (
        position bigint PRIMARY KEY,
        exchange bigint,
        seq      bigint,
        hash     bytea NOT NULL,
        bytes    bytea NOT NULL
    );
    CREATE UNIQUE INDEX journal_of ON journal (exchange, seq) WHERE exchange IS NOT NULL;

    CREATE TABLE message (
        position bigint PRIMARY KEY,
        id       bytea NOT NULL,
        exchange bigint,
        body     bytea NOT NULL
    );
    CREATE UNIQUE INDEX message_id ON message (sha256(id));
    CREATE INDEX message_of ON message (exchange, position) WHERE exchange IS NOT NULL;

    -- Derived: emptied and folded from the journal again by a rebuild.

    CREATE TABLE inbox (
        agent    bytea NOT NULL,
        position bigint NOT NULL,
        status   smallint NOT NULL
    );
    CREATE UNIQUE INDEX inbox_of ON inbox (sha256(agent), position);
    CREATE INDEX inbox_unread ON inbox (sha256(agent), position) WHERE status = 0;

    CREATE TABLE reach (
        position bigint NOT NULL,
        agent    bytea NOT NULL,
        bits     smallint NOT NULL
    );
    CREATE UNIQUE INDEX reach_of ON reach (position, sha256(agent));

    CREATE TABLE exchange (
        number   bigint PRIMARY KEY,
        protocol text NOT NULL,
        state    text COLLATE \"C\" NOT NULL,
        open     boolean NOT NULL,
        seq      bigint NOT NULL,
        wake_at  bigint,
        body     bytea NOT NULL
    ) WITH (fillfactor = 70);
    CREATE INDEX exchange_wake ON exchange (wake_at) WHERE wake_at IS NOT NULL;
    CREATE INDEX exchange_open ON exchange (number) WHERE open;

    CREATE TABLE exchange_key (
        key    bytea NOT NULL,
        number bigint NOT NULL
    );
    CREATE UNIQUE INDEX exchange_key_of ON exchange_key (sha256(key), number);

    CREATE TABLE agent (
        name bytea NOT NULL,
        body bytea NOT NULL
    );
    CREATE UNIQUE INDEX agent_name ON agent (sha256(name));

    -- Where the words of messages are: found beside the commits, up to a position.
    CREATE TABLE search (
        position bigint PRIMARY KEY,
        -- None: too many words for an index, so this one is always looked at.
        terms    tsvector
    );
    CREATE INDEX search_terms ON search USING gin (terms);
    CREATE INDEX search_without ON search (position) WHERE terms IS NULL;
    CREATE TABLE search_end (
        one      boolean PRIMARY KEY CHECK (one),
        position bigint NOT NULL
    );
    INSERT INTO search_end VALUES (true, 0);

    -- Operational: durable, but not history.

    CREATE TABLE effect (
        position bigint NOT NULL,
        idx      bigint NOT NULL,
        due      bigint NOT NULL,
        attempts bigint NOT NULL,
        body     bytea NOT NULL,
        PRIMARY KEY (position, idx)
    );

    CREATE TABLE idempotency (
        sender  bytea NOT NULL,
        key     bytea NOT NULL,
        request bytea NOT NULL,
        at      bigint NOT NULL,
        answer  bytea NOT NULL
    );
    CREATE UNIQUE INDEX idempotency_key ON idempotency (sha256(sender), sha256(key));
    CREATE INDEX idempotency_at ON idempotency (at);

    CREATE TABLE presence (
        name  bytea NOT NULL,
        seen  bigint NOT NULL,
        spoke text
    );
    CREATE UNIQUE INDEX presence_name ON presence (sha256(name));

    -- 'rebuild': the derived tables are incomplete. 'test_clock': where it stands.
    CREATE TABLE meta (
        key   text PRIMARY KEY,
        value bigint NOT NULL
    );

    -- Files of an embedded store: tokens and the like.
    CREATE TABLE document (
        name text PRIMARY KEY,
        body bytea NOT NULL
    );

    -- Lease, sequencer and head of the chain in one row, which every commit changes: room beside it, no index on what
    -- changes, and its dead versions are swept up soon.
    CREATE TABLE writer (
        one      boolean PRIMARY KEY CHECK (one),
        epoch    bigint NOT NULL,
        node     text NOT NULL,
        address  text NOT NULL,
        position bigint NOT NULL,
        hash     bytea NOT NULL,
        renewed  bigint NOT NULL,
        at       bigint,
        released boolean NOT NULL
    ) WITH (fillfactor = 10, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_scale_factor = 0,
            autovacuum_vacuum_cost_delay = 0);
    INSERT INTO writer VALUES (true, 0, '', '', 0, decode(repeat('00', 32), 'hex'), 0, NULL, true);

    CREATE TABLE node (
        name    text PRIMARY KEY,
        address text NOT NULL,
        version text NOT NULL,
        epoch   bigint NOT NULL,
        seen    bigint NOT NULL,
        position bigint NOT NULL,
        clock   bigint NOT NULL
    ) WITH (fillfactor = 50);
";

/// Empties what is derived, and the index with it.
pub(super) const EMPTY_DERIVED: [&str; 7] = [
    "DELETE FROM inbox",
    "DELETE FROM reach",
    "DELETE FROM exchange",
    "DELETE FROM exchange_key",
    "DELETE FROM agent",
    "DELETE FROM search",
    "UPDATE search_end SET position = 0",
];

/// Makes the schema, or brings it to this version, in one transaction that only one node is in.
pub(super) fn prepare(session: &Session, target: &PostgresTarget) -> Result<(), ConnectError> {
    let failed = |fault: Fault| refused(target, fault);
    check_server(session, target)?;
    session.run("BEGIN").map_err(failed)?;
    let done = migrate(session, target);
    match done {
        Ok(()) => {
            let warned = session.commit().map_err(failed)?;
            match warned.first() {
                None => Ok(()),
                Some(warning) => Err(failed(Fault::silent(warning))),
            }
        }
        Err(error) => {
            session.roll_back();
            Err(error)
        }
    }
}

fn check_server(session: &Session, target: &PostgresTarget) -> Result<(), ConnectError> {
    let sql = "SELECT current_setting('server_version_num')::int, current_setting('server_version')";
    let row = session.first(sql, &[]).map_err(|fault| refused(target, fault))?;
    let found = row.map(|row: Row| (row.get::<_, i32>(0), row.get::<_, String>(1)));
    match found {
        Some((number, _)) if number >= OLDEST_SERVER => Ok(()),
        Some((_, found)) => Err(ConnectError::TooOld { target: target.shown.clone(), found }),
        None => Err(ConnectError::TooOld { target: target.shown.clone(), found: "none".to_owned() }),
    }
}

fn migrate(session: &Session, target: &PostgresTarget) -> Result<(), ConnectError> {
    let failed = |fault: Fault| refused(target, fault);
    let schema = &target.schema;
    session
        .query("SELECT pg_advisory_xact_lock(hashtextextended('wilco schema ' || $1::text, 0))", &[schema])
        .map_err(failed)?;
    let there = "SELECT to_regclass(quote_ident($1::text) || '.schema_version') IS NOT NULL";
    let is_there = session.first(there, &[schema]).map_err(failed)?.is_some_and(|row| row.get(0));
    if !is_there {
        session
            .run(&format!("CREATE SCHEMA IF NOT EXISTS \"{schema}\"; CREATE TABLE \"{schema}\".schema_version (version bigint NOT NULL);
                           INSERT INTO \"{schema}\".schema_version VALUES (0)"))
            .map_err(failed)?;
    }
    let found = version(session).map_err(failed)?;
    if found > VERSION {
        return Err(ConnectError::Newer { target: target.shown.clone(), found, known: VERSION });
    }
    for (step, sql) in (0..).zip(MIGRATIONS) {
        if step >= found {
            session.run(sql).map_err(failed)?;
        }
    }
    if found < VERSION {
        session.execute("UPDATE schema_version SET version = $1", &[&VERSION]).map_err(failed)?;
    }
    Ok(())
}

pub(super) fn version(session: &Session) -> Result<i64, Fault> {
    Ok(session.first("SELECT version FROM schema_version", &[])?.map_or(0, |row| row.get(0)))
}

pub(super) fn refused(target: &PostgresTarget, fault: Fault) -> ConnectError {
    let (target, reason) = (target.shown.clone(), fault.reason.clone());
    match fault.kind {
        FaultKind::Unwelcome => ConnectError::Unwelcome { target, reason },
        FaultKind::Lost => ConnectError::Unreachable { target, reason },
        FaultKind::Refused if reason.contains("permission denied") => ConnectError::Rights { target, reason },
        FaultKind::Refused | FaultKind::Full | FaultKind::Damaged => ConnectError::Store(fault.into()),
    }
}
