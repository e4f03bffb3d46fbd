//! The lease as one node sees it. Clocks of machines are never compared: each counts by its own how long the row of the
//! writer has not changed, and from before it asked how long its own lease lasts.

use std::time::Duration;

use crate::postgres::WriterRow;

/// How often at most a node says that it is there, in milliseconds.
const BEAT: i64 = 1000;

/// Whether what counts until then counts now.
pub fn lasts(until: i64, now: i64) -> bool {
    now < until
}

#[derive(Debug, Clone)]
pub struct NodeLease {
    /// The node's own name.
    name: String,
    length: i64,
    /// What changes with every sign of life of the writer, and when it was first seen so.
    seen: Option<((u64, i64, bool), i64)>,
    held: Option<HeldLease>,
    beaten: Option<i64>,
}

#[derive(Debug, Clone)]
struct HeldLease {
    epoch: u64,
    /// When the last renewal that succeeded was sent.
    renewed: i64,
}

/// What a node does when it has looked at the row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseTurn {
    /// Nothing is to be done yet.
    Wait,
    /// It writes, and says so again.
    Renew,
    /// Nobody writes: it takes the next epoch.
    TakeOver,
    /// It wrote, and another does by now.
    End,
}

impl NodeLease {
    pub fn new(name: &str, length: Duration) -> NodeLease {
        let length = i64::try_from(length.as_millis()).unwrap_or(i64::MAX);
        NodeLease { name: name.to_owned(), length, seen: None, held: None, beaten: None }
    }

    /// Whether it is time for a sign of life of this node.
    pub fn is_beat_due(&self, now: i64) -> bool {
        self.beaten.is_none_or(|beaten| now - beaten >= (self.length / 3).min(BEAT))
    }

    /// The sign of life that was sent then is stored.
    pub fn beaten(&mut self, sent: i64) {
        self.beaten = Some(sent);
    }

    /// Until then what is read here is what is true: nobody can have promoted another database without this one noticing.
    pub fn reads_until(&self) -> i64 {
        self.beaten.map_or(0, |beaten| beaten + self.length)
    }

    /// What to do about the row as it is now.
    pub fn turn(&mut self, row: &WriterRow, now: i64) -> LeaseTurn {
        match &self.held {
            Some(held) if row.epoch != held.epoch || row.released => LeaseTurn::End,
            Some(held) if now - held.renewed < self.length / 3 => LeaseTurn::Wait,
            Some(_) => LeaseTurn::Renew,
            None => match self.has_run_out(row, now) {
                true => LeaseTurn::TakeOver,
                false => LeaseTurn::Wait,
            },
        }
    }

    /// Whether the lease of whoever the row names is over. Whoever finds its own name there need not wait: the name is
    /// its own, and nobody else writes under it.
    fn has_run_out(&mut self, row: &WriterRow, now: i64) -> bool {
        let sign = (row.epoch, row.renewed, row.released);
        let since = match &self.seen {
            Some((seen, since)) if *seen == sign => *since,
            Some(_) | None => {
                self.seen = Some((sign, now));
                now
            }
        };
        row.released || row.node == self.name || now - since >= self.length
    }

    /// This node took over, by what was sent then.
    pub fn took_over(&mut self, epoch: u64, sent: i64) {
        self.held = Some(HeldLease { epoch, renewed: sent });
    }

    /// What was sent then renewed the lease.
    pub fn renewed(&mut self, sent: i64) {
        if let Some(held) = &mut self.held {
            held.renewed = held.renewed.max(sent);
        }
    }

    /// It does not write any more; what others do is watched from the beginning.
    pub fn end(&mut self) {
        (self.held, self.seen) = (None, None);
    }

    /// The epoch in which it writes.
    pub fn epoch(&self) -> Option<u64> {
        self.held.as_ref().map(|held| held.epoch)
    }

    /// Until then nobody else can have taken over; 0 when it does not write.
    pub fn writes_until(&self) -> i64 {
        self.held.as_ref().map_or(0, |held| held.renewed + self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(epoch: u64, renewed: i64) -> WriterRow {
        WriterRow {
            epoch,
            node: "one".to_owned(),
            address: String::new(),
            position: 0,
            renewed,
            released: false,
            age: Duration::ZERO,
            format: 1,
            schema: 1,
        }
    }

    fn lease(name: &str) -> NodeLease {
        NodeLease::new(name, Duration::from_secs(6))
    }

    /// PG-11: how long the row has not changed is counted by the follower's own clock, whatever time stands in the row.
    #[test]
    fn pg_11_a_follower_takes_over_when_the_row_has_not_changed_for_a_lease() {
        let mut two = lease("two");
        assert_eq!(two.turn(&row(1, 5), 1_000_000), LeaseTurn::Wait);
        assert_eq!(two.turn(&row(1, 5), 1_005_999), LeaseTurn::Wait);
        assert_eq!(two.turn(&row(1, 6), 1_006_000), LeaseTurn::Wait, "a sign of life");
        assert_eq!(two.turn(&row(1, 6), 1_011_999), LeaseTurn::Wait);
        assert_eq!(two.turn(&row(1, 6), 1_012_000), LeaseTurn::TakeOver);
        let released = WriterRow { released: true, ..row(1, 6) };
        assert_eq!(lease("three").turn(&released, 0), LeaseTurn::TakeOver, "given back");
        assert_eq!(lease("one").turn(&row(1, 6), 0), LeaseTurn::TakeOver, "its own name");
    }

    /// PG-11: what counts is when the renewal was sent, however long the answer took.
    #[test]
    fn pg_11_a_lease_runs_from_before_its_renewal_was_sent() {
        let mut one = lease("one");
        assert!(!lasts(one.writes_until(), 0));
        one.took_over(2, 10_000);
        assert!(lasts(one.writes_until(), 15_999) && !lasts(one.writes_until(), 16_000));
        assert_eq!(one.turn(&row(2, 1), 11_999), LeaseTurn::Wait);
        assert_eq!(one.turn(&row(2, 1), 12_000), LeaseTurn::Renew);
        one.renewed(12_000);
        one.renewed(11_000);
        assert_eq!(one.writes_until(), 18_000, "an older renewal takes nothing away");
        assert_eq!(one.turn(&row(3, 9), 12_100), LeaseTurn::End);
        one.end();
        assert_eq!((one.epoch(), one.writes_until()), (None, 0));
    }

    /// PG-13: a node reads as long as its own sign of life is younger than a lease.
    #[test]
    fn pg_13_a_node_reads_for_a_lease_from_before_its_sign_of_life_was_sent() {
        let mut two = lease("two");
        assert!(two.is_beat_due(0) && !lasts(two.reads_until(), 0));
        two.beaten(500);
        assert!(!two.is_beat_due(1_499) && two.is_beat_due(1_500));
        assert!(lasts(two.reads_until(), 6_499) && !lasts(two.reads_until(), 6_500));
    }
}
