//! Values as short texts, read and written without a detour: every event and every state has many.

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

/// A short text that is written from its end.
pub(crate) struct Short {
    bytes: [u8; Short::MOST],
    from: usize,
}

impl Short {
    /// No id and no length of time is longer.
    const MOST: usize = 48;

    pub(crate) fn new() -> Short {
        Short { bytes: [0; Short::MOST], from: Short::MOST }
    }

    pub(crate) fn before(mut self, text: &str) -> Short {
        let end = self.from;
        self.from -= text.len();
        self.bytes[self.from..end].copy_from_slice(text.as_bytes());
        self
    }

    pub(crate) fn number_before(mut self, mut number: u64) -> Short {
        loop {
            self.from -= 1;
            self.bytes[self.from] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                return self;
            }
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[self.from..]).unwrap_or_default()
    }
}
