//! A store on PostgreSQL: one schema, any number of nodes, one writer at a time.
//!
//! One row is lease, sequencer and head of the chain. Every commit changes it and demands to find there what it knows:
//! its own epoch, the position and the hash it goes on from. Whoever finds something else is no longer the writer.

mod examine;
mod exchanges;
mod fault;
mod handoff;
mod lease;
mod maintenance;
mod read;
mod rows;
mod schema;
mod search;
mod session;
mod target;
mod tls;
mod write;

use std::cell::RefCell;
use std::time::Duration;

use wilco_protocol::Time;

use crate::batch::Batch;
use crate::error::{ConnectError, StoreError};
use crate::reader::Head;
use crate::realm::Fence;
use crate::{Reader, Store};

use fault::{Fault, FaultKind};
use rows::int;
use session::{Prepared, Session};

pub use examine::{PostgresHealth, SchemaState, examine_postgres, rescue_postgres};
pub use lease::{Beat, NodeRow, NodeSession, Term, WriterRow};
pub use maintenance::Maintenance;
pub use schema::Others;
pub use target::{PostgresOptions, PostgresTarget, has_password, with_password_of};

/// Reads; and writes, once it was given a term.
#[derive(Debug)]
pub struct Postgres {
    target: PostgresTarget,
    /// Opened when it is needed, and again when it broke. Borrowed while something is asked.
    session: RefCell<Option<Session>>,
    fence: Fence,
}

/// Between two tries to reach a server.
const AGAIN: Duration = Duration::from_millis(200);

/// Locks the row and moves the head on. Time goes on by itself there, and never stands.
const MOVE_HEAD: &str = "
    UPDATE writer SET position = $1, hash = $2, at = $3,
                      renewed = greatest(renewed + 1, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
    WHERE epoch = $4 AND position = $5 AND hash = $6 AND NOT released
    AND (SELECT version FROM schema_version) = $7";

impl Postgres {
    /// Reaches the database, waiting for it if need be, and makes or migrates the schema.
    pub fn open(target: &PostgresTarget) -> Result<Postgres, ConnectError> {
        let store = Postgres::open_for_rebuild(target)?;
        let sql = "SELECT EXISTS (SELECT 1 FROM meta WHERE key = 'rebuild')";
        match store.one(sql, &[], |row| rows::column(row, 0, 0))? {
            Some(true) => Err(ConnectError::RebuildInterrupted { target: target.shown.clone() }),
            Some(false) | None => Ok(store),
        }
    }

    /// Opens it also when its derived tables are incomplete.
    pub fn open_for_rebuild(target: &PostgresTarget) -> Result<Postgres, ConnectError> {
        Postgres::open_changing(target, Others::Spared)
    }

    /// The same, saying what becomes of nodes that know only an older schema.
    pub fn open_changing(target: &PostgresTarget, others: Others) -> Result<Postgres, ConnectError> {
        let session = reach(target)?;
        schema::prepare(&session, target, others)?;
        let store = Postgres { session: RefCell::new(Some(session)), ..Postgres::reader(target) };
        match store.note(maintenance::RESTORING)? {
            None => Ok(store),
            Some(_) => Err(ConnectError::RestoreInterrupted { target: target.shown.clone() }),
        }
    }

    /// Reads what is there; connects when it is asked the first time.
    pub fn reader(target: &PostgresTarget) -> Postgres {
        Postgres { target: target.clone(), session: RefCell::default(), fence: Fence::default() }
    }

    /// Writes from now on, as long as the term lasts.
    pub fn begin_term(&mut self, term: Term) -> Result<(), StoreError> {
        let head = self.head()?;
        self.fence.begin(term, head);
        Ok(())
    }

    /// Asks a session. What only reads is asked again once, over a new one, if the one that was there is gone.
    fn ask<T>(&self, work: impl Fn(&Session) -> Result<T, Fault>) -> Result<T, StoreError> {
        let mut slot = self.session.borrow_mut();
        if let Some(session) = &*slot {
            match work(session) {
                Err(fault) if fault.kind == FaultKind::Lost || session.is_closed() => *slot = None,
                answer => return answer.map_err(StoreError::from),
            }
        }
        let session = Session::open(&self.target)?;
        let answer = work(&session);
        if !session.is_closed() && !matches!(&answer, Err(fault) if fault.kind == FaultKind::Lost) {
            *slot = Some(session);
        }
        answer.map_err(StoreError::from)
    }

    /// Does all of it in one transaction of this term, with the head moved on, or nothing.
    fn transact(&mut self, head: &Head, work: Vec<Prepared<'_>>) -> Result<(), StoreError> {
        let (epoch, from) = (int(self.fence.epoch()?), self.fence.head());
        let mut statements: Vec<Prepared<'_>> = vec![(
            MOVE_HEAD,
            vec![
                Box::new(int(head.position)),
                Box::new(head.hash.to_vec()),
                Box::new(head.at.map(Time::millis)),
                Box::new(epoch),
                Box::new(int(from.position)),
                Box::new(from.hash.to_vec()),
                Box::new(schema::VERSION),
            ],
        )];
        statements.extend(work);
        let channel = lease::channel(&self.target.schema);
        statements
            .push(("SELECT pg_notify($1, $2)", vec![Box::new(channel), Box::new(head.position.to_string())]));
        let slot = self.session.get_mut();
        let session = match slot.take().filter(|session| !session.is_closed()) {
            Some(session) => session,
            // Whoever cannot be reached for as long as a lease is not waited for.
            None => Session::open(&self.target.clone().connecting_within(self.target.lease))?,
        };
        // Begun before anything else is sent: outside of a transaction each statement would count by itself.
        session.begin()?;
        match session.execute_all(&statements) {
            Err(fault) => {
                if fault.kind != FaultKind::Lost {
                    session.roll_back();
                    *slot = Some(session);
                }
                return Err(fault.into());
            }
            Ok(touched) if touched.first() != Some(&1) => {
                session.roll_back();
                *slot = Some(session);
                return Err(self.fence.refused());
            }
            Ok(_) => {}
        }
        let doubt = match session.commit() {
            Ok(warnings) => warnings.into_iter().next(),
            Err(fault) => Some(fault.reason),
        };
        if let Some(doubt) = doubt {
            return Err(self.fence.doubted(&doubt));
        }
        *slot = Some(session);
        self.fence.moved(head.clone());
        Ok(())
    }

    /// Takes the next messages into the index for full text; up to where they are in it, and whether there are more.
    pub fn follow_index(&self) -> Result<(u64, bool), StoreError> {
        search::follow(self)
    }
}

