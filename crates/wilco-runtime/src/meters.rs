//! What is counted while the server runs. Atomics only: the way of a message waits for nobody here.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use wilco_protocol::Span;
use wilco_protocol::judgement::{JudgeTokens, JudgedBy};
use wilco_store::{Batch, StoreError};

#[derive(Debug, Clone, Default)]
pub(crate) struct Meters(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    messages: AtomicU64,
    failed_commits: AtomicU64,
    /// Why the store takes no commit any more, once that is so.
    distrusted: OnceLock<String>,
    /// Whether the last commit failed.
    failing: AtomicBool,
    timers: AtomicU64,
    single_lookups: AtomicU64,
    queued: AtomicI64,
    /// Verdicts on understandings, in the order of `JudgedBy::ALL`.
    judged: [AtomicU64; JudgedBy::ALL.len()],
    judge_input: AtomicU64,
    judge_output: AtomicU64,
    batch: Histogram<BATCH_BOUNDS>,
    commit: Histogram<TIME_BOUNDS>,
    lateness: Histogram<TIME_BOUNDS>,
    forwarded: Histogram<TIME_BOUNDS>,
    /// Orders are rare, and counted beside them; never held over an await.
    orders: Mutex<BTreeMap<(&'static str, &'static str), u64>>,
}

const BATCH_BOUNDS: usize = 11;
const TIME_BOUNDS: usize = 14;

/// Messages in one commit.
const BATCHES: [f64; BATCH_BOUNDS] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];
/// Seconds.
const TIMES: [f64; TIME_BOUNDS] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0];

#[derive(Debug)]
struct Histogram<const BOUNDS: usize> {
    buckets: [AtomicU64; BOUNDS],
    count: AtomicU64,
    /// In millionths.
    sum: AtomicU64,
}

impl<const BOUNDS: usize> Default for Histogram<BOUNDS> {
    fn default() -> Histogram<BOUNDS> {
        let buckets = std::array::from_fn(|_| AtomicU64::new(0));
        Histogram { buckets, count: AtomicU64::new(0), sum: AtomicU64::new(0) }
    }
}

impl<const BOUNDS: usize> Histogram<BOUNDS> {
    fn observe(&self, bounds: &[f64; BOUNDS], value: f64) {
        if let Some(bucket) = bounds.iter().position(|bound| value <= *bound) {
            self.buckets[bucket].fetch_add(1, Relaxed);
        }
        self.count.fetch_add(1, Relaxed);
        self.sum.fetch_add((value * 1e6) as u64, Relaxed);
    }

    fn measured(&self, bounds: &[f64; BOUNDS]) -> Measured {
        let mut below = 0;
        let buckets = bounds.iter().zip(&self.buckets).map(|(bound, bucket)| {
            below += bucket.load(Relaxed);
            (*bound, below)
        });
        Measured {
            buckets: buckets.collect(),
            count: self.count.load(Relaxed),
            sum: self.sum.load(Relaxed) as f64 / 1e6,
        }
    }
}

/// How often a value was at most so large.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub buckets: Vec<(f64, u64)>,
    pub count: u64,
    pub sum: f64,
}

/// Everything as it stands now. What has a history counts from the start of the server.
#[derive(Debug, Clone, PartialEq)]
pub struct Readings {
    pub messages: u64,
    pub failed_commits: u64,
    /// Exchanges that wait for a timer.
    pub timers: u64,
    /// Questions that the writer asked the store one by one, because it did not foresee them.
    pub single_lookups: u64,
    /// Requests that wait for the writer.
    pub queued: u64,
    /// Verdicts on understandings, by who gave them.
    pub judged: Vec<(JudgedBy, u64)>,
    /// What the judge cost.
    pub judge_tokens: JudgeTokens,
    pub batch: Measured,
    pub commit: Measured,
    pub lateness: Measured,
    /// How long calls took that went to the writer at another node.
    pub forwarded: Measured,
    /// Orders to the courier, by what was ordered and what came of it.
    pub orders: Vec<(&'static str, &'static str, u64)>,
}

impl Meters {
    pub(crate) fn queued(&self) {
        self.0.queued.fetch_add(1, Relaxed);
    }

