//! What the worlds of all protocols with one exchange have in common: time, messages, the policy, what was written.

use serde_json::Value;
use wilco_protocol::policy::Overrides;
use wilco_protocol::{MessageId, Span, Time};

#[derive(Default)]
pub(crate) struct Timeline {
    pub(crate) now: Time,
    /// What happened since it was last taken.
    pub(crate) out: String,
    pub(crate) policy: Overrides,
    /// When the server was down.
    down: Option<(Time, Time)>,
    messages: u32,
}

impl Timeline {
    /// A line of the scene that every world knows: `policy: key = value`, `down: 1m to 5m`.
    pub(crate) fn set(&mut self, key: &str, value: &str) {
        match key {
            "policy" => {
                let (key, value) = value.split_once('=').expect("key = value");
                let value = value.trim();
                let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
                self.policy.insert(key.trim().to_owned(), value);
            }
            "down" => {
                let (from, until) = value.split_once(" to ").expect("FROM to UNTIL");
                self.down = Some((at(from), at(until)));
            }
            unknown => panic!("there is no {unknown} in a scene"),
        }
    }

    pub(crate) fn down_across(&self, due: Time) -> bool {
        self.down.is_some_and(|(from, until)| from < due && due < until)
    }

    /// When something that is due is done: at its instant, or when the server is up again.
    pub(crate) fn served_at(&self, due: Time) -> Time {
        self.down.filter(|_| self.down_across(due)).map_or(due, |(_, until)| until).max(self.now)
    }

    pub(crate) fn next_message(&mut self) -> MessageId {
        self.messages += 1;
        MessageId::new(format!("msg-{}", self.messages))
    }

    /// What was written since the last time.
    pub(crate) fn take(&mut self) -> String {
        std::mem::take(&mut self.out)
    }
}

fn at(text: &str) -> Time {
    Time::ZERO.plus(text.trim().parse::<Span>().expect("a time"))
}
