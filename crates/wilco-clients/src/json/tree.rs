//! A JSON text as the places of its members.

use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, ast, parse_to_ast};
use serde_json::{Map, Value};

use super::pretty;
use crate::damage::Damage;
use crate::edit::line_end;

/// An object or a list: where it stands, and what is in it.
#[derive(Debug)]
pub(super) struct Container {
    pub(super) is_list: bool,
    start: usize,
    end: usize,
    pub(super) members: Vec<Member>,
}

/// A property of an object, or an element of a list.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: Option<String>,
    pub(super) start: usize,
    end: usize,
    pub(super) value: Value,
    pub(super) inner: Option<Container>,
}

/// JSON with comments and trailing commas, and nothing looser.
const STRICT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

const BOM: char = '\u{feff}';

/// The root of a text, which must be an object.
pub(super) fn parse(text: &str) -> Result<Container, Damage> {
    // The places are counted in the whole text.
    let skipped = if text.starts_with(BOM) { BOM.len_utf8() } else { 0 };
    let parsed = parse_to_ast(&text[skipped..], &CollectOptions::default(), &STRICT);
    let parsed =
        parsed.map_err(|error| Damage::at(text, skipped + error.range().start, error.kind().to_string()))?;
    let root = parsed.value.map(|value| member(None, value.range().start, value, skipped));
    match root {
        Some(Member { inner: Some(root), .. }) if !root.is_list => {
            root.check_doubles(text)?;
            Ok(root)
        }
        Some(other) => Err(Damage::at(text, other.start, "the whole is not an object: expected { … }")),
        None => Err(Damage::at(text, 0, "it is empty: expected an object, { }")),
    }
}

fn member(name: Option<String>, start: usize, value: ast::Value<'_>, skipped: usize) -> Member {
    let range = value.range();
    let place = |is_list, members| Container {
        is_list,
        start: range.start + skipped,
        end: range.end + skipped,
        members,
    };
    let (value, inner) = match value {
        ast::Value::Object(object) => {
            let of = |property: ast::ObjectProp<'_>| {
                let start = property.range.start;
                member(Some(property.name.into_string()), start, property.value, skipped)
            };
            let members: Vec<Member> = object.properties.into_iter().map(of).collect();
            let pairs =
                members.iter().filter_map(|member| Some((member.name.clone()?, member.value.clone())));
            (Value::Object(pairs.collect::<Map<_, _>>()), Some(place(false, members)))
        }
        ast::Value::Array(list) => {
            let of = |element: ast::Value<'_>| member(None, element.range().start, element, skipped);
            let members: Vec<Member> = list.elements.into_iter().map(of).collect();
            let values = members.iter().map(|member| member.value.clone());
            (Value::Array(values.collect()), Some(place(true, members)))
        }
        ast::Value::StringLit(text) => (Value::String(text.value.into_owned()), None),
        ast::Value::NumberLit(number) => {
            (serde_json::from_str(number.value).unwrap_or_else(|_| number.value.into()), None)
        }
        ast::Value::BooleanLit(boolean) => (Value::Bool(boolean.value), None),
        ast::Value::NullKeyword(_) => (Value::Null, None),
    };
    Member { name, start: start + skipped, end: range.end + skipped, value, inner }
}

impl Member {
    /// What is in it; it must be a list or an object, as asked.
    pub(super) fn container(&self, text: &str, is_list: bool) -> Result<&Container, Damage> {
        let found = self.inner.as_ref().filter(|inner| inner.is_list == is_list);
        found.ok_or_else(|| {
            let name = self.name.as_deref().unwrap_or_default();
            let wanted = if is_list { "a list: expected [ … ]" } else { "an object: expected { … }" };
            Damage::at(text, self.start, format!("`{name}` is not {wanted}"))
        })
    }
}

impl Container {
    pub(super) fn position(&self, name: &str) -> Option<(usize, &Member)> {
        self.members.iter().enumerate().find(|(_, member)| member.name.as_deref() == Some(name))
    }

    pub(super) fn member(&self, name: &str) -> Option<&Member> {
        self.position(name).map(|(_, member)| member)
    }

    /// A key that stands twice means one thing to one reader and another to the next.
    fn check_doubles(&self, text: &str) -> Result<(), Damage> {
        for (index, member) in self.members.iter().enumerate() {
            if let Some(name) = &member.name
                && self.members[..index].iter().any(|before| before.name.as_ref() == Some(name))
            {
                return Err(Damage::at(text, member.start, format!("the key `{name}` stands twice")));
            }
            if let Some(inner) = &member.inner {
                inner.check_doubles(text)?;
            }
        }
        Ok(())
    }

