//! What is put into a file, and the two things that can be done with it.

use crate::block::{self, Marks};
use crate::damage::Damage;
use crate::json::{self, Insertion};
use crate::toml;

/// What Wilco has in a file.
#[derive(Debug, Clone, PartialEq)]
pub enum Edit {
    /// Entries of a JSON file, which may have comments.
    Json(Vec<Insertion>),
    /// The table `[mcp_servers.wilco]` of a TOML file: its lines, without the header.
    Toml(Vec<String>),
    /// Lines between two marks.
    Block { marks: Marks, lines: Vec<String> },
}

/// The file with Wilco's part in it. A part that is right already stays as it is; another one is replaced.
pub fn install(edit: &Edit, before: Option<&str>) -> Result<String, Damage> {
    if let Some(text) = before
        && is_installed(edit, text)?
    {
        return Ok(text.to_owned());
    }
    let without = remove(edit, before)?;
    let after = match edit {
        Edit::Json(entries) => json::insert(entries, without.as_deref())?,
        Edit::Toml(lines) => toml::insert(lines, without.as_deref())?,
        Edit::Block { marks, lines } => block::insert(marks, lines, without.as_deref()),
    };
    // What could not be taken out again is not put in.
    match remove(edit, Some(&after))? == without && is_installed(edit, &after)? {
        true => Ok(after),
        false => Err(Damage { line: 1, what: "nothing can be added to it and taken out again".to_owned() }),
    }
}

/// The file without Wilco's part; none if nothing else is in it and Wilco made it.
pub fn remove(edit: &Edit, before: Option<&str>) -> Result<Option<String>, Damage> {
    let Some(text) = before else { return Ok(None) };
    match edit {
        Edit::Json(entries) => json::remove(entries, text),
        Edit::Toml(_) => toml::remove(text),
        Edit::Block { marks, lines } => Ok(block::remove(marks, lines, text)),
    }
}

fn is_installed(edit: &Edit, text: &str) -> Result<bool, Damage> {
    match edit {
        Edit::Json(entries) => json::is_installed(entries, text),
        Edit::Toml(lines) => toml::is_installed(lines, text),
        Edit::Block { marks, lines } => Ok(block::is_installed(marks, lines, text)),
    }
}

/// What changes, as a unified diff.
pub fn diff(path: &str, before: Option<&str>, after: Option<&str>) -> String {
    let (from, to) = (before.map_or("/dev/null", |_| path), after.map_or("/dev/null", |_| path));
    let lines = similar::TextDiff::from_lines(before.unwrap_or_default(), after.unwrap_or_default());
    lines.unified_diff().context_radius(3).header(from, to).to_string()
}

/// The line end that a text uses.
pub(crate) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// Puts lines at the end of a text, after an empty line if the text ends with a line end. One line end before
/// them belongs to them, unless Wilco makes the file.
pub(crate) fn append(lines: &[String], before: Option<&str>) -> String {
    let end = before.map_or("\n", line_end);
    let mut text = match before {
        // Taking out would take a lone carriage return for half of a line end.
        Some(before) if before.ends_with('\r') => format!("{before}\r\n"),
        Some(before) => format!("{before}{end}"),
        None => String::new(),
    };
    for line in lines {
        text.push_str(line);
        text.push_str(end);
    }
    text
}

/// Takes out what `append` put in, which stands in this range of whole lines.
pub(crate) fn cut(text: &str, range: std::ops::Range<usize>) -> Option<String> {
    let (before, after) = (&text[..range.start], &text[range.end..]);
    if before.is_empty() && after.is_empty() {
        return None;
    }
    let shorter = before.strip_suffix("\r\n").or_else(|| before.strip_suffix('\n'));
    let kept = match shorter {
        // What others wrote behind it must not run into the line before.
        Some(shorter) if after.is_empty() || shorter.ends_with('\n') || shorter.is_empty() => shorter,
        Some(_) | None => before,
    };
    Some(format!("{kept}{after}"))
}
