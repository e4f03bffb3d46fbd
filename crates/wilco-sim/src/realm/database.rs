//! The row that is lease, sequencer and head of the chain, as PostgreSQL keeps it: every commit demands to find there its
//! own epoch, and the position and hash it goes on from.

use std::time::Duration;

use wilco_protocol::Time;
use wilco_store::{Batch, Fence, Hash, Head, StoreError, Term, WriterRow, genesis};

use crate::bug::Bug;

#[derive(Debug, Clone)]
pub(crate) struct Database {
    pub(super) row: WriterRow,
    hash: Hash,
    /// Of the node that acts.
    pub(super) session: Fence,
    pub(super) now: Time,
    /// Two epochs both committed: this must not be.
    pub(super) doubled: Option<String>,
}

impl Database {
    pub(crate) fn new(now: Time) -> Database {
        let row = WriterRow {
            epoch: 0,
            node: String::new(),
            address: String::new(),
            position: 0,
            renewed: 0,
            released: false,
            age: Duration::ZERO,
            format: 1,
            schema: 1,
        };
        Database { row, hash: genesis(), session: Fence::default(), now, doubled: None }
    }

    /// Whether a commit of the acting node may take place.
    pub(crate) fn admits(&mut self, batch: &Batch, bug: Option<Bug>) -> Result<(), StoreError> {
        let epoch = self.session.epoch()?;
        let from = self.session.head();
        let found = (self.row.epoch, self.row.position, self.hash, self.row.released);
        if found == (epoch, from.position, from.hash, false) {
            return Ok(());
        }
        if bug == Some(Bug::UncheckedEpoch) {
            let first = batch.journal.first().map_or(0, |row| row.position);
            let what = format!("epoch {epoch} commits {first} under epoch {} at {}", found.0, found.1);
            self.doubled = Some(what);
            return Ok(());
        }
        Err(self.session.refused())
    }

    /// Something was stored.
    pub(crate) fn moves(&mut self, head: &Head) {
        (self.row.position, self.hash) = (head.position, head.hash);
        self.touch(self.now);
    }

    pub(crate) fn acknowledges(&mut self, head: Head) {
        self.session.moved(head);
    }

    pub(crate) fn doubts(&mut self) -> StoreError {
        self.session.doubted("the connection was cut")
    }

    /// A sign of life at this time by its own clock: never the same twice.
    pub(super) fn touch(&mut self, at: Time) {
        self.row.renewed = at.millis().max(self.row.renewed + 1);
    }

    /// Renews a lease, if the epoch is still there.
    pub(super) fn renews(&mut self, epoch: u64, at: Time) -> bool {
        let is_own = self.row.epoch == epoch && !self.row.released;
        if is_own {
            self.touch(at);
        }
        is_own
    }

    /// Takes the next epoch, if the row is as it was seen.
    pub(super) fn take_over(
        &mut self,
        seen: &WriterRow,
        name: &str,
        address: &str,
        at: Time,
    ) -> Option<Term> {
        if (self.row.epoch, self.row.renewed) != (seen.epoch, seen.renewed) {
            return None;
        }
        let last_renewed = Some(Time::from_millis(seen.renewed)).filter(|_| seen.renewed > 0);
        self.row.epoch += 1;
        (self.row.node, self.row.address) = (name.to_owned(), address.to_owned());
        self.row.released = false;
        self.touch(at);
        Some(Term { epoch: self.row.epoch, last_commit: None, last_renewed })
    }
}
