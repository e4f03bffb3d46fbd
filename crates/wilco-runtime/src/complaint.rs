//! What fails is told once, and then now and then: a full disk is not to be filled by the log of its own troubles.

use std::time::{Duration, Instant};

/// How often the same is told again.
const EVERY: Duration = Duration::from_secs(10);

/// The trouble that was told last, when, and how often it came again since.
#[derive(Debug, Default)]
pub(crate) struct Complaint {
    told: Option<(String, Instant)>,
    again: u64,
}

impl Complaint {
    /// How often this trouble came since it was told last, if it is to be told now.
    pub(crate) fn is_due(&mut self, trouble: &str, now: Instant) -> Option<u64> {
        let known = self.told.as_ref().filter(|(told, _)| told == trouble);
        if known.is_some_and(|(_, at)| now.duration_since(*at) < EVERY) {
            self.again += 1;
            return None;
        }
        let again = if known.is_some() { self.again } else { 0 };
        *self = Complaint { told: Some((trouble.to_owned(), now)), again: 0 };
        Some(again)
    }

    /// Whether there was trouble; from now on there is none.
    pub(crate) fn is_over(&mut self) -> bool {
        std::mem::take(self).told.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn g9_the_same_trouble_is_told_now_and_then_and_another_at_once() {
        let (mut complaint, start) = (Complaint::default(), Instant::now());
        assert!(!complaint.is_over());
        assert_eq!(complaint.is_due("full", start), Some(0));
        assert_eq!(complaint.is_due("full", start + EVERY / 2), None);
        assert_eq!(complaint.is_due("full", start + EVERY / 2), None);
        assert_eq!(complaint.is_due("full", start + EVERY), Some(2));
        assert_eq!(complaint.is_due("full", start + EVERY), None);
        assert_eq!(complaint.is_due("failed", start + EVERY), Some(0));
        assert!(complaint.is_over());
        assert!(!complaint.is_over());
        assert_eq!(complaint.is_due("failed", start + EVERY), Some(0));
    }
}
