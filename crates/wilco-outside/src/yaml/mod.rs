//! YAML that other people wrote: read with positions, changed where it must be and nowhere else.
//!
//! A change is spliced into the text at the place the parser gave, so that comments, order, quotes and line
//! ends of everything else stay as they are. What came out is read again and compared with what was meant.

mod edit;
mod meaning;
mod tree;
mod write;

pub(crate) use edit::{Change, Step, changed};
pub(crate) use tree::{Node, NodeKind, parse};
pub(crate) use write::{Value, items};

/// Why a text cannot be read or changed, and the line where it shows.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub(crate) struct Wrong {
    pub(crate) line: usize,
    pub(crate) problem: String,
}

impl Wrong {
    pub(crate) fn at(line: usize, problem: impl Into<String>) -> Wrong {
        Wrong { line, problem: problem.into() }
    }
}
