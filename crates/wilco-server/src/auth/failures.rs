//! Wrong tokens, counted by where they come from: whoever sends too many is told to wait.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use wilco_protocol::{Span, Time};

/// So many wrong tokens within the time below.
const MOST: u32 = 50;
const WITHIN: Span = Span::minutes(1);
/// Addresses remembered; with more, all begin anew.
const MAX_REMEMBERED: usize = 10_000;

#[derive(Debug, Default)]
pub(crate) struct Failures {
    /// Held only to count one up; never over an await.
    counts: Mutex<BTreeMap<IpAddr, (Time, u32)>>,
}

impl Failures {
    /// Counts a wrong token; whether there were too many.
    pub(crate) fn too_many(&self, from: IpAddr, now: Time) -> bool {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if counts.len() >= MAX_REMEMBERED && !counts.contains_key(&from) {
            counts.clear();
        }
        let (since, count) = counts.entry(from).or_insert((now, 0));
        if now.since(*since) >= WITHIN {
            (*since, *count) = (now, 0);
        }
        *count = count.saturating_add(1);
        *count > MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sec_2_wrong_tokens_are_rate_limited_by_address() {
        let (failures, one, other) = (Failures::default(), [127, 0, 0, 1].into(), [127, 0, 0, 2].into());
        let start = Time::from_millis(0);
        assert!((0..MOST).all(|_| !failures.too_many(one, start)));
        assert!(failures.too_many(one, start));
        assert!(!failures.too_many(other, start));
        assert!(!failures.too_many(one, start.plus(WITHIN)));
    }
}
