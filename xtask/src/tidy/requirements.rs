//! docs/requirements.md is true: each claim is told once and in words, and its tests are those that name it.

use std::collections::BTreeSet;

use super::Finding;
use super::lexer::has_word;
use super::tree::{File, Tree};
use crate::requirements::{PATH, rows};

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let Some(file) = tree.file(PATH) else {
        return vec![Finding::new(PATH, 1, "is missing: it lists the requirements that the project claims")];
    };
    let claims = Claims::of(tree);
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for row in rows(&file.text) {
        let mut say = |advice: String| found.push(Finding::new(PATH, row.line, advice));
        if !row.has_proper_id() {
            say(format!("`{}` is no requirement id: write it like DEL-30", row.id));
            continue;
        }
        if !seen.insert(row.id.clone()) {
            say(format!("{} is in the table twice: join the rows", row.id));
        }
        if row.words.is_empty() {
            say(format!("{} is not told in our own words", row.id));
        }
        let tests = claims.tests(&row.id);
        if tests.is_empty() {
            say(format!("{} is named by no test: name it in one, or do not claim it yet", row.id));
        } else if tests != row.tests {
            say(format!("{}: its tests have changed: run `cargo xtask requirements`", row.id));
        }
    }
    found
}

/// What the tests of the tree say that they show: a name and the text around it.
pub(crate) struct Claims(Vec<(String, String)>);

impl Claims {
    pub(crate) fn of(tree: &Tree) -> Claims {
        let functions = tree.functions().filter(|(_, function)| function.is_test);
        let functions = functions.map(|(_, function)| (function.name, function.comment));
        Claims(tree.files.iter().filter_map(transcript).chain(functions).collect())
    }

    /// The tests that name this requirement: in their name, the comment above them or the heading of their file.
    pub(crate) fn tests(&self, id: &str) -> Vec<String> {
        let named = self.0.iter().filter(|(name, text)| names(name, id) || has_word(text, id));
        named.map(|(name, _)| name.clone()).collect::<BTreeSet<_>>().into_iter().collect()
    }
}

/// A transcript or session by its file name, with the lines that speak to its reader.
fn transcript(file: &File) -> Option<(String, String)> {
    let (folder, name) = file.path.rsplit_once('/')?;
    let is_test = folder.split('/').any(|part| part == "tests") && name.ends_with(".txt");
    let headings = || file.text.lines().filter(|line| line.starts_with('#')).collect::<Vec<_>>().join("\n");
    is_test.then(|| (name.to_owned(), headings()))
}

/// `del_30_silence` and `del-30-silence.txt` name DEL-30; `del_301` does not.
fn names(test: &str, id: &str) -> bool {
    let words = |text: &str| format!("-{}-", text.to_lowercase().replace(['_', '.'], "-"));
    words(test).contains(&words(id))
}
