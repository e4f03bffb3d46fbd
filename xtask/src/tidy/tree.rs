//! The text files of the project, read once and shared by all checks.

use std::fs;
use std::path::Path;

use anyhow::Context;

use super::functions::Function;
use super::lexer::{self, Line};
use super::{functions, uses};

pub(crate) struct Tree {
    pub(crate) files: Vec<File>,
}

pub(crate) struct File {
    /// Relative to the root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    /// The lines of a Rust file taken apart; empty for every other file.
    pub(crate) lines: Vec<Line>,
}

/// Built files, history, and the fixtures of these checks, which are wrong on purpose.
const SKIPPED: &[&str] =
    &["target", ".git", "xtask/fixtures", "fuzz/target", "fuzz/corpus", "fuzz/artifacts"];

/// Nobody writes a longer text by hand.
const LONGEST: u64 = 4 << 20;

impl Tree {
    pub(crate) fn read(root: &Path) -> anyhow::Result<Self> {
        let mut files = Vec::new();
        gather(root, "", &mut files)?;
        files.sort_by(|one: &File, other: &File| one.path.cmp(&other.path));
        Ok(Self { files })
    }

    pub(crate) fn rust(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.is_rust())
    }

    pub(crate) fn file(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Every function of the tree, with its file.
    pub(crate) fn functions(&self) -> impl Iterator<Item = (&File, Function)> {
        self.rust()
            .flat_map(|file| functions::of(&file.lines).into_iter().map(move |function| (file, function)))
    }
}

impl File {
    pub(crate) fn new(path: &str, text: String) -> Self {
        let mut lines = Vec::new();
        if path.ends_with(".rs") {
            lines = lexer::lex(&text);
            uses::expand(&mut lines);
            functions::mark_tests(&mut lines, is_test_path(path));
        }
        Self { path: path.to_owned(), text, lines }
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it lies in the sources of this crate.
    pub(crate) fn is_in(&self, krate: &str) -> bool {
        self.path
            .strip_prefix("crates/")
            .and_then(|path| path.strip_prefix(krate))
            .is_some_and(|rest| rest.starts_with('/'))
    }

    /// Lines with their numbers, counted from 1.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (usize, &Line)> {
        (1..).zip(&self.lines)
    }
}

/// Tests lie in `tests/` or `benches/`, in a `tests.rs` beside what they test, or in the crate that they share.
fn is_test_path(path: &str) -> bool {
    path.starts_with("crates/wilco-testkit/")
        || path.split('/').any(|part| matches!(part, "tests" | "benches" | "tests.rs"))
}

fn gather(root: &Path, below: &str, files: &mut Vec<File>) -> anyhow::Result<()> {
    let directory = root.join(below);
    let entries =
        fs::read_dir(&directory).with_context(|| format!("could not list {}", directory.display()))?;
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        if SKIPPED.contains(&path.as_str()) {
            continue;
        }
        let kind = entry.file_type()?;
        if kind.is_dir() {
            gather(root, &path, files)?;
        } else if kind.is_file() && entry.metadata()?.len() <= LONGEST {
            // What is no UTF-8 is no text, and none of the rules speak of it.
            if let Ok(text) = fs::read_to_string(entry.path()) {
                files.push(File::new(&path, text));
            }
        }
    }
    Ok(())
}
