//! When the write-ahead log goes into the database file.
//!
//! SQLite's own automatism would do the same, but keeps its errors to itself and lets a commit wait for
//! all of it. Here most of the log is moved beside the writer, over a connection of its own, while commits
//! go on. Then the writer moves what came meanwhile, which is little, and the log begins anew.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, channel};

use rusqlite::{Connection, Result};

use super::{Sqlite, connection, files};
use crate::Upkeep;

/// How long the log gets before it is moved beside the writer. Rarely and longer is better than often and
/// shorter: a page that changed a hundred times is moved once.
const LOG_PAGES: i64 = 2500;

/// How long it may get when nobody does the upkeep. It is not more because 4,062 pages are what the first
/// block of SQLite's index over the log covers, and enlarging the index can fail on a full disk after the
/// log itself was written.
const MOST_PAGES: i64 = 4000;

/// When a reader or a full disk holds the log back, it grows by so many pages before the next try.
const RETRY_PAGES: i64 = 500;

/// How often the log is moved beside the writer, each time what came during the last. SQLite syncs the database only
/// when nothing came meanwhile; without that the writer would have to wait for the sync of all of it.
const PASSES: u32 = 4;

/// How the moving stands.
#[derive(Debug, Default)]
pub(super) struct Checkpoints {
    /// Pages of the log after the last commit.
    log: Arc<AtomicI64>,
    beside: Beside,
    /// How long the log must be for the next try, if the last one could not move all of it.
    again_at: Option<i64>,
}

#[derive(Debug, Default)]
enum Beside {
    #[default]
    Rests,
    Wanted,
    Runs(Receiver<Result<()>>),
}

impl Checkpoints {
    /// Lets SQLite tell how long the log is after each commit.
    pub(super) fn watch(connection: &mut Connection) -> Result<Checkpoints> {
        let checkpoints = Checkpoints::default();
        let log = checkpoints.log.clone();
        connection.wal_hook(Some(move |_: &mut _, pages| {
            log.store(i64::from(pages), Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(checkpoints)
    }
}

impl Sqlite {
    /// Follows a commit: the log has grown. The batch is durable already, so trouble here does not fail it; a lost
    /// sync however means that later commits cannot be trusted.
    pub(super) fn watch_log(&mut self) {
        if let Beside::Runs(_) = self.checkpoints.beside {
            return;
        }
        let log = self.checkpoints.log.load(Ordering::Relaxed);
        if log >= self.checkpoints.again_at.unwrap_or(MOST_PAGES) {
            let moved = moved(&self.connection);
            self.was_moved(moved);
        } else if log >= LOG_PAGES && self.checkpoints.again_at.is_none() {
            self.checkpoints.beside = Beside::Wanted;
        }
    }

    /// Moves what was committed while the log was moved beside; then it begins anew. That may take longer than a
    /// commit, so it is done when those who waited for the commit know.
    pub(super) fn begin_anew(&mut self) {
        let Beside::Runs(outcome) = &self.checkpoints.beside else { return };
        let moved = match outcome.try_recv() {
            // One that was dropped undone leaves all of it to the writer.
            Ok(Ok(())) | Err(TryRecvError::Disconnected) => moved(&self.connection),
            Ok(Err(error)) => Err(error),
            Err(TryRecvError::Empty) => return,
        };
        self.was_moved(moved);
    }

    fn was_moved(&mut self, moved: Result<bool>) {
        let log = self.checkpoints.log.load(Ordering::Relaxed);
        self.checkpoints.beside = Beside::Rests;
        self.checkpoints.again_at = match moved {
            Ok(true) => None,
            Ok(false) => Some(log + RETRY_PAGES),
            Err(error) => {
                self.distrust(&error);
                Some(log + RETRY_PAGES)
            }
        };
    }

    /// The moving of the log, to be done beside commits.
    pub(super) fn checkpoint_beside(&mut self) -> Option<Upkeep> {
        let Beside::Wanted = self.checkpoints.beside else { return None };
        let (report, outcome) = channel();
        self.checkpoints.beside = Beside::Runs(outcome);
        let database = self.directory.join(files::DATABASE);
        Some(Box::new(move || {
            // A store that was closed meanwhile does not ask any more.
            let _ = report.send(beside(&database));
        }))
    }
}

fn beside(database: &Path) -> Result<()> {
    let connection = connection::writer(database)?;
    connection::set_up_writer(&connection)?;
    (0..PASSES).try_for_each(|_| moved(&connection).map(drop))
}

/// Moves what can be moved without waiting for anybody; whether that was all.
fn moved(connection: &Connection) -> Result<bool> {
    connection.prepare_cached("PRAGMA wal_checkpoint(PASSIVE)")?.query_one((), |row| {
        let (log, moved): (i64, i64) = (row.get(1)?, row.get(2)?);
        Ok(log == moved)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::Author;
    use crate::{Reader, Store};

    /// Commits of one event each until the log has been moved, with or without somebody who does the
    /// upkeep; the longest it got.
    fn longest(upkeep: bool) -> (i64, u64) {
        let directory = tempfile::TempDir::new().unwrap();
        let mut store = Sqlite::open(directory.path()).unwrap();
        let (mut author, mut longest, mut before, mut starts) = (Author::default(), 0, 0, 0);
        for at in 1.. {
            author.event(None, &"x".repeat(10_000));
            store.commit(&author.take(at)).unwrap();
            let log = store.checkpoints.log.load(Ordering::Relaxed);
            longest = longest.max(log);
            starts += u32::from(log < before);
            before = log;
            if let Some(work) = upkeep.then(|| store.upkeep()).flatten() {
                std::thread::spawn(work).join().unwrap();
            }
            if starts == 2 {
                let head = store.reader().unwrap().head().unwrap();
                return (longest, head.position);
            }
        }
        unreachable!("the log never began anew")
    }

    #[test]
    fn the_log_is_moved_beside_commits_and_begins_anew() {
        let (longest, events) = longest(true);
        assert!((LOG_PAGES..LOG_PAGES + 100).contains(&longest), "{longest} pages");
        assert!(events > 100, "{events} events");
    }

    #[test]
    fn a_log_that_nobody_moves_is_moved_by_the_writer() {
        let (longest, _) = longest(false);
        assert!((MOST_PAGES..MOST_PAGES + 100).contains(&longest), "{longest} pages");
    }
}
