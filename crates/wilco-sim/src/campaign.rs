//! Many runs over all cores, and what they came to.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::bail;
use rustix::time::{ClockId, clock_gettime};
use wilco_sim::{Run, RunFailure, simulate};

use crate::tell;

/// What all runs together came to.
#[derive(Default)]
struct Sum {
    runs: u64,
    exchanges: u64,
    messages: u64,
    deaths: u64,
    refusals: u64,
    /// Runs with several nodes, or with one on a database.
    shared: u64,
    takeovers: u64,
    /// Of all histories together, in whatever order they were lived: a change that alters none leaves it as it is.
    history: u64,
    /// Processor time spent in runs, so that other load on the machine does not count.
    busy: Duration,
    failed: Vec<RunFailure>,
}

impl Sum {
    fn add(&mut self, run: &Run) {
        self.runs += 1;
        self.exchanges += run.exchanges;
        self.messages += run.messages;
        self.deaths += run.deaths;
        self.refusals += run.refusals;
        self.shared += u64::from(run.nodes > 0);
        self.takeovers += run.takeovers;
        let [first, ..] = *run.hash.as_chunks::<8>().0 else { return };
        self.history ^= u64::from_be_bytes(first).rotate_left(run.seed as u32 % 64);
    }
}

/// More failures than this are not worth looking for.
const ENOUGH: usize = 10;

pub(crate) fn campaign(first: u64, end: u64, cores: Option<usize>, alone: bool) -> anyhow::Result<()> {
    let cores = cores.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
    let (next, sum) = (AtomicU64::new(first), Mutex::new(Sum::default()));
    // A run that panics is a finding like any other: its message comes with the failure.
    std::panic::set_hook(Box::new(|_| {}));
    std::thread::scope(|scope| {
        for _ in 0..cores.max(1) {
            scope.spawn(|| work(&next, end, alone, &sum));
        }
    });
    let _ = std::panic::take_hook();
    let sum = sum.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    let rate = sum.exchanges as f64 / sum.busy.as_secs_f64().max(f64::EPSILON);
    println!(
        "{} runs hold: {} exchanges, {} messages, {} deaths and {} refused commits; {} of them on nodes, with {} takeovers; history {:016x}; {rate:.0} exchanges per second and core",
        sum.runs,
        sum.exchanges,
        sum.messages,
        sum.deaths,
        sum.refusals,
        sum.shared,
        sum.takeovers,
        sum.history
    );
    let Some(failure) = sum.failed.iter().min_by_key(|failure| failure.seed) else { return Ok(()) };
    let seeds: Vec<_> = sum.failed.iter().map(|failure| failure.seed.to_string()).collect();
    let _ = tell(failure.seed, alone).map_err(|error| println!("{error}"));
    bail!("these seeds fail; add the first to crates/wilco-sim/regressions.txt: {}", seeds.join(" "))
}

fn work(next: &AtomicU64, end: u64, alone: bool, sum: &Mutex<Sum>) {
    loop {
        let seed = next.fetch_add(1, Ordering::Relaxed);
        if seed >= end {
            return;
        }
        let start = processor_time();
        let lived = simulate(seed, wilco_sim::Options { alone, ..wilco_sim::Options::default() });
        let Ok(mut sum) = sum.lock() else { return };
        sum.busy += processor_time().saturating_sub(start);
        match lived {
            Ok(run) => sum.add(&run),
            Err(failure) => sum.failed.push(*failure),
        }
        if sum.failed.len() >= ENOUGH {
            next.store(end, Ordering::Relaxed);
        }
    }
}

/// What this thread has used so far.
pub(crate) fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_is_of_the_histories_and_not_of_their_order() {
        let runs = [3, 4].map(|seed| simulate(seed, wilco_sim::Options::default()).unwrap());
        let history = |runs: &[&Run]| {
            let mut sum = Sum::default();
            runs.iter().for_each(|run| sum.add(run));
            sum.history
        };
        let [one, two] = &runs;
        assert_eq!(history(&[one, two]), history(&[two, one]));
        let mut other = two.clone();
        other.hash[0] ^= 1;
        assert_ne!(history(&[one, two]), history(&[one, &other]));
    }
}
