//! `cargo xtask requirements`: docs/requirements.md, which requirements the project claims and which tests show them.
//!
//! Ids and words are written by hand, because a claim is a decision. The tests are filled in from the tree, where
//! each of them says what it shows; tidy says when they are old. `cargo xtask coverage` prints the table.

use anyhow::Context;

use crate::tidy::{Claims, Tree};
use crate::workspace::root;

/// The table, relative to the root.
pub(crate) const PATH: &str = "docs/requirements.md";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) line: usize,
    pub(crate) id: String,
    pub(crate) words: String,
    pub(crate) tests: Vec<String>,
}

pub(crate) fn run() -> anyhow::Result<()> {
    let path = root().join(PATH);
    let text = std::fs::read_to_string(&path).with_context(|| format!("could not read {PATH}"))?;
    let claims = Claims::of(&Tree::read(&root())?);
    std::fs::write(&path, fill(&text, |id| claims.tests(id))).with_context(|| format!("cannot write {PATH}"))
}

/// The same text with the tests of each row as they are in the tree.
fn fill(text: &str, tests: impl Fn(&str) -> Vec<String>) -> String {
    let line = |(line, number): (&str, usize)| match row(line, number) {
        Some(row) => {
            let tests: Vec<String> = tests(&row.id).iter().map(|test| format!("`{test}`")).collect();
            format!("| {} | {} | {} |\n", row.id, row.words, tests.join(", "))
        }
        None => format!("{line}\n"),
    };
    text.lines().zip(1..).map(line).collect()
}

impl Row {
    /// `DEL` of `DEL-30`.
    pub(crate) fn prefix(&self) -> &str {
        self.id.trim_end_matches(|c: char| !c.is_ascii_uppercase())
    }

    /// `[A-Z]+-?\d+[a-z]?`
    pub(crate) fn has_proper_id(&self) -> bool {
        let rest = self.id.trim_start_matches(|c: char| c.is_ascii_uppercase());
        let number = rest.strip_prefix('-').unwrap_or(rest);
        let suffix = number.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < self.id.len()
            && suffix.len() < number.len()
            && (suffix.is_empty() || (suffix.len() == 1 && suffix.as_bytes()[0].is_ascii_lowercase()))
    }
}

/// Every row of the table: `| id | in our own words | tests |`. The heading and its rule are no rows.
pub(crate) fn rows(text: &str) -> Vec<Row> {
    text.lines().zip(1..).filter_map(|(line, number)| row(line, number)).collect()
}

fn row(line: &str, number: usize) -> Option<Row> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    let cells: Vec<&str> = inner.split('|').map(str::trim).collect();
    let id = cells[0].trim_matches('`');
    if id == "id" || id.chars().all(|c| matches!(c, '-' | ':')) {
        return None;
    }
    // The words may hold a `|` of their own; the tests come last.
    let (tests, words) = cells[1..].split_last().map_or((&"", &[][..]), |(tests, words)| (tests, words));
    Some(Row { line: number, id: id.to_owned(), words: words.join(" | "), tests: names(tests) })
}

fn names(cell: &str) -> Vec<String> {
    let parts = cell.split(|c: char| c == ',' || c == ';' || c.is_whitespace());
    parts.map(|name| name.trim_matches('`')).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
        # Requirements\n\n| id | in our own words | tests |\n|---|:--|---|\n\
        | DEL-30 | Silence is answered. | `del_30_silence`, `crates/x/tests/transcripts/del-30.txt` |\n\
        | API-2b | Lists | pages. | `api_2b_pages` |\n";

    #[test]
    fn rows_are_read_with_their_lines_and_tests() {
        let rows = rows(TABLE);
        assert_eq!(rows.len(), 2);
        assert_eq!((rows[0].line, rows[0].prefix()), (5, "DEL"));
        assert_eq!(rows[0].tests, ["del_30_silence", "crates/x/tests/transcripts/del-30.txt"]);
        assert_eq!((rows[1].words.as_str(), rows[1].prefix()), ("Lists | pages.", "API"));
    }

    #[test]
    fn tests_are_filled_in_and_words_are_kept() {
        let filled = fill(TABLE, |id| vec![id.to_lowercase()]);
        assert!(filled.ends_with("| API-2b | Lists | pages. | `api-2b` |\n"), "{filled}");
        assert_eq!(filled.lines().count(), TABLE.lines().count());
        assert_eq!(fill(&filled, |id| vec![id.to_lowercase()]), filled);
    }

    #[test]
    fn ids_have_capitals_a_number_and_at_most_one_letter() {
        let proper = |id: &str| {
            Row { line: 1, id: id.to_owned(), words: String::new(), tests: Vec::new() }.has_proper_id()
        };
        assert!(["DEL-30", "G1", "API-2b", "MSG-12"].into_iter().all(proper));
        assert!(!["del-30", "DEL", "DEL-", "30", "DEL-30bc", "DEL 30", ""].into_iter().any(proper));
    }
}
