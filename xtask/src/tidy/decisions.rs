//! Decision records: one page each, numbered without gaps, with the same three headings.

use super::Finding;
use super::tree::{File, Tree};

const FOLDER: &str = "docs/decisions/";
const HEADINGS: &[&str] = &["## Context", "## Decision", "## Consequences"];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    let records = tree.files.iter().filter(|file| file.path.starts_with(FOLDER));
    for (file, number) in records.zip(1..) {
        let name = &file.path[FOLDER.len()..];
        let expected = format!("{number:04}-");
        if !name.starts_with(&expected) || !name.ends_with(".md") {
            found.push(Finding::new(
                &file.path,
                1,
                format!("the next record is called `{expected}what-was-decided.md`"),
            ));
        }
        if headings(file) != HEADINGS {
            let advice = format!("a record has exactly these headings, in order: {}", HEADINGS.join(", "));
            found.push(Finding::new(&file.path, 1, advice));
        }
    }
    found
}

fn headings(file: &File) -> Vec<&str> {
    file.text.lines().map(str::trim_end).filter(|line| line.starts_with("## ")).collect()
}
