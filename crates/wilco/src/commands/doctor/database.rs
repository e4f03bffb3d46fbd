//! Can the database be trusted with the data, and is it well?

use std::time::Duration;

use wilco_runtime::Clock;
use wilco_store::{ConnectError, PostgresHealth, PostgresTarget, SchemaState, examine_postgres};

use super::Exam;
use super::finding::Finding;
use crate::place::Place;

/// A snapshot that is open for longer keeps dead rows from being swept up.
const OLD: Duration = Duration::from_secs(300);
/// Milliseconds; more is told.
const CLOCK_MAY_BE_OFF: i64 = 1000;

/// Looks at the database, if the data is in one.
pub(super) fn examine(exam: &mut Exam<'_>, place: &Place) {
    let target = match place.store() {
        Ok(None) => return,
        Ok(Some(target)) => target,
        Err(error) => {
            let finding = Finding::wrong("database", format!("{error:#}"));
            return exam.found.push(finding.next("wilco config show"));
        }
    };
    match examine_postgres(&target) {
        Ok(health) => exam.found.extend(findings(&target, &health, Clock::wall().millis())),
        Err(error) => {
            let next = match &error {
                ConnectError::Unwelcome { .. } => "psql with the same user, password and database",
                ConnectError::Unreachable { .. } => "pg_isready with the same host and port",
                _ => "wilco config show",
            };
            exam.found.push(Finding::wrong("database", error.to_string()).next(next));
        }
    }
}

fn findings(target: &PostgresTarget, health: &PostgresHealth, now: i64) -> Vec<Finding> {
    let mut found = vec![Finding::fine("database", format!("{target:?} answers and takes writes"))];
    found.push(match health.is_old {
        true => Finding::wrong("version", format!("PostgreSQL {}; 15 or newer is needed", health.version))
            .next("pg_upgradecluster, or a newer server"),
        false => Finding::fine("version", format!("PostgreSQL {}", health.version)),
    });
    if health.is_pooled {
        let text =
            "a pooler shares sessions between statements; names of nodes and notifications live in sessions";
        found.push(Finding::wrong("pooler", text).next("set pool_mode = session there, or connect past it"));
    }
    found.push(schema(health.schema));
    found.extend(health.missing_rights.iter().map(|right| {
        Finding::wrong("rights", format!("the user lacks {right}"))
            .next("GRANT it as the owner of the database")
    }));
    found.extend(durability(health));
    found.push(standby(health));
    let off = now - health.now.millis();
    if off.abs() > CLOCK_MAY_BE_OFF {
        let text = format!("this machine's is {off:+} ms off the database's, which is the one that counts");
        found.push(Finding::note("clock", text).next("timedatectl status, here and there"));
    } else {
        found.push(Finding::fine("clock", "as the database's"));
    }
    if let Some((who, age)) = health.oldest_snapshot.as_ref().filter(|(_, age)| *age > OLD) {
        let minutes = age.as_secs() / 60;
        let text =
            format!("{who} has kept one open for {minutes} min; dead rows cannot be swept up meanwhile");
        let pid = who.split(' ').next().unwrap_or_default();
        let next = format!("end it with pg_terminate_backend({pid}), if nobody needs it");
        found.push(Finding::note("old snapshot (backend_xmin)", text).next(next));
    }
    found
}

fn schema(state: SchemaState) -> Finding {
    match state {
        SchemaState::Missing => {
            Finding::note("schema", "not there yet; the first start makes it").next("wilco serve")
        }
        SchemaState::Current => Finding::fine("schema", "of this version"),
        SchemaState::Older { found, known } => {
            let text = format!("version {found}, this wilco knows {known}: the next start migrates it");
            Finding::note("schema", text)
                .next("wilco backup FILE, then wilco serve (--migrate while others run)")
        }
        SchemaState::Newer { found, known } => {
            let text = format!("version {found}, this wilco knows up to {known}");
            Finding::wrong("schema", text).next("use the newer wilco that made it")
        }
    }
}

fn durability(health: &PostgresHealth) -> Vec<Finding> {
    let mut found = Vec::new();
    if !health.fsync {
        let text = "off: a crash of the database can lose what was acknowledged, and more";
        found
            .push(Finding::wrong("fsync", text).next("ALTER SYSTEM SET fsync = on, then restart PostgreSQL"));
    }
    match health.synchronous_commit.as_str() {
        "off" => {
            let text = "off; Wilco asks for it in its own commits, and nothing else in this database is safe";
            let next = "ALTER SYSTEM SET synchronous_commit = on, then reload PostgreSQL";
            found.push(Finding::wrong("synchronous_commit", text).next(next));
        }
        "on" | "remote_apply" => {}
        other => {
            found.push(Finding::note("synchronous_commit", format!("{other}; Wilco's own commits use on")))
        }
    }
    if found.is_empty() {
        found.push(Finding::fine("durability", "fsync and synchronous_commit are on"));
    }
    found
}

fn standby(health: &PostgresHealth) -> Finding {
    let next = "set synchronous_standby_names, or let Patroni do it (synchronous_mode)";
    match (health.waits_for_standby, health.standbys) {
        (true, Some(0)) => {
            let text = "one is named and none is there: commits wait for it";
            Finding::note("synchronous standby", text).next("look at pg_stat_replication")
        }
        (true, Some(many)) => Finding::fine("synchronous standby", format!("{many} there")),
        (true, None) => {
            Finding::fine("synchronous standby", "asked for; this user may not see whether it is there")
        }
        (false, _) => {
            let text =
                "there is none: with the machine of the database what it acknowledged last can be lost";
            Finding::note("synchronous standby", text).next(next)
        }
    }
}

#[cfg(test)]
mod tests {
    use wilco_protocol::Time;
    use wilco_store::PostgresOptions;

    use super::*;

    /// PG-2: what no test can bring about in a real server: an old version, and a snapshot that is open for long.
    #[test]
    fn pg_2_doctor_names_an_old_server_fsync_off_and_an_old_snapshot() {
        let options = PostgresOptions {
            url: "postgres://wilco@127.0.0.1/db".to_owned(),
            schema: "w".to_owned(),
            ca_file: None,
            password_file: None,
            pass_file: None,
            patience: Duration::from_secs(1),
            lease: Duration::from_secs(2),
        };
        let target = PostgresTarget::new(&options).unwrap();
        let health = PostgresHealth {
            version: "14.2".to_owned(),
            is_old: true,
            synchronous_commit: "on".to_owned(),
            fsync: false,
            standbys: None,
            waits_for_standby: true,
            now: Time::from_millis(0),
            schema: SchemaState::Current,
            missing_rights: Vec::new(),
            oldest_snapshot: Some(("4711 (pg_dump)".to_owned(), Duration::from_secs(600))),
            is_pooled: false,
        };
        let found: Vec<_> = findings(&target, &health, 0).iter().map(Finding::json).collect();
        let of = |about: &str| found.iter().find(|one| one["about"] == about).unwrap().clone();
        for (about, level, next) in [
            ("version", "wrong", "pg_upgradecluster"),
            ("fsync", "wrong", "ALTER SYSTEM SET fsync = on"),
            ("old snapshot (backend_xmin)", "note", "pg_terminate_backend(4711)"),
        ] {
            let finding = of(about);
            assert_eq!(finding["level"], level, "{finding}");
            assert!(finding["next"].as_str().unwrap().contains(next), "{finding}");
        }
    }
}
