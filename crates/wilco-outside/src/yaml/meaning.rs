//! What a text says, without where and how: a changed text must say what it said before, and the change.

use granit_parser::ScalarStyle;

use super::Wrong;
use super::edit::{Change, Step};
use super::tree::{Node, NodeKind, parse};
use super::write::{Value, is_plain};

/// That the changed text says what was meant, and nothing else.
pub(super) fn check(before: Option<&Node>, after: &str, change: &Change) -> Result<(), Wrong> {
    let line = before.map_or(1, |root| root.line);
    let wrong =
        |problem: String| Wrong::at(line, format!("it cannot be changed without changing more: {problem}"));
    let after = parse(after).map_err(|wrong_after| wrong(wrong_after.problem))?;
    let mut meant = before.map_or(Meaning::Map(Vec::new()), Meaning::of);
    meant.change(change);
    match after.as_ref().map(Meaning::of) {
        Some(got) if got == meant => Ok(()),
        _ => Err(wrong("its form is not understood".to_owned())),
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Meaning {
    Null,
    /// Plain scalars and quoted ones differ: `"1"` is no number.
    Plain(String),
    Text(String),
    Alias(usize),
    List(Vec<Meaning>),
    Map(Vec<(Meaning, Meaning)>),
}

impl Meaning {
    fn of(node: &Node) -> Meaning {
        match &node.kind {
            _ if node.is_null() => Meaning::Null,
            NodeKind::Scalar { text, style: ScalarStyle::Plain } => Meaning::plain(text),
            NodeKind::Scalar { text, .. } => Meaning::Text(text.clone()),
            NodeKind::Alias(id) => Meaning::Alias(*id),
            NodeKind::List { items, .. } => Meaning::List(items.iter().map(Meaning::of).collect()),
            NodeKind::Map { entries, .. } => Meaning::Map(
                entries.iter().map(|(key, value)| (Meaning::of(key), Meaning::of(value))).collect(),
            ),
        }
    }

    /// What cannot be taken for anything but a text is one.
    fn plain(text: &str) -> Meaning {
        if is_plain(text) { Meaning::Text(text.to_owned()) } else { Meaning::Plain(text.to_owned()) }
    }

    fn meant(value: &Value) -> Meaning {
        match value {
            Value::Null => Meaning::Null,
            Value::Flag(flag) => Meaning::Plain(flag.to_string()),
            Value::Whole(number) => Meaning::Plain(number.to_string()),
            Value::Number(number) => Meaning::Plain(number.clone()),
            Value::Text(text) => Meaning::Text(text.clone()),
            Value::List(items) => Meaning::List(items.iter().map(Meaning::meant).collect()),
            Value::Map(entries) => Meaning::Map(
                entries.iter().map(|(key, value)| (Meaning::plain(key), Meaning::meant(value))).collect(),
            ),
        }
    }

    fn change(&mut self, change: &Change) {
        match change {
            Change::Set { path, value } => self.at(path, |place| *place = Meaning::meant(value)),
            Change::Append { path, item } => self.at(path, |list| match list {
                Meaning::List(items) => items.push(Meaning::meant(item)),
                _ => *list = Meaning::List(vec![Meaning::meant(item)]),
            }),
        }
    }

    /// Changes the place at a path; a key that is missing comes last.
    fn at(&mut self, path: &[Step], act: impl FnOnce(&mut Meaning)) {
        let Some((step, rest)) = path.split_first() else { return act(self) };
        let next = match (step, self) {
            (Step::Item(at), Meaning::List(items)) => items.get_mut(*at),
            (Step::Key(key), Meaning::Map(entries)) => {
                let said = |meaning: &Meaning| match meaning {
                    Meaning::Plain(text) | Meaning::Text(text) => text == key,
                    Meaning::Null | Meaning::Alias(_) | Meaning::List(_) | Meaning::Map(_) => false,
                };
                if !entries.iter().any(|(known, _)| said(known)) {
                    entries.push((Meaning::Text(key.clone()), Meaning::Null));
                }
                entries.iter_mut().find(|(known, _)| said(known)).map(|(_, value)| value)
            }
            (Step::Item(_) | Step::Key(_), _) => None,
        };
        // A path that leads nowhere changes nothing, and then the texts differ.
        if let Some(next) = next {
            next.at(rest, act);
        }
    }
}
