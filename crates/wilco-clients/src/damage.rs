//! Why a file is left alone.

use std::fmt;

/// What is wrong with a file, and in which line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    pub line: usize,
    pub what: String,
}

impl Damage {
    pub(crate) fn at(text: &str, offset: usize, what: impl Into<String>) -> Damage {
        let before = text.as_bytes().iter().take(offset);
        Damage { line: 1 + before.filter(|byte| **byte == b'\n').count(), what: what.into() }
    }

    /// Bytes that are no UTF-8, if they are none.
    pub fn of_bytes(bytes: &[u8]) -> Option<Damage> {
        let error = std::str::from_utf8(bytes).err()?;
        let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
        Some(Damage { line, what: "it is not UTF-8".to_owned() })
    }
}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Damage {}
