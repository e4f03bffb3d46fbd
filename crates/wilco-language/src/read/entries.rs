//! The entries of a section of a form: items of a list, rows of a table, or plain lines, with what stands below
//! each.

use super::failures::{Failure, item};
use super::form::{Part, key_value, known};
use super::text::{self, Line};

/// One entry: its first line, its own keys, and what else stands below it.
#[derive(Debug, Default)]
struct Entry {
    /// All of it, as it stands there.
    said: Vec<String>,
    first: String,
    keys: Vec<(String, String)>,
    below: Vec<String>,
    shown: Vec<String>,
}

impl Entry {
    fn of(first: &str) -> Entry {
        let mut entry = Entry { said: vec![first.to_owned()], ..Entry::default() };
        match key_value(first).filter(|(key, _)| own_key(key)) {
            Some((key, value)) => entry.keys.push((key, value.to_owned())),
            None => first.clone_into(&mut entry.first),
        }
        entry
    }

    /// A blank of a template, and nothing else.
    fn unfilled(&self) -> bool {
        self.keys.is_empty() && self.below.is_empty() && self.shown.is_empty() && blank(&self.first)
    }

    fn key(&self, names: &[&str]) -> Option<&str> {
        let named = |(key, value): &&(String, String)| names.contains(&key.as_str()) && !value.is_empty();
        self.keys.iter().find(named).map(|(_, value)| value.as_str())
    }
}

const PLACE: [&str; 6] = ["location", "file", "where", "test", "path", "place"];
const WRONG: [&str; 6] = ["error", "issue", "problem", "message", "failure", "error-message"];
const HINT: [&str; 6] = ["suggestion", "suggested-fix", "fix", "hint", "recommendation", "suggestions"];

/// Whether a line would be read as a key with its value.
pub(crate) fn is_key(line: &str) -> bool {
    key_value(line).is_some_and(|(key, _)| own_key(&key) || known(&key))
}

fn own_key(key: &str) -> bool {
    PLACE.contains(&key) || WRONG.contains(&key) || HINT.contains(&key)
}

/// The failures that a section lists.
pub(super) fn failures(part: &Part<'_>) -> Vec<Failure> {
    if let Some(rows) = table(&part.lines) {
        return rows;
    }
    entries(part).iter().filter_map(failure).collect()
}

/// The texts that a section lists.
pub(super) fn texts(part: &Part<'_>) -> Vec<String> {
    let whole = |entry: &Entry| {
        let said = match entry.said.as_slice() {
            [only] => unspanned(only),
            several => several.join(" "),
        };
        [said].into_iter().chain(entry.shown.iter().cloned()).collect::<Vec<_>>().join("\n")
    };
    entries(part)
        .iter()
        .filter(|entry| !entry.unfilled())
        .map(whole)
        .filter(|text| !text.trim().is_empty())
        .collect()
}

/// All of a section as one text.
pub(super) fn whole(part: &Part<'_>) -> String {
    let lines = kept(&part.lines).map(|line| line.text.trim_end());
    let below = lines.collect::<Vec<_>>().join("\n");
    let text = format!("{}\n{}", part.value, below.trim_matches('\n'));
    if blank(&text) { String::new() } else { unspanned(text.trim()) }
}

fn failure(entry: &Entry) -> Option<Failure> {
    let mut found = item(&entry.first).unwrap_or_else(|| Failure {
        location: String::new(),
        error: String::new(),
        suggestion: None,
    });
    if let Some(place) = entry.key(&PLACE) {
        found.location = unspanned(place);
    } else if entry.key(&WRONG).is_some() && found.location.is_empty() {
        // A heading or an item that is only the place, with its error below.
        found.location = unspanned(&std::mem::take(&mut found.error));
    }
    if let Some(error) = entry.key(&WRONG) {
        found.error = unspanned(error);
    }
    let hint = || entry.key(&HINT).filter(|hint| !blank(hint)).map(unspanned);
    found.suggestion = found.suggestion.or_else(hint);
    let below = entry.below.join(" ");
    if found.error.is_empty() {
        found.error = below;
    } else if !below.is_empty() {
        found.error = format!("{} {below}", found.error);
    }
    if !entry.shown.is_empty() {
        found.error =
            [found.error].into_iter().chain(entry.shown.iter().cloned()).collect::<Vec<_>>().join("\n");
    }
    let nothing = !found.error.chars().any(char::is_alphanumeric);
    let empty = nothing || entry.unfilled() || (found.location.is_empty() && none(&found.error));
    (!empty).then_some(found)
}

