//! Reading a value from the text it is written as, without a copy of that text.

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};

/// Whatever text stands there, read by `read`.
pub(crate) fn from_text<'de, D, T, R>(input: D, read: fn(&str) -> Result<T, R>) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    R: fmt::Display,
{
    input.deserialize_str(Text(read))
}

struct Text<T, R>(fn(&str) -> Result<T, R>);

impl<T, R: fmt::Display> Visitor<'_> for Text<T, R> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        (self.0)(text).map_err(E::custom)
    }
}