    /// A new queue is empty.
    pub(crate) fn begin_queue(&self) {
        self.0.queued.store(0, Relaxed);
    }

    pub(crate) fn taken(&self) {
        self.0.queued.fetch_sub(1, Relaxed);
    }

    /// How many requests wait for the writer.
    pub(crate) fn waiting(&self) -> usize {
        self.0.queued.load(Relaxed).max(0) as usize
    }

    pub(crate) fn committed(&self, batch: &Batch, took: Duration, result: &Result<(), StoreError>) {
        if let Err(error) = result {
            self.0.failed_commits.fetch_add(1, Relaxed);
            self.0.failing.store(true, Relaxed);
            if let StoreError::Distrusted { reason } = error {
                // The first reason stays.
                let _ = self.0.distrusted.set(reason.clone());
            }
            return;
        }
        self.0.failing.store(false, Relaxed);
        self.0.messages.fetch_add(batch.messages.len() as u64, Relaxed);
        self.0.batch.observe(&BATCHES, batch.messages.len() as f64);
        self.0.commit.observe(&TIMES, took.as_secs_f64());
    }

    pub(crate) fn is_failing(&self) -> bool {
        self.0.failing.load(Relaxed)
    }

    pub(crate) fn distrusted(&self) -> Option<&str> {
        self.0.distrusted.get().map(String::as_str)
    }

    /// A timer went off so much later than it was due.
    pub(crate) fn went_off(&self, late: Span) {
        self.0.lateness.observe(&TIMES, late.as_millis() as f64 / 1e3);
    }

    /// A call was answered by the writer at another node.
    pub(crate) fn forwarded(&self, took: Duration) {
        self.0.forwarded.observe(&TIMES, took.as_secs_f64());
    }

    pub(crate) fn timers(&self, waiting: usize) {
        self.0.timers.store(waiting as u64, Relaxed);
    }

    pub(crate) fn single_lookups(&self, so_far: u64) {
        self.0.single_lookups.store(so_far, Relaxed);
    }

    pub(crate) fn judged(&self, by: JudgedBy) {
        if let Some(place) = JudgedBy::ALL.iter().position(|known| *known == by) {
            self.0.judged[place].fetch_add(1, Relaxed);
        }
    }

    /// What the judge cost so far.
    pub(crate) fn spent(&self, so_far: JudgeTokens) {
        self.0.judge_input.fetch_max(so_far.input, Relaxed);
        self.0.judge_output.fetch_max(so_far.output, Relaxed);
    }

    pub(crate) fn ordered(&self, order: &'static str, outcome: &'static str) {
        *self.0.orders.lock().unwrap_or_else(PoisonError::into_inner).entry((order, outcome)).or_default() +=
            1;
    }

    pub(crate) fn readings(&self) -> Readings {
        let counts = &*self.0;
        let orders = counts.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let orders = orders.iter().map(|((order, outcome), count)| (*order, *outcome, *count)).collect();
        Readings {
            messages: counts.messages.load(Relaxed),
            failed_commits: counts.failed_commits.load(Relaxed),
            timers: counts.timers.load(Relaxed),
            single_lookups: counts.single_lookups.load(Relaxed),
            queued: self.waiting() as u64,
            judged: JudgedBy::ALL
                .into_iter()
                .zip(counts.judged.iter().map(|count| count.load(Relaxed)))
                .collect(),
            judge_tokens: JudgeTokens {
                input: counts.judge_input.load(Relaxed),
                output: counts.judge_output.load(Relaxed),
            },
            batch: counts.batch.measured(&BATCHES),
            commit: counts.commit.measured(&TIMES),
            lateness: counts.lateness.measured(&TIMES),
            forwarded: counts.forwarded.measured(&TIMES),
            orders,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_8_buckets_count_what_is_at_most_their_bound() {
        let meters = Meters::default();
        for millis in [0, 1, 7, 90_000] {
            meters.went_off(Span::millis(millis));
        }
        let lateness = meters.readings().lateness;
        let below = |bound: f64| lateness.buckets.iter().find(|(at, _)| *at == bound).unwrap().1;
        assert_eq!((below(0.0005), below(0.001), below(0.01), below(60.0)), (1, 2, 3, 3));
        assert_eq!((lateness.count, lateness.sum), (4, 90.008));
    }
}
