//! Wilco's own look at an understanding that a judge calls correct: is there something in it that cannot stand beside the
//! task? It only forbids: another task's id or name, other numbers, a negation that the task has not.
//!
//! Other words for the same thing are none: a number in letters, "don't change" for "stays the same", "no more than" for
//! "at most". What merely is said differently is the judge's to read.

mod count;
mod denial;
mod number;
mod text;

use super::folded::folded;
use crate::read::understanding::{Contradiction, ContradictionKind, TaskText, contradictions, stem};
use text::look_words;

/// What contradicts the task, if anything does.
pub(super) fn contradiction(task: &TaskText<'_>, understanding: &str) -> Option<Contradiction> {
    let parts = [task.title, task.description].into_iter().chain(task.criteria.iter().map(String::as_str));
    let asked = folded(&parts.collect::<Vec<_>>().join("\n"));
    let understanding = &folded(understanding);
    // Naming the task says no number.
    let (said, id) = (understanding.to_lowercase(), folded(task.task_id).trim().to_lowercase());
    let said = if id.is_empty() { said } else { said.replace(&id, " ") };
    let (task_words, said_words) = (look_words(&asked), look_words(&said));
    let denied = denial::denied_stems(&task_words);
    let stands = |found: &Contradiction| match found.kind {
        ContradictionKind::TaskId | ContradictionKind::Name => true,
        // Looked for below, with an eye for other words.
        ContradictionKind::Number | ContradictionKind::Negation => false,
        ContradictionKind::Direction => {
            is_opposite(&found.word)
                && !asked.to_lowercase().contains(&found.word)
                && !denial::is_denied(&denied, &found.word)
        }
    };
    let of = |kind: ContradictionKind| move |word: String| Contradiction { kind, word };
    let id = || number::other_id(&asked, &said).map(of(ContradictionKind::TaskId));
    let number = || {
        number::other_number(&task_words, &said_words, task.criteria.len()).map(of(ContradictionKind::Number))
    };
    let denial = || denial::denied(&task_words, &said_words).map(of(ContradictionKind::Negation));
    contradictions(&TaskText { description: &asked, criteria: &[], ..*task }, understanding)
        .into_iter()
        .find(stands)
        .or_else(id)
        .or_else(number)
        .or_else(denial)
}

/// Whether an opposite turns the meaning wherever it stands. "After", "keep" or "down" do not: a right answer in other
/// words often has one.
fn is_opposite(word: &str) -> bool {
    const EVERYDAY: &str = "keep remove add create restore replace build before after up down under over above below more \
        less fewer begin end start stop open close on off least most within beyond first last left right new old same \
        different single multiple show hide always never join leave fast slow early late light dark top bottom hour day \
        week month year minute second millisecond accept refuse reject block fail failure success request response merge \
        split lower upper input output client server hourly daily weekly monthly yearly order mail local remote run \
        upload download active inactive manual automatic read write login logout";
    !EVERYDAY.split_whitespace().any(|everyday| everyday == word || stem(everyday) == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(criteria: &[&str], understanding: &str) -> Option<ContradictionKind> {
        let criteria: Vec<String> = criteria.iter().map(|text| (*text).to_owned()).collect();
        let task = TaskText {
            task_id: "GH-7",
            title: "Limit the login",
            titled: true,
            description: "",
            criteria: &criteria,
        };
        contradiction(&task, understanding).map(|found| found.kind)
    }

    #[test]
    fn ju_4_other_words_for_the_same_are_no_contradiction() {
        let task =
            ["The sixth attempt returns 429", "Counters are not shared between users", "At most 10 minutes"];
        for said in [
            "From attempt six on logins get a 429; counters without sharing between users; no more than ten minutes",
            "The 6th attempt returns 429, users never share counters, ten minutes at most",
            "After five attempts the sixth one gets a 429. Users don't share counters; 600 seconds at most.",
        ] {
            assert_eq!(found(&task, said), None, "{said}");
        }
    }

    #[test]
    fn ju_4_what_turns_the_task_round_is_one() {
        let task = ["The sixth attempt returns 429"];
        assert_eq!(found(&task, "The seventh attempt returns 429"), Some(ContradictionKind::Number));
        assert_eq!(found(&task, "The fifth attempt returns 429"), Some(ContradictionKind::Number));
        assert_eq!(found(&task, "The sixth attempt does not return 429"), Some(ContradictionKind::Negation));
        assert_eq!(found(&task, "GH-8: the sixth attempt returns 429"), Some(ContradictionKind::TaskId));
        let ban = ["Do not touch the sign-up page"];
        assert_eq!(
            found(&ban, "I limit the login and touch the sign-up page"),
            Some(ContradictionKind::Negation)
        );
        assert_eq!(found(&ban, "I limit the login and don't touch the sign-up page"), None);
    }
}
