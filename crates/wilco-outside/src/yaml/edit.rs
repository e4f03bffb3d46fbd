//! Changing a text: one value set, or one item added, everything else to the byte as it was.

use granit_parser::ScalarStyle;

use super::Wrong;
use super::meaning::check;
use super::tree::{Node, NodeKind, parse};
use super::write::{Value, block_items, entry, is_plain, like, quoted};

/// One step from a collection to what is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Item(usize),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Change {
    /// A value under the last key of the path, which must be a key; the mapping before it is there.
    Set { path: Vec<Step>, value: Value },
    /// An item at the end of the list at this path; a list that is null or missing is made.
    Append { path: Vec<Step>, item: Value },
}

/// The text with the changes made, one after the other. It is read again after each, and must say what was
/// meant: everything as before but for the change.
pub(crate) fn changed(text: &str, changes: &[Change]) -> Result<String, Wrong> {
    let mut text = text.to_owned();
    for change in changes {
        let root = parse(&text)?;
        let next = match change {
            Change::Set { path, value } => set(&text, root.as_ref(), path, value)?,
            Change::Append { path, item } => append(&text, root.as_ref(), path, item)?,
        };
        check(root.as_ref(), &next, change)?;
        text = next;
    }
    Ok(text)
}

fn set(text: &str, root: Option<&Node>, path: &[Step], value: &Value) -> Result<String, Wrong> {
    let [before @ .., Step::Key(key)] = path else { return Err(Wrong::at(1, "a change without a key")) };
    let Some(root) = root else { return Ok(at_end(text, &entry(key, value, 0, 2, newline(text)))) };
    let map = reached(root, before)?;
    match map.own(key) {
        Some(old) => {
            unshared(root, old)?;
            Ok(replaced(text, root, old, value))
        }
        None => insert(text, map, key, value, root),
    }
}

fn append(text: &str, root: Option<&Node>, path: &[Step], item: &Value) -> Result<String, Wrong> {
    let missing = |root| set(text, root, path, &Value::List(vec![item.clone()]));
    let Some(root) = root else { return missing(None) };
    let list = match reached(root, path) {
        Ok(list) if !list.is_null() => list,
        Ok(_) | Err(_) => return missing(Some(root)),
    };
    let NodeKind::List { items, flow } = &list.kind else {
        return Err(Wrong::at(list.line, "expected a list"));
    };
    match items.last() {
        Some(last) if *flow => Ok(spliced(text, last.end..last.end, &format!(", {}", item.flow()))),
        Some(last) => {
            let indent = dash(text, &items[0]);
            Ok(line_after(
                text,
                last,
                indent,
                &block_items(std::slice::from_ref(item), indent, newline(text)),
            ))
        }
        None if in_flow(root, list) => Ok(spliced(text, list.start + 1..list.start + 1, &item.flow())),
        None => Ok(beneath_key(text, root, list, &Value::List(vec![item.clone()]))),
    }
}

/// The node at a path; every node on the way may be changed without changing another place.
fn reached<'a>(root: &'a Node, path: &[Step]) -> Result<&'a Node, Wrong> {
    let mut node = root;
    unshared(root, node)?;
    for step in path {
        let next = match (step, &node.kind) {
            (Step::Key(key), NodeKind::Map { .. }) => node.own(key),
            (Step::Item(at), NodeKind::List { items, .. }) => items.get(*at),
            (_, NodeKind::Alias(_)) => {
                return Err(Wrong::at(
                    node.line,
                    "it is an alias; write it out so that it can be changed alone",
                ));
            }
            (Step::Key(_), _) => return Err(Wrong::at(node.line, "expected a mapping")),
            (Step::Item(_), _) => return Err(Wrong::at(node.line, "expected a list")),
        };
        node = next.ok_or_else(|| Wrong::at(node.line, format!("there is no {step:?}")))?;
        unshared(root, node)?;
    }
    Ok(node)
}

fn unshared(root: &Node, node: &Node) -> Result<(), Wrong> {
    if node.anchor != 0 && root.mentions(node.anchor) {
        let problem = "it has an anchor and an alias elsewhere means the same; write both out so that one can be changed";
        return Err(Wrong::at(node.line, problem));
    }
    Ok(())
}

fn replaced(text: &str, root: &Node, old: &Node, value: &Value) -> String {
    let style = match &old.kind {
        NodeKind::Scalar { style, .. } => *style,
        NodeKind::List { .. } | NodeKind::Map { .. } | NodeKind::Alias(_) => ScalarStyle::DoubleQuoted,
    };
    match style {
        ScalarStyle::Plain if old.is_null() && is_large(value) && !in_flow(root, old) => {
            beneath_key(text, root, old, value)
        }
        ScalarStyle::Literal | ScalarStyle::Folded => {
            // The mark before the lines goes with them.
            let mark = text[..old.start].rfind(['|', '>']).unwrap_or(old.start);
            let end = text[..old.end].trim_end().len().max(mark);
            spliced(text, mark..end, &value.flow())
        }
        _ => {
            let space = if text[..old.start].ends_with([':', '-']) { " " } else { "" };
            spliced(text, old.start..old.end, &format!("{space}{}", like(style, value)))
        }
    }
}

