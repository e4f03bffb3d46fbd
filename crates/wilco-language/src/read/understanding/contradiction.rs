//! What an understanding says against its task: another task's id, other numbers and names, a negation that the task
//! does not make, the opposite direction.
//!
//! Each of these may only forbid an acceptance, never give one. A judge asks it beside its own look; what is merely
//! missing or new is none.

use super::TaskText;
use super::hashed::{HashSet, roomy};
use super::quantity::{self, Quantity};
use super::vocabulary as vocab;
use super::words::{MOST_ASKED, MOST_SAID, Word, Words, words};

/// One thing that cannot stand beside the task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    pub kind: ContradictionKind,
    /// The word of the understanding, or the task's word that it turns round.
    pub word: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ContradictionKind {
    /// Another task is named.
    TaskId,
    /// A number that the task does not have, or that counts something else there.
    Number,
    /// A name in the place of one of the task's.
    Name,
    /// A negation that the task does not make, or one of its own that is gone.
    Negation,
    /// `enable` for `disable`, `before` for `after`, `MySQL` for `Postgres`.
    Direction,
}

/// What Wilco's own look finds in an understanding that contradicts its task; nothing for a right one in other words.
pub fn contradictions(task: &TaskText<'_>, understanding: &str) -> Vec<Contradiction> {
    let parts = [task.title, task.description].into_iter().chain(task.criteria.iter().map(String::as_str));
    let text = parts.collect::<Vec<_>>().join("\n");
    let asked = words(&text, task.task_id, MOST_ASKED);
    let mut said = words(understanding, task.task_id, MOST_SAID);
    said.hush(&asked);
    let mut found = of_words(&asked, &said);
    found.extend(other_ids(task.task_id, &text, understanding).map(of(ContradictionKind::TaskId)));
    found.extend(other_names(task.task_id, &text, understanding).map(of(ContradictionKind::Name)));
    found
}

/// What the words themselves contradict; ids and names of several parts are seen in the texts only.
pub(super) fn of_words(task: &Words, said: &Words) -> Vec<Contradiction> {
    use ContradictionKind::{Direction, Negation, Number};
    let numbers = other_numbers(task, said).map(of(Number));
    let denied = taken_back(task, said).chain(broken_bans(task, said)).chain(excused(said));
    let turned = excluded(task, said).chain(turned_by_prefix(task, said));
    numbers.chain(denied.map(of(Negation))).chain(turned.map(of(Direction))).collect()
}

fn of(kind: ContradictionKind) -> impl Fn(String) -> Contradiction {
    move |word| Contradiction { kind, word }
}

/// Ids like the task's own with another number that the task does not speak of.
fn other_ids(id: &str, task: &str, said: &str) -> impl Iterator<Item = String> {
    let (id, task) = (id.trim().to_lowercase(), task.to_lowercase());
    let prefix = |id: &str| id.find(|c: char| c.is_ascii_digit()).map(|at| id[..at].to_owned());
    let own = prefix(&id).filter(|prefix| !prefix.is_empty());
    let other = move |word: &String| {
        let lower = word.to_lowercase();
        own.is_some() && prefix(&lower) == own && lower != id && !task.contains(&lower)
    };
    tokens(said).filter(other).collect::<Vec<_>>().into_iter()
}

/// Names that the task does not have where one of its own is not said.
fn other_names(id: &str, task: &str, said: &str) -> impl Iterator<Item = String> {
    let holds = |text: &str, name: &str| text.to_lowercase().contains(&name.to_lowercase());
    let named = |word: &String| is_name(word) && !word.eq_ignore_ascii_case(id);
    let lost = tokens(task).filter(named).any(|name| !holds(said, &name));
    let strange = tokens(said).filter(named).filter(|name| lost && !holds(task, name));
    strange.collect::<Vec<_>>().into_iter()
}

/// Names that the task does not have; new ones contradict nothing by themselves.
pub fn new_names(task: &TaskText<'_>, understanding: &str) -> Vec<String> {
    let parts = [task.title, task.description].into_iter().chain(task.criteria.iter().map(String::as_str));
    let text = parts.collect::<Vec<_>>().join("\n").to_lowercase();
    let new = |word: &String| {
        is_name(word) && !word.eq_ignore_ascii_case(task.task_id) && !text.contains(&word.to_lowercase())
    };
    tokens(understanding).filter(new).collect()
}

fn tokens(text: &str) -> impl Iterator<Item = String> + '_ {
    let edge = |c: char| !c.is_alphanumeric() && c != '_';
    text.split_whitespace()
        .map(move |word| word.trim_matches(edge).to_owned())
        .filter(|word| !word.is_empty())
}

/// Written as programs and files write names: `LOGIN_LIMIT`, `src/a.rs`, `maxRetries`.
fn is_name(word: &str) -> bool {
    let letters =
        word.contains(char::is_alphabetic) && word.chars().all(|c| c.is_alphanumeric() || "_./:".contains(c));
    let inner =
        word.chars().zip(word.chars().skip(1)).any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    letters
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && (word.contains(['_', '/']) || word.contains("::") || inner || is_file(word))
}

