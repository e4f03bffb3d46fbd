//! What time it is. `now` never goes back and never jumps: it runs with the machine's boot-time clock
//! and follows a wall clock that was set by slewing only.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::SystemTime;

use rustix::time::{ClockId, clock_gettime};
use wilco_protocol::Time;
use wilco_store::CarriedClock;

/// Time that only goes forward, from whenever it was first asked for: to say how long something took.
pub fn ticks() -> std::time::Duration {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(std::time::Instant::now).elapsed()
}

/// A clock that can be shared.
#[derive(Debug, Clone)]
pub enum Clock {
    Real(Arc<CarriedClock>),
    /// Stands still until somebody moves it.
    Test(Arc<AtomicI64>),
}

impl Clock {
    /// A real clock that never shows a time before `not_before`.
    pub fn real(not_before: Option<Time>) -> Clock {
        Clock::real_at(Clock::wall(), not_before)
    }

    /// The same, beginning at another time than this machine's calendar shows: that of a database.
    pub fn real_at(now: Time, not_before: Option<Time>) -> Clock {
        Clock::Real(Arc::new(CarriedClock::new(now, not_before, boot(), wall())))
    }

    /// Follows a calendar that shows this time now.
    pub(crate) fn follow(&self, calendar: Time) {
        match self {
            Clock::Real(clock) => clock.follow(calendar, boot(), wall()),
            Clock::Test(_) => {}
        }
    }

    /// From now on never shows an earlier time.
    pub(crate) fn not_before(&self, time: Time) {
        match self {
            Clock::Real(clock) => clock.not_before(time),
            Clock::Test(millis) => _ = millis.fetch_max(time.millis(), Ordering::SeqCst),
        }
    }

    pub fn test(at: Time) -> Clock {
        Clock::Test(Arc::new(AtomicI64::new(at.millis())))
    }

    /// What the machine's calendar says; only to start from.
    pub fn wall() -> Time {
        Time::from_millis(wall())
    }

    pub fn now(&self) -> Time {
        match self {
            Clock::Real(clock) => clock.now(boot(), wall()),
            Clock::Test(millis) => Time::from_millis(millis.load(Ordering::SeqCst)),
        }
    }

    pub fn is_test(&self) -> bool {
        match self {
            Clock::Test(_) => true,
            Clock::Real(_) => false,
        }
    }
}

fn wall() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as i64)
}

/// Milliseconds since boot, time asleep included.
pub(crate) fn boot() -> i64 {
    let time = clock_gettime(ClockId::Boottime);
    time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g7_the_clock_starts_no_earlier_than_the_last_commit_and_never_goes_back() {
        let ahead = Time::from_millis(wall() + 3_600_000);
        let clock = Clock::real(Some(ahead));
        let mut last = clock.now();
        assert!(last >= ahead);
        for _ in 0..10_000 {
            let now = clock.now();
            assert!(now >= last);
            last = now;
        }
    }
}
