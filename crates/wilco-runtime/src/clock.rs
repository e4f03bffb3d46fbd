//! What time it is. `now` never goes back and never jumps: it runs with the machine's boot-time clock
//! and follows a wall clock that was set by slewing only.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::SystemTime;

use rustix::time::{ClockId, clock_gettime};
use wilco_protocol::Time;

/// Time that only goes forward, from whenever it was first asked for: to say how long something took.
pub fn ticks() -> std::time::Duration {
    static FIRST: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    FIRST.get_or_init(std::time::Instant::now).elapsed()
}

/// A clock that can be shared.
#[derive(Debug, Clone)]
pub enum Clock {
    Real(Arc<RealClock>),
    /// Stands still until somebody moves it.
    Test(Arc<AtomicI64>),
}

#[derive(Debug)]
pub struct RealClock {
    anchor: i64,
    boot: i64,
    /// What has been slewed so far.
    slewed: AtomicI64,
    /// When it was slewed last, on the boot clock.
    slewed_at: AtomicI64,
    newest: AtomicI64,
    /// What the calendar of a database is ahead of this machine's.
    ahead: AtomicI64,
}

/// A clock that is off is followed by at most this share of the time that passes.
const SLEW_SHARE: i64 = 20;

impl Clock {
    /// A real clock that never shows a time before `not_before`.
    pub fn real(not_before: Option<Time>) -> Clock {
        Clock::real_at(Clock::wall(), not_before)
    }

    /// The same, beginning at another time than this machine's calendar shows: that of a database.
    pub fn real_at(now: Time, not_before: Option<Time>) -> Clock {
        let anchor = now.millis().max(not_before.map_or(0, Time::millis));
        let boot = boot();
        Clock::Real(Arc::new(RealClock {
            anchor,
            boot,
            slewed: AtomicI64::new(0),
            slewed_at: AtomicI64::new(boot),
            newest: AtomicI64::new(anchor),
            ahead: AtomicI64::new(now.millis() - wall()),
        }))
    }

    /// Follows a calendar that shows this time now.
    pub(crate) fn follow(&self, calendar: Time) {
        match self {
            Clock::Real(clock) => clock.ahead.store(calendar.millis() - wall(), Ordering::SeqCst),
            Clock::Test(_) => {}
        }
    }

    /// From now on never shows an earlier time.
    pub(crate) fn not_before(&self, time: Time) {
        match self {
            Clock::Real(clock) => _ = clock.newest.fetch_max(time.millis(), Ordering::SeqCst),
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
            Clock::Real(clock) => clock.now(),
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

impl RealClock {
    fn now(&self) -> Time {
        let boot = boot();
        let steady = self.anchor + (boot - self.boot) + self.slewed.load(Ordering::SeqCst);
        let off = wall() + self.ahead.load(Ordering::SeqCst) - steady;
        let passed = boot - self.slewed_at.load(Ordering::SeqCst);
        let step = off.clamp(-passed / SLEW_SHARE, passed / SLEW_SHARE);
        if step != 0 {
            self.slewed_at.store(boot, Ordering::SeqCst);
            self.slewed.fetch_add(step, Ordering::SeqCst);
        }
        let now = steady + step;
        Time::from_millis(self.newest.fetch_max(now, Ordering::SeqCst).max(now))
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
