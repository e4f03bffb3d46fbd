//! What the changes of a state file have in common: finding a task, and setting only what differs.

use crate::yaml::{Change, Node, NodeKind, Step, Value, Wrong};

/// A key on the way to a value.
pub(super) fn key(name: &str) -> Step {
    Step::Key(name.to_owned())
}

pub(super) fn beneath(path: &[Step], step: Step) -> Vec<Step> {
    path.iter().cloned().chain([step]).collect()
}

/// The items of a list under a key of the file; none when it is missing or null.
pub(super) fn items<'a>(root: &'a Node, name: &str) -> Result<&'a [Node], Wrong> {
    match root.own(name) {
        None => Ok(&[]),
        Some(section) => match &section.kind {
            _ if section.is_null() => Ok(&[]),
            NodeKind::List { items, .. } => Ok(items),
            NodeKind::Map { .. } | NodeKind::Scalar { .. } | NodeKind::Alias(_) => {
                Err(Wrong::at(section.line, format!("{name}: expected a list")))
            }
        },
    }
}

/// The root of the file: a mapping, or nothing at all.
pub(super) fn mapping(root: Option<Node>) -> Result<Node, Wrong> {
    let empty = NodeKind::Map { entries: Vec::new(), flow: false };
    let root = root.unwrap_or(Node { start: 0, end: 0, line: 1, column: 0, anchor: 0, kind: empty });
    match &root.kind {
        NodeKind::Map { .. } => Ok(root),
        NodeKind::Scalar { .. } | NodeKind::List { .. } | NodeKind::Alias(_) => {
            Err(Wrong::at(root.line, "expected a mapping with active_assignments and registered_agents"))
        }
    }
}

/// The assignments of a task.
pub(super) fn assignments<'a>(
    root: &'a Node,
    task: &str,
) -> Result<impl Iterator<Item = (usize, &'a Node)>, Wrong> {
    let list = items(root, "active_assignments")?;
    let called =
        |item: &Node| ["task_uuid", "task_id"].iter().any(|field| text(item, field, root) == Some(task));
    let found: Vec<_> = list.iter().enumerate().filter(|(_, item)| called(item)).collect();
    Ok(found.into_iter())
}

/// The text of a field, also when it was taken over from elsewhere in the file.
pub(super) fn text<'a>(item: &'a Node, field: &str, root: &'a Node) -> Option<&'a str> {
    let value = item.followed(root)?.get(field, root)?;
    if value.is_null() { None } else { value.text() }
}

pub(super) fn is_agent(name: &str, agent: &str) -> bool {
    name.eq_ignore_ascii_case(agent)
}

/// Sets the fields of a mapping that say something else.
pub(super) fn set(map: &Node, path: &[Step], fields: Vec<(&'static str, Value)>) -> Vec<Change> {
    let differs = |(name, value): &(&'static str, Value)| !map.own(name).is_some_and(|old| says(old, value));
    let fields = fields.into_iter().filter(differs);
    fields.map(|(name, value)| Change::Set { path: beneath(path, key(name)), value }).collect()
}

/// The same for a mapping within a mapping; it is made when it is missing.
pub(super) fn set_within(
    map: &Node,
    path: &[Step],
    name: &'static str,
    fields: Vec<(&'static str, Value)>,
) -> Result<Vec<Change>, Wrong> {
    let inner = beneath(path, key(name));
    match map.own(name) {
        None => Ok(vec![Change::Set { path: inner, value: Value::Map(fields) }]),
        Some(old) if old.is_null() => Ok(vec![Change::Set { path: inner, value: Value::Map(fields) }]),
        Some(old) if matches!(old.kind, NodeKind::Map { .. }) => Ok(set(old, &inner, fields)),
        Some(old) => Err(Wrong::at(old.line, format!("{name}: expected a mapping"))),
    }
}

fn says(old: &Node, value: &Value) -> bool {
    match value {
        Value::Null => old.is_null(),
        Value::Text(text) => !old.is_null() && old.text() == Some(text),
        Value::Flag(_) | Value::Whole(_) | Value::Number(_) => {
            old.number_or_flag().is_some_and(|written| written == value.flow())
        }
        Value::List(_) | Value::Map(_) => false,
    }
}
