//! Message types are compared and written as `MessageType`: their names stand in the catalogue, once.
//!
//! Names of several words are looked for wherever a whole string is one; names of one word are also names of fields and
//! states, so only what is written after `"type"` counts. What speaks to Wilco from outside (tests, the simulator, the
//! benchmark) writes its messages out, stored words of the protocols are their own, and the headings that people write
//! are no types.

use std::collections::BTreeSet;

use super::Finding;
use super::lexer::Line;
use super::tree::{File, Tree};

const CATALOGUE: &str = "crates/wilco-language/src/message/";
const OTHERS: &[&str] = &["wilco-sim", "wilco-bench", "wilco-protocol", "wilco-store"];
const HEADINGS: &str = "crates/wilco-language/src/read/";

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let names = names(tree);
    let free = |file: &&File| {
        file.path.starts_with(CATALOGUE)
            || file.path.starts_with(HEADINGS)
            || OTHERS.iter().any(|krate| file.is_in(krate))
            || !file.path.contains("/src/")
    };
    let mut found = Vec::new();
    for file in tree.rust().filter(|file| file.path.starts_with("crates/") && !free(file)) {
        for (number, line) in file.numbered().filter(|(_, line)| !line.in_test) {
            for name in literals(line, &names) {
                let advice = format!("{name:?} is a message type: write MessageType::…");
                found.push(Finding::new(&file.path, number, advice));
            }
        }
    }
    found
}

/// The names in the catalogue: each stands alone on the line that follows its `entry(` or begins its `talk(`.
fn names(tree: &Tree) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for file in tree.rust().filter(|file| file.path.starts_with(CATALOGUE)) {
        let mut before = "";
        for line in &file.lines {
            let opened = before.ends_with("entry(") || before.ends_with("talk(");
            let called = line.code.contains("talk(\"");
            names.extend(line.strings.first().filter(|_| opened || called).cloned());
            before = line.code.trim_end();
        }
    }
    names
}

fn literals<'a>(line: &'a Line, names: &BTreeSet<String>) -> Vec<&'a str> {
    let is_name = |text: &str| names.contains(text) || names.contains(&text.replace('-', "_"));
    let between: Vec<_> = line.code.split("\"\"").collect();
    let is_value = |place: usize| between.get(place).is_some_and(|code| !code.contains("::"));
    let after_type = |place: usize| place > 0 && line.strings[place - 1] == "type" && is_value(place);
    let told = |(place, text): (usize, &'a String)| {
        let several = text.contains(['-', '_']);
        (is_name(text) && (several || after_type(place))).then_some(text.as_str())
    };
    line.strings.iter().enumerate().filter_map(told).collect()
}
