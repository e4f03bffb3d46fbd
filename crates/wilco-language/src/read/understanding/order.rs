//! The same words in another order may say something else: who does what to whom, what comes first,
//! what becomes of what.
//!
//! Like every conflict this may only forbid an acceptance. Honest rewording moves words too, so each
//! test looks for one kind of exchange rather than for any change.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::words::{Word, Words};

/// Whether the understanding puts the task's words together in another way.
pub(super) fn reordered(task: &Words, said: &Words) -> bool {
    turns_round(task, said)
        || swaps(task, said)
        || reverses(task, said)
        || restricts(task, said)
        || changes_company(task, said)
}

/// "replace A with B" said as "replace B with A", "prices for visitors" as "visitors for prices".
fn turns_round(task: &Words, said: &Words) -> bool {
    let wanted = directions(task);
    let mut told = directions(said).into_iter().filter(|(_, from, to)| from != to);
    told.any(|(by, from, to)| wanted.contains(&(by, to, from)) && !wanted.contains(&(by, from, to)))
}

/// Which words stand on the two sides of a preposition, and which one; a change and an order read
/// the same from both ends: old before new, early before late.
fn directions(words: &Words) -> HashSet<(&str, &str, &str)> {
    let mut found = HashSet::new();
    for (at, word) in words.list.iter().enumerate() {
        let next = words.list.get(at + 1).map(|next| next.lower.as_ref());
        let (by, forward) = match (word.lower.as_ref(), next) {
            ("to" | "into" | "with" | "by", _) => ("to", true),
            ("instead", Some("of")) | ("rather", Some("than")) => ("to", false),
            ("before", _) => ("before", true),
            ("after", _) => ("before", false),
            (by, _) if RELATES.contains(&by) => (by, true),
            _ => continue,
        };
        let near = |word: &&Word| word.tells();
        let left = words.list[..at].iter().rev().take(5).filter(near).take(2);
        let right: Vec<&Word> = words.list[at + 1..].iter().take(5).filter(near).take(2).collect();
        for left in left {
            for right in &right {
                let (left, right) = (left.stem.as_ref(), right.stem.as_ref());
                found.insert(if forward { (by, left, right) } else { (by, right, left) });
            }
        }
    }
    found
}

/// Prepositions whose two sides cannot be exchanged.
const RELATES: [&str; 18] = [
    "for", "of", "in", "on", "at", "under", "over", "than", "via", "above", "below", "behind", "beside",
    "inside", "outside", "from", "as", "like",
];

/// "make the button blue" said as "make the blue button". What a phrase begins with is passed over,
/// "validate input" may well be said as "input validation"; so is "search for users" for "user
/// search", where a preposition turns the words.
fn reverses(task: &Words, said: &Words) -> bool {
    let wanted = neighbours(task, 1);
    let heard = said.list.iter().filter(|word| !DETERMINERS.contains(&word.lower.as_ref()));
    let heard: Vec<&Word> = heard.collect();
    let adjacent = heard.windows(2).filter(|two| two[0].clause == two[1].clause);
    let told = adjacent.filter(|two| two[0].tells() && two[1].tells());
    let mut told = told.map(|two| (two[0].stem.as_ref(), two[1].stem.as_ref()));
    told.any(|(first, second)| {
        first != second && wanted.contains(&(second, first)) && !wanted.contains(&(first, second))
    })
}

const DETERMINERS: [&str; 12] =
    ["the", "a", "an", "its", "his", "her", "their", "our", "your", "own", "each", "every"];

/// "only admins may delete" said as "admins may only delete".
fn restricts(task: &Words, said: &Words) -> bool {
    let wanted = restricted(task);
    restricted(said).iter().any(|stem| !wanted.contains(stem))
}

fn restricted(words: &Words) -> HashSet<&str> {
    let only = words.list.iter().enumerate().filter(|(_, word)| &*word.lower == "only");
    let next = only.filter_map(|(at, _)| words.list[at + 1..].iter().find(|word| word.tells()));
    next.map(|word| word.stem.as_ref()).filter(|stem| *stem != "only").collect()
}

