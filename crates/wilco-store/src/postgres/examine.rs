//! Whether a database can be trusted with a realm: asked by who is about to use it. Changes nothing.

use std::time::Duration;

use wilco_protocol::Time;

use crate::error::ConnectError;
use crate::reader::Reader;
use crate::salvage::{EachEvent, Salvaged, salvage};

use super::fault::Fault;
use super::schema::{self, OLDEST_SERVER, VERSION, refused};
use super::session::Session;
use super::target::PostgresTarget;
use super::{reach, rows};

/// What was found.
#[derive(Debug, Clone)]
pub struct PostgresHealth {
    pub version: String,
    pub is_old: bool,
    /// As the server has them; every commit asks for `synchronous_commit = on` itself.
    pub synchronous_commit: String,
    pub fsync: bool,
    /// Standbys that commits wait for; none: whoever asks may not see it.
    pub standbys: Option<i64>,
    /// Whether commits are to wait for a standby at all.
    pub waits_for_standby: bool,
    /// What time it is there.
    pub now: Time,
    pub schema: SchemaState,
    /// The rights that are missing, in PostgreSQL's words.
    pub missing_rights: Vec<String>,
    /// Who keeps the oldest snapshot open, and for how long.
    pub oldest_snapshot: Option<(String, Duration)>,
    /// Whether statements of one session reach different ones of the server.
    pub is_pooled: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaState {
    /// The first start makes it.
    Missing,
    Current,
    /// The next start migrates it.
    Older {
        found: i64,
        known: i64,
    },
    Newer {
        found: i64,
        known: i64,
    },
}

/// Looks at the database, waiting for it if need be.
pub fn examine_postgres(target: &PostgresTarget) -> Result<PostgresHealth, ConnectError> {
    // Before anything is prepared in a session: behind a pooler that would fail somewhere else each time.
    let is_pooled = is_pooled(target)?;
    let session = reach(target)?;
    look(&session, target, is_pooled).map_err(|fault| refused(target, fault))
}

fn look(session: &Session, target: &PostgresTarget, is_pooled: bool) -> Result<PostgresHealth, Fault> {
    let one = |sql: &str| Ok::<_, Fault>(session.asked_plainly(sql)?.unwrap_or_default());
    let reset = |name: &str| one(&format!("SELECT reset_val FROM pg_settings WHERE name = '{name}'"));
    let standbys = "SELECT CASE WHEN bool_or(sync_state IS NULL) THEN NULL
                    ELSE count(*) FILTER (WHERE sync_state IN ('sync', 'quorum')) END FROM pg_stat_replication";
    let now = one("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")?;
    Ok(PostgresHealth {
        is_old: one("SHOW server_version_num")?.parse::<i32>().is_ok_and(|number| number < OLDEST_SERVER),
        version: one("SHOW server_version")?,
        synchronous_commit: reset("synchronous_commit")?,
        fsync: one("SHOW fsync")? == "on",
        standbys: session.asked_plainly(standbys)?.and_then(|count| count.parse().ok()),
        waits_for_standby: !one("SHOW synchronous_standby_names")?.is_empty(),
        now: Time::from_millis(now.parse().unwrap_or_default()),
        schema: state(session, target)?,
        missing_rights: missing_rights(session, target)?,
        oldest_snapshot: oldest_snapshot(session)?,
        is_pooled,
    })
}

/// In session mode a session keeps its backend, also while another one is in a transaction.
fn is_pooled(target: &PostgresTarget) -> Result<bool, ConnectError> {
    const WHO: &str = "SELECT pg_backend_pid()";
    let failed = |fault: Fault| refused(target, fault);
    let (one, other) = (reach(target)?, reach(target)?);
    let before = one.asked_plainly(WHO).map_err(failed)?;
    other.run("BEGIN").map_err(failed)?;
    let of_other = other.asked_plainly(WHO).map_err(failed)?;
    let after = one.asked_plainly(WHO).map_err(failed)?;
    other.roll_back();
    Ok(before != after || before == of_other)
}

fn state(session: &Session, target: &PostgresTarget) -> Result<SchemaState, Fault> {
    let there = format!("SELECT to_regclass('\"{}\".schema_version') IS NOT NULL", target.schema);
    if session.asked_plainly(&there)?.as_deref() != Some("t") {
        return Ok(SchemaState::Missing);
    }
    let found = session.asked_plainly("SELECT version FROM schema_version")?;
    let found = found.and_then(|found| found.parse().ok()).unwrap_or_default();
    Ok(match found {
        VERSION => SchemaState::Current,
        found if found > VERSION => SchemaState::Newer { found, known: VERSION },
        found => SchemaState::Older { found, known: VERSION },
    })
}

/// To make the schema, or to use and migrate the one that is there.
fn missing_rights(session: &Session, target: &PostgresTarget) -> Result<Vec<String>, Fault> {
    let schema = &target.schema;
    let may = |sql: String| Ok::<_, Fault>(session.asked_plainly(&sql)?.as_deref() == Some("t"));
    let mut missing = Vec::new();
    if !may(format!("SELECT EXISTS (SELECT 1 FROM pg_namespace WHERE nspname = '{schema}')"))? {
        if !may("SELECT has_database_privilege(current_database(), 'CREATE')".to_owned())? {
            missing.push("CREATE on the database, to make the schema".to_owned());
        }
        return Ok(missing);
    }
    for right in ["USAGE", "CREATE"] {
        if !may(format!("SELECT has_schema_privilege('{schema}', '{right}')"))? {
            missing.push(format!("{right} on the schema {schema}"));
        }
    }
    let tables = format!(
        "SELECT count(*) FROM pg_tables WHERE schemaname = '{schema}' AND NOT
         has_table_privilege(format('%I.%I', schemaname, tablename), 'SELECT, INSERT, UPDATE, DELETE')"
    );
    if session.asked_plainly(&tables)?.is_some_and(|count| count != "0") {
        missing.push(format!("SELECT, INSERT, UPDATE and DELETE on the tables of {schema}"));
    }
    Ok(missing)
}

/// Rows that were replaced since cannot be swept up, and the one that every commit changes grows.
fn oldest_snapshot(session: &Session) -> Result<Option<(String, Duration)>, Fault> {
    let sql = "SELECT concat(pid, ' (', coalesce(nullif(application_name, ''), usename, 'unknown'), ')'),
                      greatest(extract(epoch FROM clock_timestamp() - xact_start), 0)::float8
               FROM pg_stat_activity
               WHERE backend_xmin IS NOT NULL AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
               ORDER BY xact_start LIMIT 1";
    let Some(row) = session.first(sql, &[])? else { return Ok(None) };
    let of = |error: crate::error::StoreError| Fault::silent(&error.to_string());
    let who = rows::column::<String>(&row, 0, 0).map_err(of)?;
    let age = rows::column::<f64>(&row, 1, 0).map_err(of)?;
    Ok(Some((who, Duration::from_secs_f64(age.max(0.0)))))
}

/// Hands over each event of a schema that is whole, with its message. Changes nothing.
pub fn rescue_postgres(target: &PostgresTarget, each: &mut EachEvent<'_>) -> Result<Salvaged, ConnectError> {
    let store = super::Postgres::reader(target);
    store.check_version(target)?;
    let end = store.head().map_or(0, |head| head.position);
    Ok(salvage(&store, (end > 0).then_some(end), each)?)
}

impl super::Postgres {
    /// Refuses while a node runs, naming it: what is done to the data would be done behind its back.
    pub fn without_nodes(&self) -> Result<(), ConnectError> {
        let living = self.ask(|session| schema::living(session, &self.target.schema))?;
        match living.is_empty() {
            true => Ok(()),
            false => Err(ConnectError::InUse { target: self.target.shown.clone(), nodes: living.join(", ") }),
        }
    }
}
