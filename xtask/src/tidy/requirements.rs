//! docs/requirements.md is true: every claim has tests, they exist, and one of them names the requirement.

use std::collections::{BTreeMap, BTreeSet};

use super::Finding;
use super::functions::Function;
use super::lexer::has_word;
use super::tree::Tree;
use crate::requirements::{PATH, Row, rows};

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(file) = tree.file(PATH) else {
        return vec![Finding::new(PATH, 1, "is missing: it lists the requirements that the project claims")];
    };
    let tests = tests(tree);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for row in rows(&file.text) {
        let mut say = |advice: String| found.push(Finding::new(PATH, row.line, advice));
        if !row.has_proper_id() {
            say(format!("`{}` is no requirement id: write it like DEL-30", row.id));
        }
        if !seen.insert(row.id.clone()) {
            say(format!("{} stands here twice: join the rows", row.id));
        }
        if row.words.is_empty() {
            say(format!("{} is not told in our own words", row.id));
        }
        if row.tests.is_empty() {
            say(format!("{} has no test: name one, or do not claim it yet", row.id));
        }
        let missing: Vec<_> = row.tests.iter().filter(|test| !exists(tree, &tests, test)).collect();
        for test in &missing {
            say(format!("{}: there is no test function or file `{test}`", row.id));
        }
        if missing.is_empty()
            && !row.tests.is_empty()
            && !row.tests.iter().any(|test| names(tree, &tests, test, &row))
        {
            say(format!("{} is in the name or text of none of its tests: say there what they show", row.id));
        }
    }
    found
}

/// Test functions by name; several may share one.
type Tests = BTreeMap<String, Vec<Function>>;

fn tests(tree: &Tree) -> Tests {
    let mut tests = Tests::new();
    for (_, function) in tree.functions().filter(|(_, function)| function.is_test) {
        tests.entry(function.name.clone()).or_default().push(function);
    }
    tests
}

fn exists(tree: &Tree, tests: &Tests, test: &str) -> bool {
    tests.contains_key(function_name(test)) || tree.file(test).is_some()
}

/// Whether the test says which requirement it shows: in its name, the comment above it, or the file's text.
fn names(tree: &Tree, tests: &Tests, test: &str, row: &Row) -> bool {
    let functions = tests.get(function_name(test)).into_iter().flatten();
    let in_comment = functions.into_iter().any(|function| has_word(&function.comment, &row.id));
    let in_text = tree.file(test).is_some_and(|file| has_word(&file.text, &row.id));
    in_comment || in_text || names_in(test, &row.id)
}

/// `del_30_silence` and `del-30-silence.txt` name DEL-30; `del_301` does not.
fn names_in(test: &str, id: &str) -> bool {
    let words = |text: &str| format!("-{}-", text.to_lowercase().replace(['_', '/', '.', ':'], "-"));
    words(test).contains(&words(id))
}

/// Tests may be named with their module.
fn function_name(test: &str) -> &str {
    test.rsplit("::").next().unwrap_or(test)
}
