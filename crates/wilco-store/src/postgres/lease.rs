//! Who writes, and who is there: names, heartbeats, the lease and what is told when something was committed.

use std::time::Duration;

use tokio_postgres::Row;
use wilco_protocol::Time;

use crate::batch::EffectRow;
use crate::error::{ConnectError, StoreError};

use super::fault::{Fault, FaultKind};
use super::read::EFFECT;
use super::rows::{self, int};
use super::schema::{FORMAT, HAS_NAME, Others, VERSION, refused};
use super::session::Session;
use super::target::PostgresTarget;
use super::{reach, schema};

/// The right to write, until somebody else takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    pub epoch: u64,
    /// When the last commit of an earlier term was.
    pub last_commit: Option<Time>,
    /// When the writer before gave its last sign of life, by the database's clock.
    pub last_renewed: Option<Time>,
}

/// The one row that says who writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriterRow {
    pub epoch: u64,
    pub node: String,
    pub address: String,
    pub position: u64,
    /// Changes with every sign of life.
    pub renewed: i64,
    /// Whether it was given back.
    pub released: bool,
    /// How long ago it changed, by the database's clock.
    pub age: Duration,
    /// How the newest events are written.
    pub format: i64,
    /// The version of the schema.
    pub schema: i64,
}

impl WriterRow {
    /// Why this wilco cannot work on what is there any more, if so.
    pub fn is_beyond(&self) -> Option<String> {
        (self.schema > VERSION).then(|| {
            format!(
                "the schema has version {} by now, this wilco knows up to {VERSION}; start the newer wilco here too",
                self.schema
            )
        })
    }

    /// Why this wilco must leave writing to others, if so: they write events that it cannot read.
    pub fn is_foreign(&self) -> Option<String> {
        (self.format > FORMAT).then(|| {
            format!(
                "events have format {} by now, this wilco knows up to {FORMAT}; it only follows",
                self.format
            )
        })
    }
}

/// A node as the others see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeRow {
    pub name: String,
    pub address: String,
    pub version: String,
    pub epoch: u64,
    pub last_seen: Time,
    /// How long ago that was, by the database's clock.
    pub silent: Duration,
    pub position: u64,
    /// Milliseconds by which its clock is before that of the database.
    pub clock: i64,
    /// Whether it has its name now.
    pub there: bool,
    /// Effects that name it and are due.
    pub waiting: u64,
}

/// The connection that holds a node's name, renews its lease and hears what others commit.
#[derive(Debug)]
pub struct NodeSession {
    target: PostgresTarget,
    session: Session,
    name: String,
}

/// What is told on when something was committed.
pub(super) fn channel(schema: &str) -> String {
    format!("wilco_{schema}")
}

const NOW: &str = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";
const WRITER: &str = "SELECT epoch, node, address, position, renewed, released,
    greatest((extract(epoch FROM clock_timestamp()) * 1000)::bigint - renewed, 0), format,
    (SELECT version FROM schema_version) FROM writer";

/// The lock that stands for a name; it ends with its session.
const NAME_LOCK: &str = "hashtextextended('wilco node ' || $1::text || ' ' || $2::text, 0)";

impl NodeSession {
    /// Takes the name. One that is taken is waited for as long as a lease: its holder may have died just now.
    pub fn open(target: &PostgresTarget, name: &str) -> Result<NodeSession, ConnectError> {
        schema::prepare(&reach(target)?, target, Others::Spared)?;
        NodeSession::open_as_it_is(target, name)
    }

    /// The same of a schema that is there.
    pub(super) fn open_as_it_is(target: &PostgresTarget, name: &str) -> Result<NodeSession, ConnectError> {
        let failed = |fault: Fault| refused(target, fault);
        let soon = target.clone().answering_within(target.lease / 3);
        let session = Session::open(&soon).map_err(failed)?;
        let session = NodeSession { target: target.clone(), session, name: name.to_owned() };
        let step = Duration::from_millis(100);
        let tries = (target.lease.as_millis() / step.as_millis()).max(1);
        for _ in 0..tries {
            if session.take_name().map_err(failed)? {
                return Ok(session);
            }
            std::thread::sleep(step);
        }
        Err(ConnectError::NameTaken { name: name.to_owned() })
    }

    /// The same without patience, for one that had the name before: whoever waits for an answer must not wait long.
    pub fn again(target: &PostgresTarget, name: &str) -> Result<NodeSession, ConnectError> {
        let soon = target.clone().answering_within(target.lease / 3);
        let failed = |fault: Fault| refused(target, fault);
        let session = Session::open(&soon).map_err(failed)?;
        let session = NodeSession { target: target.clone(), session, name: name.to_owned() };
        match session.take_name().map_err(failed)? {
            true => Ok(session),
            false => Err(ConnectError::NameTaken { name: name.to_owned() }),
        }
    }

    fn take_name(&self) -> Result<bool, Fault> {
        let sql = format!("SELECT pg_try_advisory_lock({NAME_LOCK})");
        let row = self.session.first(&sql, &[&self.target.schema, &self.name])?;
        let is_taken = row.is_some_and(|row| row.get(0));
        if is_taken {
            self.session.run(&format!("LISTEN \"{}\"", channel(&self.target.schema)))?;
        }
        Ok(is_taken)
    }

