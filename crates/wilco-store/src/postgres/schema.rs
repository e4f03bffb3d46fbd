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
const MIGRATIONS: [&str; 3] = [FIRST, SIDE_BY_SIDE, BY_HOST];

pub(super) const VERSION: i64 = MIGRATIONS.len() as i64;

pub(super) const OLDEST_SERVER: i32 = 150_000;

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

/// Versions side by side: how the newest events are written, and what each node knows of the schema.
const SIDE_BY_SIDE: &str = "
    ALTER TABLE writer ADD COLUMN format bigint NOT NULL DEFAULT 1;
    ALTER TABLE node ADD COLUMN knows bigint NOT NULL DEFAULT 1;
";

/// What is done on one machine names its node; what handoffs leave behind is for all of them.
const BY_HOST: &str = "
    ALTER TABLE effect ADD COLUMN node text;
    CREATE INDEX effect_node ON effect (node, due) WHERE node IS NOT NULL;

    -- Who changed last where, so that followers read no more than that.
    CREATE TABLE agent_change (
        name     bytea NOT NULL,
        position bigint NOT NULL
    );
    CREATE UNIQUE INDEX agent_change_name ON agent_change (sha256(name));
    CREATE INDEX agent_change_position ON agent_change (position);

    CREATE TABLE handoff_document (
        name text PRIMARY KEY,
        body bytea NOT NULL
    );
    CREATE TABLE replacement (
        number bigserial PRIMARY KEY,
        entry  bytea NOT NULL
    );
    CREATE UNIQUE INDEX replacement_entry ON replacement (sha256(entry));
";

/// How events are written. A node that does not know the newest format reads no journal, so it does not take over.
pub(super) const FORMAT: i64 = 1;

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

/// What becomes of nodes that know only the version before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Others {
    /// Nothing is changed while there are any.
    Spared,
    /// They find the schema changed, and end.
    Ended,
}

/// Makes the schema, or brings it to this version, in one transaction that only one node is in.
pub(super) fn prepare(
    session: &Session,
    target: &PostgresTarget,
    others: Others,
) -> Result<(), ConnectError> {
    let failed = |fault: Fault| refused(target, fault);
    check_server(session, target)?;
    session.run("BEGIN").map_err(failed)?;
    let done = migrate(session, target, others);
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

fn migrate(session: &Session, target: &PostgresTarget, others: Others) -> Result<(), ConnectError> {
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
    if (1..VERSION).contains(&found) && others == Others::Spared {
        let living = living(session, schema).map_err(failed)?;
        if !living.is_empty() {
            let (target, nodes) = (target.shown.clone(), living.join(", "));
            return Err(ConnectError::OlderNodes { target, nodes, found, known: VERSION });
        }
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

/// Makes room for a copy, in a transaction of the caller: an empty schema that is marked as incomplete. What was there
/// moves to another name, if there is one for it; the epoch goes on, and tokens and secrets stay.
pub(super) fn make_room(
    session: &Session,
    target: &PostgresTarget,
    aside: Option<&str>,
) -> Result<(), ConnectError> {
    let failed = |fault: Fault| refused(target, fault);
    let schema = &target.schema;
    session
        .query("SELECT pg_advisory_xact_lock(hashtextextended('wilco schema ' || $1::text, 0))", &[schema])
        .map_err(failed)?;
    match aside {
        Some(aside) => {
            let sql = format!("ALTER SCHEMA \"{schema}\" RENAME TO \"{aside}\"");
            session.run(&sql).map_err(failed)?;
            migrate(session, target, Others::Spared)?;
            let sql = format!(
                "INSERT INTO document (name, body) SELECT name, body FROM \"{aside}\".document;
                 INSERT INTO handoff_document (name, body) SELECT name, body FROM \"{aside}\".handoff_document;
                 INSERT INTO replacement (entry) SELECT entry FROM \"{aside}\".replacement ORDER BY number;
                 UPDATE writer SET epoch = (SELECT epoch FROM \"{aside}\".writer), released = true"
            );
            session.run(&sql).map_err(failed)?;
        }
        None => {
            session.run(&EMPTY_DERIVED.join("; ")).map_err(failed)?;
            session.run(EMPTY_RECORD).map_err(failed)?;
        }
    }
    session
        .run("INSERT INTO meta (key, value) VALUES ('restore', 1) ON CONFLICT (key) DO NOTHING")
        .map_err(failed)
}

/// What an interrupted restore left.
const EMPTY_RECORD: &str = "
    DELETE FROM journal; DELETE FROM message; DELETE FROM effect; DELETE FROM idempotency; DELETE FROM presence;
    UPDATE writer SET position = 0, hash = decode(repeat('00', 32), 'hex'), at = NULL, released = true";

/// The nodes that have their names now. Asked of the locks: whoever wrote its row may be gone.
pub(super) fn living(session: &Session, schema: &str) -> Result<Vec<String>, Fault> {
    let sql = format!("SELECT name FROM node WHERE {HAS_NAME} ORDER BY name");
    Ok(session.query(&sql, &[&schema])?.iter().map(|row| row.get(0)).collect())
}

/// Whether the node of this row of `node` holds its name, in the schema that is the first value.
pub(super) const HAS_NAME: &str = "EXISTS (
    SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    AND ((classid::bigint << 32) | objid::bigint)
        = hashtextextended('wilco node ' || $1::text || ' ' || node.name, 0))";

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