    /// The members on the way down.
    pub(super) fn along(&self, path: &[usize]) -> Vec<&Member> {
        let (mut found, mut container) = (Vec::new(), Some(self));
        for index in path {
            let Some(member) = container.and_then(|container| container.members.get(*index)) else { break };
            container = member.inner.as_ref();
            found.push(member);
        }
        found
    }

    /// The text with one more member at the end of this.
    pub(super) fn append(&self, text: &str, key: Option<&str>, value: &Value) -> String {
        let unit = indent_unit(text);
        let (at, before, outer) = match (self.members.first(), self.members.last()) {
            (Some(first), Some(last)) => match begins_its_line(text, first.start) {
                Some(indent) => (last.end, format!(",{}{indent}", line_end(text)), indent.to_owned()),
                None => (last.end, ", ".to_owned(), indent_of(text, last.end).to_owned()),
            },
            _ => (self.start + 1, String::new(), indent_of(text, self.start).to_owned()),
        };
        let key = key.map(|key| format!("{}: ", Value::from(key))).unwrap_or_default();
        let value = pretty(text, value, &outer, &unit);
        format!("{}{before}{key}{value}{}", &text[..at], &text[at..])
    }

    /// The text without this member, and without what was made around it. None if that is all of the text.
    pub(super) fn without(&self, text: &str, path: &[usize]) -> Option<String> {
        let mut way: Vec<(&Container, usize)> = Vec::new();
        let mut container = self;
        for index in path {
            way.push((container, *index));
            match container.members.get(*index).and_then(|member| member.inner.as_ref()) {
                Some(inner) => container = inner,
                None => break,
            }
        }
        let (mut from, mut index) = way.pop()?;
        while from.is_made_for(text, index) {
            match way.pop() {
                Some((outer, of)) => (from, index) = (outer, of),
                None if is_blank(text[..from.start].trim_start_matches(BOM))
                    && is_blank(&text[from.end..]) =>
                {
                    return None;
                }
                None => break,
            }
        }
        Some(from.cut(text, index))
    }

    /// Whether Wilco made this for the member, and nothing else came in.
    fn is_made_for(&self, text: &str, index: usize) -> bool {
        let member = &self.members[index];
        let (before, after) = (&text[self.start + 1..member.start], &text[member.end..self.end - 1]);
        let begins = before.starts_with('\n') || before.starts_with("\r\n");
        self.members.len() == 1 && begins && is_blank(before) && is_blank(after)
    }

    fn cut(&self, text: &str, index: usize) -> String {
        let member = &self.members[index];
        let next = self.members.get(index + 1);
        if let Some(previous) = index.checked_sub(1).map(|index| &self.members[index]) {
            let between = &text[previous.end..member.start];
            if is_blank(&between.replacen(',', "", 1)) {
                return join(text, previous.end, member.end);
            }
            // Comments stand there: only the comma goes, and the space before the entry.
            let start = previous.end + between.trim_end().len();
            let comma = previous.end + comma(between).unwrap_or(0);
            let kept = join(&text[..start], comma, (comma + 1).min(start));
            return format!("{kept}{}", &text[member.end..]);
        }
        let after = &text[member.end..next.map_or(self.end - 1, |next| next.start)];
        let end = comma(after).map_or(member.end, |at| member.end + at + 1);
        let before = &text[self.start + 1..member.start];
        match next {
            Some(_) if is_blank(before) => join(text, self.start + 1, end),
            _ => join(text, member.start, end),
        }
    }
}

fn join(text: &str, from: usize, to: usize) -> String {
    format!("{}{}", &text[..from], &text[to..])
}

fn is_blank(text: &str) -> bool {
    text.chars().all(|c| matches!(c, ' ' | '\t' | '\r' | '\n'))
}

/// The first comma that is not in a comment.
fn comma(text: &str) -> Option<usize> {
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with(',') {
            return Some(at);
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        at += skipped;
    }
    None
}

/// The blanks before this place, if nothing else stands before it on its line.
fn begins_its_line(text: &str, at: usize) -> Option<&str> {
    let start = text[..at].rfind('\n')? + 1;
    let before = &text[start..at];
    before.chars().all(|c| c == ' ' || c == '\t').then_some(before)
}

/// How far the line of this place is indented.
fn indent_of(text: &str, at: usize) -> &str {
    let start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line = &text[start..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// What the file indents by: a tab or as many spaces as its first indented line has, else two spaces.
fn indent_unit(text: &str) -> String {
    let blanks = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let indented = text.lines().map(|line| &line[..blanks(line)]).find(|blanks| !blanks.is_empty());
    match indented {
        Some(blanks) if blanks.starts_with('\t') => "\t".to_owned(),
        Some(blanks) => " ".repeat(blanks.len().min(8)),
        None => "  ".to_owned(),
    }
}
