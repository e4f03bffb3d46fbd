//! The tables, and how a database becomes one of this version.

use rusqlite::{Connection, Result};

/// Each brings the database from the version that is its place here to the next. Never changed once
/// released, only added to.
const MIGRATIONS: [&str; 4] = [FIRST, REACH, LEAN, SPOKE];

/// The version of a database that all migrations were applied to.
pub(super) const VERSION: i64 = MIGRATIONS.len() as i64;

const FIRST: &str = "
    -- Record: never rebuilt.

    CREATE TABLE journal (
        position INTEGER PRIMARY KEY,
        exchange INTEGER,
        seq      INTEGER,
        hash     BLOB NOT NULL,
        bytes    BLOB NOT NULL
    );
    CREATE UNIQUE INDEX journal_of ON journal (exchange, seq) WHERE exchange IS NOT NULL;

    CREATE TABLE message (
        position INTEGER PRIMARY KEY,
        id       TEXT NOT NULL UNIQUE,
        exchange INTEGER,
        body     BLOB NOT NULL
    );
    CREATE INDEX message_of ON message (exchange) WHERE exchange IS NOT NULL;

    -- Derived: emptied and folded from the journal again by a rebuild.

    -- By status before position: a page of unread messages does not wade through the archived ones,
    -- however many there are, and a message costs one entry where a table and an index would cost two.
    CREATE TABLE inbox (
        agent    TEXT NOT NULL,
        status   INTEGER NOT NULL,
        position INTEGER NOT NULL,
        PRIMARY KEY (agent, status, position)
    ) WITHOUT ROWID;

    -- Entries of inboxes that were not moved there yet.
    CREATE TABLE arrival (
        position INTEGER NOT NULL,
        agent    TEXT NOT NULL,
        status   INTEGER NOT NULL,
        PRIMARY KEY (position, agent)
    ) WITHOUT ROWID;

    CREATE TABLE exchange (
        number   INTEGER PRIMARY KEY,
        protocol TEXT NOT NULL,
        state    TEXT NOT NULL,
        open     INTEGER NOT NULL,
        seq      INTEGER NOT NULL,
        wake_at  INTEGER,
        body     BLOB NOT NULL
    );
    CREATE INDEX exchange_wake ON exchange (wake_at) WHERE wake_at IS NOT NULL;
    -- A few open ones are found among a million that are not.
    CREATE INDEX exchange_open ON exchange (number) WHERE open = 1;

    CREATE TABLE exchange_key (
        key    TEXT NOT NULL,
        number INTEGER NOT NULL,
        PRIMARY KEY (key, number)
    ) WITHOUT ROWID;

    CREATE TABLE agent (
        name TEXT PRIMARY KEY,
        body BLOB NOT NULL
    ) WITHOUT ROWID;

    -- Operational: durable, but not history.

    CREATE TABLE effect (
        position INTEGER NOT NULL,
        idx      INTEGER NOT NULL,
        due      INTEGER NOT NULL,
        attempts INTEGER NOT NULL,
        body     BLOB NOT NULL,
        PRIMARY KEY (position, idx)
    ) WITHOUT ROWID;

    CREATE TABLE idempotency (
        sender  TEXT NOT NULL,
        key     TEXT NOT NULL,
        request BLOB NOT NULL,
        at      INTEGER NOT NULL,
        answer  BLOB NOT NULL,
        PRIMARY KEY (sender, key)
    ) WITHOUT ROWID;
    CREATE INDEX idempotency_at ON idempotency (at);

    CREATE TABLE presence (
        name TEXT PRIMARY KEY,
        seen INTEGER NOT NULL
    ) WITHOUT ROWID;

    -- 'at': when the newest batch was committed. 'rebuild': the derived tables are incomplete.
    CREATE TABLE meta (
        key   TEXT PRIMARY KEY,
        value INTEGER NOT NULL
    ) WITHOUT ROWID;
";

/// How messages got nearer to agents besides lying in their inboxes; most have no row. Derived.
const REACH: &str = "
    CREATE TABLE reach (
        position INTEGER NOT NULL,
        agent    TEXT NOT NULL,
        bits     INTEGER NOT NULL,
        PRIMARY KEY (position, agent)
    ) WITHOUT ROWID;
";