    /// What is kept under this name.
    pub fn document(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let row = self.session.first("SELECT body FROM document WHERE name = $1", &[&name])?;
        row.map(|row| rows::column(&row, 0, 0)).transpose()
    }

    pub fn writer(&self) -> Result<WriterRow, StoreError> {
        let row = self.session.first(WRITER, &[])?;
        let missing =
            || StoreError::Damaged { position: 0, reason: "the row of the writer is missing".to_owned() };
        writer_row(&row.ok_or_else(missing)?)
    }

    /// Takes the next epoch, if nothing changed since the row was looked at. None when something did.
    pub fn take_over(&self, seen: &WriterRow, address: &str) -> Result<Option<Term>, StoreError> {
        let wait = (self.target.lease / 3).as_millis();
        self.session
            .run(&format!("BEGIN; SET LOCAL synchronous_commit = on; SET LOCAL lock_timeout = {wait}"))?;
        let sql = format!(
            "UPDATE writer SET epoch = epoch + 1, node = $1, address = $2, released = false,
                               renewed = greatest(renewed + 1, {NOW}), format = {FORMAT}
             WHERE epoch = $3 AND renewed = $4 AND format <= {FORMAT} AND (SELECT version FROM schema_version) = $5 RETURNING epoch, at"
        );
        let values = [
            &self.name as super::session::Value<'_>,
            &address,
            &int(seen.epoch),
            &seen.renewed,
            &schema::VERSION,
        ];
        let row = match self.session.first(&sql, &values) {
            Ok(row) => row,
            Err(fault) => {
                self.session.roll_back();
                if fault.kind == FaultKind::Refused {
                    self.end_holder()?;
                }
                return Err(fault.into());
            }
        };
        let Some(row) = row else {
            self.session.roll_back();
            return Ok(None);
        };
        let warnings = self.session.commit().map_err(|fault| StoreError::Unknown(fault.reason.into()))?;
        if let Some(warning) = warnings.into_iter().next() {
            // Others may not have it yet; whoever looks next finds what is true.
            return Err(StoreError::Unknown(warning.into()));
        }
        let last_commit = rows::column::<Option<i64>>(&row, 1, 0)?.map(Time::from_millis);
        let last_renewed = Some(Time::from_millis(seen.renewed)).filter(|_| seen.renewed > 0);
        Ok(Some(Term { epoch: rows::number(&row, 0, 0)?, last_commit, last_renewed }))
    }

    /// A session of a writer that hangs keeps the row locked: it is ended. What it was committing is unknown to it.
    fn end_holder(&self) -> Result<(), StoreError> {
        let sql = "SELECT pg_terminate_backend(pid) FROM pg_locks
                   WHERE relation = 'writer'::regclass AND mode = 'RowExclusiveLock' AND granted
                   AND pid <> pg_backend_pid()";
        self.session.query(sql, &[])?;
        Ok(())
    }

    /// A sign of life of the writer. Fenced when its epoch is over.
    pub fn renew(&self, term: &Term) -> Result<(), StoreError> {
        let sql = format!(
            "UPDATE writer SET renewed = greatest(renewed + 1, {NOW}) WHERE epoch = $1 AND NOT released"
        );
        match self.session.execute(&sql, &[&int(term.epoch)])? {
            1 => Ok(()),
            _ => Err(StoreError::Fenced { reason: format!("epoch {} is over", term.epoch) }),
        }
    }

    /// Gives the lease back: the next one need not wait for it to run out.
    pub fn release(&self, term: &Term) -> Result<(), StoreError> {
        let channel = channel(&self.target.schema);
        self.session.execute("UPDATE writer SET released = true WHERE epoch = $1", &[&int(term.epoch)])?;
        self.session.execute("SELECT pg_notify($1, 'released')", &[&channel])?;
        Ok(())
    }

    /// A sign of life of this node, and the database's clock before ours, in milliseconds.
    pub fn beat(&self, beat: &Beat<'_>) -> Result<Time, StoreError> {
        let sql = format!(
            "INSERT INTO node (name, address, version, epoch, seen, position, clock, knows)
             VALUES ($1, $2, $3, $4, {NOW}, $5, $6 - {NOW}, {VERSION})
             ON CONFLICT (name) DO UPDATE SET address = excluded.address, version = excluded.version,
                 knows = excluded.knows, epoch = excluded.epoch, seen = excluded.seen, position = excluded.position, clock = excluded.clock
             RETURNING seen"
        );
        let row = self.session.first(
            &sql,
            &[
                &self.name,
                &beat.address,
                &beat.version,
                &int(beat.epoch),
                &int(beat.position),
                &beat.now.millis(),
            ],
        )?;
        row.map(|row| rows::time(&row, 0)).transpose().map(Option::unwrap_or_default)
    }

