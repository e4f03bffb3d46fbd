//! The report over the audit file and everything that was rotated out of it.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::rotate::list;
use crate::disk::Disk;
use crate::yaml::{Node, NodeKind, parse};

/// Replacements that are shown one by one.
const RECENT: usize = 10;
/// How often the files are read again when they are rotated meanwhile.
const MAX_READS: usize = 20;

/// How often agents were replaced, and how that went.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replacements {
    pub total: u64,
    pub successful: u64,
    pub failed: u64,
    pub partial: u64,
    /// The newest first.
    pub recent: Vec<RecentReplacement>,
    /// What could not be counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<Unread>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecentReplacement {
    pub timestamp: String,
    pub failed_agent: String,
    pub replacement_agent: String,
    pub outcome: String,
    /// Who handed the work over; not part of the report.
    #[serde(skip)]
    pub orchestrator: String,
}

/// A file, or an entry of it, that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unread {
    pub file: String,
    pub problem: String,
}

/// The report over what the viewer may see. No file is no replacement.
pub(crate) fn replacements(
    path: &Path,
    sees: impl Fn(&RecentReplacement) -> bool,
) -> io::Result<Replacements> {
    let disk = Disk::default();
    for _ in 0..MAX_READS {
        let before = state(path)?;
        let mut report = Replacements::default();
        let mut rows = Vec::new();
        for one in list_or_none(path)? {
            let name = one.path().unwrap_or(path);
            match one.contents(&disk) {
                Ok(contents) => contents.iter().for_each(|bytes| read(bytes, name, &mut rows, &mut report)),
                Err(error) => report.unreadable.push(unread(name, error.to_string())),
            }
        }
        match disk.read(path) {
            Ok(current) => current.iter().for_each(|found| read(&found.bytes, path, &mut rows, &mut report)),
            Err(error) => report.unreadable.push(unread(path, error.to_string())),
        }
        // A file that was rotated in between would be missed or counted twice.
        if state(path)? == before {
            return Ok(counted(report, rows.into_iter().filter(|row| sees(row)).collect()));
        }
    }
    Err(io::Error::other(format!("{} was rotated each time it was read", path.display())))
}

/// The report over entries that lie in no file.
pub(crate) fn replacements_of(
    entries: &[Vec<u8>],
    sees: impl Fn(&RecentReplacement) -> bool,
) -> Replacements {
    let (mut report, mut rows) = (Replacements::default(), Vec::new());
    entries.iter().for_each(|entry| read(entry, Path::new("replacement"), &mut rows, &mut report));
    counted(report, rows.into_iter().filter(|row| sees(row)).collect())
}

/// The report over one file of these bytes; for random inputs.
#[doc(hidden)]
pub fn replacements_in(bytes: &[u8]) -> Replacements {
    let (mut report, mut rows) = (Replacements::default(), Vec::new());
    read(bytes, Path::new("audit.yaml"), &mut rows, &mut report);
    counted(report, rows)
}

type State = (Option<u64>, Vec<super::rotate::Rotated>);

fn state(path: &Path) -> io::Result<State> {
    let current = std::fs::symlink_metadata(path).ok().map(|metadata| metadata.ino());
    Ok((current, list_or_none(path)?))
}

fn list_or_none(path: &Path) -> io::Result<Vec<super::rotate::Rotated>> {
    match list(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        listed => listed,
    }
}

fn unread(path: &Path, problem: String) -> Unread {
    Unread { file: path.file_name().unwrap_or_default().to_string_lossy().into_owned(), problem }
}

fn counted(mut report: Replacements, mut rows: Vec<RecentReplacement>) -> Replacements {
    let count = |word: &str| rows.iter().filter(|row| row.outcome == word).count() as u64;
    report.total = rows.len() as u64;
    (report.successful, report.failed, report.partial) =
        (count("success"), count("failed"), count("partial"));
    rows.reverse();
    rows.truncate(RECENT);
    report.recent = rows;
    report
}

/// Reads a file item by item, so that one that somebody spoiled does not hide the others.
fn read(bytes: &[u8], path: &Path, rows: &mut Vec<RecentReplacement>, report: &mut Replacements) {
    let text = String::from_utf8_lossy(bytes);
    let mut line = 0;
    for chunk in chunks(&text) {
        match parse(chunk) {
            Ok(None) => {}
            Ok(Some(root)) => match &root.kind {
                NodeKind::List { items, .. } => rows.extend(items.iter().map(|item| row(item, &root))),
                NodeKind::Scalar { .. } | NodeKind::Map { .. } | NodeKind::Alias(_) => {
                    report
                        .unreadable
                        .push(unread(path, format!("line {}: expected a list", line + root.line)));
                }
            },
            Err(wrong) => {
                let problem = format!("line {}: {}", line + wrong.line, wrong.problem);
                report.unreadable.push(unread(path, problem));
            }
        }
        line += chunk.matches('\n').count();
    }
}

/// The items of a list whose dashes stand at the beginning of lines; any other text is one piece.
fn chunks(text: &str) -> Vec<&str> {
    let is_item = |line: &&str| line.starts_with("- ");
    let first = text.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#'));
    if !first.is_some_and(|line| is_item(&line)) {
        return vec![text];
    }
    let starts = text.match_indices("\n- ").map(|(at, _)| at + 1);
    let bounds: Vec<_> = std::iter::once(0).chain(starts).chain([text.len()]).collect();
    bounds.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

fn row(item: &Node, root: &Node) -> RecentReplacement {
    let text = |node: Option<&Node>| node.and_then(Node::text).unwrap_or_default().to_owned();
    let of = |section: &str| text(item.get(section, root).and_then(|section| section.get("id", root)));
    RecentReplacement {
        timestamp: text(item.get("timestamp", root)),
        failed_agent: of("failed_agent"),
        replacement_agent: of("replacement_agent"),
        outcome: text(item.get("outcome", root)),
        orchestrator: text(item.get("orchestrator", root)),
    }
}
