//! Moving the test clock.

use tokio::sync::oneshot;
use wilco_protocol::{Span, Time};

use super::{AFTER_A_FAILURE, Writer};
use crate::clock::Clock;

impl Writer {
    pub(super) fn advance(&mut self, by: Span, answer: oneshot::Sender<Time>) {
        let now = self.clock.now();
        if !self.clock.is_test() {
            let _ = answer.send(now);
            return;
        }
        let from = self.advancing.back().map_or(now, |(target, _)| *target);
        self.advancing.push_back((from.plus(by), answer));
    }

    /// Moves the test clock from due time to due time, each handled at its own time, effects included.
    pub(super) fn go_on_advancing(&mut self) {
        let Clock::Test(millis) = self.clock.clone() else { return };
        while let Some((target, _)) = self.advancing.front() {
            let target = *target;
            self.send_courier();
            if !self.places.is_idle() {
                return;
            }
            let next = [self.engine.next_wake(), self.places.next_due()].into_iter().flatten().min();
            let to = next.filter(|due| *due <= target).unwrap_or(target).max(self.clock.now());
            millis.store(to.millis(), std::sync::atomic::Ordering::SeqCst);
            self.wake_due();
            if let Err(error) = self.commit_now() {
                tracing::error!(%error, "what is due could not be committed; trying again");
                std::thread::sleep(AFTER_A_FAILURE);
                return;
            }
            let due_again = self.engine.next_wake().is_some_and(|due| due <= to);
            let order_due = self.places.next_due().is_some_and(|due| due <= to);
            if to == target && !due_again && !order_due {
                self.arrived(target);
            }
        }
    }

    fn arrived(&mut self, target: Time) {
        if let Some(kept) = &self.test_clock
            && let Err(error) = kept.keep(target)
        {
            tracing::error!(%error, "the position of the test clock could not be kept");
        }
        if let Some((_, answer)) = self.advancing.pop_front() {
            let _ = answer.send(target);
        }
    }
}
