//! What is done to a schema while no node serves it: it is filled from a copy, or what is derived is folded again. It has
//! a term of its own, so that a node that comes in between fences it.

use wilco_protocol::Time;

use crate::batch::{Batch, IdempotencyRow};
use crate::error::{ConnectError, StoreError};
use crate::moving::{Fill, Operational, Source};
use crate::reader::{Head, Reader};

use super::fault::Fault;
use super::lease::{NodeSession, Term};
use super::read::EFFECT;
use super::schema::{self, Others, refused};
use super::session::{Prepared, Session, Value};
use super::target::PostgresTarget;
use super::{Postgres, reach, rows, write};

/// Under this name nothing else is done to a schema at the same time.
const NAME: &str = "(maintenance)";

const ANSWERS: &str = "SELECT sender, key, request, at, answer FROM idempotency";

#[derive(Debug)]
pub struct Maintenance {
    session: NodeSession,
    term: Term,
    store: Postgres,
}

impl Maintenance {
    /// The newest position, if there is anything that would be replaced. Refused while a node runs.
    pub fn looks_at(target: &PostgresTarget) -> Result<Option<u64>, ConnectError> {
        let store = Postgres::open_as_it_is(target)?;
        store.without_nodes()?;
        let position = store.head()?.position;
        Ok((position > 0 && store.note(RESTORING)?.is_none()).then_some(position))
    }

    /// The right to change a schema that no node serves.
    pub fn begin(target: &PostgresTarget) -> Result<Maintenance, ConnectError> {
        let target = &target.clone().unhurried();
        let mut store = Postgres::open_for_rebuild(target)?;
        store.without_nodes()?;
        Maintenance::take(target, &mut store)
    }

    fn take(target: &PostgresTarget, store: &mut Postgres) -> Result<Maintenance, ConnectError> {
        let session = NodeSession::open_as_it_is(target, NAME)?;
        let term = session.take_over(&session.writer()?, "")?;
        let raced = || StoreError::Fenced { reason: "a node has begun to write meanwhile".to_owned() };
        let term = term.ok_or_else(raced)?;
        let mut store = std::mem::replace(store, Postgres::reader(target));
        store.begin_term(term.clone())?;
        Ok(Maintenance { session, term, store })
    }

    /// Makes room for a copy: what is there moves aside, whole, and the tokens and the secret of the nodes stay. Until it
    /// is finished nobody opens the schema.
    pub(crate) fn begin_restore(
        target: &PostgresTarget,
        occupied: bool,
    ) -> Result<(Maintenance, Option<String>), ConnectError> {
        let target = &target.clone().unhurried();
        let session = reach(target)?;
        let aside = occupied.then(|| aside(&session, target)).transpose();
        let aside = aside.map_err(|fault| refused(target, fault))?;
        let failed = |fault: Fault| refused(target, fault);
        session.run("BEGIN").map_err(failed)?;
        let made = schema::make_room(&session, target, aside.as_deref());
        match made {
            Ok(()) => match session.commit().map_err(failed)?.first() {
                None => {}
                Some(warning) => return Err(failed(Fault::silent(warning))),
            },
            Err(error) => {
                session.roll_back();
                return Err(error);
            }
        }
        drop(session);
        let mut store = Postgres::open_as_it_is(target)?;
        store.without_nodes()?;
        Ok((Maintenance::take(target, &mut store)?, aside))
    }

    pub(crate) fn finish_restore(mut self) -> Result<(), StoreError> {
        let head = self.store.fence.head().clone();
        self.store.transact(&head, vec![("DELETE FROM meta WHERE key = 'restore'", Vec::new())])?;
        self.finish()
    }

    /// Gives the schema back.
    pub fn finish(self) -> Result<(), StoreError> {
        self.session.release(&self.term)
    }

    pub fn store(&mut self) -> &mut Postgres {
        &mut self.store
    }
}

pub(super) const RESTORING: &str = "restore";

/// A name that no schema has.
fn aside(session: &Session, target: &PostgresTarget) -> Result<String, Fault> {
    let mut number = 1;
    loop {
        let name = format!("{}_before_{number}", target.schema);
        let there = format!("SELECT to_regnamespace('\"{name}\"') IS NOT NULL");
        if session.asked_plainly(&there)?.as_deref() != Some("t") {
            return Ok(name);
        }
        number += 1;
    }
}

impl Fill for Postgres {
    fn fill(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let mut head = Head { at: Some(batch.at), ..self.fence.head().clone() };
        if let Some(row) = batch.journal.last() {
            (head.position, head.hash) = (row.position, row.hash);
        }
        let work: Vec<Prepared<'_>> = write::batch(batch)?;
        self.transact(&head, work)
    }
}

impl Postgres {
    /// Opens it also when a restore was interrupted: only a restore may go on from there.
    pub(super) fn open_as_it_is(target: &PostgresTarget) -> Result<Postgres, ConnectError> {
        let session = reach(target)?;
        schema::prepare(&session, target, Others::Spared)?;
        Ok(Postgres { session: std::cell::RefCell::new(Some(session)), ..Postgres::reader(target) })
    }

    /// Refuses what this wilco cannot read, and makes nothing.
    pub(crate) fn check_version(&self, target: &PostgresTarget) -> Result<(), ConnectError> {
        let found = self.ask(schema::version)?;
        match found {
            schema::VERSION => Ok(()),
            known_less if known_less < schema::VERSION => {
                Err(ConnectError::Older { target: target.shown.clone(), found, known: schema::VERSION })
            }
            _ => Err(ConnectError::Newer { target: target.shown.clone(), found, known: schema::VERSION }),
        }
    }
}

impl Source for Postgres {
    /// What no event says, and the end of the journal, as of the same moment.
    fn operational(&self) -> Result<Operational, StoreError> {
        let (head, effects, presence, idempotency) = self.ask(|session| {
            session.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")?;
            let read = (|| {
                let head = session.query("SELECT position, hash, at FROM writer", &[])?;
                let effects = session.query(&format!("{EFFECT} ORDER BY position, idx"), &[])?;
                let presence = session.query("SELECT name, seen, spoke FROM presence", &[])?;
                let kept = format!("{ANSWERS} WHERE at >= coalesce((SELECT at FROM writer), 0)");
                Ok((head, effects, presence, session.query(&kept, &[])?))
            })();
            session.roll_back();
            read
        })?;
        let head = head.iter().map(rows::head).next().transpose()?;
        let missing =
            || StoreError::Damaged { position: 0, reason: "the row of the writer is missing".to_owned() };
        Ok(Operational {
            head: head.ok_or_else(missing)?,
            effects: effects.iter().map(rows::effect).collect::<Result<_, _>>()?,
            presence: presence.iter().map(rows::presence).collect::<Result<_, _>>()?,
            idempotency: idempotency.iter().map(rows::idempotency).collect::<Result<_, _>>()?,
        })
    }

    fn older_answers(
        &self,
        before: Time,
        behind: Option<&IdempotencyRow>,
        most: usize,
    ) -> Result<Vec<IdempotencyRow>, StoreError> {
        let (at, sender, key) =
            behind.map_or((i64::MIN, "", ""), |row| (row.at.millis(), row.sender.as_str(), row.key.as_str()));
        let sql = format!(
            "{ANSWERS} WHERE at < $1 AND at >= $2 AND (at, sender, key) > ($2, $3, $4) ORDER BY at, sender, key LIMIT $5"
        );
        let values =
            [&before.millis() as Value<'_>, &at, &sender.as_bytes(), &key.as_bytes(), &rows::limit(most)];
        self.list(&sql, &values, rows::idempotency)
    }
}
