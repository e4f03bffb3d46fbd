//! Entries of a JSON file that may have comments and trailing commas.
//!
//! An entry goes behind the last one of its list or object, and the comma before it belongs to it. A list or
//! object that was empty gets it right behind its bracket; one that Wilco makes begins with a line end. That
//! tells them apart when the entry is taken out: what Wilco made goes too, what was there stays.

mod tree;

use serde_json::{Value, json};

use crate::damage::Damage;
use crate::edit::line_end;
use tree::{Container, Member, parse};

/// Something of Wilco's in a JSON file.
#[derive(Debug, Clone, PartialEq)]
pub enum Insertion {
    /// A group of hooks in the list `hooks.EVENT`.
    Hook { event: &'static str, group: Value },
    /// The MCP server `wilco` in the object of this name.
    Server { parent: &'static str, server: Value },
}

const HOOKS: &str = "hooks";
const NAME: &str = "wilco";
/// How the command of every hook of Wilco begins.
pub(crate) const COMMAND: &str = "wilco hook ";

impl Insertion {
    fn parents(&self) -> Vec<&'static str> {
        match self {
            Insertion::Hook { event, .. } => vec![HOOKS, event],
            Insertion::Server { parent, .. } => vec![parent],
        }
    }
}

pub(crate) fn insert(entries: &[Insertion], before: Option<&str>) -> Result<String, Damage> {
    let mut entries = entries.iter();
    let mut text = match before {
        Some(text) => text.to_owned(),
        None => match entries.next() {
            Some(first) => made(first),
            None => "{}\n".to_owned(),
        },
    };
    for entry in entries {
        text = with(entry, &text)?;
    }
    Ok(text)
}

/// A file that holds one entry.
fn made(entry: &Insertion) -> String {
    let whole = match entry {
        Insertion::Hook { event, group } => json!({HOOKS: {*event: [group]}}),
        Insertion::Server { parent, server } => json!({*parent: {NAME: server}}),
    };
    format!("{whole:#}\n")
}

/// The text with one more entry.
fn with(entry: &Insertion, text: &str) -> Result<String, Damage> {
    let root = parse(text)?;
    let parents = entry.parents();
    let (mut container, mut depth) = (&root, 0);
    while let Some(member) = parents.get(depth).and_then(|name| container.member(name)) {
        let is_list = matches!(entry, Insertion::Hook { .. }) && depth == 1;
        container = member.container(text, is_list)?;
        depth += 1;
    }
    let (innermost, name) = match entry {
        Insertion::Hook { group, .. } => (group.clone(), None),
        Insertion::Server { server, .. } => (server.clone(), Some(NAME)),
    };
    // What is not there yet is made around it, from the inside.
    let missing = &parents[depth..];
    let (mut value, mut key) = (innermost, name);
    for parent in missing.iter().rev() {
        value = match key {
            Some(key) => json!({key: value}),
            None => json!([value]),
        };
        key = Some(parent);
    }
    Ok(container.append(text, key, &value))
}

pub(crate) fn remove(entries: &[Insertion], text: &str) -> Result<Option<String>, Damage> {
    let mut text = text.to_owned();
    loop {
        let root = parse(&text)?;
        let Some(path) = ours(entries, &root, &text)?.pop() else { return Ok(Some(text)) };
        match root.without(&text, &path) {
            Some(shorter) => text = shorter,
            None => return Ok(None),
        }
    }
}

pub(crate) fn is_installed(entries: &[Insertion], text: &str) -> Result<bool, Damage> {
    let root = parse(text)?;
    let mut found = Vec::new();
    for path in ours(entries, &root, text)? {
        let values: Vec<&Member> = root.along(&path);
        let names = values.iter().filter_map(|member| member.name.clone()).collect::<Vec<_>>();
        found.push((names, values.last().map(|member| member.value.clone())));
    }
    let wanted = |entry: &Insertion| {
        let mut names: Vec<String> = entry.parents().into_iter().map(str::to_owned).collect();
        match entry {
            Insertion::Hook { group, .. } => (names, Some(group.clone())),
            Insertion::Server { server, .. } => {
                names.push(NAME.to_owned());
                (names, Some(server.clone()))
            }
        }
    };
    Ok(found.len() == entries.len() && entries.iter().map(wanted).all(|entry| found.contains(&entry)))
}

/// Where Wilco's entries stand, in the order of the text: at each level the index of a member.
fn ours(entries: &[Insertion], root: &Container, text: &str) -> Result<Vec<Vec<usize>>, Damage> {
    let mut found = Vec::new();
    if entries.iter().any(|entry| matches!(entry, Insertion::Hook { .. }))
        && let Some((at, hooks)) = root.position(HOOKS)
    {
        for (of_event, event) in hooks.container(text, false)?.members.iter().enumerate() {
            let known = entries.iter().any(|entry| entry.parents().last().copied() == event.name.as_deref());
            let Some(groups) = event.inner.as_ref().filter(|groups| groups.is_list) else {
                // Wilco needs no list that it does not know.
                if known {
                    event.container(text, true)?;
                }
                continue;
            };
            for (of_group, group) in groups.members.iter().enumerate() {
                found.extend(
                    in_group(group)
                        .into_iter()
                        .map(|rest| [at, of_event, of_group].into_iter().chain(rest).collect::<Vec<_>>()),
                );
            }
        }
    }
    let parents = entries.iter().filter_map(|entry| match entry {
        Insertion::Server { parent, .. } => Some(*parent),
        Insertion::Hook { .. } => None,
    });
    for parent in parents {
        let Some((at, servers)) = root.position(parent) else { continue };
        if let Some((of_server, server)) = servers.container(text, false)?.position(NAME) {
            if !server.value.to_string().contains("wilco") && !server.value.to_string().contains("/mcp") {
                let what = format!("`{parent}.{NAME}` is another server: give it another name");
                return Err(Damage::at(text, server.start, what));
            }
            found.push(vec![at, of_server]);
        }
    }
    found.sort();
    Ok(found)
}

/// A group of Wilco's hooks goes whole; of a group with hooks of others only Wilco's go.
fn in_group(group: &Member) -> Vec<Vec<usize>> {
    let Some((at, hooks)) = group.inner.as_ref().and_then(|inner| inner.position(HOOKS)) else {
        return Vec::new();
    };
    let handlers = hooks.inner.as_ref().map(|inner| inner.members.as_slice()).unwrap_or_default();
    let is_ours = |handler: &Member| {
        let command = handler.value.get("command").and_then(Value::as_str);
        command.is_some_and(|command| command.starts_with(COMMAND))
    };
    let found: Vec<usize> = (0..handlers.len()).filter(|index| is_ours(&handlers[*index])).collect();
    match found.len() {
        0 => Vec::new(),
        all if all == handlers.len() => vec![Vec::new()],
        _ => found.into_iter().map(|index| vec![at, index]).collect(),
    }
}

/// A value on lines of its own, indented as the file is.
fn pretty(text: &str, value: &Value, outer: &str, unit: &str) -> String {
    let end = line_end(text);
    let mut lines = Vec::new();
    for line in format!("{value:#}").lines() {
        let bare = line.trim_start_matches(' ');
        let depth = (line.len() - bare.len()) / 2;
        lines.push(format!("{}{bare}", unit.repeat(depth)));
    }
    lines.join(&format!("{end}{outer}"))
}