fn is_large(value: &Value) -> bool {
    match value {
        Value::Map(entries) => !entries.is_empty(),
        Value::List(items) => matches!(items.first(), Some(Value::Map(_))),
        Value::Null | Value::Flag(_) | Value::Whole(_) | Value::Number(_) | Value::Text(_) => false,
    }
}

/// Whether brackets stand around a node.
fn in_flow(root: &Node, node: &Node) -> bool {
    let same = |one: &Node| (one.start, one.end) == (node.start, node.end);
    let inside = |one: &Node| one.start <= node.start && node.end <= one.end && !same(one);
    match &root.kind {
        NodeKind::List { items, flow } => {
            *flow && inside(root) || items.iter().any(|one| inside(one) && in_flow(one, node))
        }
        NodeKind::Map { entries, flow } => {
            *flow && inside(root) || entries.iter().any(|(_, one)| inside(one) && in_flow(one, node))
        }
        NodeKind::Scalar { .. } | NodeKind::Alias(_) => false,
    }
}

/// A collection in place of `key:`, `key: null` or `key: []`: beneath the line of the key.
fn beneath_key(text: &str, root: &Node, old: &Node, value: &Value) -> String {
    let start = line_start(text, old.start);
    let indent = text[start..].len() - text[start..].trim_start_matches([' ', '-']).len();
    let (step, newline) = (step(root), newline(text));
    // The lines of an entry, without its key.
    let whole = entry("", value, indent, step, newline);
    let lines = whole.trim_start_matches(':');
    let cleared = spliced(text, text[..old.start].trim_end_matches(' ').len()..old.end, "");
    let end = line_end(&cleared, start);
    spliced(&cleared, end..end, lines)
}

fn insert(text: &str, map: &Node, key: &str, value: &Value, root: &Node) -> Result<String, Wrong> {
    let NodeKind::Map { entries, flow } = &map.kind else {
        let problem = match map.kind {
            NodeKind::Alias(_) => "it is an alias; write it out so that it can be changed alone",
            _ => "expected a mapping",
        };
        return Err(Wrong::at(map.line, problem));
    };
    let key = if is_plain(key) { key.to_owned() } else { quoted(key) };
    match entries.last() {
        Some((_, last)) if *flow => {
            Ok(spliced(text, last.end..last.end, &format!(", {key}: {}", value.flow())))
        }
        Some((_, last)) => {
            let indent = entries[0].0.column;
            Ok(line_after(text, last, indent, &entry(&key, value, indent, step(root), newline(text))))
        }
        None => Ok(spliced(text, map.start + 1..map.start + 1, &format!("{key}: {}", value.flow()))),
    }
}

/// New lines after the line on which a node ends.
fn line_after(text: &str, last: &Node, indent: usize, lines: &str) -> String {
    let (indent, newline) = (" ".repeat(indent), newline(text));
    if is_lines(last) {
        // Empty lines after such a text may belong to it.
        let at = line_start(text, last.end);
        let before = if text[..at].ends_with('\n') { "" } else { newline };
        return spliced(text, at..at, &format!("{before}{indent}{lines}{newline}"));
    }
    let end = line_end(text, last.end);
    spliced(text, end..end, &format!("{newline}{indent}{lines}"))
}

/// Whether a node ends with a text of several lines after `|` or `>`.
fn is_lines(node: &Node) -> bool {
    match &node.kind {
        NodeKind::Scalar { style, .. } => matches!(style, ScalarStyle::Literal | ScalarStyle::Folded),
        NodeKind::List { items, flow } => !flow && items.last().is_some_and(is_lines),
        NodeKind::Map { entries, flow } => !flow && entries.last().is_some_and(|(_, value)| is_lines(value)),
        NodeKind::Alias(_) => false,
    }
}

/// Where the dash of an item stands in its line.
fn dash(text: &str, item: &Node) -> usize {
    let mut end = item.start;
    while let Some(at) = text[..end].rfind('-') {
        let start = line_start(text, at);
        let alone = text[start..at].chars().all(|c| c == ' ');
        if alone && text[at + 1..].starts_with(|c: char| c.is_whitespace()) {
            return at - start;
        }
        end = at;
    }
    0
}

/// How far this text indents what is beneath a key.
fn step(root: &Node) -> usize {
    let NodeKind::Map { entries, flow: false } = &root.kind else { return 2 };
    let first = entries.iter().find_map(|(key, value)| match &value.kind {
        NodeKind::Map { entries, flow: false } => entries.first()?.0.column.checked_sub(key.column),
        NodeKind::List { items, flow: false } => items.iter().map(step).find(|step| *step != 2),
        NodeKind::Map { .. } | NodeKind::List { .. } | NodeKind::Scalar { .. } | NodeKind::Alias(_) => None,
    });
    first.filter(|step| *step > 0).unwrap_or(2)
}

fn at_end(text: &str, lines: &str) -> String {
    let newline = newline(text);
    let before = if text.is_empty() || text.ends_with('\n') { "" } else { newline };
    format!("{text}{before}{lines}{newline}")
}

fn newline(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        Some(_) | None => "\n",
    }
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// Before the line end.
fn line_end(text: &str, at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    if text[at..end].ends_with('\r') { end - 1 } else { end }
}

fn spliced(text: &str, range: std::ops::Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..range.start], &text[range.end..])
}
