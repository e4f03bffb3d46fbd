//! Every type of problem document has a section in docs/errors.md, and every section a type that can occur.
//!
//! The type is the first text after the call that makes the problem.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::lexer::has_word;
use super::tree::{File, Tree};

const PATH: &str = "docs/errors.md";
const MAKERS: &[&str] = &["Failure::new(", "refusal("];
const TAG: &str = "tag:wilco,2026:";
/// A call that is longer than this before its type is written otherwise.
const LINES: usize = 4;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let sections = tree.file(PATH).map(sections).unwrap_or_default();
    let mut found = Vec::new();
    let mut used = BTreeSet::new();
    for file in tree.rust().filter(|file| file.path.starts_with("crates/") && file.path.contains("/src/")) {
        for (line, kind) in kinds(file) {
            if !sections.contains_key(kind) {
                found.push(Finding::new(&file.path, line, format!("`{kind}` has no section in {PATH}")));
            }
            used.insert(kind);
        }
    }
    for (kind, line) in sections.iter().filter(|(kind, _)| !used.contains(*kind)) {
        found.push(Finding::new(PATH, *line, format!("no error has the type `{kind}`: drop the section")));
    }
    found
}

/// The headings "### `type`", with their lines.
fn sections(file: &File) -> BTreeMap<&str, usize> {
    let lines = file.text.lines().zip(1..);
    let headings = lines.filter_map(|(line, number)| {
        let kind = line.strip_prefix("### `")?.strip_suffix('`')?;
        Some((kind, number))
    });
    headings.collect()
}

fn kinds(file: &File) -> Vec<(usize, &str)> {
    let mut kinds = Vec::new();
    for (number, line) in file.numbered().filter(|(_, line)| !line.in_test) {
        let makes =
            MAKERS.iter().any(|maker| has_word(&line.code, maker)) && !line.code.contains("fn refusal(");
        let next = || file.lines.iter().skip(number - 1).take(LINES).find_map(|line| line.strings.first());
        let tagged = line.strings.iter().find_map(|text| text.strip_prefix(TAG));
        let kind = if makes { next().map(String::as_str) } else { tagged };
        kinds.extend(kind.filter(|kind| is_kind(kind)).map(|kind| (number, kind)));
    }
    kinds
}

fn is_kind(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}
