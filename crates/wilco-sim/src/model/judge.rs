//! What must be true of everything that a step touched.

use wilco_store::ExchangeRow;

use super::record::{Ordered, Particulars};
use super::{Broken, Change, Followed, Model, broken};
use crate::disk::Disk;

impl Model {
    pub(super) fn judge(&mut self, disk: &Disk, change: &Change) -> Result<(), Broken> {
        for number in &change.tracks {
            let Some(followed) = self.followed(*number) else {
                return broken("G3", format!("exchange {number} never began"));
            };
            let Some(row) = disk.standing(*number) else {
                return broken("G8", format!("exchange {number} is not stored"));
            };
            is_as_stored(followed, &row)?;
            if followed.is_open() && followed.rests() && !is_under_way(disk, *number) {
                let what = format!("{} is {}, and the courier does nothing for it", row.id, row.state);
                return broken("G6", what);
            }
            self.wakes.retain(|(_, other)| other != number);
            self.wakes.extend(row.wake_at.map(|due| (due, *number)));
            self.has_one_owner(*number)?;
            self.is_validated_once(*number)?;
            self.is_handed_over_once(*number)?;
        }
        change.debts.are_paid()?;
        match change.owed.iter().find(|owed| !change.reached.contains(owed)) {
            Some((number, agent)) => broken("G4", format!("{agent} was not reached in exchange {number}")),
            None => Ok(()),
        }
    }

    /// G5: nobody but the assignee holds the task, and no other open exchange is about it; while it is being
    /// handed over, that handoff is open.
    fn has_one_owner(&self, number: u64) -> Result<(), Broken> {
        let Some(track) = self.tracks.get(&number).filter(|track| track.is_open()) else { return Ok(()) };
        if track.holders.iter().any(|holder| *holder != track.assignee) {
            let what = format!("{number} is {}'s, but {:?} hold it", track.assignee, track.holders);
            return broken("G5", what);
        }
        let handoff = track.held.and_then(|held| self.handoffs.get(&held));
        if track.held.is_some() && !handoff.is_some_and(Followed::is_open) {
            return broken("G6", format!("{number} waits for handoff {:?}, which is over", track.held));
        }
        let same = self.tracks.iter().filter(|(other, _)| **other != number).find(|(_, other)| {
            let task = other.initiator == track.initiator && other.task_id == track.task_id;
            other.is_open() && (task || other.task_uuid == track.task_uuid)
        });
        match same {
            Some((other, _)) => broken("G5", format!("{} is open as {number} and {other}", track.task_id)),
            None => Ok(()),
        }
    }

    /// VAL-1: no other open loop of the same initiator is about the same issue.
    fn is_validated_once(&self, number: u64) -> Result<(), Broken> {
        let Some(looped) = self.loops.get(&number).filter(|looped| looped.is_open()) else { return Ok(()) };
        let same = self.loops.iter().filter(|(other, _)| **other != number).find(|(_, other)| {
            other.is_open() && other.initiator == looped.initiator && other.issue == looped.issue
        });
        match same {
            Some((other, _)) => broken("VAL-1", format!("{} is open as {number} and {other}", looped.issue)),
            None => Ok(()),
        }
    }

    /// HO-1: no task is in two open handoffs; and none waits for one that is over.
    fn is_handed_over_once(&self, number: u64) -> Result<(), Broken> {
        let Some(handoff) = self.handoffs.get(&number) else { return Ok(()) };
        if !handoff.is_open() {
            let held = |track: &super::Track| track.is_open() && track.held == Some(number);
            let waits = |task: &u64| self.tracks.get(task).is_some_and(held);
            return match handoff.delegations().find(waits) {
                Some(task) => broken("G6", format!("{task} waits for handoff {number}, which is over")),
                None => Ok(()),
            };
        }
        let others = self.handoffs.iter().filter(|(other, one)| **other != number && one.is_open());
        let theirs = |task: &str, other: &super::Handover| other.tasks.iter().any(|one| one.task == task);
        for (other, one) in others {
            if let Some(task) = handoff.tasks.iter().find(|task| theirs(&task.task, one)) {
                let what = format!("{} is handed over by {number} and {other}", task.task);
                return broken("HO-1", what);
            }
        }
        Ok(())
    }

    /// HO-21: a task goes to the replacement that took over, once it did.
    pub(super) fn has_taken_over(&self, kind: &str, said: &Particulars) -> Result<(), Broken> {
        if kind != "handed-over" {
            return Ok(());
        }
        let handoff = said.by.as_ref().and_then(|by| self.handoffs.get(&by.number));
        match handoff {
            Some(handoff) if handoff.accepted && said.to.as_ref() == Some(&handoff.agent) => Ok(()),
            Some(_) | None => broken("HO-21", format!("handed over to {:?} by {:?}", said.to, said.by)),
        }
    }
}

/// What is stored is what its events say; and it is not stuck.
fn is_as_stored(followed: &dyn Followed, row: &ExchangeRow) -> Result<(), Broken> {
    let (stored, told) =
        ((&*row.state, row.open, row.seq), (followed.state(), followed.is_open(), followed.seq()));
    if stored != told {
        return broken("G8", format!("{} is stored as {stored:?}, its events say {told:?}", row.id));
    }
    if row.wake_at != followed.wake() {
        let what = format!("{} wakes {:?}, its events say {:?}", row.id, row.wake_at, followed.wake());
        return broken("G7", what);
    }
    if followed.is_stuck() {
        return broken("G6", format!("{} is {} and nothing will move it", row.id, row.state));
    }
    Ok(())
}

/// Whether the courier has an order of this exchange.
fn is_under_way(disk: &Disk, number: u64) -> bool {
    let of_it = |body: &[u8]| {
        serde_json::from_slice::<Ordered>(body).is_ok_and(|order| order.effect.exchange.number == number)
    };
    disk.tables.orders().any(|row| of_it(&row.body))
}