fn is_file(word: &str) -> bool {
    let (stem, end) = word.rsplit_once('.').unwrap_or_default();
    stem.len() > 1 && (1..=5).contains(&end.len()) && end.chars().all(|c| c.is_ascii_alphanumeric())
}

/// Numbers said that the task does not have, or not of this thing. How many criteria there are anybody may say.
fn other_numbers(task: &Words, said: &Words) -> impl Iterator<Item = String> {
    let own: Vec<Quantity> = quantity::quantities(task);
    let counts = |at: usize| {
        let next = said.list.get(at + 1).map_or("", |word| word.lower.as_ref());
        matches!(next, "criteria" | "criterion" | "acceptance" | "requirements" | "points")
    };
    let strange = |at: &usize| {
        let number = quantity::quantity_at(said, *at);
        number.is_some_and(|number| !quantity::agree(&own, &[number])) && !counts(*at)
    };
    let strange: Vec<_> =
        (0..said.list.len()).filter(strange).map(|at| said.list[at].lower.to_string()).collect();
    strange.into_iter()
}

/// What is out of scope, beyond it or outside of it is not going to be done.
fn excused(said: &Words) -> impl Iterator<Item = String> {
    let beyond = |word: &Word| matches!(word.lower.as_ref(), "out" | "outside" | "beyond");
    let near = |at: usize| said.list[at + 1..].iter().take(3).any(|word| &*word.lower == "scope");
    (0..said.list.len())
        .find(|at| beyond(&said.list[*at]) && near(*at))
        .map(|_| "scope".to_owned())
        .into_iter()
}

/// A negation that the task does not make itself, or that reaches what the task wants.
fn taken_back(task: &Words, said: &Words) -> impl Iterator<Item = String> {
    let count = |words: &Words| words.list.iter().filter(|word| word.is.negator).count();
    let banned = stems(task, true);
    let wanted = stems(task, false);
    // Denying a denial once more turns it round.
    let too_many = count(said) > count(task);
    let denies = |(at, negator): &(usize, &Word)| {
        let only = said.list.get(at + 1).is_some_and(|next| &*next.lower == "only");
        let in_clause = |word: &&Word| word.clause == negator.clause && word.negated && word.tells();
        let reached: Vec<&str> = said.list.iter().filter(in_clause).map(|word| word.stem.as_ref()).collect();
        let borne_out = reached.iter().any(|stem| banned.contains(stem));
        let too_far = reached.iter().any(|stem| wanted.contains(stem) && !banned.contains(stem));
        too_many || (!only && (!borne_out || too_far))
    };
    let negators = said.list.iter().enumerate().filter(|(_, word)| word.is.negator);
    let found: Vec<_> = negators.filter(denies).map(|(_, word)| word.lower.to_string()).collect();
    found.into_iter()
}

/// The task forbids it and the understanding does it.
fn broken_bans(task: &Words, said: &Words) -> impl Iterator<Item = String> {
    let wanted = stems(task, false);
    let banned = stems(task, true);
    let done = stems(said, false);
    let broken = banned.into_iter().filter(|stem| !wanted.contains(stem) && done.contains(stem));
    broken.filter(|stem| !vocab::begins(stem)).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

fn stems(words: &Words, negated: bool) -> HashSet<&str> {
    let kept = words.list.iter().filter(|word| word.tells() && word.negated == negated);
    let mut stems = roomy(words.list.len());
    stems.extend(kept.map(|word| word.stem.as_ref()));
    stems
}

/// "disable" for "enable", "Windows" for "macOS".
fn excluded<'a>(task: &'a Words, said: &'a Words) -> impl Iterator<Item = String> {
    let stems = |words: &'a Words| words.list.iter().map(|word| &*word.stem).collect::<HashSet<&str>>();
    let (wanted, told) = (stems(task), stems(said));
    let clash = |word: &&str| {
        let mut others = vocab::excluded(word).iter().map(String::as_str);
        others.any(|other| wanted.contains(other) && !(told.contains(other) && both_fit(other)))
    };
    told.difference(&wanted).copied().filter(clash).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// "unpaid" for "paid", "visible" for "invisible".
fn turned_by_prefix(task: &Words, said: &Words) -> impl Iterator<Item = String> {
    let turned = |one: &Words, other: &Words| -> Vec<String> {
        let means = |bare: &str| {
            let root = vocab::stem(bare);
            other.list.iter().any(|word| word.tells() && *word.stem == *root)
        };
        let denies = |word: &&Word| {
            let bare = PREFIXES.iter().filter_map(|prefix| word.lower.strip_prefix(prefix));
            let mut bare = bare.filter(|bare| bare.len() >= SHORTEST).peekable();
            word.tells() && bare.peek().is_some() && !other.has(&word.stem) && bare.any(means)
        };
        one.list.iter().filter(denies).map(|word| word.lower.to_string()).collect()
    };
    turned(said, task).into_iter().chain(turned(task, said))
}

const PREFIXES: [&str; 6] = ["un", "in", "im", "ir", "dis", "non"];
/// Below this many letters what is left of a word is another word.
const SHORTEST: usize = 4;

/// Opposites that are often named together; saying both contradicts nothing.
fn both_fit(stem: &str) -> bool {
    matches!(stem, "login" | "logout" | "read" | "write" | "client" | "server" | "request" | "respons")
}
