//! Numbers that say nothing new of a task: how many things are listed, the same bound from its other side, the case that is
//! ruled out.

use std::collections::HashSet;

use super::number::{Amount, MOST_NUMBERS, Measure, amounts};
use super::text::{LookWord, is_denial};

/// What the task counts.
pub(super) struct TaskCounts<'a> {
    stems: HashSet<&'a str>,
    /// Each with the word before it.
    own: Vec<(&'a str, Amount)>,
    /// It wants something once, or nothing twice.
    once: bool,
    end_of_year: bool,
}

impl<'a> TaskCounts<'a> {
    pub(super) fn of(asked: &'a [LookWord]) -> TaskCounts<'a> {
        const ONCE: [&str; 6] = ["onc", "duplic", "duplicat", "dedup", "idempot", "doubl"];
        let before = |place: usize| place.checked_sub(1).map_or("", |place| asked[place].lower.as_str());
        let own = amounts(asked).into_iter().take(MOST_NUMBERS);
        TaskCounts {
            stems: asked.iter().map(|word| word.stem.as_str()).collect(),
            own: own.map(|(place, amount)| (before(place), amount)).collect(),
            once: asked.iter().any(|word| ONCE.contains(&word.stem.as_str()) || word.lower == "once"),
            end_of_year: asked.windows(4).any(|run| run[0].lower == "end" && run[3].lower == "year"),
        }
    }

    /// Whether the number between these words counts what is listed, or is the task's own said from another side.
    pub(super) fn is_harmless(&self, said: &[LookWord], [at, next]: [usize; 2], amount: &Amount) -> bool {
        let of_things =
            matches!(amount.measure, Measure::None | Measure::Things(_)) && !amount.place_in_a_row;
        let word = |place: usize| said.get(place).map_or("", |word| word.lower.as_str());
        let shape = ["style", "format", "notation"].contains(&word(next));
        shape
            || (of_things
                && (self.counts_a_list(said, [at, next], amount)
                    || is_of_all(said, [at, next], amount)
                    || self.is_other_side(said, next, amount)
                    || self.is_before_the_refused(said, at, amount)
                    || (self.once && is_ruled_out(said, at, amount))))
            || (self.end_of_year && is_last_day(said, at, amount))
    }

    /// "Two fields, e-mail and password": as many things of the task follow.
    fn counts_a_list(&self, said: &[LookWord], [at, next]: [usize; 2], amount: &Amount) -> bool {
        const LONGEST: usize = 40;
        if !(2.0..=9.0).contains(&amount.value) || self.is_counted(amount) {
            return false;
        }
        let (sentence, clause) = (said[at].sentence, said[at].clause);
        let rest = said[next.min(said.len())..].iter().take(LONGEST);
        let rest: Vec<&LookWord> =
            rest.take_while(|word| word.sentence == sentence).filter(|word| word.clause > clause).collect();
        let mut items = 0.0;
        for part in rest.chunk_by(|one, other| one.clause == other.clause) {
            for item in part
                .split(|word| ["and", "or"].contains(&word.lower.as_str()))
                .filter(|item| !item.is_empty())
            {
                if !item.iter().any(|word| self.stems.contains(word.stem.as_str())) {
                    return false;
                }
                items += 1.0;
            }
            if items >= amount.value {
                return items == amount.value;
            }
        }
        false
    }

    /// Whether the task itself counts these things.
    fn is_counted(&self, amount: &Amount) -> bool {
        matches!(amount.measure, Measure::Things(_))
            && self.own.iter().any(|(_, own)| own.measure == amount.measure)
    }

    /// "21 or more" for "more than 20", "49 or fewer" for "below 50".
    fn is_other_side(&self, said: &[LookWord], next: usize, amount: &Amount) -> bool {
        const ABOVE: [&str; 6] = ["than", "over", "above", "beyond", "exceeds", "exceeding"];
        const BELOW: [&str; 4] = ["than", "under", "below", "before"];
        let word = |place: usize| said.get(place).map_or("", |word| word.lower.as_str());
        let (step, leads) = match (word(next), word(next + 1)) {
            ("or" | "and", "more" | "higher" | "above" | "over" | "up" | "later") => (-1.0, ABOVE.as_slice()),
            ("or" | "and", "fewer" | "less" | "lower" | "below" | "under") => (1.0, BELOW.as_slice()),
            _ => return false,
        };
        self.own.iter().any(|(before, own)| own.value == amount.value + step && leads.contains(before))
    }

    /// "Five tries, then 429" of a task whose sixth gets it.
    fn is_before_the_refused(&self, said: &[LookWord], at: usize, amount: &Amount) -> bool {
        const THEN: [&str; 8] = ["then", "after", "afterwards", "next", "beyond", "free", "further", "once"];
        const NEAR: usize = 14;
        let refused = |(_, own): &(&str, Amount)| own.place_in_a_row && own.value == amount.value + 1.0;
        let near =
            said[at.saturating_sub(4)..].iter().take(NEAR).filter(|word| word.sentence == said[at].sentence);
        self.own.iter().any(refused) && near.into_iter().any(|word| THEN.contains(&word.lower.as_str()))
    }
}

/// "All three counts", "the three numbers".
fn is_of_all(said: &[LookWord], [at, next]: [usize; 2], amount: &Amount) -> bool {
    const THINGS: [&str; 10] = [
        "counts",
        "numbers",
        "figures",
        "values",
        "cases",
        "results",
        "outcomes",
        "of",
        "conditions",
        "rules",
    ];
    let before = at.checked_sub(1).map_or("", |place| said[place].lower.as_str());
    let after = said.get(next).map_or("", |word| word.lower.as_str());
    amount.value <= 9.0 && ["all", "these", "the", "those"].contains(&before) && THINGS.contains(&after)
}

/// "If it arrives twice", "nobody appears twice" of a task that wants it once.
fn is_ruled_out(said: &[LookWord], at: usize, amount: &Amount) -> bool {
    let before = said[..at].iter().rev().take(8).take_while(|word| word.sentence == said[at].sentence);
    amount.value == 2.0
        && before
            .into_iter()
            .any(|word| is_denial(&word.lower) || ["if", "when"].contains(&word.lower.as_str()))
}

/// "December 31" for "the end of the year".
fn is_last_day(said: &[LookWord], at: usize, amount: &Amount) -> bool {
    let near = said[at.saturating_sub(2)..].iter().take(4);
    let mut december = near.filter(|word| ["december", "dec"].contains(&word.lower.as_str()));
    amount.value == 31.0 && december.next().is_some()
}
