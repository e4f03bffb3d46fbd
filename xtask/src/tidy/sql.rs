//! No SQL outside the store: a query elsewhere would know the schema, and the schema is the store's secret.

use super::Finding;
use super::tree::Tree;

/// The benchmark talks to a database of somebody else, which has no schema of ours.
const FOREIGN: &str = "crates/wilco-bench/src/peers/";

/// What a statement begins with: a word, a space, and perhaps a second word.
const STATEMENTS: &[(&str, &str)] = &[
    ("SELECT", ""),
    ("INSERT", ""),
    ("UPDATE", ""),
    ("DELETE", "FROM"),
    ("CREATE", "TABLE"),
    ("PRAGMA", ""),
];

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let statements: Vec<String> =
        STATEMENTS.iter().map(|(first, second)| format!("{first} {second}")).collect();
    let mut found = Vec::new();
    let ours = |path: &str| !path.starts_with(FOREIGN);
    for file in tree.rust().filter(|file| !file.is_in("wilco-store") && ours(&file.path)) {
        for (number, line) in file.numbered() {
            let is_sql = |text: &String| statements.iter().any(|statement| text.contains(statement.as_str()));
            if line.strings.iter().any(is_sql) {
                found.push(Finding::new(
                    &file.path,
                    number,
                    "SQL belongs to wilco-store: add a query there, with a name",
                ));
            }
        }
    }
    found
}
