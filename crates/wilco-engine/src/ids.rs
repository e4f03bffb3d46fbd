//! Ids that clients choose for their messages, beside those that are made here.

use wilco_protocol::{MessageId, Time};

/// Whether a client chose an id that could still be made here.
pub(crate) fn may_clash(id: &MessageId, now: Time, next: u64) -> bool {
    id.parts().is_some_and(|(millis, position)| position >= next && millis >= now.millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Time {
        Time::from_millis(1_767_150_000_001)
    }

    #[test]
    fn msg_1_ids_increase_strictly_also_when_the_clock_stands_still() {
        let made: Vec<_> = (7..107).map(|position| MessageId::made(now(), position)).collect();
        assert_eq!(made[0].as_str(), "msg-1767150000001-0000007");
        assert_eq!(made[99].parts(), Some((now().millis(), 106)));
        assert!(made.is_sorted_by(|a, b| a < b));
        assert!(MessageId::made(Time::from_millis(1_767_150_000_009), 107) > made[99]);
    }

    #[test]
    fn msg_1_a_chosen_id_may_not_take_a_future_one() {
        let clashes = |text: &str| may_clash(&MessageId::new(text), now(), 36);
        assert!(clashes("msg-1767150000001-0000010"));
        assert!(!clashes("msg-1767150000001-000000z"), "that position is taken");
        assert!(!clashes("msg-1767150000000-0000010"), "that time is past");
        assert!(!clashes("my-own-id"));
    }
}
