//! How many agents must be ready, and what follows from who is.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// How many of those who remain must be ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quorum {
    All,
    /// More than half.
    Majority,
    Number(u32),
}

impl Quorum {
    /// How many of so many.
    pub fn of(self, remaining: u32) -> u32 {
        match self {
            Quorum::All => remaining,
            Quorum::Majority => remaining / 2 + 1,
            Quorum::Number(number) => number,
        }
    }
}

impl Serialize for Quorum {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        match self {
            Quorum::All => out.serialize_str("all"),
            Quorum::Majority => out.serialize_str("majority"),
            Quorum::Number(number) => out.serialize_u32(*number),
        }
    }
}

impl<'de> Deserialize<'de> for Quorum {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Quorum, D::Error> {
        let value = serde_json::Value::deserialize(input)?;
        match value.as_str().map(|word| word.trim().to_ascii_lowercase()).as_deref() {
            Some("all") => Ok(Quorum::All),
            Some("majority") => Ok(Quorum::Majority),
            Some(_) | None => {
                let digits = value.as_str().and_then(|text| text.trim().parse().ok());
                let number = value.as_u64().or(digits).and_then(|number| u32::try_from(number).ok());
                let least = number.filter(|number| *number > 0).map(Quorum::Number);
                least.ok_or_else(|| D::Error::custom("expected all, majority or a number from 1"))
            }
        }
    }
}

/// How those who remain stand. Whoever is excluded does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    pub ready: u32,
    pub waiting: u32,
    pub timed_out: u32,
}

impl Tally {
    pub fn remaining(self) -> u32 {
        self.ready + self.waiting + self.timed_out
    }
}

/// What follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Somebody may still answer.
    Wait,
    /// Everybody who counts is ready.
    AllReady,
    /// Not all are, but enough.
    Enough,
    /// Too few are ready, and the policy is to go on all the same.
    Regardless,
    /// Too few are ready, or can be.
    TooFew,
    NobodyLeft,
}

/// Weighs who is ready.
pub fn weigh(tally: Tally, quorum: Quorum, proceed_on_timeout: bool) -> Verdict {
    let needed = quorum.of(tally.remaining());
    if tally.remaining() == 0 {
        return Verdict::NobodyLeft;
    }
    if tally.ready + tally.waiting < needed && !proceed_on_timeout {
        return Verdict::TooFew;
    }
    if tally.ready == tally.remaining() {
        return Verdict::AllReady;
    }
    match (tally.waiting, tally.ready >= needed) {
        (1.., _) => Verdict::Wait,
        (0, true) => Verdict::Enough,
        (0, false) => Verdict::Regardless,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(ready: u32, waiting: u32, timed_out: u32) -> Tally {
        Tally { ready, waiting, timed_out }
    }

    #[test]
    fn op_7_majority_is_more_than_half() {
        let needed: Vec<_> = (1..=5).map(|count| Quorum::Majority.of(count)).collect();
        assert_eq!(needed, [1, 2, 2, 3, 3]);
    }

    #[test]
    fn op_7_everybody_is_waited_for_while_it_can_still_be_reached() {
        assert_eq!(weigh(tally(2, 1, 0), Quorum::Majority, false), Verdict::Wait);
        assert_eq!(weigh(tally(3, 0, 0), Quorum::All, false), Verdict::AllReady);
        assert_eq!(weigh(tally(2, 0, 1), Quorum::Majority, false), Verdict::Enough);
        assert_eq!(weigh(tally(2, 0, 1), Quorum::Number(2), false), Verdict::Enough);
    }

    #[test]
    fn op_7_out_of_reach_aborts_at_once_unless_silence_means_to_go_on() {
        assert_eq!(weigh(tally(1, 1, 1), Quorum::All, false), Verdict::TooFew);
        assert_eq!(weigh(tally(1, 1, 1), Quorum::All, true), Verdict::Wait);
        assert_eq!(weigh(tally(2, 0, 1), Quorum::All, true), Verdict::Regardless);
        assert_eq!(weigh(tally(0, 1, 2), Quorum::Majority, false), Verdict::TooFew);
        assert_eq!(weigh(tally(2, 0, 0), Quorum::Number(3), false), Verdict::TooFew);
        assert_eq!(weigh(tally(0, 0, 0), Quorum::All, true), Verdict::NobodyLeft);
    }

    #[test]
    fn op_7_a_quorum_is_a_word_or_a_number_from_one() {
        let read = |text: &str| serde_json::from_str::<Quorum>(text).ok();
        assert_eq!(read("\"all\""), Some(Quorum::All));
        assert_eq!(read("\"Majority\""), Some(Quorum::Majority));
        assert_eq!(read("2"), Some(Quorum::Number(2)));
        assert_eq!(read("\"2\""), Some(Quorum::Number(2)));
        for bad in ["0", "-1", "1.5", "\"most\"", "null", "[]", "4294967296"] {
            assert_eq!(read(bad), None, "{bad}");
        }
        for quorum in [Quorum::All, Quorum::Majority, Quorum::Number(7)] {
            let written = serde_json::to_string(&quorum).unwrap();
            assert_eq!(read(&written), Some(quorum));
        }
    }
}
