//! Decision records: one page each, numbered without gaps, with a date, a status and the same three headings.

use super::Finding;
use super::tree::{File, Tree};

const FOLDER: &str = "docs/decisions/";
const HEADINGS: &[&str] = &["## Context", "## Decision", "## Consequences"];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    let records = || tree.files.iter().filter(|file| file.path.starts_with(FOLDER));
    let count = records().count();
    for (file, number) in records().zip(1..) {
        let name = &file.path[FOLDER.len()..];
        let expected = format!("{number:04}-");
        if !name.starts_with(&expected) || !name.ends_with(".md") {
            found.push(Finding::new(
                &file.path,
                1,
                format!("the next record is called `{expected}what-was-decided.md`"),
            ));
        }
        if !has_head(file, number, count) {
            let advice = format!(
                "a record begins with `# {number}. Title`, an empty line and `2026-01-31 · accepted`, which may go on with \
                 `, changed by record N`; one that no longer holds is `superseded by record N`"
            );
            found.push(Finding::new(&file.path, 1, advice));
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

fn has_head(file: &File, number: usize, count: usize) -> bool {
    let mut lines = file.text.lines();
    let title = lines.next().and_then(|line| line.strip_prefix(&format!("# {number}. ")));
    let below = lines.nth(1).and_then(|line| line.split_once(" · "));
    title.is_some_and(|title| !title.is_empty())
        && below.is_some_and(|(date, status)| is_date(date) && is_status(status, number, count))
}

/// `2026-01-31`
fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.char_indices().all(|(at, c)| if matches!(at, 4 | 7) { c == '-' } else { c.is_ascii_digit() })
}

/// A record is changed and superseded by later ones.
fn is_status(text: &str, number: usize, count: usize) -> bool {
    let later = ["superseded by record ", "accepted, changed by record "];
    let later = later.iter().find_map(|start| text.strip_prefix(start)).map(str::parse::<usize>);
    text == "accepted" || matches!(later, Some(Ok(by)) if by > number && by <= count)
}