fn entries(part: &Part<'_>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    if !blank(&part.value) && !count(&part.value) {
        entries.push(Entry::of(&part.value));
    }
    let headed = |line: &Line<'_>| line.own() && text::heading(line.text).is_some();
    // Entries that are headings have their own lists below them.
    let by_heading = part.lines.iter().any(headed);
    let listed = |line: &Line<'_>| match by_heading {
        true => headed(line),
        false => line.own() && text::list_item(line.text).is_some(),
    };
    let base = part.lines.iter().filter(|line| listed(line)).map(Line::indent).min();
    let mut gap = false;
    for line in kept(&part.lines) {
        let text = line.text.trim();
        let begins = listed(line) && Some(line.indent()) == base;
        match entries.last_mut() {
            _ if line.own() && text.is_empty() => gap = true,
            Some(last) if line.fence.is_some() => {
                last.shown.push(unindented(line.text, base.unwrap_or(0) + 3));
            }
            None if line.fence.is_some() => {}
            _ if begins => {
                let item = text::checkbox(text).map(|(_, item)| item);
                let item = item.or_else(|| text::list_item(text).map(|(_, item)| item));
                let item = item.or_else(|| text::heading(text)).unwrap_or(text);
                let item =
                    text::list_item(item).filter(|_| text.starts_with('#')).map_or(item, |(_, item)| item);
                entries.push(Entry::of(item));
                gap = false;
            }
            Some(last) if base.is_some() && (!gap || line.indent() > base.unwrap_or(0)) => below(last, text),
            // Talk between or after the items of a list.
            _ if base.is_some() => {}
            _ => entries.push(Entry::of(text)),
        }
    }
    entries
}

fn below(entry: &mut Entry, line: &str) {
    entry.said.push(text::list_item(line).map_or(line, |(_, item)| item).to_owned());
    match key_value(line).filter(|(key, _)| own_key(key)) {
        Some((key, value)) => entry.keys.push((key, value.to_owned())),
        None => {
            let item = text::list_item(line).map_or(line, |(_, item)| item);
            entry.below.push(item.to_owned());
        }
    }
}

/// Somebody else's words; in a code fence it is part of what is shown.
fn echoed(line: &Line<'_>) -> bool {
    line.quoted && line.fence.is_none()
}

