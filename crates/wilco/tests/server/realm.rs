//! A schema of a real PostgreSQL for each data directory, so that a server that is started again finds it again.
//!
//! With `WILCO_TESTS_ON=postgres` every test that starts a server runs on it.

use std::path::Path;
use std::time::Duration;

use wilco_store::{Postgres, PostgresOptions, PostgresTarget};
use wilco_testkit::postgres_server::shared;

/// Whether all servers are to run on PostgreSQL.
pub(crate) fn on_postgres() -> bool {
    std::env::var_os("WILCO_TESTS_ON").is_some_and(|on| on == "postgres")
}

/// What a server on this directory is told about its store.
pub(crate) fn environment(data: &Path) -> [(String, String); 3] {
    [
        ("WILCO_STORE_URL".to_owned(), shared().url()),
        ("WILCO_STORE_SCHEMA".to_owned(), schema(data)),
        ("WILCO_STORE_LEASE".to_owned(), "2s".to_owned()),
    ]
}

/// The same, for who looks into the schema.
pub(crate) fn target(data: &Path) -> PostgresTarget {
    let options = PostgresOptions {
        url: shared().url(),
        schema: schema(data),
        ca_file: None,
        password_file: None,
        pass_file: None,
        patience: Duration::from_secs(10),
        lease: Duration::from_secs(2),
    };
    PostgresTarget::new(&options).unwrap()
}

/// What a server on this directory wrote down of replacements.
pub(crate) fn replacement_audit(data: &Path) -> String {
    match on_postgres() {
        true => {
            let entries = Postgres::reader(&target(data)).replacements(0, 100).unwrap();
            entries.into_iter().map(|(_, entry)| String::from_utf8(entry).unwrap()).collect()
        }
        false => std::fs::read_to_string(data.join("replacement_audit.yaml")).unwrap(),
    }
}

fn schema(data: &Path) -> String {
    let name = data.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.chars().filter(char::is_ascii_alphanumeric).fold("t".to_owned(), |schema, letter| match letter {
        // Letter case tells directories apart, and schemas not.
        'A'..='Z' => format!("{schema}_{}", letter.to_ascii_lowercase()),
        letter => format!("{schema}{letter}"),
    })
}
