//! What tests do to a schema of PostgreSQL behind the backs of those who use it: statements, for who can run them.

/// Another wilco brought it to this version.
pub fn of_version(schema: &str, version: i64) -> String {
    format!("UPDATE {schema}.schema_version SET version = {version}")
}

/// The first wilco made it.
pub fn of_first_version(schema: &str) -> String {
    format!(
        "ALTER TABLE {schema}.writer DROP COLUMN format; ALTER TABLE {schema}.node DROP COLUMN knows;
         ALTER TABLE {schema}.effect DROP COLUMN node; DROP TABLE {schema}.agent_change; DROP TABLE {schema}.handoff_document;
         DROP TABLE {schema}.replacement; {}",
        of_version(schema, 1)
    )
}

/// A standby that was behind took its place: the newest event is missing.
pub fn of_before(schema: &str) -> String {
    format!(
        "DELETE FROM {schema}.journal WHERE position = (SELECT max(position) FROM {schema}.journal);
         UPDATE {schema}.writer SET position = position - 1,
                hash = (SELECT hash FROM {schema}.journal ORDER BY position DESC LIMIT 1)"
    )
}

/// Whatever this user is connected by is cut.
pub fn without_sessions_of(user: &str) -> String {
    format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{user}'")
}

/// A rebuild was interrupted before it had folded anything.
pub fn rebuilding(schema: &str) -> String {
    format!(
        "INSERT INTO {schema}.meta VALUES ('rebuild', 1); DELETE FROM {schema}.inbox; DELETE FROM {schema}.exchange"
    )
}