/// Connects, and waits for a server that is not there yet. Whoever is not let in does not wait.
fn reach(target: &PostgresTarget) -> Result<Session, ConnectError> {
    let tries = (target.patience.as_millis() / AGAIN.as_millis()).max(1);
    let mut outcome = Session::open(target);
    for _ in 1..tries {
        match &outcome {
            Err(fault) if fault.kind == FaultKind::Lost => {
                std::thread::sleep(AGAIN);
                outcome = Session::open(target);
            }
            Ok(_) | Err(_) => break,
        }
    }
    outcome.map_err(|fault| schema::refused(target, fault))
}

impl Store for Postgres {
    fn commit(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let last = self.fence.head().clone();
        batch.follows(last.position)?;
        let mut head = Head { at: Some(batch.at), ..last };
        if let Some(row) = batch.journal.last() {
            (head.position, head.hash) = (row.position, row.hash);
        }
        self.transact(&head, write::batch(batch)?)
    }

    fn begin_rebuild(&mut self) -> Result<(), StoreError> {
        let mut work: Vec<Prepared<'_>> = schema::EMPTY_DERIVED.map(|sql| (sql, Vec::new())).into();
        work.push((
            "INSERT INTO meta (key, value) VALUES ('rebuild', 1) ON CONFLICT (key) DO NOTHING",
            Vec::new(),
        ));
        self.transact(&self.fence.head().clone(), work)
    }

    fn finish_rebuild(&mut self) -> Result<(), StoreError> {
        self.transact(
            &self.fence.head().clone(),
            vec![("DELETE FROM meta WHERE key = 'rebuild'", Vec::new())],
        )
    }
}