/// Fewer entries for each message and event. The id of a message says where the message is, unless a client chose
/// it; and events of an exchange come in runs.
const LEAN: &str = "
    CREATE TABLE message_lean (
        position INTEGER PRIMARY KEY,
        id       TEXT NOT NULL,
        chosen   INTEGER,
        exchange INTEGER,
        body     BLOB NOT NULL
    );
    INSERT INTO message_lean SELECT position, id, 1, exchange, body FROM message;
    DROP TABLE message;
    ALTER TABLE message_lean RENAME TO message;
    CREATE UNIQUE INDEX message_chosen ON message (id) WHERE chosen = 1;
    CREATE INDEX message_of ON message (exchange) WHERE exchange IS NOT NULL;

    -- Events of an exchange, numbered from 'seq', that stand one behind the other from 'position'.
    CREATE TABLE run (
        exchange INTEGER NOT NULL,
        seq      INTEGER NOT NULL,
        position INTEGER NOT NULL,
        events   INTEGER NOT NULL,
        PRIMARY KEY (exchange, seq)
    ) WITHOUT ROWID;
    INSERT INTO run SELECT exchange, seq, position, 1 FROM journal WHERE exchange IS NOT NULL;
    DROP INDEX journal_of;
";

/// What an agent spoke by last, as a word.
const SPOKE: &str = "ALTER TABLE presence ADD COLUMN spoke TEXT;";

/// Within a run the seq follows the position.
const RUNS: &str = "
    DELETE FROM run;
    INSERT INTO run SELECT exchange, min(seq), min(position), count(*) FROM journal
                    WHERE exchange IS NOT NULL GROUP BY exchange, position - seq;
";

const DERIVED: [&str; 6] = ["inbox", "arrival", "reach", "exchange", "exchange_key", "agent"];

pub(super) fn version(connection: &Connection) -> Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Applies what is missing, one transaction for each step.
pub(super) fn migrate(connection: &mut Connection) -> Result<()> {
    migrate_to(connection, VERSION)
}

fn migrate_to(connection: &mut Connection, version_wanted: i64) -> Result<()> {
    for (step, sql) in (0..version_wanted).zip(MIGRATIONS) {
        if version(connection)? == step {
            let transaction = connection.transaction()?;
            transaction.execute_batch(sql)?;
            transaction.pragma_update(None, "user_version", step + 1)?;
            transaction.commit()?;
        }
    }
    Ok(())
}

