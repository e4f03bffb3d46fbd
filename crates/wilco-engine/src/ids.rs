//! The ids of messages: `msg-{ms}-{7 base36}`, strictly increasing.
//!
//! The suffix is the position in the journal. Positions never repeat and time never goes back, so ids
//! increase also when the clock stands still, and nothing has to be remembered over a restart.

use wilco_protocol::{MessageId, Time};

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const WIDTH: usize = 7;

/// The id of the message that will stand at this position.
pub(crate) fn id(now: Time, position: u64) -> MessageId {
    let mut id = format!("msg-{}-", now.millis());
    let places = (0..WIDTH as u32).rev().map(|place| position / 36_u64.pow(place) % 36);
    id.extend(places.map(|digit| DIGITS[digit as usize] as char));
    MessageId::new(id)
}

/// Whether a client chose an id that could still be made here.
pub(crate) fn may_clash(id: &MessageId, now: Time, next: u64) -> bool {
    let Some((millis, suffix)) = id.as_str().strip_prefix("msg-").and_then(|rest| rest.split_once('-'))
    else {
        return false;
    };
    let made_here = suffix.len() == WIDTH && suffix.bytes().all(|byte| DIGITS.contains(&byte));
    let position = u64::from_str_radix(suffix, 36).unwrap_or(0);
    made_here && position >= next && millis.parse::<i64>().is_ok_and(|millis| millis >= now.millis())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Time {
        Time::from_millis(1_767_150_000_001)
    }

    #[test]
    fn msg_1_ids_increase_strictly_also_when_the_clock_stands_still() {
        let made: Vec<_> = (7..107).map(|position| id(now(), position)).collect();
        assert_eq!(made[0].as_str(), "msg-1767150000001-0000007");
        assert!(made.is_sorted_by(|a, b| a < b));
        assert!(id(Time::from_millis(1_767_150_000_009), 107) > made[99]);
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
