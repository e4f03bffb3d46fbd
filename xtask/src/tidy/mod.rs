//! `cargo xtask tidy`: the invariants of the architecture, checked over the source text.
//!
//! Each check is one function from the tree to findings. The checks read text, not types: they are quick, and
//! rough where exactness would need a compiler. Every check has a fixture in `xtask/fixtures` that shows it
//! firing and staying quiet.

mod absences;
mod decisions;
mod errors;
#[cfg(test)]
mod fixtures;
mod functions;
mod layers;
mod left_out;
mod leftovers;
mod lexer;
mod message_types;
mod names;
mod opening;
mod requirements;
mod size;
mod sql;
mod standalone;
mod tree;
mod type_names;
mod uses;

use std::fmt;

use anyhow::bail;

use crate::workspace::root;
pub(crate) use requirements::Claims;
pub(crate) use tree::Tree;

struct Check {
    name: &'static str,
    run: fn(&Tree) -> Vec<Finding>,
}

const CHECKS: &[Check] = &[
    Check { name: "pure", run: absences::pure },
    Check { name: "pure-dependencies", run: layers::pure_dependencies },
    Check { name: "engine", run: absences::engine },
    Check { name: "clocks", run: absences::clocks },
    Check { name: "processes", run: absences::processes },
    Check { name: "hash-order", run: absences::hash_order },
    Check { name: "layers", run: layers::layers },
    Check { name: "lints", run: layers::lints },
    Check { name: "sql", run: sql::check },
    Check { name: "file-length", run: size::files },
    Check { name: "function-length", run: size::functions },
    Check { name: "short-main", run: size::mains },
    Check { name: "file-names", run: names::check },
    Check { name: "type-names", run: type_names::check },
    Check { name: "message-types", run: message_types::check },
    Check { name: "module-doc", run: opening::check },
    Check { name: "left-out", run: left_out::check },
    Check { name: "unfinished", run: leftovers::unfinished },
    Check { name: "ignored-tests", run: leftovers::ignored_tests },
    Check { name: "sleeping-tests", run: leftovers::sleeping_tests },
    Check { name: "standalone", run: standalone::check },
    Check { name: "decisions", run: decisions::check },
    Check { name: "errors", run: errors::check },
    Check { name: "requirements", run: requirements::check },
];

/// Something that breaks a rule: where, and what to do about it.
#[derive(Debug)]
struct Finding {
    path: String,
    line: usize,
    advice: String,
}

impl Finding {
    fn new(path: &str, line: usize, advice: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, advice: advice.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.path, self.line, self.advice)
    }
}

pub(crate) fn run() -> anyhow::Result<()> {
    let findings = findings(&Tree::read(&root())?);
    for finding in &findings {
        println!("{finding}");
    }
    if !findings.is_empty() {
        bail!("{} findings", findings.len());
    }
    println!("tidy: {} checks, no findings", CHECKS.len());
    Ok(())
}

/// One line per finding, with the check's name at its end.
fn findings(tree: &Tree) -> Vec<String> {
    let all = CHECKS.iter().flat_map(|check| {
        (check.run)(tree).into_iter().map(move |finding| format!("{finding} [{}]", check.name))
    });
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_tidy() {
        let tree = Tree::read(&root()).expect("the workspace can be read");
        let findings = findings(&tree);
        assert!(findings.is_empty(), "{} findings:\n{}", findings.len(), findings.join("\n"));
    }
}
