//! What is fine at a desk and not in a commit: unfinished work, tests that do not run, tests that sleep.

use super::Finding;
use super::lexer::{Line, has_word};
use super::tree::Tree;

const MARKS: &[&str] = &["TODO", "FIXME", "XXX"];
const STUBS: &[&str] = &["todo!", "unimplemented!", "dbg!"];
const SLEEPS: &[&str] = &["thread::sleep", "time::sleep"];

pub(crate) fn unfinished(tree: &Tree) -> Vec<Finding> {
    let unfinished = |line: &Line| {
        let mark = MARKS.iter().find(|mark| has_word(&line.comment, mark) || has_word(&line.code, mark));
        mark.or_else(|| STUBS.iter().find(|stub| has_word(&line.code, stub))).copied()
    };
    each_line(tree, unfinished, "finish it, or leave it out and open an issue")
}

pub(crate) fn ignored_tests(tree: &Tree) -> Vec<Finding> {
    let ignored = |line: &Line| line.code.contains("#[ignore").then_some("#[ignore]");
    each_line(tree, ignored, "a test that never runs shows nothing: repair it or delete it")
}

pub(crate) fn sleeping_tests(tree: &Tree) -> Vec<Finding> {
    let sleeping = |line: &Line| SLEEPS.iter().find(|sleep| line.in_test && line.mentions(sleep)).copied();
    each_line(tree, sleeping, "wait for what you expect, or use the test clock")
}

fn each_line(tree: &Tree, sign: impl Fn(&Line) -> Option<&'static str>, advice: &str) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.rust() {
        for (number, line) in file.numbered() {
            if let Some(sign) = sign(line) {
                found.push(Finding::new(&file.path, number, format!("`{sign}`: {advice}")));
            }
        }
    }
    found
}
