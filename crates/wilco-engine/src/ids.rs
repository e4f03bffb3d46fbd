//! The ids of messages: `msg-{ms}-{7 base36}`, strictly increasing.

use wilco_protocol::{MessageId, Time};

const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const WIDTH: usize = 7;

/// Makes ids. Two of the same millisecond are told apart by a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ids {
    millis: i64,
    count: u64,
}

impl Ids {
    /// Ids that are greater than all made until `last`.
    pub(crate) fn after(last: Option<Time>) -> Ids {
        Ids { millis: last.map_or(0, |time| time.millis() + 1), count: 0 }
    }

    pub(crate) fn next(&mut self, now: Time) -> MessageId {
        if now.millis() > self.millis {
            *self = Ids { millis: now.millis(), count: 0 };
        }
        let id = written(self.millis, self.count);
        self.count += 1;
        MessageId::new(id)
    }

    /// Whether a client chose an id that could still be made here.
    pub(crate) fn may_clash(&self, id: &MessageId) -> bool {
        let Some((millis, suffix)) = id.as_str().strip_prefix("msg-").and_then(|rest| rest.split_once('-'))
        else {
            return false;
        };
        let made_here = suffix.len() == WIDTH && suffix.bytes().all(|byte| DIGITS.contains(&byte));
        made_here && millis.parse::<i64>().is_ok_and(|millis| millis >= self.millis)
    }
}

fn written(millis: i64, mut count: u64) -> String {
    let mut suffix = [b'0'; WIDTH];
    for digit in suffix.iter_mut().rev() {
        *digit = DIGITS[(count % 36) as usize];
        count /= 36;
    }
    format!("msg-{millis}-{}", suffix.iter().map(|byte| *byte as char).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn msg_1_ids_increase_strictly_also_when_the_clock_stands_still() {
        let mut ids = Ids::after(Some(Time::from_millis(1_767_150_000_000)));
        let now = Time::from_millis(1_767_150_000_000);
        let made: Vec<_> = (0..100).map(|_| ids.next(now)).collect();
        assert_eq!(made[0].as_str(), "msg-1767150000001-0000000");
        assert!(made.is_sorted_by(|a, b| a < b));
        assert!(ids.next(Time::from_millis(1_767_150_000_009)) > made[99]);
    }

    #[test]
    fn msg_1_a_chosen_id_may_not_take_a_future_one() {
        let ids = Ids::after(Some(Time::from_millis(1000)));
        assert!(ids.may_clash(&MessageId::new("msg-1001-0000000")));
        assert!(!ids.may_clash(&MessageId::new("msg-999-0000000")));
        assert!(!ids.may_clash(&MessageId::new("my-own-id")));
    }
}
