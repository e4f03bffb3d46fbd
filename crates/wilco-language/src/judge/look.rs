//! Wilco's own look at an understanding that a judge calls correct: is there something in it that cannot stand beside the
//! task? It only forbids. It asks for contradictions as the rule for the task's own words does, and lets those go that
//! other words for the same thing bring along: a number in letters, "without" for "not", "no more than" for "at most".

use crate::read::understanding::{Contradiction, ContradictionKind, TaskText, contradictions};

/// What contradicts the task, if anything does.
pub(super) fn contradiction(task: &TaskText<'_>, understanding: &str) -> Option<Contradiction> {
    let parts = [task.title, task.description].into_iter().chain(task.criteria.iter().map(String::as_str));
    let asked = parts.collect::<Vec<_>>().join("\n").to_lowercase();
    // Naming the task says no number.
    let (said, id) = (understanding.to_lowercase(), task.task_id.trim().to_lowercase());
    let said = if id.is_empty() { said } else { said.replace(&id, " ") };
    let number = |word: String| Contradiction { kind: ContradictionKind::Number, word };
    let stands = |found: &Contradiction| match found.kind {
        ContradictionKind::TaskId | ContradictionKind::Name => true,
        // Looked for below, whatever they count.
        ContradictionKind::Number => false,
        ContradictionKind::Negation => is_turned(&asked, &said),
        ContradictionKind::Direction => {
            !["new", "old"].contains(&found.word.as_str()) && !asked.contains(&found.word)
        }
    };
    let other = || other_number(&asked, &said, task.criteria.len()).map(number);
    contradictions(task, understanding).into_iter().find(stands).or_else(other)
}

/// A number that the task does not have. How many criteria there are anybody may say.
fn other_number(asked: &str, said: &str, criteria: usize) -> Option<String> {
    const COUNTED: [&str; 8] =
        ["criteria", "criterion", "acceptance", "requirements", "points", "things", "items", "parts"];
    let own: Vec<u64> = tokens(asked).filter_map(number).collect();
    let words: Vec<&str> = tokens(said).collect();
    let other = words.iter().enumerate().find(|(at, word)| {
        // "One" is an article as well, and "second" a unit.
        let loose = ["one", "first", "second"].contains(*word);
        let counts =
            |value| value == criteria as u64 && words.get(at + 1).is_some_and(|next| COUNTED.contains(next));
        number(word).is_some_and(|value| !loose && !own.contains(&value) && !counts(value))
    });
    other.map(|(_, word)| (*word).to_owned())
}

/// Whether more is denied than the task denies, or nothing where it denies something.
fn is_turned(asked: &str, said: &str) -> bool {
    let denials = |text: &str| words(text).filter(|word| is_denial(word)).count();
    let implied = |text: &str| IMPLIED.iter().map(|sign| text.matches(sign).count()).sum::<usize>();
    let (task, understanding) = (denials(asked), denials(said));
    understanding > task + implied(asked) || (task > 0 && understanding + implied(said) == 0)
}

fn is_denial(word: &str) -> bool {
    const DENIALS: [&str; 14] = [
        "not", "no", "never", "none", "neither", "nor", "nobody", "nothing", "nowhere", "without", "cannot",
        "kein", "nicht", "ohne",
    ];
    DENIALS.contains(&word) || word.ends_with("n't") || word.ends_with("n’t")
}

/// What says no in other words.
const IMPLIED: [&str; 30] = [
    "at most",
    "left out",
    "leave out",
    "left alone",
    "instead",
    "except",
    "only",
    "unless",
    "outside",
    "exclud",
    "omit",
    "skip",
    "hid",
    "refus",
    "reject",
    "block",
    "forbid",
    "forbidden",
    "impossible",
    "prevent",
    "stop",
    "remov",
    "delet",
    "orphan",
    "abandon",
    "unfinish",
    "avoid",
    "drop",
    "lack",
    "fail",
];

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '’').filter(|word| !word.is_empty())
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// The value of a number, whatever it counts: in digits, in letters, as a place in a row.
fn number(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    if !digits.is_empty() {
        return digits.parse().ok();
    }
    const SMALL: [[&str; 2]; 21] = [
        ["zero", "zeroth"],
        ["one", "first"],
        ["two", "second"],
        ["three", "third"],
        ["four", "fourth"],
        ["five", "fifth"],
        ["six", "sixth"],
        ["seven", "seventh"],
        ["eight", "eighth"],
        ["nine", "ninth"],
        ["ten", "tenth"],
        ["eleven", "eleventh"],
        ["twelve", "twelfth"],
        ["thirteen", "thirteenth"],
        ["fourteen", "fourteenth"],
        ["fifteen", "fifteenth"],
        ["sixteen", "sixteenth"],
        ["seventeen", "seventeenth"],
        ["eighteen", "eighteenth"],
        ["nineteen", "nineteenth"],
        ["twenty", "twentieth"],
    ];
    const TENS: [&str; 7] = ["thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
    let small = SMALL.iter().position(|names| names.contains(&word)).map(|value| value as u64);
    let tens = || TENS.iter().position(|name| *name == word).map(|place| (place as u64 + 3) * 10);
    let large = || match word {
        "hundred" => Some(100),
        "thousand" => Some(1000),
        "million" => Some(1_000_000),
        _ => None,
    };
    small.or_else(tens).or_else(large)
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
        ] {
            assert_eq!(found(&task, said), None, "{said}");
        }
    }

    #[test]
    fn ju_4_what_turns_the_task_round_is_one() {
        let task = ["The sixth attempt returns 429"];
        assert_eq!(found(&task, "The seventh attempt returns 429"), Some(ContradictionKind::Number));
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