/// The lines of a part that are its own or shown in it, without the marks around what is shown.
fn kept<'a, 'b>(lines: &'b [Line<'a>]) -> impl Iterator<Item = &'b Line<'a>> {
    let mut open: Option<(usize, &'a str)> = None;
    lines.iter().filter(|line| !echoed(line)).filter(move |line| {
        let text = line.text.trim();
        let run = text.len() - text.trim_start_matches(['`', '~']).len();
        match (line.fence, open) {
            (None, _) => true,
            (Some(fence), Some((same, mark))) if fence == same => {
                let closes = text.starts_with(mark) && run == text.len();
                !closes
            }
            (Some(fence), _) => {
                open = Some((fence, fence_mark(text)));
                false
            }
        }
    })
}

/// The mark that opens a fence, perhaps behind that of a list.
fn fence_mark(text: &str) -> &str {
    let text = text::list_item(text).map_or(text, |(_, rest)| rest);
    let length = text.len() - text.trim_start_matches(text.chars().next().unwrap_or(' ')).len();
    &text[..length]
}

fn unindented(text: &str, most: usize) -> String {
    let spaces = text.len() - text.trim_start_matches(' ').len();
    text[spaces.min(most)..].to_owned()
}

/// The rows of a table with a column for the place and one for the error.
fn table(lines: &[Line<'_>]) -> Option<Vec<Failure>> {
    let rows: Vec<Vec<String>> =
        lines.iter().filter(|line| line.own()).filter_map(|line| cells(line.text)).collect();
    let [head, rule, rest @ ..] = rows.as_slice() else { return None };
    if !rule.iter().all(|cell| !cell.is_empty() && cell.chars().all(|c| matches!(c, '-' | ':' | ' '))) {
        return None;
    }
    let column = |names: &[&str]| {
        head.iter().position(|cell| names.contains(&text::fold(&text::plain(cell)).as_str()))
    };
    let (place, wrong) = (column(&PLACE)?, column(&WRONG)?);
    let hint = column(&HINT);
    let cell = |row: &Vec<String>, at: usize| row.get(at).map(|cell| unspanned(cell)).unwrap_or_default();
    let failure = |row: &Vec<String>| Failure {
        location: cell(row, place),
        error: cell(row, wrong),
        suggestion: hint.map(|at| cell(row, at)).filter(|hint| !blank(hint)),
    };
    Some(rest.iter().map(failure).filter(|failure| !blank(&failure.error)).collect())
}

fn cells(line: &str) -> Option<Vec<String>> {
    let inner = line.trim().strip_prefix('|')?;
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let inner = inner.replace("\\|", "\u{1}");
    Some(inner.split('|').map(|cell| cell.replace('\u{1}', "|").trim().to_owned()).collect())
}

/// The text in a code span or emphasis that holds all of it.
pub(super) fn unspanned(text: &str) -> String {
    let text = text.trim();
    let ticks = text.chars().take_while(|c| *c == '`').count();
    let inner = text.strip_prefix(&text[..ticks]).and_then(|inner| inner.strip_suffix(&text[..ticks]));
    let whole =
        |inner: &&str| !inner.is_empty() && !inner.ends_with('`') && runs(inner).all(|run| run != ticks);
    if let Some(inner) = inner.filter(whole).filter(|_| ticks > 0) {
        let padded = inner.strip_prefix(' ').and_then(|inner| inner.strip_suffix(' '));
        return padded.filter(|inner| !inner.trim().is_empty()).unwrap_or(inner).to_owned();
    }
    text::bold(text).filter(|_| !text.ends_with(':')).unwrap_or(text).to_owned()
}

/// The lengths of the runs of backticks.
pub(crate) fn runs(text: &str) -> impl Iterator<Item = usize> {
    text.split(|c| c != '`').map(str::len).filter(|length| *length > 0)
}

/// The blanks of the forms that are taught.
const TAUGHT: [&str; 6] = [
    "WHAT YOU FIXED",
    "FILE",
    "FILE:LINE",
    "FILE:LINE - WHAT FAILS",
    "FILE:LINE - WHAT FAILS - WHAT WOULD HELP",
    "PASS or FAIL or ERROR",
];

/// Nothing, or a blank that somebody left unfilled.
pub(super) fn blank(text: &str) -> bool {
    let text = text.trim();
    if TAUGHT.contains(&text) {
        return true;
    }
    if text.contains('\n') {
        return !text.chars().any(char::is_alphanumeric);
    }
    let enclosed = |open, close| text.starts_with(open) && text.ends_with(close) && text.len() > 1;
    let alone = |close: char| !text[1..text.len() - 1].contains(close);
    !text.chars().any(char::is_alphanumeric)
        || (enclosed('[', ']') && alone(']'))
        || (enclosed('{', '}') && alone('}'))
        || (enclosed('<', '>') && alone('>'))
}

/// "None", said of failures.
fn none(text: &str) -> bool {
    let text = text::fold(text.trim_end_matches(['.', '!']));
    let whole = [
        "none",
        "n/a",
        "na",
        "nothing",
        "no-failures",
        "0",
        "0-failures",
        "no-remaining-failures",
        "none-remaining",
    ];
    whole.contains(&text.as_str())
        || ["no-failures-", "all-previous-failures", "all-failures-resolved", "none-all-"]
            .iter()
            .any(|start| text.starts_with(start))
}

/// A number behind a title: `Failures: 2`.
fn count(value: &str) -> bool {
    value.trim().chars().all(|c| c.is_ascii_digit())
}