    /// What names this node and is due, the longest due first.
    pub fn effects(&self, now: Time, most: usize) -> Result<Vec<EffectRow>, StoreError> {
        let sql = format!("{EFFECT} WHERE node = $1 AND due <= $2 ORDER BY due, position, idx LIMIT $3");
        let found = self.session.query(&sql, &[&self.name, &now.millis(), &rows::limit(most)])?;
        found.iter().map(rows::effect).collect()
    }

    /// What is due at nodes that are gone: silent for longer than a lease, or without their name.
    pub fn unreached(&self) -> Result<Vec<EffectRow>, StoreError> {
        let gone = format!("SELECT name FROM node WHERE seen < {NOW} - $2::bigint OR NOT {HAS_NAME}");
        let sql = format!("{EFFECT} WHERE node IN ({gone}) AND due <= {NOW}");
        let lease = i64::try_from(self.target.lease.as_millis()).unwrap_or(i64::MAX);
        let found = self.session.query(&sql, &[&self.target.schema, &lease])?;
        found.iter().map(rows::effect).collect()
    }

    /// Waits until something is committed or the lease given back, at most so long; whether something was told.
    pub fn listen(&self, within: Duration) -> Result<bool, StoreError> {
        Ok(self.session.listen(within)?)
    }
}

/// What a node says of itself.
#[derive(Debug)]
pub struct Beat<'a> {
    pub address: &'a str,
    pub version: &'a str,
    pub epoch: u64,
    pub position: u64,
    /// By its own clock.
    pub now: Time,
}

fn writer_row(row: &Row) -> Result<WriterRow, StoreError> {
    Ok(WriterRow {
        epoch: rows::number(row, 0, 0)?,
        node: rows::column(row, 1, 0)?,
        address: rows::column(row, 2, 0)?,
        position: rows::number(row, 3, 0)?,
        renewed: rows::column(row, 4, 0)?,
        released: rows::column(row, 5, 0)?,
        age: Duration::from_millis(rows::number(row, 6, 0)?),
        format: rows::column(row, 7, 0)?,
        schema: rows::column(row, 8, 0)?,
    })
}

impl super::Postgres {
    /// Who writes.
    pub fn writer(&self) -> Result<WriterRow, StoreError> {
        let missing =
            || StoreError::Damaged { position: 0, reason: "the row of the writer is missing".to_owned() };
        self.one(WRITER, &[], writer_row)?.ok_or_else(missing)
    }

    /// What time it is there.
    pub fn clock(&self) -> Result<Time, StoreError> {
        let now = self.one(&format!("SELECT {NOW}"), &[], |row| rows::time(row, 0))?;
        Ok(now.unwrap_or_default())
    }

    /// A number that is kept beside the data.
    pub fn note(&self, key: &str) -> Result<Option<i64>, StoreError> {
        self.one("SELECT value FROM meta WHERE key = $1", &[&key], |row| rows::column(row, 0, 0))
    }

    pub fn put_note(&self, key: &str, value: i64) -> Result<(), StoreError> {
        let sql = "INSERT INTO meta (key, value) VALUES ($1, $2) ON CONFLICT (key) DO UPDATE SET value = excluded.value";
        self.ask(|session| session.execute(sql, &[&key, &value])).map(drop)
    }

    /// What is kept under this name.
    pub fn document(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.one("SELECT body FROM document WHERE name = $1", &[&name], |row| rows::column(row, 0, 0))
    }

    /// Puts another in the place of what was read; whether that was still there.
    pub fn replace_document(
        &self,
        name: &str,
        former: Option<&[u8]>,
        new: &[u8],
    ) -> Result<bool, StoreError> {
        let changed = match former {
            None => {
                let sql = "INSERT INTO document (name, body) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
                self.ask(|session| session.execute(sql, &[&name, &new]))?
            }
            Some(former) => {
                let sql = "UPDATE document SET body = $2 WHERE name = $1 AND body = $3";
                self.ask(|session| session.execute(sql, &[&name, &new, &former]))?
            }
        };
        Ok(changed == 1)
    }

    /// Every node that ever was, in the order of their names.
    pub fn nodes(&self) -> Result<Vec<NodeRow>, StoreError> {
        let sql = format!(
            "SELECT name, address, version, epoch, seen, greatest({NOW} - seen, 0), position, clock,
                    {HAS_NAME},
                    (SELECT count(*) FROM effect WHERE effect.node = node.name AND due <= {NOW})
             FROM node ORDER BY name COLLATE \"C\""
        );
        self.list(&sql, &[&self.target.schema], |row| {
            Ok(NodeRow {
                name: rows::column(row, 0, 0)?,
                address: rows::column(row, 1, 0)?,
                version: rows::column(row, 2, 0)?,
                epoch: rows::number(row, 3, 0)?,
                last_seen: rows::time(row, 4)?,
                silent: Duration::from_millis(rows::number(row, 5, 0)?),
                position: rows::number(row, 6, 0)?,
                clock: rows::column(row, 7, 0)?,
                there: rows::column(row, 8, 0)?,
                waiting: rows::number(row, 9, 0)?,
            })
        })
    }
}
