//! A realm's time at one node: a calendar as it was last seen, carried by the boot-time clock, slewed, never going back.
//! Whoever asks says what this machine's boot-time clock and calendar show, in milliseconds.

use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use wilco_protocol::Time;

#[derive(Debug)]
pub struct CarriedClock {
    anchor: i64,
    boot: i64,
    /// What has been slewed so far.
    slewed: AtomicI64,
    /// Until when that was, on the boot-time clock.
    slewed_at: AtomicI64,
    newest: AtomicI64,
    /// What the calendar that is followed is ahead of this machine's; once another machine's is followed, of its
    /// boot-time clock, so that nobody who sets this calendar moves anything.
    ahead: AtomicI64,
    follows: AtomicBool,
}

/// A clock that is off is followed by at most this share of the time that passes.
const SLEW_SHARE: i64 = 20;
/// Milliseconds; time that passed before does not count.
const SLEW_OVER: i64 = 60_000;

impl CarriedClock {
    /// Shows this time now, or that of the last commit if it is later.
    pub fn new(now: Time, not_before: Option<Time>, boot: i64, wall: i64) -> CarriedClock {
        let anchor = now.millis().max(not_before.map_or(0, Time::millis));
        CarriedClock {
            anchor,
            boot,
            slewed: AtomicI64::new(0),
            slewed_at: AtomicI64::new(boot),
            newest: AtomicI64::new(anchor),
            ahead: AtomicI64::new(now.millis() - wall),
            follows: AtomicBool::new(false),
        }
    }

    /// Follows another machine's calendar that shows this time now.
    pub fn follow(&self, calendar: Time, boot: i64, wall: i64) {
        self.ahead.store(calendar.millis() - boot, Ordering::SeqCst);
        self.follows.store(true, Ordering::SeqCst);
        // So that no time is saved up, in which a calendar that is set before the next look could move it far.
        self.now(boot, wall);
    }

    /// From now on never shows an earlier time.
    pub fn not_before(&self, time: Time) {
        self.newest.fetch_max(time.millis(), Ordering::SeqCst);
    }

    pub fn now(&self, boot: i64, wall: i64) -> Time {
        let steady = self.anchor + (boot - self.boot) + self.slewed.load(Ordering::SeqCst);
        let calendar = if self.follows.load(Ordering::SeqCst) { boot } else { wall };
        let off = calendar + self.ahead.load(Ordering::SeqCst) - steady;
        let passed = (boot - self.slewed_at.load(Ordering::SeqCst)).min(SLEW_OVER);
        let step = off.clamp(-passed / SLEW_SHARE, passed / SLEW_SHARE);
        if step != 0 || off == 0 {
            self.slewed_at.store(boot, Ordering::SeqCst);
            self.slewed.fetch_add(step, Ordering::SeqCst);
        }
        let now = steady + step;
        Time::from_millis(self.newest.fetch_max(now, Ordering::SeqCst).max(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    /// G7, PG-16: a calendar that is set is followed slowly from then on, however long it was right before.
    #[test]
    fn g7_pg_16_a_calendar_that_is_set_is_followed_by_a_share_of_the_time_that_passes() {
        let clock = CarriedClock::new(Time::from_millis(HOUR), None, 0, 5 * HOUR);
        assert_eq!(clock.now(HOUR, 6 * HOUR), Time::from_millis(2 * HOUR));
        let set = 6 * HOUR + 300_000;
        assert_eq!(clock.now(HOUR + 10, set + 10), Time::from_millis(2 * HOUR + 10));
        assert_eq!(clock.now(HOUR + 1000, set + 1000), Time::from_millis(2 * HOUR + 1000 + 50));
        let (boot, wall) = (3 * HOUR, set + 2 * HOUR);
        let late = clock.now(boot, wall).millis() - 4 * HOUR;
        assert!((0..=3_100).contains(&late), "{late} of two hours asleep");
        clock.follow(Time::from_millis(4 * HOUR), boot + 1, wall + 1);
        assert!(clock.now(boot + 2, wall + 2).millis() >= 4 * HOUR + late, "never back");
    }

    /// PG-16: whoever follows another machine's calendar is moved by nobody who sets this one.
    #[test]
    fn pg_16_a_calendar_that_is_set_beside_the_one_that_is_followed_moves_nothing() {
        let clock = CarriedClock::new(Time::from_millis(0), None, 0, 0);
        for beat in 1..=3600 {
            clock.follow(Time::from_millis(beat * 1000), beat * 1000, beat * 1000);
        }
        for minutes in [5, -5] {
            let now = clock.now(HOUR + 120_000, HOUR + 120_000 + minutes * 60_000).millis();
            assert_eq!(now, HOUR + 120_000);
        }
    }
}