/// "admins edit, guests view" said as "guests edit, admins view": two words took each other's
/// place beside their neighbours. Numbers are seen over one word between: "open port 80".
fn swaps(task: &Words, said: &Words) -> bool {
    let number = |stem: &str| stem.starts_with(|c: char| c.is_ascii_digit());
    let near = exchanged(task, said, &neighbours(task, 0), &neighbours(said, 0));
    let apart = exchanged(task, said, &skipping(task), &skipping(said));
    let numbers = apart.into_iter().filter(|((one, other), _)| number(one) && number(other));
    near.into_iter().chain(numbers).any(|(_, times)| times >= 2)
}

/// How often one word stands where the task has the other.
fn exchanged<'a>(
    task: &Words,
    said: &Words,
    wanted: &HashSet<(&'a str, &'a str)>,
    told: &HashSet<(&'a str, &'a str)>,
) -> HashMap<(&'a str, &'a str), usize> {
    let known: HashSet<&str> = task.stems().collect();
    let heard: HashSet<&str> = said.stems().collect();
    let mut times: HashMap<(&str, &str), usize> = HashMap::new();
    for (first, second) in told.difference(wanted) {
        for (one, other) in wanted {
            let (new, old) = match (one == first, other == second) {
                (true, false) => (*second, *other),
                (false, true) => (*first, *one),
                (true, true) | (false, false) => continue,
            };
            if known.contains(new) && heard.contains(old) {
                *times.entry((new.min(old), new.max(old))).or_default() += 1;
            }
        }
    }
    times
}

/// "guests see a summary, members see all" said as "members see a summary": two clauses of the task tell
/// apart two kinds of a thing, and one kind is found in the company of the other's words.
fn changes_company(task: &Words, said: &Words) -> bool {
    let (wanted, told) = (clauses(task), clauses(said));
    let kinds = |words: &Words| -> Vec<(usize, Rc<str>, Rc<str>)> {
        let pairs = words.phrases();
        let pairs = pairs.iter().flat_map(|phrase| phrase.windows(2).map(|two| (two[0], two[1])));
        let stem = |at: usize| words.list[at].stem.clone();
        pairs.map(|(kind, thing)| (words.list[kind].clause, stem(kind), stem(thing))).collect()
    };
    let known = kinds(task);
    kinds(said).iter().any(|(heard_in, kind, thing)| {
        let own = known.iter().filter(|(_, one, of)| (one, of) == (kind, thing));
        own.clone().any(|(own, ..)| {
            let rivals = known.iter().filter(|(at, one, of)| of == thing && one != kind && at != own);
            rivals.clone().any(|(other, rival, _)| {
                let (said, mine, theirs) = (&told[heard_in], &wanted[own], &wanted[other]);
                let shared = |with: &HashSet<&str>, without: &HashSet<&str>| {
                    said.iter().filter(|stem| with.contains(*stem) && !without.contains(*stem)).count()
                };
                let alone = usize::from(!theirs.contains(kind.as_ref()));
                !said.contains(rival.as_ref()) && shared(theirs, mine) > shared(mine, theirs) - alone
            })
        })
    })
}

/// What each clause tells of.
fn clauses(words: &Words) -> HashMap<usize, HashSet<&str>> {
    let mut clauses: HashMap<usize, HashSet<&str>> = HashMap::new();
    for word in &words.list {
        let told = clauses.entry(word.clause).or_default();
        if word.tells() {
            told.insert(word.stem.as_ref());
        }
    }
    clauses
}

/// Words of a phrase with one word between them.
fn skipping(words: &Words) -> HashSet<(&str, &str)> {
    let stem = |at: usize| words.list[at].stem.as_ref();
    let phrases = words.phrases();
    let threes = phrases.iter().flat_map(|phrase| phrase.windows(3));
    threes.map(|three| (stem(three[0]), stem(three[2]))).collect()
}

/// Words beside each other in a phrase, without the phrase's first `skipped`.
fn neighbours(words: &Words, skipped: usize) -> HashSet<(&str, &str)> {
    let stem = |at: usize| words.list[at].stem.as_ref();
    let phrases = words.phrases();
    let rest = phrases.iter().map(|phrase| phrase.get(skipped..).unwrap_or_default());
    rest.flat_map(|rest| rest.windows(2)).map(|two| (stem(two[0]), stem(two[1]))).collect()
}
