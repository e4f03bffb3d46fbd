//! Every module says first what it is, and what it leaves to others.

use super::Finding;
use super::tree::Tree;

pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let silent = tree.rust().filter(|file| !file.text.starts_with("//! "));
    silent.map(|file| Finding::new(&file.path, 1, "begin with `//! ` and what this module is")).collect()
}
