//! How long things may get before they must be split by concept.

use super::Finding;
use super::tree::Tree;

const FILE: usize = 500;
const FUNCTION: usize = 100;
const MAIN: usize = 100;

pub(crate) fn files(tree: &Tree) -> Vec<Finding> {
    let long = tree.rust().filter(|file| file.lines.len() > FILE);
    long.map(|file| {
        let advice = format!("{} lines, {FILE} at the most: split it by concept", file.lines.len());
        Finding::new(&file.path, FILE + 1, advice)
    })
    .collect()
}

pub(crate) fn functions(tree: &Tree) -> Vec<Finding> {
    let long = tree.functions().filter(|(_, function)| function.last - function.first >= FUNCTION);
    long.map(|(file, function)| {
        let lines = function.last - function.first + 1;
        let advice =
            format!("`{}` has {lines} lines, {FUNCTION} at the most: take steps out of it", function.name);
        Finding::new(&file.path, function.first, advice)
    })
    .collect()
}

/// A `main` starts things; what they do stands elsewhere.
pub(crate) fn mains(tree: &Tree) -> Vec<Finding> {
    let mains = tree.rust().filter(|file| file.path.ends_with("/src/main.rs") && file.lines.len() >= MAIN);
    mains
        .map(|file| {
            let advice = format!(
                "{} lines, a main.rs has fewer than {MAIN}: move work into modules",
                file.lines.len()
            );
            Finding::new(&file.path, MAIN, advice)
        })
        .collect()
}
