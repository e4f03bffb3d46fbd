//! Words that a shell may complete where others are taken too.

use std::ffi::OsStr;

use clap::builder::{PossibleValue, TypedValueParser};

/// Offers these words to a shell and reads what was written with its own function.
#[derive(Clone)]
pub(crate) struct Suggested<T> {
    pub(crate) words: &'static [&'static str],
    pub(crate) read: fn(&str) -> Result<T, String>,
}

pub(crate) const PRIORITIES: [&str; 4] = ["low", "normal", "high", "urgent"];

/// Offers words and takes any: whether one fits is said by the server.
pub(crate) fn any(words: &'static [&'static str]) -> Suggested<String> {
    Suggested { words, read: |word| Ok(word.to_owned()) }
}

impl<T: Clone + Send + Sync + 'static> TypedValueParser for Suggested<T> {
    type Value = T;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        self.read.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.words.iter().map(PossibleValue::new)))
    }
}
