//! How long a writer may answer by itself, told by who renews the lease to who answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use wilco_store::lasts;

use crate::clock::boot;

#[derive(Debug, Clone)]
pub(crate) struct Lease(Arc<Renewed>);

#[derive(Debug)]
struct Renewed {
    /// By this machine's boot-time clock.
    until: AtomicI64,
    ended: AtomicBool,
}

impl Lease {
    pub(crate) fn new(until: i64) -> Lease {
        Lease(Arc::new(Renewed { until: AtomicI64::new(until), ended: AtomicBool::new(false) }))
    }

    pub(crate) fn renew(&self, until: i64) {
        self.0.until.fetch_max(until, Ordering::SeqCst);
    }

    pub(crate) fn end(&self) {
        self.0.ended.store(true, Ordering::SeqCst);
    }

    pub(crate) fn has_run_out(&self) -> bool {
        self.0.ended.load(Ordering::SeqCst) || !lasts(self.0.until.load(Ordering::SeqCst), boot())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PG-11: once ended it does not come back, and an older renewal takes nothing away.
    #[test]
    fn pg_11_a_lease_that_ended_stays_so() {
        let lease = Lease::new(boot() - 1_000);
        assert!(lease.has_run_out());
        lease.renew(boot() + 60_000);
        lease.renew(boot() - 9_000);
        assert!(!lease.has_run_out());
        lease.end();
        lease.renew(boot() + 60_000);
        assert!(lease.has_run_out());
    }
}
