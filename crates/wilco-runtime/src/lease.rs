//! How long a writer may answer by itself. Counted by this machine's boot-time clock, from before the renewal was sent:
//! nobody else can have taken over before.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use crate::clock::boot;

#[derive(Debug, Clone)]
pub(crate) struct Lease(Arc<Renewed>);

#[derive(Debug)]
struct Renewed {
    until: AtomicI64,
    ended: AtomicBool,
}

impl Lease {
    /// Renewed by something that was sent at this time.
    pub(crate) fn new(sent: i64, length: Duration) -> Lease {
        let until = AtomicI64::new(sent + millis(length));
        Lease(Arc::new(Renewed { until, ended: AtomicBool::new(false) }))
    }

    pub(crate) fn renew(&self, sent: i64, length: Duration) {
        self.0.until.fetch_max(sent + millis(length), Ordering::SeqCst);
    }

    pub(crate) fn end(&self) {
        self.0.ended.store(true, Ordering::SeqCst);
    }

    pub(crate) fn has_run_out(&self) -> bool {
        self.0.ended.load(Ordering::SeqCst) || self.left() <= 0
    }

    /// Milliseconds.
    pub(crate) fn left(&self) -> i64 {
        self.0.until.load(Ordering::SeqCst) - boot()
    }
}

pub(crate) fn millis(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PG-11: what counts is when the renewal was sent, however long the answer took.
    #[test]
    fn pg_11_a_lease_runs_from_before_its_renewal_was_sent() {
        let lease = Lease::new(boot() - 5_000, Duration::from_secs(4));
        assert!(lease.has_run_out());
        lease.renew(boot() - 1_000, Duration::from_secs(4));
        assert!(!lease.has_run_out() && lease.left() <= 3_000);
        lease.renew(boot() - 9_000, Duration::from_secs(4));
        assert!(!lease.has_run_out(), "an older renewal takes nothing away");
        lease.end();
        assert!(lease.has_run_out());
    }
}
