//! Why an understanding cannot be taken for right although it uses the task's words.
//!
//! Each test here may only forbid an acceptance, never give one.

use super::hashed::{HashSet, roomy};
use super::quantity;
use super::vocabulary::{self as vocab, Action};
use super::words::{Word, Words};

/// Whether the understanding says something that the task does not bear out.
pub(super) fn conflicts(title: &Words, task: &Words, said: &Words) -> bool {
    said.cut
        || task.cut
        || said.asks
        || hedges(task, said)
        || excuses(said)
        || takes_back(task, said)
        || breaks_ban(task, said)
        || excludes(task, said)
        || denies_by_prefix(task, said)
        || !quantity::agree(&quantity::quantities(task), &quantity::quantities(said))
        || acts_otherwise(title, task, said)
        || strays_in_other_tongue(task, said)
}

/// What is out of scope, beyond it or outside of it is not going to be done.
fn excuses(said: &Words) -> bool {
    let beyond = |word: &Word| matches!(word.lower.as_ref(), "out" | "outside" | "beyond");
    said.list.windows(4).any(|near| beyond(&near[0]) && near[1..].iter().any(|word| &*word.lower == "scope"))
        || said.list.windows(3).any(|near| beyond(&near[0]) && &*near[2].lower == "scope")
}

fn hedges(task: &Words, said: &Words) -> bool {
    let hedged = |word: &&Word| word.is.hedge;
    let mut hedges = said.list.iter().filter(hedged);
    hedges.any(|hedge| !task.has(&hedge.stem))
}

/// A negation that the task does not make itself, or that reaches what the task wants.
fn takes_back(task: &Words, said: &Words) -> bool {
    let count = |words: &Words| words.list.iter().filter(|word| word.is.negator).count();
    let denials = count(said);
    if denials == 0 {
        return false;
    }
    // Denying a denial once more turns it round.
    if denials > count(task) {
        return true;
    }
    let banned = stems(task, true);
    let wanted = stems(task, false);
    let negators = said.list.iter().enumerate().filter(|(_, word)| word.is.negator);
    for (at, negator) in negators {
        let next = said.list.get(at + 1);
        if next.is_some_and(|next| &*next.lower == "only") {
            continue;
        }
        let in_clause = |word: &&Word| word.clause == negator.clause && word.negated && word.tells();
        let reached: Vec<&str> = said.list.iter().filter(in_clause).map(|word| word.stem.as_ref()).collect();
        let borne_out = reached.iter().any(|stem| banned.contains(stem));
        let too_far = reached.iter().any(|stem| wanted.contains(stem) && !banned.contains(stem));
        if !borne_out || too_far {
            return true;
        }
    }
    false
}

/// The task forbids it and the understanding does it.
fn breaks_ban(task: &Words, said: &Words) -> bool {
    if !task.list.iter().any(|word| word.tells() && word.negated) {
        return false;
    }
    let wanted = stems(task, false);
    let banned: HashSet<&str> = stems(task, true).difference(&wanted).copied().collect();
    let done = stems(said, false);
    let telling = |stem: &str| vocab::action(stem) != Some(Action::Build);
    banned.intersection(&done).any(|stem| telling(stem))
}

fn stems(words: &Words, negated: bool) -> HashSet<&str> {
    let kept = words.list.iter().filter(|word| word.tells() && word.negated == negated);
    let mut stems = roomy(words.list.len());
    stems.extend(kept.map(|word| word.stem.as_ref()));
    stems
}

/// "disable" for "enable", "Windows" for "macOS".
fn excludes(task: &Words, said: &Words) -> bool {
    clashes(task, said, |word| &word.stem) || clashes(task, said, |word| &word.root)
}

fn clashes(task: &Words, said: &Words, form: fn(&Word) -> &str) -> bool {
    if said.list.iter().all(|word| vocab::excluded(form(word)).is_empty()) {
        return false;
    }
    let wanted: HashSet<&str> = task.list.iter().map(form).collect();
    let told: HashSet<&str> = said.list.iter().map(form).collect();
    told.difference(&wanted).any(|word| {
        let mut others = vocab::excluded(word).iter().map(String::as_str);
        others.any(|other| wanted.contains(other) && !(told.contains(other) && both_fit(other)))
    })
}

/// "unpaid" for "paid", "visible" for "invisible".
fn denies_by_prefix(task: &Words, said: &Words) -> bool {
    let turned = |one: &Words, other: &Words| {
        let means = |bare: &str| {
            let root = vocab::stem(bare);
            other.list.iter().any(|word| word.tells() && *word.root == *root)
        };
        let denies = |word: &Word| {
            let bare = PREFIXES.iter().filter_map(|prefix| word.lower.strip_prefix(prefix));
            let mut bare = bare.filter(|bare| bare.len() >= SHORTEST).peekable();
            bare.peek().is_some() && !other.has(&word.stem) && bare.any(means)
        };
        one.list.iter().any(|word| word.tells() && denies(word))
    };
    turned(said, task) || turned(task, said)
}

const PREFIXES: [&str; 6] = ["un", "in", "im", "ir", "dis", "non"];
/// Below this many letters what is left of a word is another word.
const SHORTEST: usize = 4;

/// Opposites that are often named together; saying both contradicts nothing.
fn both_fit(stem: &str) -> bool {
    matches!(stem, "login" | "logout" | "read" | "write" | "client" | "server" | "request" | "respons")
}

/// Reviewing is not fixing, and building is not removing.
fn acts_otherwise(title: &Words, task: &Words, said: &Words) -> bool {
    let wanted = actions(task);
    let main = actions(title).first().copied().or(wanted.first().copied());
    let done = actions(said);
    let makes = |action| matches!(action, Action::Build | Action::Change);
    let strange = done.first().is_some_and(|first| {
        let fits = makes(*first) && main.is_none_or(makes);
        !wanted.contains(first) && !fits
    });
    let needed = main.is_some_and(|main| match main {
        Action::Build | Action::Change | Action::Restructure => false,
        Action::Fix | Action::Remove | Action::Inspect | Action::Test | Action::Document | Action::Deploy => {
            !done.contains(&main)
        }
    });
    strange || needed
}

fn actions(words: &Words) -> Vec<Action> {
    words.list.iter().filter_map(|word| vocab::action(&word.stem)).collect()
}

/// In a language whose negations are unknown here, every word must be one of the task's.
fn strays_in_other_tongue(task: &Words, said: &Words) -> bool {
    let both = || task.list.iter().chain(&said.list);
    let other_script = both().any(|word| !word.lower.is_ascii());
    let english = both().any(|word| word.is.english);
    let other = other_script || (!english && both().count() >= 6);
    let strays = |word: &Word| !task.has(&word.stem) && !word.is.foreign_article;
    other && said.list.iter().any(strays)
}
