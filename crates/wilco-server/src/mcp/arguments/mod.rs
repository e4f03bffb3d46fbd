//! The arguments of tools: one description of each, from which its schema is made and by which it is checked.

mod check;
mod given;
mod schema;

pub(crate) use check::check;
pub(crate) use given::Given;
pub(crate) use schema::schema;

/// One argument, or one field of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    pub(crate) required: bool,
    pub(crate) about: &'static str,
}

/// What an argument may be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A whole number in these bounds.
    Whole(u64, u64),
    Flag,
    /// A duration such as `90s`, or a number of seconds.
    Span,
    Texts,
    Numbers,
    /// A name, or a list of names.
    Names,
    /// An object with any keys: the server knows them.
    Keys,
    Object(&'static [Field]),
    Objects(&'static [Field]),
    /// One of these; each has another type.
    Either(&'static [Kind]),
    /// The content of a message: which fields it has, its `type` says.
    Content(&'static [Variant]),
}

/// A type of content and its fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Variant {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    pub(crate) fields: &'static [Field],
}

pub(crate) const fn required(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { name, kind, required: true, about }
}

pub(crate) const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Field {
    Field { name, kind, required: false, about }
}
