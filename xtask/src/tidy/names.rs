//! File names that say nothing about what is inside.

use std::collections::BTreeSet;

use super::Finding;
use super::tree::Tree;

const EMPTY_WORDS: &[&str] = &[
    "util", "utils", "helper", "helpers", "common", "misc", "manager", "managers", "impls", "handler",
    "handlers",
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    // A directory is told once, not for each file in it.
    let mut told = BTreeSet::new();
    for file in tree.rust() {
        let mut end = 0;
        for part in file.path.split('/') {
            end += part.len();
            let stem = part.strip_suffix(".rs").unwrap_or(part);
            let empty = stem.split(['_', '-']).find(|word| EMPTY_WORDS.contains(word));
            if let Some(word) = empty
                && told.insert(&file.path[..end])
            {
                let advice = format!("`{word}` in a name says nothing: call `{part}` what it is about");
                found.push(Finding::new(&file.path, 1, advice));
            }
            end += 1;
        }
    }
    found
}
