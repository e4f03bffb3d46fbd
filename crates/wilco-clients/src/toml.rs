//! The table `[mcp_servers.wilco]` of Codex's configuration.

use std::ops::Range;

use toml_edit::{Document, Item, Table};

use crate::damage::Damage;
use crate::edit::{append, cut};

const SERVERS: &str = "mcp_servers";
const NAME: &str = "wilco";
const HEADER: &str = "[mcp_servers.wilco]";

pub(crate) fn insert(lines: &[String], before: Option<&str>) -> Result<String, Damage> {
    let header = std::iter::once(HEADER.to_owned());
    let after = append(&header.chain(lines.iter().cloned()).collect::<Vec<_>>(), before);
    let text = before.unwrap_or_default();
    let refused = |_| {
        let at = text.find(SERVERS).unwrap_or(0);
        Damage::at(text, at, format!("`{SERVERS}` is not a table to which {HEADER} can be added"))
    };
    parse(&after).map_err(refused)?;
    Ok(after)
}

pub(crate) fn remove(text: &str) -> Result<Option<String>, Damage> {
    let mut text = text.to_owned();
    // A table and those beneath it: at most as many as there are headers.
    while let Some(range) = last(&text)? {
        match cut(&text, range) {
            Some(shorter) => text = shorter,
            None => return Ok(None),
        }
    }
    Ok(Some(text))
}

pub(crate) fn is_installed(lines: &[String], text: &str) -> Result<bool, Damage> {
    let document = parse(text)?;
    let Some(Item::Table(found)) = servers(&document).and_then(|servers| servers.get(NAME)) else {
        return Ok(false);
    };
    let wanted =
        Document::parse(lines.join("\n")).map_err(|error| Damage { line: 1, what: error.to_string() })?;
    let plain = |table: &Table| {
        let values = table.iter().filter(|(_, item)| item.is_value());
        values.map(|(key, item)| (key.to_owned(), bare(item))).collect::<Vec<_>>()
    };
    Ok(plain(found) == plain(wanted.as_table()))
}

/// A value by what it says, wherever it stands.
fn bare(item: &Item) -> String {
    match (item.as_str(), item.as_array()) {
        (Some(text), _) => format!("{text:?}"),
        (None, Some(list)) => {
            let words: Vec<_> = list.iter().map(|value| format!("{:?}", value.as_str())).collect();
            words.join(", ")
        }
        (None, None) => item.type_name().to_owned(),
    }
}

fn parse(text: &str) -> Result<Document<&str>, Damage> {
    Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        Damage::at(text, at, error.message().trim().replace('\n', "; "))
    })
}

fn servers<'a>(document: &'a Document<&str>) -> Option<&'a Table> {
    document.as_table().get(SERVERS)?.as_table()
}

/// The lines of the last table of ours.
fn last(text: &str) -> Result<Option<Range<usize>>, Damage> {
    let document = parse(text)?;
    let table = document.as_table();
    let Some(found) = table.get(SERVERS) else { return Ok(None) };
    let shape = |what: &str| {
        let at = found.span().map_or_else(|| text.find(SERVERS).unwrap_or(0), |span| span.start);
        Damage::at(text, at, what)
    };
    let Some(servers) = found.as_table() else {
        return Err(shape(
            "`mcp_servers` is not a table of its own: write each server as [mcp_servers.NAME]",
        ));
    };
    let mut ranges = Vec::new();
    match servers.get(NAME) {
        None => {}
        Some(Item::Table(ours)) => gather(text, ours, &mut ranges),
        Some(_) => return Err(shape("`mcp_servers.wilco` is not written as [mcp_servers.wilco]")),
    }
    Ok(ranges.into_iter().max_by_key(|range| range.start))
}

fn gather(text: &str, table: &Table, ranges: &mut Vec<Range<usize>>) {
    if let Some(span) = table.span().filter(|_| !table.is_implicit() && !table.is_dotted()) {
        let mut end = span.end;
        values(table, &mut end);
        let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
        let start = start + text[start..].len() - text[start..].trim_start_matches('\u{feff}').len();
        let end = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
        ranges.push(start..end);
    }
    for (_, item) in table.iter() {
        match item {
            Item::Table(beneath) if !beneath.is_dotted() => gather(text, beneath, ranges),
            Item::ArrayOfTables(several) => several.iter().for_each(|one| gather(text, one, ranges)),
            Item::Table(_) | Item::Value(_) | Item::None => {}
        }
    }
}

/// Where the last value of a table ends, dotted keys included.
fn values(table: &Table, end: &mut usize) {
    for (_, item) in table.iter() {
        match item {
            Item::Value(value) => *end = (*end).max(value.span().map_or(0, |span| span.end)),
            Item::Table(dotted) if dotted.is_dotted() => values(dotted, end),
            Item::Table(_) | Item::ArrayOfTables(_) | Item::None => {}
        }
    }
}
