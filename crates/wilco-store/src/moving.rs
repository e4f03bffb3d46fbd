//! From one store into another: the record to the byte, and what is durable without being history. What is derived is
//! folded again there.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use wilco_protocol::Time;

use crate::batch::{Batch, EffectChange, EffectRow, IdempotencyRow, PresenceRow};
use crate::error::{BackupError, ConnectError, StoreError};
use crate::generation::continues;
use crate::postgres::{Maintenance, Postgres, PostgresTarget};
use crate::reader::{Head, Reader};
use crate::sqlite::{Restored, Sqlite, SqliteReader, backup, restore_behind};
use crate::verify::verify_counting;

/// Events that move in one commit.
const PAGE: usize = 100;
/// Bytes of events that move in one commit, if it is more than one of them.
const PAGE_BYTES: usize = 4 << 20;
/// Rows of other kinds that move in one commit.
const ROWS: usize = 1000;

/// What no event says.
#[derive(Debug)]
pub(crate) struct Operational {
    /// The journal's end, as of the same moment.
    pub(crate) head: Head,
    pub(crate) effects: Vec<EffectRow>,
    pub(crate) presence: Vec<PresenceRow>,
    /// Those of the moment of the head: what is older does not change any more, and is read page by page.
    pub(crate) idempotency: Vec<IdempotencyRow>,
}

/// What can be copied.
pub(crate) trait Source: Reader {
    fn operational(&self) -> Result<Operational, StoreError>;
    /// Idempotency records of before a time, behind one of them, in the order of their times, senders and keys.
    fn older_answers(
        &self,
        before: Time,
        behind: Option<&IdempotencyRow>,
        most: usize,
    ) -> Result<Vec<IdempotencyRow>, StoreError>;
}

/// Takes events as they are, also those that begin a generation.
pub(crate) trait Fill: Reader {
    fn fill(&mut self, batch: &Batch) -> Result<(), StoreError>;
}

/// How derived tables are made: the engine's business.
pub type Refold<'a, S> = &'a mut dyn FnMut(&mut S) -> Result<(), StoreError>;

/// Copies the record up to the head, and then the rest.
fn fill(from: &dyn Source, to: &mut dyn Fill) -> Result<(), StoreError> {
    let rest = from.operational()?;
    let (end, at) = (rest.head.position, rest.head.at.unwrap_or(Time::from_millis(0)));
    let mut before = 0;
    while before < end {
        let mut journal = from.journal_within(before, PAGE, PAGE_BYTES)?;
        journal.retain(|row| row.position <= end);
        let damaged =
            |position: u64, reason: &str| StoreError::Damaged { position, reason: reason.to_owned() };
        let Some(last) = journal.last().map(|row| row.position) else {
            return Err(damaged(before + 1, "the event is missing"));
        };
        let mut known = before;
        for row in &journal {
            if !continues(known, row.position, &row.bytes) {
                return Err(damaged(known + 1, "the event is missing"));
            }
            known = row.position;
        }
        let mut messages = from.messages_after(before, journal.len())?;
        messages.retain(|row| row.position <= last);
        to.fill(&Batch { at, journal, messages, ..Batch::default() })?;
        before = last;
    }
    let effects: Vec<EffectChange> = rest.effects.into_iter().map(EffectChange::Put).collect();
    for effects in effects.chunks(ROWS) {
        to.fill(&Batch { at, effects: effects.to_vec(), ..Batch::default() })?;
    }
    for presence in rest.presence.chunks(ROWS) {
        to.fill(&Batch { at, presence: presence.to_vec(), ..Batch::default() })?;
    }
    for idempotency in rest.idempotency.chunks(ROWS) {
        to.fill(&Batch { at, idempotency: idempotency.to_vec(), ..Batch::default() })?;
    }
    let mut behind = None;
    loop {
        let idempotency = from.older_answers(at, behind.as_ref(), ROWS)?;
        let Some(last) = idempotency.last().cloned() else { return Ok(()) };
        to.fill(&Batch { at, idempotency, ..Batch::default() })?;
        behind = Some(last);
    }
}

/// A directory that goes away with whoever made it.
struct Passing(PathBuf);

impl Passing {
    fn new(beside: &Path) -> Result<Passing, BackupError> {
        let failed = |source| BackupError::File { path: beside.to_owned(), source };
        let path = crate::sqlite::beside(beside, "moving").map_err(failed)?;
        DirBuilder::new().mode(0o700).create(&path).map_err(failed)?;
        Ok(Passing(path))
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        // Only what was made above.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Writes a copy of a schema into one file, as `backup` does of a directory; nodes may run. Gives its head, and how many
/// events it has.
pub fn backup_postgres(
    target: &PostgresTarget,
    file: &Path,
    replace: bool,
    refold: Refold<'_, Sqlite>,
) -> Result<(Head, u64), BackupError> {
    if file.exists() && !replace {
        return Err(BackupError::Exists { path: file.to_owned() });
    }
    let store = Postgres::reader(target);
    store.check_version(target)?;
    let passing = Passing::new(file)?;
    let mut copy = Sqlite::open_for_rebuild(&passing.0)?;
    fill(&store, &mut copy)?;
    refold(&mut copy)?;
    drop(copy);
    backup(&passing.0, file, replace)
}

/// What a restore into a schema did.
#[derive(Debug)]
pub struct RestoredSchema {
    pub head: Head,
    pub events: u64,
    /// The first position of the new generation.
    pub first: u64,
    /// The schema that has what was there before.
    pub aside: Option<String>,
}

/// Puts a copy in the place of a schema that no node serves. What is there is kept beside it, if it is to be replaced.
pub fn restore_postgres(
    file: &Path,
    target: &PostgresTarget,
    replace: bool,
    refold: Refold<'_, Postgres>,
) -> Result<RestoredSchema, BackupError> {
    let occupied = Maintenance::looks_at(target)?;
    if occupied.is_some() && !replace {
        return Err(ConnectError::Occupied { target: format!("{target:?}") }.into());
    }
    let passing = Passing::new(&std::env::temp_dir().join("wilco"))?;
    let place = passing.0.join("data");
    let Restored { head, events, first, .. } = restore_behind(file, &place, occupied)?;
    let (mut maintenance, aside) = Maintenance::begin_restore(target, occupied.is_some())?;
    let source = SqliteReader::open(&place)?;
    fill(&source, maintenance.store())?;
    refold(maintenance.store())?;
    verify_counting(maintenance.store(), None)?;
    maintenance.finish_restore()?;
    Ok(RestoredSchema { head, events, first, aside })
}