/// Makes a new database of the rows of another, which has this version. The tables are made here; whatever else the
/// other has, such as triggers and views, is not even looked at.
pub(super) fn take_rows(from: &Connection, of_version: i64, to: &mut Connection) -> Result<()> {
    migrate_to(to, of_version)?;
    let transaction = to.transaction()?;
    for table in
        names(&transaction, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> ?1", "")?
    {
        const IS_TABLE: &str = "SELECT count(*) FROM sqlite_schema              WHERE name = ?1 AND type = 'table' AND sql LIKE 'CREATE TABLE%'";
        if from.query_one(IS_TABLE, [&table], |row| row.get::<_, i64>(0))? != 1 {
            let error = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
            return Err(rusqlite::Error::SqliteFailure(error, Some(format!("it has no table {table}"))));
        }
        let columns = names(&transaction, "SELECT name FROM pragma_table_info(?1)", &table)?;
        let places: Vec<_> = (1..=columns.len()).map(|place| format!("?{place}")).collect();
        let listed = columns.join(", ");
        let mut select = from.prepare(&format!("SELECT {listed} FROM {table}"))?;
        let insert = format!("INSERT INTO {table} ({listed}) VALUES ({})", places.join(", "));
        let mut insert = transaction.prepare(&insert)?;
        let mut rows = select.query(())?;
        while let Some(row) = rows.next()? {
            let value = |place| row.get::<_, rusqlite::types::Value>(place);
            let values = (0..columns.len()).map(value).collect::<Result<Vec<_>>>()?;
            insert.execute(rusqlite::params_from_iter(values))?;
        }
    }
    transaction.commit()?;
    migrate(to)
}

fn names(connection: &Connection, query: &str, of: &str) -> Result<Vec<String>> {
    connection.prepare(query)?.query_map([of], |row| row.get(0))?.collect()
}

pub(super) fn empty_derived(connection: &Connection) -> Result<()> {
    for table in DERIVED {
        connection.execute(&format!("DELETE FROM {table}"), ())?;
    }
    connection.execute_batch(RUNS)?;
    connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('rebuild', 1)", ())?;
    Ok(())
}

pub(super) fn derived_are_complete(connection: &Connection) -> Result<()> {
    connection.execute("DELETE FROM meta WHERE key = 'rebuild'", ())?;
    Ok(())
}

/// Whether a rebuild was begun and not finished.
pub(super) fn is_rebuilding(connection: &Connection) -> Result<bool> {
    connection.query_one("SELECT EXISTS (SELECT 1 FROM meta WHERE key = 'rebuild')", (), |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use wilco_protocol::MessageId;

    use super::*;
    use crate::{Reader, Sqlite};

    /// Messages and events of an older wilco are found by the same ids and numbers as before.
    #[test]
    fn a_database_of_the_second_version_is_made_lean() {
        let directory = tempfile::TempDir::new().unwrap();
        drop(Sqlite::open(directory.path()).unwrap());
        let database = directory.path().join(super::super::files::DATABASE);
        std::fs::remove_file(&database).unwrap();
        let old = Connection::open(&database).unwrap();
        for sql in &MIGRATIONS[..2] {
            old.execute_batch(sql).unwrap();
        }
        old.execute_batch(
            "INSERT INTO journal VALUES (1, 7, 1, zeroblob(32), x'01'), (2, NULL, NULL, zeroblob(32), x'02'),
                                       (3, 7, 2, zeroblob(32), x'03');
             INSERT INTO message VALUES (1, 'msg-1800000000000-0000001', 7, x'01'), (3, 'my-own', NULL, x'03');
             PRAGMA user_version = 2;",
        )
        .unwrap();
        let mut old = old;
        migrate(&mut old).unwrap();
        assert_eq!(version(&old).unwrap(), VERSION);
        drop(old);

        let reader = crate::SqliteReader::open(directory.path()).unwrap();
        let found = |id: &str| reader.message(&MessageId::new(id)).unwrap().map(|row| row.position);
        assert_eq!(found("msg-1800000000000-0000001"), Some(1));
        assert_eq!(found("my-own"), Some(3));
        assert_eq!(found("msg-1800000000001-0000001"), None, "another time is another id");
        let events = reader.journal_of(7, 0, 10).unwrap();
        assert_eq!(events.iter().map(|row| row.position).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(reader.journal_of(7, 1, 10).unwrap().len(), 1);
        assert_eq!(reader.messages_of(7, 0, 10).unwrap().len(), 1);
    }

    /// An event that is listed under another exchange, or not at all, is never shown as its own.
    #[test]
    fn g8_events_are_listed_as_they_were_written_or_not_at_all() {
        use crate::Store;
        use crate::conformance::Author;
        use crate::error::StoreError;

        let directory = tempfile::TempDir::new().unwrap();
        let mut store = Sqlite::open(directory.path()).unwrap();
        let mut author = Author::default();
        for (number, first) in [(7, 1), (9, 1), (7, 4)] {
            for seq in first..first + 3 {
                author.event(Some((number, seq)), "{}");
            }
        }
        store.commit(&author.take(1)).unwrap();
        let seqs = |store: &Sqlite| -> Vec<_> {
            store.journal_of(7, 0, 10).unwrap().iter().map(|row| (row.position, row.seq.unwrap())).collect()
        };
        let all = [(1, 1), (2, 2), (3, 3), (7, 4), (8, 5), (9, 6)];
        assert_eq!(seqs(&store), all);
        for wrong in [
            "UPDATE run SET position = position + 1 WHERE exchange = 7 AND seq = 1",
            "UPDATE run SET events = 2 WHERE exchange = 7 AND seq = 1",
            "DELETE FROM run WHERE exchange = 7 AND seq = 1",
        ] {
            store.connection.execute(wrong, ()).unwrap();
            let found = store.journal_of(7, 0, 10).unwrap_err();
            assert!(matches!(found, StoreError::Damaged { position: 7, .. }), "{wrong}: {found}");
            store.connection.execute_batch(RUNS).unwrap();
            assert_eq!(seqs(&store), all, "made anew");
        }
    }
}
