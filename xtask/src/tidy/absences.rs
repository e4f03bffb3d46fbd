//! Invariants written as absences: what certain crates never name.
//!
//! Tests may: a test of a pure crate reads its transcripts from files.

use super::Finding;
use super::lexer::Line;
use super::tree::{File, Tree};

pub(crate) const PURE: &[&str] = &["wilco-protocol", "wilco-language", "wilco-clients"];

const CLOCKS: &[&str] = &["SystemTime::now", "Instant::now", "Timestamp::now", "Zoned::now"];
/// `now_v7` takes both the time and random bits.
const CHANCE: &[&str] = &["rand::", "getrandom", "now_v7", "new_v4"];
const ASYNC: &[&str] = &["tokio", "async fn", "async move", "async {", ".await"];
const WORLD: &[&str] = &[
    "SystemTime",
    "std::time::Instant",
    "std::fs",
    "std::net",
    "std::thread",
    "std::process",
    "std::env",
    "println!",
    "eprintln!",
    "print!",
    "eprint!",
];
const HASHED: &[&str] = &["collections::HashMap", "collections::HashSet"];

/// What a line must say to be allowed a hashed collection, followed by the reason.
const EXCUSE: &str = "order never observed:";

pub(crate) fn pure(tree: &Tree) -> Vec<Finding> {
    let advice = "a pure crate has no clock, chance, thread or I/O: take what you need as an argument";
    absent(tree, |file| PURE.iter().any(|krate| file.is_in(krate)), &[CLOCKS, CHANCE, ASYNC, WORLD], advice)
}

pub(crate) fn engine(tree: &Tree) -> Vec<Finding> {
    let advice = "the engine is synchronous and deterministic: take times and ids as arguments";
    absent(tree, |file| file.is_in("wilco-engine"), &[CLOCKS, CHANCE, ASYNC], advice)
}

/// The runtime has the clock; commands may measure how long they wait, and the benchmark measures all day.
pub(crate) fn clocks(tree: &Tree) -> Vec<Finding> {
    let free = |file: &File| {
        let measures = file.is_in("wilco-bench") || file.path.starts_with("crates/wilco/src/commands/");
        measures || file.is_in("wilco-runtime")
    };
    let advice = "only wilco-runtime reads clocks: take the time as an argument or ask the runtime's clock";
    absent(tree, |file| file.path.starts_with("crates/") && !free(file), &[CLOCKS], advice)
}

/// The courier's effects, the binary's own commands and the benchmark start programs, nobody else.
pub(crate) fn processes(tree: &Tree) -> Vec<Finding> {
    let free = |file: &File| ["wilco-outside", "wilco", "wilco-bench"].iter().any(|krate| file.is_in(krate));
    let advice = "only the courier talks to the outside: make this an effect in wilco-outside";
    let words: &[&str] = &["process::Command"];
    absent(tree, |file| file.path.starts_with("crates/") && !free(file), &[words], advice)
}

/// Iteration order of a hashed collection differs from run to run, and a replay must not.
pub(crate) fn hash_order(tree: &Tree) -> Vec<Finding> {
    let advice = format!("use BTreeMap or BTreeSet, or say on this line `// {EXCUSE} why`");
    let holds = |file: &File| file.is_in("wilco-engine") || file.is_in("wilco-protocol");
    let mut found = absent(tree, holds, &[HASHED], &advice);
    found.retain(|finding| {
        let line = tree.file(&finding.path).and_then(|file| file.lines.get(finding.line - 1));
        !line.is_some_and(is_excused)
    });
    found
}

fn is_excused(line: &Line) -> bool {
    line.comment.split_once(EXCUSE).is_some_and(|(_, why)| !why.trim().is_empty())
}

fn absent(tree: &Tree, holds: impl Fn(&File) -> bool, lists: &[&[&str]], advice: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust().filter(|file| holds(file)) {
        for (number, line) in file.numbered().filter(|(_, line)| !line.in_test) {
            let mut words = lists.iter().flat_map(|words| words.iter());
            if let Some(word) = words.find(|word| line.mentions(word)) {
                found.push(Finding::new(&file.path, number, format!("`{word}`: {advice}")));
            }
        }
    }
    found
}
