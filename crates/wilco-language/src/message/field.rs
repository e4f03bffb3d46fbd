//! A field of a message, and what it may be.

use super::MessageType;

/// One field of a content, of an object in it, or of the arguments of a tool.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    pub kind: FieldKind,
    pub required: bool,
    pub about: &'static str,
    /// False: a value of another kind is no error, it is kept and means nothing.
    pub checked: bool,
}

/// What a field may be.
#[derive(Debug, Clone, Copy)]
pub enum FieldKind {
    /// A line.
    Text,
    /// Several lines.
    LongText,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// Usually one of these words.
    Suggested(&'static [&'static str]),
    /// A whole number in these bounds.
    Number(u64, u64),
    /// A number of minutes above zero.
    Minutes,
    /// Such as `90s`, or a number of seconds.
    Duration,
    Flag,
    Texts,
    /// Numbers from 1 on.
    Numbers,
    /// A name, or a list of names.
    Names,
    /// An object with any keys: the protocol's policy knows them.
    Keys,
    Object(&'static [Field]),
    Objects(&'static [Field]),
    /// One of these; each has another type in JSON.
    Either(&'static [FieldKind]),
    /// The content of a message of one of these types.
    Content(&'static [MessageType]),
}

pub const fn required(name: &'static str, kind: FieldKind, about: &'static str) -> Field {
    Field { name, kind, required: true, about, checked: true }
}

pub const fn optional(name: &'static str, kind: FieldKind, about: &'static str) -> Field {
    Field { name, kind, required: false, about, checked: true }
}

impl Field {
    /// The same field where it must be given.
    pub const fn needed(self) -> Field {
        Field { required: true, ..self }
    }

    /// The same field where whatever it holds is taken.
    pub const fn unchecked(self) -> Field {
        Field { checked: false, ..self }
    }

    /// The same field with another meaning.
    pub const fn about(self, about: &'static str) -> Field {
        Field { about, ..self }
    }

    /// What is said to somebody who left it out.
    pub fn why(&self) -> String {
        if let FieldKind::OneOf(words) = self.kind {
            return listed(words);
        }
        let mut letters = self.about.chars();
        letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
    }
}

impl FieldKind {
    /// What it may be, in words.
    pub fn described(&self) -> String {
        match self {
            FieldKind::Text | FieldKind::LongText => "text".to_owned(),
            FieldKind::OneOf(words) => listed(words),
            FieldKind::Suggested(words) => format!("text, such as {}", listed(words)),
            FieldKind::Number(least, u64::MAX) => format!("whole number from {least}"),
            FieldKind::Number(least, most) => format!("whole number from {least} to {most}"),
            FieldKind::Minutes => "minutes, a number above zero".to_owned(),
            FieldKind::Duration => "duration such as 90s or 5m".to_owned(),
            FieldKind::Flag => "true or false".to_owned(),
            FieldKind::Texts => "list of texts".to_owned(),
            FieldKind::Numbers => "list of numbers".to_owned(),
            FieldKind::Names => "name, or list of names".to_owned(),
            FieldKind::Keys => "object".to_owned(),
            FieldKind::Object(fields) => format!("object with {}", names(fields)),
            FieldKind::Objects(fields) => format!("list of objects with {}", names(fields)),
            FieldKind::Either(kinds) => {
                kinds.iter().map(FieldKind::described).collect::<Vec<_>>().join("; or ")
            }
            FieldKind::Content(types) => {
                let names: Vec<_> = types.iter().map(|one| one.name()).collect();
                format!("object with a type, one of {}", names.join(", "))
            }
        }
    }
}

fn names(fields: &[Field]) -> String {
    fields.iter().map(|field| field.name).collect::<Vec<_>>().join(", ")
}

/// `a, b or c`.
pub fn listed(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        few => few.concat(),
    }
}
